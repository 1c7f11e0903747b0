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
        try write { try $0.restore(reference, of: $0.index.find(note, for: .changing)) }
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
        try write { try $0.move(.undo, $0.index.find(note, for: .changing), steps: steps) }
    }

    /// Moves the head of a note to the child that undo last left, `steps` times or as often as there is one.
    ///
    /// - Throws: `StoreError.nothingToRedo` where nothing was undone from here.
    @discardableResult
    public func redo(_ note: NoteReference, steps: Int = 1) throws -> HeadMove {
        try write { try $0.move(.redo, $0.index.find(note, for: .changing), steps: steps) }
    }
}

/// The two ways in which a head moves along the tree of versions.
enum HeadDirection {
    case undo
    case redo
}

extension StoreIndex {
    /// Where `steps` in a direction lead from the head of `note`, or as many as there are, and the versions left on the way.
    func path(_ direction: HeadDirection, of note: Note, steps: Int) throws -> (left: [Version], end: Version) {
        var version = try version(.head, of: note)
        var left: [Version] = []
        while left.count < steps, let next = direction == .undo ? version.parents.first : version.redo {
            left.append(version)
            version = try self.version(.number(next), of: note)
        }
        if left.isEmpty {
            throw direction == .undo
                ? StoreError.nothingToUndo(note.name, head: note.head)
                : StoreError.nothingToRedo(note.name, head: note.head)
        }
        return (left, version)
    }
}

extension Writer.Transaction {
    /// Moves the head of `note`.
    mutating func move(_ direction: HeadDirection, _ note: Note, steps: Int) throws -> NoteStore.HeadMove {
        let (left, end) = try index.path(direction, of: note, steps: steps)
        switch direction {
        case .undo: try perform(.undo(note: note.ordinal, from: note.head, to: end.number))
        case .redo: try perform(.redo(note: note.ordinal, from: note.head, to: end.number))
        }
        return NoteStore.HeadMove(change: try change(to: note.ordinal, isNew: false), left: left)
    }

    /// Makes a version with the text of an older one on top of the head of `note`, where that has another text.
    mutating func restore(_ reference: VersionReference, of note: Note) throws -> Change {
        let version = try index.version(reference, of: note)
        let head = try index.version(.head, of: note)
        if head.object == version.object { return Change(note: note, version: head, isNew: false) }
        // A text that cannot be read is not made the head. It is not held in memory: it may be large.
        if try index.journaled(version.object) == nil {
            _ = try objects.openChecked(version.object, size: version.size)
        }
        _ = try newVersion(of: note, name: note.name, object: version.object, size: version.size, kind: .restore)
        return try change(to: note.ordinal, isNew: true)
    }
}
