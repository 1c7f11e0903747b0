import Foundation
import Stet

/// One save as a whole process against `git commit -qam`, each over 1,000 notes, in turns in one run.
struct ProcessBench {
    let stet: String
    private let notes = 1_000
    private let rounds = 60

    func run() throws {
        try Measure.inTemporaryFolder { folder in
            let store = folder + "/store"
            let repository = folder + "/git"
            try fill(store, repository)
            var ours = Samples()
            var theirs = Samples()
            for round in 0..<rounds {
                let text = folder + "/text"
                let note = "notes/\(round * 7 % notes).md"
                try Data(Measure.text(1_000_000 + round)).write(to: URL(fileURLWithPath: text))
                let saved = try ours.measure {
                    try Measure.spawn([stet, "--store", store, "save", note, "-"], input: text)
                }
                try Data(Measure.text(1_000_000 + round)).write(to: URL(fileURLWithPath: repository + "/" + note))
                let committed = try theirs.measure {
                    try Measure.spawn(["git", "-C", repository, "commit", "-qam", "save"])
                }
                guard saved == 0, committed == 0 else { throw CocoaError(.executableLoad) }
            }
            Measure.report([
                "measure": "stet save against git commit -qam, whole processes, 1,000 notes", "rounds": rounds,
                "stet_p50_ms": ours.median, "git_p50_ms": theirs.median, "ratio_p50": ours.median / theirs.median,
            ])
        }
    }

    private func fill(_ path: String, _ repository: String) throws {
        let store = try NoteStore.create(at: path, clock: .system)
        let requests = try (0..<notes).map { SaveRequest(Measure.text($0), as: try NoteName("notes/\($0).md")) }
        _ = try store.save(requests)
        try store.close()
        try FileManager.default.createDirectory(atPath: repository + "/notes", withIntermediateDirectories: true)
        for number in 0..<notes {
            try Data(Measure.text(number)).write(to: URL(fileURLWithPath: repository + "/notes/\(number).md"))
        }
        try Measure.makeRepository(repository)
    }
}

/// Commands over long histories and large stores, as whole processes.
struct ScaleBench {
    let stet: String
    private let rounds = 40

    func run() throws {
        try Measure.inTemporaryFolder { folder in
            let long = try store(folder + "/long", notes: 1, versions: 10_000)
            let middle = "note0.md@5000"
            try report("history of 10,000 versions", [stet, "--store", long, "history", "note0.md"])
            try report("history --json of 10,000 versions", [stet, "--store", long, "history", "note0.md", "--json"])
            try report("show one of 10,000 versions", [stet, "--store", long, "show", middle])
            let empty = try store(folder + "/empty", notes: 0, versions: 0)
            let large = try store(folder + "/large", notes: 1_000, versions: 100)
            try compareOpening(empty, large)
        }
    }

    private func store(_ path: String, notes: Int, versions: Int) throws -> String {
        let store = try NoteStore.create(at: path, clock: .system)
        for version in 0..<versions {
            // In batches of one version of every note, or of a hundred of the only note.
            let isTurn = notes > 1 || version.isMultiple(of: 100)
            guard isTurn else { continue }
            let batch = notes > 1 ? (0..<notes).map { ($0, version) } : (version..<version + 100).map { (0, $0) }
            _ = try store.save(
                batch.map { note, number in
                    let text = "version \(number) of note \(note)\n"
                    return SaveRequest(Array(text.utf8), as: try NoteName("note\(note).md"))
                })
        }
        try store.flush()
        try store.close()
        return path
    }

    private func report(_ what: String, _ command: [String]) throws {
        var samples = Samples()
        for _ in 0..<rounds {
            guard try samples.measure({ try Measure.spawn(command) }) == 0 else { throw CocoaError(.executableLoad) }
        }
        Measure.report(["measure": what, "p50_ms": samples.median, "p90_ms": samples.percentile(0.9)])
    }

    private func compareOpening(_ empty: String, _ large: String) throws {
        var ofEmpty = Samples()
        var ofLarge = Samples()
        for _ in 0..<200 {
            try ofEmpty.measure { try NoteStore.open(at: empty, clock: .system).close() }
            try ofLarge.measure { try NoteStore.open(at: large, clock: .system).close() }
        }
        Measure.report([
            "measure": "opening 100,000 versions against none", "large_p50_ms": ofLarge.median,
            "empty_p50_ms": ofEmpty.median, "more_ms": ofLarge.median - ofEmpty.median,
        ])
    }
}
