/// A note and the name it is to have.
public struct Renaming: Hashable, Sendable {
    /// The note.
    public var note: NoteReference
    /// Its new name.
    public var name: NoteName

    /// A renaming of `note` to `name`.
    public init(_ note: NoteReference, to name: NoteName) {
        self.note = note
        self.name = name
    }
}

extension NoteStore {
    /// Renames notes in one step, so that names can be exchanged. The notes stay the same notes: history and bookmarks
    /// go with them.
    ///
    /// - Throws: `StoreError.nameTaken`, `.nameInside`, `.noNote`; nothing is renamed then.
    @discardableResult
    public func rename(_ renamings: [Renaming]) throws -> [Change] { try write { try $0.rename(renamings) } }

    /// Renames one note.
    @discardableResult
    public func rename(_ note: NoteReference, to name: NoteName) throws -> Change {
        try rename([Renaming(note, to: name)])[0]
    }

    /// Renames a folder, that is all live notes in it.
    ///
    /// - Throws: `StoreError.noNote` where no live note lies in it; as `rename` does.
    @discardableResult
    public func renameFolder(_ folder: NoteName, to name: NoteName) throws -> [Change] {
        try write { try $0.rename($0.index.renamings(ofFolder: folder, to: name)) }
    }

    /// Deletes notes: they are no longer listed, and keep all their versions.
    @discardableResult
    public func delete(_ notes: [NoteReference]) throws -> [Change] { try write { try $0.delete(notes) } }

    /// Brings a deleted note back, with the name it had or another.
    ///
    /// - Throws: `StoreError.nameTaken` or `.nameInside` where the name is not free.
    @discardableResult
    public func undelete(_ note: NoteReference, as name: NoteName? = nil) throws -> Change {
        try write { try $0.undelete(note, as: name) }
    }
}

extension StoreIndex {
    /// What renames the folder `old`, that is all live notes in it, to `new`.
    ///
    /// - Throws: `StoreError.noNote` where no live note lies in it, `NameError` where a name would be too long.
    func renamings(ofFolder old: NoteName, to new: NoteName) throws -> [Renaming] {
        let notes = try liveNotes(in: old)
        if notes.isEmpty { throw StoreError.noNote(old.description) }
        return try notes.compactMap { note in
            try note.name.relative(to: old).map { Renaming(.id(note.id), to: try new.appending($0)) }
        }
    }
}

extension Writer.Transaction {
    mutating func rename(_ renamings: [Renaming]) throws -> [Change] {
        let notes = try renamings.map { try index.find($0.note, for: .changing) }
        guard Set(notes.map(\.ordinal)).count == notes.count else { throw StoreError.noteTwice }
        let moves = zip(notes, renamings).filter { $0.name != $1.name }
            .map { Operation.Move(note: $0.ordinal, name: $1.name) }
        if !moves.isEmpty {
            try requireDistinct(moves)
            let leaving = Set(moves.map(\.note))
            for move in moves { try index.requireFree(move.name, leaving: leaving) }
            try perform(.rename(moves))
        }
        return try notes.map { try change(to: $0.ordinal, isNew: false) }
    }

    private func requireDistinct(_ moves: [Operation.Move]) throws {
        let names = moves.map(\.name).sorted()
        for (name, next) in zip(names, names.dropFirst()) where name == next { throw StoreError.nameTaken(name) }
        let all = Set(names)
        for name in names {
            if let other = name.folders.first(where: all.contains) { throw StoreError.nameInside(name, other: other) }
        }
    }

    mutating func delete(_ notes: [NoteReference]) throws -> [Change] {
        let found = try notes.map { try index.find($0, for: .changing) }
        var seen: Set<Int> = []
        let ordinals = found.map(\.ordinal).filter { seen.insert($0).inserted }
        if !ordinals.isEmpty { try perform(.delete(ordinals)) }
        return try found.map { try change(to: $0.ordinal, isNew: false) }
    }

    mutating func undelete(_ note: NoteReference, as name: NoteName?) throws -> Change {
        let note = try index.find(note, for: .undeleting)
        let name = name ?? note.name
        try index.requireFree(name)
        try perform(.undelete(.init(note: note.ordinal, name: name)))
        return try change(to: note.ordinal, isNew: false)
    }
}
