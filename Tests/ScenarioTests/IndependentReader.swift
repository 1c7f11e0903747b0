import Foundation
import Stet
import TestSupport

/// `tools/read-store.py`, which knows a store from docs/format.md alone.
enum IndependentReader {
    /// What it says of one version.
    struct Row: Decodable, Equatable {
        var note: String
        var name: String
        var deleted: Bool
        var ordinal: Int
        var number: Int
        var version: String
        var parents: [Int]
        var kind: String
        var sha256: String
        var size: Int
        var time: Int64
        var label: String?
        var pinned: Bool
        var head: Bool
        var redo: Int?
        var bookmarked: Int?
        var namesBefore: [String]
    }

    static let program = Files.project + "/tools/read-store.py"

    /// Runs it on the store at `folder`.
    static func run(_ arguments: [String], on folder: String, options: [String] = []) throws -> CommandRun {
        try CommandRun.run(
            "/usr/bin/env", ["python3", program] + options + [folder] + arguments, in: NSTemporaryDirectory())
    }

    /// Its `list`. Names are compared as bytes: Swift's strings take composed and decomposed forms for equal.
    static func list(_ run: CommandRun) throws -> [Row] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try run.lines.map { try decoder.decode(Row.self, from: Data($0.utf8)) }
    }

    /// What it should say of a store, by the library's interface; `bookmarked` is left open.
    static func expected(_ store: NoteStore) throws -> [Row] {
        let notes = try store.notes() + store.notes(deleted: true)
        return try notes.sorted { $0.ordinal < $1.ordinal }.flatMap { note in
            let before = try store.formerNames(of: note).sorted { $0.operation < $1.operation }.map(\.name.description)
            return try store.history(of: note).sorted { $0.number < $1.number }.map { version in
                Row(
                    note: note.id.description, name: note.name.description, deleted: note.isDeleted,
                    ordinal: note.ordinal, number: version.number, version: version.id.description,
                    parents: version.parents, kind: version.kind.name, sha256: version.object.description,
                    size: version.size, time: version.saved.milliseconds, label: version.label,
                    pinned: version.isPinned, head: version.number == note.head, redo: version.redo,
                    bookmarked: nil, namesBefore: before)
            }
        }
    }
}

/// The records of a log's segment.
struct LogSegment {
    let path: String
    var bytes: [UInt8]

    init(_ path: String) throws {
        self.path = path
        bytes = try Files.bytes(at: path)
    }

    func write() throws { try Files.overwrite(path, with: bytes) }

    /// The first byte of each record's payload.
    var kinds: [UInt8] { records.map { bytes[$0.lowerBound + 20] } }

    /// Where each record stands.
    var records: [Range<Int>] {
        var found: [Range<Int>] = []
        var at = 16
        while at + 28 <= bytes.count {
            let length = bytes[at..<(at + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
            found.append(at..<(at + 28 + length))
            at += 28 + length
        }
        return found
    }
}

/// The segments of all devices below `folder`.
func logSegments(_ folder: String) throws -> [String] {
    let log = folder + "/oplog"
    return try FileManager.default.contentsOfDirectory(atPath: log).sorted().flatMap { device in
        try FileManager.default.contentsOfDirectory(atPath: log + "/" + device).sorted().map {
            "\(log)/\(device)/\($0)"
        }
    }
}
