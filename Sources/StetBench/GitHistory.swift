import Foundation
import Stet

/// The first-parent history of a git repository, oldest commit first, and the bytes of its blobs.
final class GitHistory {
    /// A change that a commit made to a file.
    enum Change {
        case write(name: [UInt8], blob: String)
        case delete(name: [UInt8])
        /// `blob` is nil where the text stayed the same.
        case rename(from: [UInt8], to: [UInt8], blob: String?)
    }

    struct Commit {
        var id: String
        var seconds: Int64
        var changes: [Change]
    }

    private let repository: String
    private let process = Process()
    private let requests = Pipe()
    private let answers = Pipe()
    private var buffered: [UInt8] = []

    init(_ repository: String) throws {
        self.repository = repository
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git", "-C", repository, "cat-file", "--batch"]
        process.standardInput = requests
        process.standardOutput = answers
        try process.run()
    }

    deinit {
        try? requests.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The bytes of a blob.
    func bytes(of blob: String) throws -> [UInt8] {
        try requests.fileHandleForWriting.write(contentsOf: Data((blob + "\n").utf8))
        let header = try readLine()
        guard let size = header.split(separator: " ").last.flatMap({ Int($0) }) else {
            throw ReplayError("git has no blob \(blob): \(header)")
        }
        while buffered.count < size + 1 { try readMore() }
        defer { buffered.removeFirst(size + 1) }
        return Array(buffered[..<size])
    }

    private func readLine() throws -> String {
        while true {
            if let end = buffered.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffered.removeFirst(end + 1) }
                return String(decoding: buffered[..<end], as: UTF8.self)
            }
            try readMore()
        }
    }

    private func readMore() throws {
        let piece = answers.fileHandleForReading.availableData
        guard !piece.isEmpty else { throw ReplayError("git ended in the middle of an answer") }
        buffered += piece
    }

    /// The commits of the checked out branch along first parents.
    func commits() throws -> [Commit] {
        let log = Process()
        let output = Pipe()
        log.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        log.arguments = [
            "git", "-C", repository, "log", "--first-parent", "-m", "--reverse", "--raw", "--no-abbrev", "-z", "-M",
            "--format=commit %H %ct",
        ]
        log.standardOutput = output
        try log.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        log.waitUntilExit()
        return try Self.parse(bytes.split(separator: 0, omittingEmptySubsequences: false).map { Array($0) })
    }

    private static func parse(_ fields: [[UInt8]]) throws -> [Commit] {
        var commits: [Commit] = []
        var rest = fields[...]
        while var field = rest.popFirst() {
            while field.first == UInt8(ascii: "\n") { field.removeFirst() }
            let words = String(decoding: field, as: UTF8.self).split(separator: " ")
            if words.first == "commit", words.count == 3 {
                commits.append(Commit(id: String(words[1]), seconds: Int64(words[2]) ?? 0, changes: []))
            } else if field.first == UInt8(ascii: ":"), words.count == 5, !commits.isEmpty {
                commits[commits.count - 1].changes += try changes(words, &rest)
            }
        }
        return commits
    }

    /// `:100644 100644 <blob> <blob> M`, and then the name or names.
    private static func changes(_ words: [Substring], _ rest: inout ArraySlice<[UInt8]>) throws -> [Change] {
        guard let name = rest.popFirst() else { throw ReplayError("git's log ends in the middle") }
        let (old, new, status) = (String(words[2]), String(words[3]), words[4])
        // A submodule has no text of its own.
        let isNote = words[1] != "160000"
        switch status.first {
        case "D": return words[0] == ":160000" ? [] : [.delete(name: name)]
        case "R":
            guard let target = rest.popFirst() else { throw ReplayError("git's log ends in the middle") }
            return [.rename(from: name, to: target, blob: old == new ? nil : new)]
        default: return isNote ? [.write(name: name, blob: new)] : []
        }
    }
}

struct ReplayError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
