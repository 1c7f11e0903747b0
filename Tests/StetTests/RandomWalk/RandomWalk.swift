import Stet
import TestSupport

/// A store and its model that do the same and are compared after every step.
struct RandomWalk {
    /// What the store and the model do not agree on.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private static let steps = 50

    private let folder: String
    private let clock = ManualClock()
    private(set) var store: NoteStore
    var model = ModelStore()
    private var generator: WalkGenerator
    /// Decides what is compared, apart from the generator, so that other comparisons leave a seed's operations alone.
    var checks: SplitMix64
    /// The model's bookmarks as read from the store's tokens, in the same order.
    var bookmarks: [Bookmark] = []
    /// The store's only device, known from the first version on.
    var device: DeviceID?
    /// What was done so far, one line an operation.
    private(set) var operations: [String] = []

    init(seed: UInt64, folder: String) throws {
        self.folder = folder
        store = try NoteStore.create(at: folder, clock: clock.clock)
        generator = WalkGenerator(seed: seed)
        checks = SplitMix64(seed: ~seed)
    }

    mutating func run() throws {
        for _ in 0..<Self.steps { try step() }
        try expectSound()
        try store.close()
        // Reading must need nothing that only a writer can do.
        store = try NoteStore.open(at: folder, access: .readOnly, clock: clock.clock)
        try expectSound()
        try compareEverything()
        try store.close()
    }

    private mutating func step() throws {
        let time = generator.time()
        let operation = generator.operation(model)
        operations.append("\(operations.count + 1). time \(time): \(operation)")
        clock.set(time)
        let answer = try perform(operation)
        let expected = model.perform(operation, at: time)
        if case .reopen = operation { try reopen() }
        try compare(answer, expected)
        try compareState(after: expected)
    }

    private mutating func reopen() throws {
        try store.close()
        store = try NoteStore.open(at: folder, clock: clock.clock)
    }

    private func expectSound() throws {
        let problems = try store.verify().problems
        try expect(problems, [], "problems found by verify")
    }

    func expect<Value: Equatable>(_ actual: Value, _ expected: Value, _ what: @autoclosure () -> String) throws {
        if actual == expected { return }
        throw Difference(description: "\(what()): the store has \(actual), the model \(expected)")
    }
}

/// What the store answered to an operation.
enum StoreOutcome {
    case changes([Change])
    case moved(NoteStore.HeadMove)
    case marked(Version)
    case bookmark(Bookmark)
    case released(Bool)
    case done
    case refused(Refusal)
}

// MARK: Doing it in the store

extension RandomWalk {
    private func perform(_ operation: WalkOperation) throws -> StoreOutcome {
        do {
            return try attempt(operation)
        } catch let error as StoreError {
            guard let refusal = Refusal(error) else { throw error }
            return .refused(refusal)
        }
    }

    private func attempt(_ operation: WalkOperation) throws -> StoreOutcome {
        switch operation {
        case .save(let saves): return .changes(try store.save(saves.map(request)))
        case .stream(let save): return .changes([try stream(save)])
        case .undo(let note, let steps): return .moved(try store.undo(reference(note), steps: steps))
        case .redo(let note, let steps): return .moved(try store.redo(reference(note), steps: steps))
        case .restore(let note, let version):
            return .changes([try store.restore(reference(version), of: reference(note))])
        case .rename(let renamings):
            return .changes(try store.rename(renamings.map { Renaming(reference($0.note), to: $0.name) }))
        case .delete(let notes): return .changes(try store.delete(notes.map(reference)))
        case .undelete(let note, let name): return .changes([try store.undelete(reference(note), as: name)])
        case .label(let note, let version, let text):
            return .marked(try store.label(reference(version), of: reference(note), text))
        case .pin(let note, let version): return .marked(try store.pin(reference(version), of: reference(note)))
        case .unpin(let note, let version): return .marked(try store.unpin(reference(version), of: reference(note)))
        case .bookmark(let note, let version):
            return .bookmark(try store.bookmark(reference(note), version.map(reference)))
        case .release(let place): return .released(try store.release(bookmarks[place]))
        case .flush:
            try store.flush()
            return .done
        case .reopen: return .done
        }
    }

    private func request(_ save: WalkSave) -> SaveRequest {
        SaveRequest(WalkTexts.all[save.text].bytes, as: save.name, label: save.label, mergedFrom: save.mergedFrom)
    }

    private func stream(_ save: WalkSave) throws -> Change {
        var rest = WalkTexts.all[save.text].bytes[...]
        return try store.save(as: save.name, label: save.label) { buffer in
            // Pieces of an odd length, as from a pipe.
            let piece = rest.prefix(min(buffer.count, 4_093))
            rest = rest.dropFirst(piece.count)
            buffer.copyBytes(from: piece)
            return piece.count
        }
    }

    func parsed(_ token: String) throws -> Bookmark {
        guard let bookmark = Bookmark(token) else { throw Difference(description: "\(token) is not read back") }
        return bookmark
    }

    func reference(_ choice: NoteChoice) -> NoteReference {
        switch choice {
        case .name(let name): .name(name)
        case .note(let place, let digits): .idPrefix(String((model.notes[place].id?.description ?? "").prefix(digits)))
        case .nobody: .idPrefix(String(repeating: "0", count: 32))
        }
    }

    func reference(_ choice: VersionChoice) -> VersionReference {
        switch choice {
        case .head: .head
        case .number(let number): .number(number)
        case .operation(let sequence):
            // Before the first version there is none to be named, by whatever device.
            device.map { .id(VersionID(device: $0, sequence: sequence)) } ?? .number(0)
        case .hash(let text, let digits): .hashPrefix(String(WalkTexts.all[text].object.description.prefix(digits)))
        case .time(let time): .time(Timestamp(milliseconds: time))
        }
    }
}
