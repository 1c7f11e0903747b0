extension NoteStore {
    /// The versions of `note`, newest first.
    public func history(of note: Note) throws -> [Version] {
        try read { try $0.versions(of: note, below: .max, limit: .max) }
    }

    /// Calls `body` with the versions of `note`, newest first, a thousand in memory at a time.
    public func forEachVersion(of note: Note, _ body: (Version) throws -> Void) throws {
        var next = Int.max
        // `body` may print or wait, and no read transaction is held across that (invariant 6).
        while true {
            let batch = try read { try $0.versions(of: note, below: next, limit: 1_000) }
            for version in batch { try body(version) }
            guard let last = batch.last else { return }
            next = last.number
        }
    }

    /// Brings an older version back: a new version with its text on top of the head. Nothing is taken away.
    ///
    /// A head that has that text already is left as it is.
    ///
    /// - Throws: `StoreError.noVersion`, `ObjectError` where the text is missing or damaged, and as `save` does.
    @discardableResult
    public func restore(_ reference: VersionReference, of note: NoteReference) throws -> Change {
        try write { transaction in
            let note = try transaction.index.find(note, for: .changing)
            let version = try transaction.index.version(reference, of: note)
            let head = try transaction.index.version(.head, of: note)
            if head.object == version.object { return Change(note: note, version: head, isNew: false) }
            // A text that cannot be read is not made the head. It is not held in memory: it may be large.
            if try transaction.index.journaled(version.object) == nil {
                _ = try objects.openChecked(version.object, size: version.size)
            }
            _ = try transaction.newVersion(
                of: note, name: note.name, object: version.object, size: version.size, kind: .restore)
            return try transaction.change(to: note.ordinal, isNew: true)
        }
    }

    /// What undo or redo did.
    public struct HeadMove: Equatable, Sendable {
        /// The note and the version that it shows now.
        public internal(set) var change: Change
        /// The versions that it showed before, in the order in which they were left.
        public internal(set) var left: [Version]
    }

    /// Moves the head of a note to its parent, `steps` times or as often as there is one.
    ///
    /// - Throws: `StoreError.nothingToUndo` where the note shows its first version.
    @discardableResult
    public func undo(_ note: NoteReference, steps: Int = 1) throws -> HeadMove {
        try moveHead(note, steps) { version in
            version.parents.first
        } operation: {
            .undo(note: $0, from: $1, to: $2)
        } otherwise: {
            .nothingToUndo($0.name, head: $0.head)
        }
    }

    /// Moves the head of a note to the child that undo last left, `steps` times or as often as there is one.
    ///
    /// - Throws: `StoreError.nothingToRedo` where nothing was undone from here.
    @discardableResult
    public func redo(_ note: NoteReference, steps: Int = 1) throws -> HeadMove {
        try moveHead(note, steps) { version in
            version.redo
        } operation: {
            .redo(note: $0, from: $1, to: $2)
        } otherwise: {
            .nothingToRedo($0.name, head: $0.head)
        }
    }

    private func moveHead(
        _ reference: NoteReference, _ steps: Int, to next: (Version) -> Int?,
        operation: (Int, Int, Int) -> Operation, otherwise problem: (Note) -> StoreError
    ) throws -> HeadMove {
        try write { transaction in
            let note = try transaction.index.find(reference, for: .changing)
            var version = try transaction.index.version(.head, of: note)
            var left: [Version] = []
            while left.count < steps, let number = next(version) {
                left.append(version)
                version = try transaction.index.version(.number(number), of: note)
            }
            guard !left.isEmpty else { throw problem(note) }
            try transaction.perform(operation(note.ordinal, note.head, version.number))
            return HeadMove(change: try transaction.change(to: note.ordinal, isNew: false), left: left)
        }
    }
}
