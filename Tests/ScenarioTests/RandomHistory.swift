import Stet
import TestSupport

/// Does to a store whatever can be done to one, at random, and remembers what the library's interface does not tell.
struct RandomHistory {
    /// A version of a note.
    struct Key: Hashable {
        let note: NoteID
        let number: Int
    }

    /// The versions whose bookmarks are recorded.
    private(set) var bookmarks: [Key: Bookmark] = [:]
    private var generator: SplitMix64

    /// Two of these look the same and are not: one is composed, the other decomposed.
    static let names = [
        "todo.md", "caf\u{e9}", "cafe\u{301}", "日本語 メモ.md", "with two spaces  .txt", "work/a", "work/b c", "\u{1f388}",
        " ", "quote\"back\\slash", "d0123456789abcdef", "1",
    ]

    init(_ generator: SplitMix64) { self.generator = generator }

    private static func name(_ index: Int) throws -> NoteName { try NoteName(names[index % names.count]) }

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    private mutating func text() -> [UInt8] {
        switch below(12) {
        case 0: return []
        case 1:
            // Over 64 KiB: does not go through the journal.
            let piece = below(256)
            return (0..<(65_537 + below(70_000))).map { UInt8(truncatingIfNeeded: ($0 / 7) ^ piece) }
        case 2: return (0..<below(300)).map { _ in UInt8(truncatingIfNeeded: below(256)) }
        default: return bytes("line \(below(40))\n\(below(3))\n")
        }
    }

    private mutating func anyName() throws -> NoteName {
        below(10) == 0 ? try NoteName("new \(below(1_000_000))") : try Self.name(below(Self.names.count))
    }

    private mutating func anyNote(_ store: NoteStore, deleted: Bool = false) throws -> Note? {
        try store.notes(deleted: deleted).randomElement(using: &generator)
    }

    private mutating func anyVersion(of note: Note, _ store: NoteStore) throws -> Version? {
        try store.history(of: note).randomElement(using: &generator)
    }

    /// Does `count` things; what the store refuses counts as done.
    mutating func perform(_ count: Int, on store: NoteStore) throws {
        for _ in 0..<count {
            do { try step(store) } catch is StoreError {}
        }
    }

    private mutating func step(_ store: NoteStore) throws {
        switch below(20) {
        case 0..<5: try store.save(text(), as: anyName(), label: below(6) == 0 ? "label \(below(9)) é" : nil)
        case 5: try saveSeveral(store)
        case 6..<10: try moveHead(store)
        case 10..<15: try rename(store)
        default: try mark(store)
        }
    }

    /// Two texts at once, one of them a merge where its note has a version to merge.
    private mutating func saveSeveral(_ store: NoteStore) throws {
        var requests = [SaveRequest(text(), as: try anyName())]
        if let note = try anyNote(store), let other = try anyVersion(of: note, store), other.number != note.head {
            requests.append(SaveRequest(text(), as: note.name, label: "merged", mergedFrom: [other.number]))
        }
        _ = try store.save(requests)
    }

    private mutating func moveHead(_ store: NoteStore) throws {
        guard let note = try anyNote(store) else { return }
        switch below(5) {
        case 0..<2: try store.undo(.id(note.id), steps: 1 + below(3))
        case 2: try store.redo(.id(note.id), steps: 1 + below(2))
        default:
            guard let version = try anyVersion(of: note, store) else { return }
            _ = try store.restore(.number(version.number), of: .id(note.id))
        }
    }

    private mutating func rename(_ store: NoteStore) throws {
        switch below(5) {
        case 0:
            guard let note = try anyNote(store) else { return }
            _ = try store.rename(.id(note.id), to: anyName())
        case 1:
            // The names of two notes or more, turned round.
            let notes = try store.notes().shuffled(using: &generator).prefix(2 + below(2))
            let names = Array(notes.dropFirst()) + Array(notes.prefix(1))
            _ = try store.rename(zip(notes, names).map { Renaming(.id($0.id), to: $1.name) })
        case 2:
            guard let note = try anyNote(store), let other = try anyNote(store) else { return }
            _ = try store.delete(below(3) == 0 ? [.id(note.id), .id(other.id)] : [.id(note.id)])
        default:
            guard let note = try anyNote(store, deleted: true) else { return }
            _ = try store.undelete(.id(note.id), as: below(2) == 0 ? anyName() : nil)
        }
    }

    /// Marks a version, of a deleted note too.
    private mutating func mark(_ store: NoteStore) throws {
        guard let note = try anyNote(store, deleted: below(4) == 0), let version = try anyVersion(of: note, store)
        else { return }
        let (reference, number) = (NoteReference.id(note.id), VersionReference.number(version.number))
        switch below(6) {
        case 0: try store.label(number, of: reference, "words \(below(5)) 日本")
        case 1: try store.label(number, of: reference, "")
        case 2: try store.pin(number, of: reference)
        case 3: try store.unpin(number, of: reference)
        case 4:
            let bookmark = try store.bookmark(reference, number)
            bookmarks[Key(note: note.id, number: version.number)] = bookmark
        default:
            guard let (key, bookmark) = bookmarks.randomElement(using: &generator) else { return }
            try store.release(bookmark)
            bookmarks[key] = nil
        }
    }
}
