import Foundation
import Testing
import TestSupport

/// A world of its own for runs of the command: a home, a folder to work in, and a store that every run finds.
final class Scene {
    let temporary: TemporaryFolder
    /// The user's own store, `$XDG_DATA_HOME/stet`, or that of the vault.
    let store: String
    /// Where commands run; the vault, where there is one.
    let folder: String
    /// All that a command finds in its environment besides PATH.
    var environment: [String: String]
    private let isOrdinaryUser: Bool
    let command: String

    /// - Parameters:
    ///   - hasStore: whether the store is made.
    ///   - isVault: whether the folder is a vault.
    ///   - asOrdinaryUser: whether commands run without root's rights where the tests have them.
    init(hasStore: Bool = true, isVault: Bool = false, asOrdinaryUser: Bool = false) throws {
        temporary = try TemporaryFolder()
        let (home, data) = (temporary.appending("home"), temporary.appending("data"))
        folder = temporary.appending("work")
        store = isVault ? folder + "/.stet" : data + "/stet"
        environment = ["HOME": home, "XDG_DATA_HOME": data, "TZ": "UTC", "LC_ALL": "C.UTF-8", "SHELL": "/bin/sh"]
        isOrdinaryUser = asOrdinaryUser && geteuid() == 0
        for path in [home, data, folder] { try FileManager.default.makeFolder(path) }
        if isOrdinaryUser {
            // The build folder may be closed to others. Copied by a process of its own: a child that another test starts
            // meanwhile would keep the copy open for writing, and what is written to cannot be run.
            command = temporary.appending("stet")
            _ = try CommandRun.run("/bin/cp", [CommandRun.stet, command], in: "/")
            try giveToOrdinaryUser()
        } else {
            command = CommandRun.stet
        }
        if isVault { try stet("init") } else if hasStore { try stet("init", "--bare") }
    }

    /// Hands everything in the scene to the ordinary user, where there is one beside root.
    func giveToOrdinaryUser() throws {
        guard isOrdinaryUser else { return }
        _ = try CommandRun.run("/bin/chown", ["-R", "65534:65534", temporary.path], in: "/")
    }

    // MARK: Running

