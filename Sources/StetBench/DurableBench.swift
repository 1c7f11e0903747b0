import Foundation
import Stet

/// A save that is durable when it returns, beside the least that one can be and beside git with its syncs on.
struct DurableBench {
    let stet: String
    private let rounds = 2_000
    private let processRounds = 200

    func run() throws {
        try Measure.inTemporaryFolder { folder in
            try compareWithBareInsert(folder)
            try compareWithGit(folder)
        }
    }

    private func compareWithBareInsert(_ folder: String) throws {
        let store = try NoteStore.create(at: folder + "/store", clock: .system)
        let bare = try BareInsert(folder + "/bare.sqlite")
        var ours = Samples()
        var theirs = Samples()
        for round in 0..<rounds {
            let text = Measure.text(round)
            let name = try NoteName("notes/\(round % 100).md")
            _ = try ours.measure { try store.save(text, as: name) }
            try theirs.measure { try bare.insert(text) }
        }
        try store.close()
        Measure.report([
            "measure": "save of 2 KB in the library, durable, against a bare SQLite insert", "saves": rounds,
            "stet_p50_ms": ours.median, "stet_p99_ms": ours.percentile(0.99), "sqlite_p50_ms": theirs.median,
            "sqlite_p99_ms": theirs.percentile(0.99), "ratio_p50": ours.median / theirs.median,
        ])
    }

    private func compareWithGit(_ folder: String) throws {
        let repository = folder + "/git"
        try FileManager.default.createDirectory(atPath: repository, withIntermediateDirectories: true)
        try Data(Measure.text(0)).write(to: URL(fileURLWithPath: repository + "/note.md"))
        try Measure.makeRepository(repository)
        let store = folder + "/processes"
        try NoteStore.create(at: store, clock: .system).close()
        var ours = Samples()
        var theirs = Samples()
        for round in 0..<processRounds {
            let text = URL(fileURLWithPath: repository + "/note.md")
            try Data(Measure.text(1_000_000 + round)).write(to: text)
            let saved = try ours.measure {
                try Measure.spawn([stet, "--store", store, "save", "note.md", "-"], input: text.path)
            }
            // What git does to be as safe: every kind of file it writes is synced.
            let committed = try theirs.measure {
                try Measure.spawn([
                    "git", "-C", repository, "-c", "core.fsync=all", "-c", "core.fsyncMethod=fsync", "commit", "-qam",
                    "-",
                ])
            }
            guard saved == 0, committed == 0 else { throw CocoaError(.executableLoad) }
        }
        Measure.report([
            "measure": "stet save against git commit with its syncs on, whole processes", "saves": processRounds,
            "stet_p50_ms": ours.median, "git_p50_ms": theirs.median, "ratio_p50": ours.median / theirs.median,
        ])
    }
}

/// Opening a store after the power went while its journal was full: nothing unsynced lasted.
struct RecoveryBench {
    func run() throws {
        try Measure.inTemporaryFolder { folder in
            // As much as waits before a flush is due, 1,000 times; and twice as much, a few times.
            try measure("a full journal", folder + "/full", texts: 999, size: 4_000, opens: 1_000)
            try measure("a journal of 8 MiB", folder + "/large", texts: 2_048, size: 4_096, opens: 20)
        }
    }

    private func measure(_ what: String, _ folder: String, texts: Int, size: Int, opens: Int) throws {
        try lose(folder, texts: texts, size: size)
        var opening = Samples()
        var whole = Samples()
        for _ in 0..<opens {
            let copy = folder + "-copy"
            try FileManager.default.copyItem(atPath: folder, toPath: copy)
            // What was copied is no part of what recovery has to sync.
            sync()
            try whole.measure {
                let store = try opening.measure { try NoteStore.open(at: copy, clock: .system) }
                try store.flush()
                try store.close()
            }
            let store = try NoteStore.open(at: copy, clock: .system)
            guard try store.verify().isClean, try store.counts().versions == texts else {
                throw CocoaError(.fileReadCorruptFile)
            }
            try store.close()
            try FileManager.default.removeItem(atPath: copy)
        }
        Measure.report([
            "measure": "recovery of \(what)", "opens": opens, "texts": texts, "bytes": texts * size,
            "open_p50_ms": opening.median, "open_p99_ms": opening.percentile(0.99),
            "until_all_is_written_p50_ms": whole.median, "until_all_is_written_p99_ms": whole.percentile(0.99),
        ])
    }

    /// Makes a store of which only what was synced lasted: the index, and the log's first record.
    private func lose(_ folder: String, texts: Int, size: Int) throws {
        let whole = folder + "-whole"
        let store = try NoteStore.create(at: whole, clock: .system)
        let log = try FileManager.default.subpathsOfDirectory(atPath: whole + "/oplog").filter { $0.hasSuffix(".log") }[
            0]
        let synced = try Data(contentsOf: URL(fileURLWithPath: whole + "/oplog/" + log))
        // In one call: a flush comes after it.
        _ = try store.save(
            (0..<texts).map { number in
                var text = [UInt8](repeating: UInt8(ascii: "x"), count: size)
                text.replaceSubrange(0..<8, with: Array(String(10_000_000 + number).utf8))
                return SaveRequest(text, as: try NoteName("notes/\(number % 100).md"))
            })
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for name in ["index.sqlite", "index.sqlite-wal", "lock"] {
            try FileManager.default.copyItem(atPath: whole + "/" + name, toPath: folder + "/" + name)
        }
        try FileManager.default.copyItem(atPath: whole + "/oplog", toPath: folder + "/oplog")
        try synced.write(to: URL(fileURLWithPath: folder + "/oplog/" + log))
        try store.close()
    }
}

/// Eight processes that save at once.
struct CrowdBench {
    private let processes = 8
    private let saves = 200

    func run() throws {
        try Measure.inTemporaryFolder { folder in
            try measure("to notes of their own", folder + "/own") { "note\($0)" }
            try measure("to one note", folder + "/one") { _ in "note" }
        }
    }

    private func measure(_ what: String, _ path: String, _ name: (Int) -> String) throws {
        try NoteStore.create(at: path, clock: .system).close()
        let start = Measure.now()
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let results = try (0..<processes).map { number in
            try Measure.begin([program, "saves", path, name(number), String(number), String(saves)])
        }.map { Measure.wait($0) }
        let seconds = Measure.now() - start
        let store = try NoteStore.open(at: path, clock: .system)
        let versions = try store.counts().versions
        guard results.allSatisfy({ $0 == 0 }), versions == processes * saves, try store.verify().isClean else {
            throw CocoaError(.fileReadCorruptFile)
        }
        try store.close()
        Measure.report([
            "measure": "\(processes) processes, \(saves) saves each, \(what)", "saves": versions,
            "saves_per_second": Double(versions) / seconds,
        ])
    }

    /// What each of the processes does; each save is told of once it is durable.
    static func saves(_ store: String, _ note: String, _ writer: String, _ count: Int) throws {
        let store = try NoteStore.open(at: store, clock: .system)
        for number in 0..<count {
            let text = Array("\(writer) \(number)\n".utf8)
            try store.save(text, as: NoteName(note))
            _ = text.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        }
        try store.close()
    }
}
