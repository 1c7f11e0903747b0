import Foundation
import Stet
import Testing
import TestSupport

// What the tests of the library share.

extension NoteStore {
    /// The number and the text of what a note shows.
    func shown(_ name: String) throws -> String {
        let note = try find(.name(NoteName(name)), for: .changing)
        return String(decoding: try text(of: version(.head, of: note)), as: UTF8.self)
    }

    /// Saves `text` as `name`.
    @discardableResult
    func put(_ text: String, _ name: String, label: String? = nil) throws -> Change {
        try save(bytes(text), as: NoteName(name), label: label)
    }

    /// The texts of a note's versions, oldest first.
    func texts(_ reference: NoteReference) throws -> [String] {
        try history(of: find(reference)).reversed().map { String(decoding: try text(of: $0), as: UTF8.self) }
    }

    /// All of a version's text, as it is streamed.
    func streamed(_ version: Version) throws -> [UInt8] {
        var result: [UInt8] = []
        try readText(of: version) { result += Array($0) }
        return result
    }
}

extension NoteReference {
    /// The note called `name`.
    static func called(_ name: String) throws -> NoteReference { .name(try NoteName(name)) }
}

extension StoreFixture {
    /// The files that hold the truth, with their bytes: to show that nothing was changed.
    func truth() throws -> [String: [UInt8]] {
        let logs = try Files.tree(folder + "/oplog")
        let index = try ["index.sqlite", "index.sqlite-wal"].filter { Files.exists(folder + "/" + $0) }.map {
            ($0, try Files.bytes(at: folder + "/" + $0))
        }
        return logs.merging(Dictionary(uniqueKeysWithValues: index)) { $1 }
    }

    /// The one segment of the store's first device.
    func logPath() throws -> String {
        let devices = try Files.list(folder + "/oplog")
        return folder + "/oplog/" + (try #require(devices.first)) + "/00000001.log"
    }
}

/// `count` bytes of which no two neighbourhoods are alike.
func patterned(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) }
}