    /// Runs `stet` and expects an exit code.
    @discardableResult
    func stet(
        _ words: String..., input: String = "", exits code: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> CommandRun {
        try stet(
            bytes: words.map { Array($0.utf8) }, input: Array(input.utf8), exits: code, sourceLocation: sourceLocation)
    }

    /// Runs `stet` with arguments and input that need not be UTF-8, and expects an exit code.
    @discardableResult
    func stet(
        bytes words: [[UInt8]], input: [UInt8] = [], exits code: Int32? = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> CommandRun {
        let run = try start(command, words, input: input).wait()
        if let code {
            let call = words.map { String(decoding: $0.prefix(80), as: UTF8.self) }.joined(separator: " ")
            #expect(run.status == code, "stet \(call): \(run.text)\(run.errors)", sourceLocation: sourceLocation)
        }
        return run
    }

    /// Starts `stet` and does not wait for it.
    func start(_ words: String..., input: String = "") throws -> RunningCommand {
        try start(command, words.map { Array($0.utf8) }, input: Array(input.utf8))
    }

    func start(_ program: String, _ arguments: [[UInt8]], input: [UInt8]) throws -> RunningCommand {
        guard isOrdinaryUser else {
            return try RunningCommand(program, arguments, input: input, in: folder, environment: environment)
        }
        let words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", program]
        return try RunningCommand(
            "/usr/bin/env", words.map { Array($0.utf8) } + arguments, input: input, in: folder,
            environment: environment)
    }

    /// Runs a shell script that finds `stet` on its PATH, and expects an exit code.
    @discardableResult
    func shell(
        _ script: String, exits code: Int32? = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> CommandRun {
        let place = URL(fileURLWithPath: command).deletingLastPathComponent().path
        let script = "PATH=\(Self.quoted(place)):$PATH; \(script)"
        let run = try start("/bin/sh", [Array("-c".utf8), Array(script.utf8)], input: []).wait()
        if let code {
            #expect(run.status == code, "\(script): \(run.text)\(run.errors)", sourceLocation: sourceLocation)
        }
        return run
    }

    /// What `stet` writes to a terminal: standard output and error in one, without the carriage returns.
    func terminal(_ words: String...) throws -> [UInt8] { try terminal(words) }

    func terminal(_ words: [String]) throws -> [UInt8] {
        let call = ([command] + words).map(Self.quoted).joined(separator: " ")
        let run = try start(
            "/usr/bin/env", ["script", "-qec", call, "/dev/null"].map { Array($0.utf8) }, input: []
        ).wait()
        return run.output.filter { $0 != UInt8(ascii: "\r") }
    }

    /// One word for a shell.
    static func quoted(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }

    // MARK: Asking

    /// Runs `stet … --json` and reads each line.
    func json(
        _ words: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [[String: Any]] {
        let run = try stet(
            bytes: (words + ["--json"]).map { Array($0.utf8) }, input: Array(input.utf8),
            sourceLocation: sourceLocation)
        return try objects(of: run)
    }

    /// Each line of standard output as a JSON object.
    func objects(of run: CommandRun) throws -> [[String: Any]] {
        try run.lines.map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    /// Saves each text as a version of `note`.
    func save(_ texts: String..., as note: String) throws {
        for text in texts { try stet("save", "--", note, "-", input: text) }
    }

    /// The text that `operand` shows.
    func shown(_ operand: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        try stet("show", "--", operand, sourceLocation: sourceLocation).text
    }

    /// Every scenario ends so, unless damage is its point.
    func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let run = try stet("verify", sourceLocation: sourceLocation)
        #expect(run.text.contains("all whole"), sourceLocation: sourceLocation)
    }

    // MARK: Files

    /// Writes a file of the vault, with the folders that it lies in, as an editor does that writes in place.
    func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

    func write(_ bytes: [UInt8], to name: String) throws {
        let path = folder + "/" + name
        try FileManager.default.makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        try Files.overwrite(path, with: bytes)
        try giveToOrdinaryUser()
    }

    /// The text in a file of the vault; nil where it is not there.
    func file(_ name: String) -> String? {
        FileManager.default.contents(atPath: folder + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names of everything in the vault but the store.
    func names() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0 != ".stet" && !$0.hasPrefix(".stet/") }
            .sorted()
    }

    /// What `status` says of the vault: states by name.
    func states() throws -> [String: String] {
        var states: [String: String] = [:]
        for line in try json("status") {
            if let name = line["name"] as? String, let state = line["state"] as? String { states[name] = state }
        }
        return states
    }

    /// The kinds and hashes of a note's versions, newest first.
    func versions(_ note: String) throws -> [(kind: String, hash: String)] {
        try json("history", note).map { (($0["kind"] as? String) ?? "", ($0["hash"] as? String) ?? "") }
    }

    /// Every scenario in a vault ends so: the store is sound, no file is left that Stet made for a while, and each note's
    /// file, where there is one that is saved, has the text that the note shows.
    func expectVaultSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try expectSound(sourceLocation: sourceLocation)
        #expect(try !names().contains { $0.contains(".stet-") }, sourceLocation: sourceLocation)
        let states = try states()
        for line in try json("list") {
            guard let name = line["name"] as? String, states[name] == nil else { continue }
            #expect(try file(name) == shown(name), "\(name)", sourceLocation: sourceLocation)
        }
    }

    /// The file of the text whose hash is `hash`.
    func path(ofObject hash: String) -> String {
        store + "/caches/objects/\(hash.prefix(2))/\(hash.dropFirst(2))"
    }

    /// Changes the index behind Stet's back, and folds its write-ahead log in: SQLite's last connection takes the log
    /// and the shared memory away. Pages lose their checksums: nobody notices the change by them.
    func sqlite(_ statements: String) throws {
        let script = """
            import sqlite3, sys
            connection = sqlite3.connect(sys.argv[1])
            connection.executescript(sys.argv[2])
            connection.commit()
            connection.close()
            with open(sys.argv[1], "r+b") as file:
                pages = bytearray(file.read())
                for end in range(4096, len(pages) + 1, 4096) if pages[20:21] == b"\\x08" else ():
                    pages[end - 8:end] = bytes(8)
                file.seek(0)
                file.write(pages)
            """
        let run = try CommandRun.run(
            "/usr/bin/env", ["python3", "-c", script, store + "/index.sqlite", statements], in: folder)
        #expect(run.status == 0, "\(run.errors)")
        try giveToOrdinaryUser()
    }

    /// Takes the index's write-ahead log and shared memory away, as after a last clean close by SQLite.
    func foldLog() throws { try sqlite("PRAGMA wal_checkpoint(TRUNCATE)") }

    /// Every file below the store that matters, with its bytes: SQLite's shared memory is no part of it.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: store) where !name.hasSuffix("-shm") {
            contents[name] = FileManager.default.contents(atPath: store + "/" + name)
        }
        return contents
    }
}

extension FileManager {
    func makeFolder(_ path: String) throws { try createDirectory(atPath: path, withIntermediateDirectories: true) }
}
