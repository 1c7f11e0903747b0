// The changes that several commands share, inside one transaction.

extension Writer.Transaction {
    /// Makes a version on top of the head of `note`, or the first one of a new note. Returns its operation.
    mutating func newVersion(
        of note: Note?, name: NoteName, object: ObjectID, size: Int, kind: VersionKind, mergedFrom: [Int] = [],
        label: String? = nil, journaled: Int = 0
    ) throws -> Int {
        var save = Operation.Save(
            note: note?.ordinal ?? 0, number: 1, parents: [], kind: kind, object: object, size: size, created: nil,
            label: label?.isEmpty == true ? nil : label)
        if let note {
            save.number = try index.newestNumber(note.ordinal) + 1
            for parent in mergedFrom { _ = try index.version(.number(parent), of: note) }
            // The head is a parent already, and nobody is a parent twice.
            for parent in [note.head] + mergedFrom where !save.parents.contains(parent) { save.parents.append(parent) }
            if save.parents.count == 1, kind == .merge { save.kind = .save }
        } else {
            try index.requireFree(name)
            if let parent = mergedFrom.first { throw StoreError.noVersion(name, String(parent)) }
            save.note = try index.noteCount() + 1
            save.created = .init(id: .random(), name: name)
        }
        return try perform(.save(save), journaled: journaled)
    }

    /// Puts `label` on `version` if there is one to put.
    mutating func relabel(_ note: Note, _ version: Version, _ label: String?) throws -> Change {
        if let label, !version.bears(label) {
            try perform(.label(note: note.ordinal, number: version.number, text: label))
        }
        return Change(note: note, version: try index.version(.number(version.number), of: note), isNew: false)
    }

    /// The note `ordinal` as it is now, with its head.
    func change(to ordinal: Int, isNew: Bool) throws -> Change {
        guard let note = try index.note(ordinal: ordinal) else { throw IndexDamage("note \(ordinal) is not there") }
        return Change(note: note, version: try index.version(.head, of: note), isNew: isNew)
    }
}

extension Version {
    /// Whether its label has the bytes of `text`, where an empty text is no label. Strings would be equal already where
    /// they differ in Unicode form only.
    func bears(_ text: String) -> Bool { (label ?? "").utf8.elementsEqual(text.utf8) }
}

extension StoreIndex {
    /// Refuses a name that a live note bears, or that would lie inside another's or have another's inside it.
    ///
    /// - Parameter leaving: notes that give their names up in the same step, by ordinal.
    func requireFree(_ name: NoteName, leaving: Set<Int> = []) throws {
        func stays(_ note: Note) -> Bool { !leaving.contains(note.ordinal) }
        if let other = try liveNote(name), stays(other) { throw StoreError.nameTaken(name) }
        for folder in name.folders {
            if let other = try liveNote(folder), stays(other) { throw StoreError.nameInside(name, other: other.name) }
        }
        if let other = try liveNotes(in: name).first(where: stays) {
            throw StoreError.nameInside(name, other: other.name)
        }
    }
}
