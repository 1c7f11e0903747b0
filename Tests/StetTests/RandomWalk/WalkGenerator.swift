import Stet
import TestSupport

/// Chooses what a walk does next: mostly what can succeed, sometimes what must be refused.
///
/// Its choices depend on the seed and the model alone, so that a seed repeats a walk whatever the store answers.
struct WalkGenerator {
    private var random: SplitMix64
    private var now: Int64 = 1_800_000_000_000

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func one<Element>(of elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    /// The clock of the next operation: it stands still, goes on, and now and then is set back, by a lot at times.
    mutating func time() -> Int64 {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...2: break
        case 3: now -= Int64.random(in: 1...60_000, using: &random)
        case 4 where chance(10): now = Int64.random(in: -5_000...5_000, using: &random)
        case 4: now = 1_800_000_000_000 + Int64.random(in: -100_000...100_000, using: &random)
        default: now += Int64.random(in: 1...5_000, using: &random)
        }
        return now
    }

    mutating func operation(_ model: ModelStore) -> WalkOperation {
        // With nothing there, nearly all else is refused.
        if model.places(deleted: false).count < 3, chance(60) { return .save([save(model)]) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<22: return .save([save(model)])
        case 22..<27: return .save((0..<Int.random(in: 2...4, using: &random)).map { _ in save(model) })
        case 27..<29: return .stream(save(model, isStreamed: true))
        case 29..<40: return .undo(note(model), steps: steps())
        case 40..<48: return .redo(note(model), steps: steps())
        case 48..<54: return restore(model)
        case 54..<62: return .rename(renamings(model))
        case 62..<66: return .delete((0..<(chance(25) ? 2 : 1)).map { _ in note(model) })
        case 66..<71: return .undelete(deletedNote(model), as: chance(40) ? one(of: WalkNames.all) : nil)
        case 71..<76: return label(model)
        case 76..<82: return pin(model)
        case 82..<91: return bookmark(model)
        case 91..<94 where !model.bookmarks.isEmpty:
            return .release(Int.random(in: model.bookmarks.indices, using: &random))
        case 94..<97: return .reopen
        default: return .flush
        }
    }

    // MARK: Notes and versions

    private mutating func note(_ model: ModelStore) -> NoteChoice {
        let live = model.places(deleted: false)
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return .nobody
        case 1...2: return one(of: WalkNames.all).map(NoteChoice.name) ?? .nobody
        case 3...4: return one(of: model.notes.flatMap(\.formerNames)).map { .name($0.name) } ?? .nobody
        case 5...7: return one(of: Array(model.notes.indices)).map { byDigits($0) } ?? .nobody
        default: return one(of: live).map { .name(model.notes[$0].name) } ?? .nobody
        }
    }

    private mutating func deletedNote(_ model: ModelStore) -> NoteChoice {
        guard let place = one(of: model.places(deleted: true)), chance(90) else { return note(model) }
        return chance(50) ? byDigits(place) : .name(model.notes[place].name)
    }

    private mutating func byDigits(_ place: Int) -> NoteChoice {
        .note(place, digits: chance(50) ? 32 : Int.random(in: 10...31, using: &random))
    }

    /// A version of the note that `choice` means; any where it means none.
    private mutating func version(_ model: ModelStore, _ choice: NoteChoice) -> VersionChoice {
        let place = try? model.find(choice, for: .reading)
        let versions = place.map { model.notes[$0].versions } ?? []
        guard let version = one(of: versions), chance(95) else {
            return chance(50)
                ? .number(one(of: [0, -1, 99, Int.max]) ?? 0) : .operation(chance(50) ? model.recorded : 0)
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .head
        case 1: return .operation(version.operation)
        case 2: return .hash(text: version.text, digits: Int.random(in: 12...64, using: &random))
        case 3: return .hash(text: Int.random(in: WalkTexts.small.indices, using: &random), digits: 64)
        case 4: return .time(version.time + Int64.random(in: -1_000...1_000, using: &random))
        default: return .number(version.number)
        }
    }

    private mutating func steps() -> Int { chance(60) ? 1 : one(of: [2, 2, 3, 4, Int.max]) ?? 1 }

    // MARK: Operations

    private mutating func save(_ model: ModelStore, isStreamed: Bool = false) -> WalkSave {
        let live = model.places(deleted: false)
        let name = live.count > 2 && chance(75) ? one(of: live).map { model.notes[$0].name } : one(of: WalkNames.all)
        let isLarge = chance(isStreamed ? 40 : 1)
        let texts = isLarge ? WalkTexts.small.count..<WalkTexts.all.count : WalkTexts.small.indices
        var save = WalkSave(name: name ?? WalkNames.all[0], text: Int.random(in: texts, using: &random))
        if chance(25) { save.label = one(of: WalkLabels.all) }
        if !isStreamed, chance(4) {
            save.mergedFrom = (0..<Int.random(in: 1...2, using: &random)).map { _ in parent() }
        }
        return save
    }

    private mutating func parent() -> Int { chance(80) ? Int.random(in: 1...3, using: &random) : 50 }

    private mutating func restore(_ model: ModelStore) -> WalkOperation {
        let note = note(model)
        return .restore(note, version(model, note))
    }

    private mutating func renamings(_ model: ModelStore) -> [WalkRenaming] {
        let live = model.places(deleted: false).shuffled(using: &random)
        let count = Int.random(in: 1...3, using: &random)
        guard count > 1, live.count >= count, chance(80) else {
            return (0..<count).map { _ in
                WalkRenaming(note: note(model), name: one(of: WalkNames.all) ?? WalkNames.all[0])
            }
        }
        // Two notes exchange their names, or three pass theirs on in a ring.
        return (0..<count).map { position in
            let place = live[position]
            return WalkRenaming(
                note: chance(50) ? .name(model.notes[place].name) : byDigits(place),
                name: model.notes[live[(position + 1) % count]].name)
        }
    }

    private mutating func label(_ model: ModelStore) -> WalkOperation {
        let note = note(model)
        let version = version(model, note)
        return .label(note, version, chance(30) ? "" : one(of: WalkLabels.all) ?? "")
    }

    private mutating func pin(_ model: ModelStore) -> WalkOperation {
        let note = note(model)
        let version = version(model, note)
        return chance(50) ? .pin(note, version) : .unpin(note, version)
    }

    private mutating func bookmark(_ model: ModelStore) -> WalkOperation {
        let note = note(model)
        // The head half of the time: only such a bookmark can find later that the note has moved on.
        return .bookmark(note, chance(25) ? nil : chance(50) ? .head : version(model, note))
    }
}
