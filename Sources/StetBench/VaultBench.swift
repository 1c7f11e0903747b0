import Foundation
import Stet

/// A vault beside a git repository of the same files, as whole processes in turns in one run.
struct VaultBench {
    let stet: String
    private let rounds = 60

    func run() throws {
        try saveOfOne(among: 1_000)
        try saveOfNothing(among: 10_000)
    }

    private func saveOfOne(among notes: Int) throws {
        try Measure.inTemporaryFolder { folder in
            let vault = try twins(folder, notes)
            var (all, named, theirs) = (Samples(), Samples(), Samples())
            for round in 0..<25 {
                // As people save: what was recorded less than two seconds ago is read again, and here nothing was.
                Thread.sleep(forTimeInterval: 2.1)
                for (isNamed, number) in [(false, round * 14 % notes), (true, (round * 14 + 7) % notes)] {
                    let note = Self.name(number)
                    let text = Data(Measure.text(1_000_000 + 2 * round + (isNamed ? 1 : 0)))
                    for place in ["vault", "git"] {
                        try text.write(to: URL(fileURLWithPath: "\(folder)/\(place)/\(note)"))
                    }
                    let save =
                        [stet, "--store", vault.store.folder, "save"] + (isNamed ? [vault.folder + "/" + note] : [])
                    let saved =
                        try isNamed
                        ? named.measure { try Measure.spawn(save) } : all.measure { try Measure.spawn(save) }
                    let committed = try theirs.measure {
                        try Measure.spawn(["git", "-C", folder + "/git", "commit", "-qam", "save"])
                    }
                    guard saved == 0, committed == 0 else { throw CocoaError(.executableLoad) }
                }
            }
            guard try vault.store.counts().versions == notes + 50 else {
                throw CocoaError(.fileReadCorruptFile)
            }
            Measure.report([
                "measure": "stet save of one changed note against git commit -qam, whole processes, \(notes) notes",
                "rounds": 25, "stet_save_p50_ms": all.median, "stet_save_NOTE_p50_ms": named.median,
                "git_p50_ms": theirs.median, "ratio_save": all.median / theirs.median,
                "ratio_save_NOTE": named.median / theirs.median,
            ])
        }
    }

    private func saveOfNothing(among notes: Int) throws {
        try Measure.inTemporaryFolder { folder in
            let vault = try twins(folder, notes)
            var (save, status, theirs) = (Samples(), Samples(), Samples())
            for _ in 0..<rounds {
                try save.measure { _ = try Measure.spawn([stet, "--store", vault.store.folder, "save"]) }
                try theirs.measure { _ = try Measure.spawn(["git", "-C", folder + "/git", "status"]) }
                try status.measure { _ = try Measure.spawn([stet, "--store", vault.store.folder, "status"]) }
            }
            guard try vault.store.counts().versions == notes else { throw CocoaError(.fileReadCorruptFile) }
            var scan = Samples()
            for _ in 0..<rounds { try scan.measure { _ = try vault.status() } }
            Measure.report([
                "measure": "stet save of nothing against git status, whole processes, \(notes) notes", "rounds": rounds,
                "stet_save_p50_ms": save.median, "git_status_p50_ms": theirs.median,
                "ratio": save.median / theirs.median, "stet_status_p50_ms": status.median,
                "scan_in_the_library_p50_ms": scan.median,
            ])
        }
    }

    private static func name(_ number: Int) -> String { "folder\(number / 100)/note\(number).md" }

    /// The same files in a vault and in a git repository, all recorded, and old enough that no one need read them again.
    private func twins(_ folder: String, _ notes: Int) throws -> Vault {
        let manager = FileManager.default
        for number in 0..<notes {
            for place in ["vault", "git"] {
                let path = "\(folder)/\(place)/\(Self.name(number))"
                try manager.createDirectory(
                    atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path,
                    withIntermediateDirectories: true)
                try Data(Measure.text(number)).write(to: URL(fileURLWithPath: path))
            }
        }
        try Measure.makeRepository(folder + "/git")
        let store = try NoteStore.create(at: folder + "/vault/.stet", clock: .system)
        let vault = try Vault.make(folder + "/vault", of: store)
        _ = try vault.saveAll { _ in }
        // What changed within two seconds of being recorded is read again.
        Thread.sleep(forTimeInterval: 3)
        _ = try vault.saveAll { _ in }
        try store.flush()
        _ = try Measure.spawn(["git", "-C", folder + "/git", "status"])
        return vault
    }
}
