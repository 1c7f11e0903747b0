import Stet

/// What a store must hold and do, said as plainly as it can be: arrays that are searched from end to end.
///
/// It shares no code with the store but the types of names and identifiers. Identifiers are random, so that a walk
/// tells the model the ones that the store chose.
struct ModelStore {
    /// Every note ever made, in the order in which they were made.
    var notes: [ModelNote] = []
    /// How many operations were recorded; the first is the beginning of the device.
    var recorded = 1
    /// The bookmarks that were handed out, in order.
    var bookmarks: [ModelBookmark] = []
}

struct ModelNote {
    /// Nil until the store has told.
    var id: NoteID?
    var name: NoteName
    /// The operation that deleted it.
    var deleted: Int?
    var head = 0
    /// Version n is at n - 1.
    var versions: [ModelVersion] = []
    /// The names it gave up, and when.
    var formerNames: [(name: NoteName, until: Int64)] = []
    /// Every head it ever had, and since when, in the order of operations.
    var heads: [(time: Int64, head: Int)] = []
    /// The versions with a recorded bookmark, and whether they were the head when it was recorded.
    var recordedBookmarks: [Int: Bool] = [:]

    var isDeleted: Bool { deleted != nil }
    var headVersion: ModelVersion { versions[head - 1] }
}

struct ModelVersion {
    var number: Int
    /// The operation that made it.
    var operation: Int
    var parents: [Int]
    /// Its place in `WalkTexts.all`.
    var text: Int
    var time: Int64
    var kind: VersionKind
    var label: [UInt8]?
    var isPinned = false
    var redo: Int?
}

struct ModelBookmark {
    var note: Int
    /// Nil where it is a bookmark of the note.
    var version: Int?
    /// What it tells of the note and the text of that moment.
    var name: NoteName
    var text: Int
}

/// Why an operation is refused.
enum Refusal: Error, Hashable {
    case noNote
    case deleted(NoteName)
    case notDeleted(NoteName)
    case renamed(from: NoteName, to: NoteName)
    case ambiguous
    case noVersion(NoteName)
    case nameTaken(NoteName)
    case nameInside(NoteName, other: NoteName)
    case nothingToUndo(NoteName, head: Int)
    case nothingToRedo(NoteName, head: Int)
    case invalidLabel
    case noteTwice

    /// The same refusal from the store; nil for errors that no walk may meet.
    init?(_ error: StoreError) {
        switch error {
        case .noNote: self = .noNote
        case .deleted(let name): self = .deleted(name)
        case .notDeleted(let name): self = .notDeleted(name)
        case .renamed(let old, let new): self = .renamed(from: old, to: new)
        case .ambiguous: self = .ambiguous
        case .noVersion(let name, _): self = .noVersion(name)
        case .nameTaken(let name): self = .nameTaken(name)
        case .nameInside(let name, let other): self = .nameInside(name, other: other)
        case .nothingToUndo(let name, let head): self = .nothingToUndo(name, head: head)
        case .nothingToRedo(let name, let head): self = .nothingToRedo(name, head: head)
        case .invalidLabel: self = .invalidLabel
        case .noteTwice: self = .noteTwice
        default: return nil
        }
    }
}

// MARK: Finding notes and versions

extension ModelStore {
    /// The places of the live or the deleted notes, in the order in which the store lists them.
    func places(deleted: Bool) -> [Int] {
        notes.indices.filter { notes[$0].isDeleted == deleted }.sorted { left, right in
            let names = (notes[left].name.bytes, notes[right].name.bytes)
            return names.0 == names.1 ? left < right : names.0.lexicographicallyPrecedes(names.1)
        }
    }

    func live(_ name: NoteName) -> Int? { notes.indices.first { !notes[$0].isDeleted && notes[$0].name == name } }

    private func deleted(_ name: NoteName) -> [Int] {
        notes.indices.filter { notes[$0].isDeleted && notes[$0].name == name }
    }

    private func formerly(_ name: NoteName) -> [Int] {
        notes.indices.filter { place in
            notes[place].name != name && notes[place].formerNames.contains { $0.name == name }
        }
    }

    func find(_ choice: NoteChoice, for purpose: LookupPurpose) throws(Refusal) -> Int {
        switch choice {
        case .nobody: throw .noNote
        case .note(let place, _):
            let note = notes[place]
            if purpose == .changing, note.isDeleted { throw .deleted(note.name) }
            if purpose == .undeleting, !note.isDeleted { throw .notDeleted(note.name) }
            return place
        case .name(let name):
            switch purpose {
            case .undeleting:
                if deleted(name).isEmpty, live(name) != nil { throw .notDeleted(name) }
                return try one(of: deleted(name))
            case .changing: return try findToChange(name)
            case .reading: return try findToRead(name)
            }
        }
    }

    private func findToChange(_ name: NoteName) throws(Refusal) -> Int {
        if let place = live(name) { return place }
        if !deleted(name).isEmpty { throw .deleted(name) }
        let renamed = formerly(name)
        if renamed.count == 1, !notes[renamed[0]].isDeleted { throw .renamed(from: name, to: notes[renamed[0]].name) }
        throw .noNote
    }

    private func findToRead(_ name: NoteName) throws(Refusal) -> Int {
        if let place = live(name) { return place }
        if !deleted(name).isEmpty { return try one(of: deleted(name)) }
        if !formerly(name).isEmpty { return try one(of: formerly(name)) }
        return try one(
            of: notes.indices.filter { place in
                !notes[place].isDeleted && WalkNames.areSpelledAlike(notes[place].name, name)
            })
    }

    private func one(of places: [Int]) throws(Refusal) -> Int {
        if places.isEmpty { throw .noNote }
        if places.count > 1 { throw .ambiguous }
        return places[0]
    }

    /// The number of the version of the note at `place` that is meant.
    func find(_ choice: VersionChoice, of place: Int) throws(Refusal) -> Int {
        let note = notes[place]
        let number: Int? =
            switch choice {
            case .head: note.head
            case .number(let number): note.versions.first { $0.number == number }?.number
            case .operation(let operation): note.versions.first { $0.operation == operation }?.number
            case .hash(let text, _): note.versions.last { $0.text == text }?.number
            case .time(let time): head(of: place, at: time)
            }
        guard let number else { throw .noVersion(note.name) }
        return number
    }

    /// The head that the last operation at `time` or before gave the note, where the last is the one recorded last.
    func head(of place: Int, at time: Int64) -> Int? { notes[place].heads.last { $0.time <= time }?.head }

    /// Refuses a name that is taken, or that would lie inside another or have another inside.
    func requireFree(_ name: NoteName, but leaving: [Int] = []) throws(Refusal) {
        let others = places(deleted: false).filter { !leaving.contains($0) }.map { notes[$0].name }
        if others.contains(name) { throw .nameTaken(name) }
        let outer = others.filter { name.bytes.starts(with: $0.bytes + [UInt8(ascii: "/")]) }
        let inner = others.filter { $0.bytes.starts(with: name.bytes + [UInt8(ascii: "/")]) }
        // Among live notes at most one can be outside of a name; of those inside the first is told.
        if let other = (outer + inner).first { throw .nameInside(name, other: other) }
    }
}
