import Stet

/// A note and a version as they were at one moment.
struct ModelChange {
    var place: Int
    var note: ModelNote
    var version: ModelVersion
    var isNew = false
}

/// What an operation answers.
enum ModelOutcome {
    case changes([ModelChange])
    case moved(ModelChange, left: [ModelVersion])
    case marked(ModelVersion)
    case bookmark(ModelBookmark)
    case released(Bool)
    case done
    case refused(Refusal)
}

extension ModelStore {
    /// Does `operation`; a refused one changes nothing.
    mutating func perform(_ operation: WalkOperation, at time: Int64) -> ModelOutcome {
        var changed = self
        do throws(Refusal) {
            let outcome = try changed.attempt(operation, time)
            self = changed
            return outcome
        } catch {
            return .refused(error)
        }
    }

    private mutating func attempt(_ operation: WalkOperation, _ time: Int64) throws(Refusal) -> ModelOutcome {
        switch operation {
        case .save(let saves): return .changes(try save(saves, time))
        case .stream(let save): return .changes(try self.save([save], time))
        case .undo(let note, let steps): return try undo(find(note, for: .changing), steps, time)
        case .redo(let note, let steps): return try redo(find(note, for: .changing), steps, time)
        case .restore(let note, let version):
            let place = try find(note, for: .changing)
            return .changes([try restore(place, find(version, of: place), time)])
        case .rename(let renamings): return .changes(try rename(renamings, time))
        case .delete(let notes): return .changes(try delete(notes))
        case .undelete(let note, let name): return .changes([try undelete(find(note, for: .undeleting), name, time)])
        case .label, .pin, .unpin: return .marked(try mark(operation))
        case .bookmark(let note, let version): return .bookmark(try bookmark(note, version))
        case .release(let place): return .released(release(bookmarks[place]))
        case .flush, .reopen: return .done
        }
    }

    func change(_ place: Int, isNew: Bool = false) -> ModelChange {
        ModelChange(place: place, note: notes[place], version: notes[place].headVersion, isNew: isNew)
    }

    // MARK: Versions

    private mutating func save(_ saves: [WalkSave], _ time: Int64) throws(Refusal) -> [ModelChange] {
        for save in saves { try check(save.label) }
        var changes: [ModelChange] = []
        for save in saves { changes.append(try self.save(save, time)) }
        return changes
    }

    private func check(_ label: String?) throws(Refusal) {
        if let label, WalkLabels.refused.contains(label) { throw .invalidLabel }
    }

    private mutating func save(_ save: WalkSave, _ time: Int64) throws(Refusal) -> ModelChange {
        let kind: VersionKind = save.mergedFrom.isEmpty ? .save : .merge
        guard let place = live(save.name) else {
            try requireFree(save.name)
            if kind == .merge { throw .noVersion(save.name) }
            notes.append(ModelNote(name: save.name))
            addVersion(to: notes.count - 1, save.text, kind, parents: [], save.label, time)
            return change(notes.count - 1, isNew: true)
        }
        let note = notes[place]
        if kind == .save, note.headVersion.text == save.text {
            if let label = save.label { setLabel(place, note.head, label) }
            return change(place)
        }
        for parent in save.mergedFrom { _ = try find(.number(parent), of: place) }
        var parents = [note.head]
        for parent in save.mergedFrom where !parents.contains(parent) { parents.append(parent) }
        addVersion(to: place, save.text, parents.count > 1 ? .merge : .save, parents: parents, save.label, time)
        return change(place, isNew: true)
    }

    private mutating func addVersion(
        to place: Int, _ text: Int, _ kind: VersionKind, parents: [Int], _ label: String?, _ time: Int64
    ) {
        recorded += 1
        let number = notes[place].versions.count + 1
        let label = label.map { Array($0.utf8) }
        notes[place].versions.append(
            ModelVersion(
                number: number, operation: recorded, parents: parents, text: text, time: time, kind: kind,
                label: label == [] ? nil : label))
        setHead(place, number, time)
    }

    private mutating func setHead(_ place: Int, _ number: Int, _ time: Int64) {
        notes[place].head = number
        notes[place].heads.append((time, number))
    }

    private mutating func restore(_ place: Int, _ number: Int, _ time: Int64) throws(Refusal) -> ModelChange {
        let text = notes[place].versions[number - 1].text
        if text == notes[place].headVersion.text { return change(place) }
        addVersion(to: place, text, .restore, parents: [notes[place].head], nil, time)
        return change(place, isNew: true)
    }

