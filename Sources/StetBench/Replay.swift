import Foundation
import Stet
import Synchronization

/// Replays a git history as single saves, renames and deletes through the library, and then compares every version's
/// bytes with git's.
struct Replay {
    private let repository: String
    private let storePath: String
    private var limit = Int.max
    private var manifest: String?

    init(_ words: ArraySlice<String>) throws {
        var paths: [String] = []
        var rest = words
        while let word = rest.popFirst() {
            switch word {
            case "--limit": limit = rest.popFirst().flatMap { Int($0) } ?? .max
            case "--manifest": manifest = rest.popFirst()
            default: paths.append(word)
            }
        }
        guard paths.count == 2 else { throw ReplayError("replay takes a repository and a folder for the store") }
        (repository, storePath) = (paths[0], paths[1])
    }

    /// A version with the blob that git has for it.
    private struct Expected {
        var note: NoteID
        var number: Int
        var blob: String
    }

    func run() throws {
        let git = try GitHistory(repository)
        let commits = try git.commits().prefix(limit)
        let time = Mutex<Int64>(0)
        let clock = StoreClock { Timestamp(milliseconds: time.withLock { $0 }) }
        let store = try NoteStore.create(at: storePath, clock: clock)
        var player = Player(store: store, git: git)
        let start = Measure.now()
        for (done, commit) in commits.enumerated() {
            time.withLock { $0 = commit.seconds * 1000 }
            try player.play(commit)
            if done.isMultiple(of: 200) { progress("replaying \(done) of \(commits.count) commits") }
        }
        let seconds = Measure.now() - start
        try store.close()
        progress("comparing")
        try report(player, commits: commits.count, seconds: seconds, git: git, clock: clock)
    }

    private func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    private func report(
        _ player: Player, commits: Int, seconds: Double, git: GitHistory, clock: StoreClock
    ) throws {
        let store = try NoteStore.open(at: storePath, access: .readOnly, clock: clock)
        var lines: [String] = []
        var different = 0
        for expected in player.expected {
            let note = try store.find(.id(expected.note))
            let version = try store.version(.number(expected.number), of: note)
            let bytes = try git.bytes(of: expected.blob)
            if try store.text(of: version) != bytes { different += 1 }
            lines.append("\(expected.note) \(expected.number) \(ObjectID(of: bytes)) \(bytes.count)")
        }
        let verified = try store.verify()
        if let manifest {
            try (lines.joined(separator: "\n") + "\n").write(toFile: manifest, atomically: false, encoding: .utf8)
        }
        progress("")
        for problem in verified.problems { print(problem) }
        Measure.report([
            "measure": "replay", "commits": commits, "saves": player.expected.count, "unchanged": player.unchanged,
            "renames": player.renames, "renames_that_lost_their_note": player.lostRenames, "deletes": player.deletes,
            "skipped_names": player.skipped, "seconds": seconds, "versions": verified.versions, "different": different,
            "verify_problems": verified.problems.count,
        ])
        let isRight =
            different == 0 && verified.isClean && player.lostRenames == 0
            && verified.versions == player.expected.count
        if !isRight { throw ReplayError("the store is not what git has") }
    }

    /// Applies commits to the store and remembers what has to be there afterwards.
    private struct Player {
        let store: NoteStore
        let git: GitHistory
        var expected: [Expected] = []
        var unchanged = 0
        var renames = 0
        var lostRenames = 0
        var deletes = 0
        var skipped = 0

        /// First what frees names, then renames, all at once since names may be exchanged, then texts.
        mutating func play(_ commit: GitHistory.Commit) throws {
            var renamings: [(from: NoteName, to: NoteName)] = []
            var writes: [(NoteName, String)] = []
            for change in commit.changes {
                do {
                    switch change {
                    case .delete(let name):
                        try store.delete([.name(NoteName(bytes: name))])
                        deletes += 1
                    case .rename(let from, let to, let blob):
                        let target = try NoteName(bytes: to)
                        renamings.append((try NoteName(bytes: from), target))
                        if let blob { writes.append((target, blob)) }
                    case .write(let name, let blob): writes.append((try NoteName(bytes: name), blob))
                    }
                } catch is NameError {
                    skipped += 1
                }
            }
            try rename(renamings)
            for (name, blob) in writes { try save(name, blob) }
        }

        private mutating func rename(_ renamings: [(from: NoteName, to: NoteName)]) throws {
            guard !renamings.isEmpty else { return }
            let before = try renamings.map { try store.find(.name($0.from), for: .changing).id }
            try store.rename(renamings.map { Renaming(.name($0.from), to: $0.to) })
            for (id, renaming) in zip(before, renamings) {
                renames += 1
                if try store.find(.name(renaming.to), for: .changing).id != id { lostRenames += 1 }
            }
        }

        private mutating func save(_ name: NoteName, _ blob: String) throws {
            let change = try store.save(git.bytes(of: blob), as: name)
            if change.isNew {
                expected.append(Expected(note: change.note.id, number: change.version.number, blob: blob))
            } else {
                // A change of mode alone.
                unchanged += 1
            }
        }
    }
}