    private mutating func undo(_ place: Int, _ steps: Int, _ time: Int64) throws(Refusal) -> ModelOutcome {
        // What is left is told as it was before the operation.
        let before = notes[place].versions
        var left: [ModelVersion] = []
        var head = notes[place].head
        while left.count < steps, let parent = before[head - 1].parents.first {
            left.append(before[head - 1])
            notes[place].versions[parent - 1].redo = head
            head = parent
        }
        if left.isEmpty { throw .nothingToUndo(notes[place].name, head: head) }
        recorded += 1
        setHead(place, head, time)
        return .moved(change(place), left: left)
    }

    private mutating func redo(_ place: Int, _ steps: Int, _ time: Int64) throws(Refusal) -> ModelOutcome {
        var left: [ModelVersion] = []
        var head = notes[place].head
        while left.count < steps, let child = notes[place].versions[head - 1].redo {
            left.append(notes[place].versions[head - 1])
            head = child
        }
        if left.isEmpty { throw .nothingToRedo(notes[place].name, head: head) }
        recorded += 1
        setHead(place, head, time)
        return .moved(change(place), left: left)
    }

    // MARK: Names

    private mutating func rename(_ renamings: [WalkRenaming], _ time: Int64) throws(Refusal) -> [ModelChange] {
        var places: [Int] = []
        for renaming in renamings { places.append(try find(renaming.note, for: .changing)) }
        if Set(places).count < places.count { throw .noteTwice }
        let moves = zip(places, renamings.map(\.name)).filter { notes[$0.0].name != $0.1 }.map { (place: $0, name: $1) }
        try requireDistinct(moves)
        for move in moves { try requireFree(move.name, but: moves.map(\.place)) }
        for move in moves { giveName(move.place, move.name, time) }
        if !moves.isEmpty { recorded += 1 }
        return places.map { change($0) }
    }

    /// Refuses new names that do not go together.
    private func requireDistinct(_ moves: [(place: Int, name: NoteName)]) throws(Refusal) {
        let names = moves.map(\.name).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        for name in names where names.filter({ $0 == name }).count > 1 { throw .nameTaken(name) }
        for name in names {
            for other in names where name.bytes.starts(with: other.bytes + [UInt8(ascii: "/")]) {
                throw .nameInside(name, other: other)
            }
        }
    }

    private mutating func giveName(_ place: Int, _ name: NoteName, _ time: Int64) {
        if notes[place].name == name { return }
        notes[place].formerNames.append((notes[place].name, time))
        notes[place].name = name
    }

    private mutating func delete(_ choices: [NoteChoice]) throws(Refusal) -> [ModelChange] {
        var places: [Int] = []
        for choice in choices { places.append(try find(choice, for: .changing)) }
        recorded += 1
        for place in places { notes[place].deleted = recorded }
        return places.map { change($0) }
    }

    private mutating func undelete(_ place: Int, _ name: NoteName?, _ time: Int64) throws(Refusal) -> ModelChange {
        let name = name ?? notes[place].name
        try requireFree(name)
        notes[place].deleted = nil
        giveName(place, name, time)
        recorded += 1
        return change(place)
    }

    // MARK: Marks

    private mutating func mark(_ operation: WalkOperation) throws(Refusal) -> ModelVersion {
        switch operation {
        case .label(let note, let version, let text):
            try check(text)
            let (place, number) = try find(note, version)
            setLabel(place, number, text)
            return notes[place].versions[number - 1]
        case .pin(let note, let version): return try setPin(note, version, true)
        case .unpin(let note, let version): return try setPin(note, version, false)
        default: throw .noNote
        }
    }

    private func find(_ note: NoteChoice, _ version: VersionChoice) throws(Refusal) -> (place: Int, number: Int) {
        let place = try find(note, for: .reading)
        return (place, try find(version, of: place))
    }

    private mutating func setLabel(_ place: Int, _ number: Int, _ text: String) {
        let label = text.isEmpty ? nil : Array(text.utf8)
        if notes[place].versions[number - 1].label == label { return }
        notes[place].versions[number - 1].label = label
        recorded += 1
    }

    private mutating func setPin(
        _ note: NoteChoice, _ version: VersionChoice, _ isPinned: Bool
    ) throws(Refusal) -> ModelVersion {
        let (place, number) = try find(note, version)
        if notes[place].versions[number - 1].isPinned != isPinned {
            notes[place].versions[number - 1].isPinned = isPinned
            recorded += 1
        }
        return notes[place].versions[number - 1]
    }
}
