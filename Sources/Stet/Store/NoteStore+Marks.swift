extension NoteStore {
    /// Puts words on a version; an empty text takes them away.
    ///
    /// - Throws: `StoreError.invalidLabel`, `.noVersion`.
    @discardableResult
    public func label(_ reference: VersionReference, of note: NoteReference, _ text: String) throws -> Version {
        try Self.check(label: text)
        return try mark(reference, of: note) { version, _ in
            version.bears(text) ? nil : { .label(note: $0, number: version.number, text: text) }
        }
    }

    /// Marks a version as one to keep for good. Nothing takes versions away yet.
    @discardableResult
    public func pin(_ reference: VersionReference, of note: NoteReference) throws -> Version {
        try mark(reference, of: note) { version, _ in
            version.isPinned ? nil : { .pin(note: $0, number: version.number) }
        }
    }

    /// Takes a pin away.
    @discardableResult
    public func unpin(_ reference: VersionReference, of note: NoteReference) throws -> Version {
        try mark(reference, of: note) { version, _ in
            version.isPinned ? { .unpin(note: $0, number: version.number) } : nil
        }
    }

    /// Performs what `operation` makes for the note's ordinal, where the version is not marked so already.
    private func mark(
        _ reference: VersionReference, of note: NoteReference,
        _ operation: (Version, Note) throws -> ((Int) -> Operation)?
    ) throws -> Version {
        try write { transaction in
            // A deleted note keeps its versions, and they can be marked.
            let note = try transaction.index.find(note, for: .reading)
            let version = try transaction.index.version(reference, of: note)
            if let operation = try operation(version, note) { try transaction.perform(operation(note.ordinal)) }
            return try transaction.index.version(.number(version.number), of: note)
        }
    }

    // MARK: Bookmarks

    /// A lasting reference to a note, or to one of its versions. A version's is recorded, so that it is kept.
    public func bookmark(_ note: NoteReference, _ reference: VersionReference? = nil) throws -> Bookmark {
        guard let reference else {
            return try read { index in
                let note = try index.find(note, for: .reading)
                return Bookmark(note, try index.version(.head, of: note), isVersion: false)
            }
        }
        return try write { transaction in
            let note = try transaction.index.find(note, for: .reading)
            let version = try transaction.index.version(reference, of: note)
            // A bookmark that has moved on is recorded anew: made now, it is of a version that is not the head.
            let recorded = try transaction.index.bookmark(version.number, of: note)
            if try recorded == nil || transaction.index.hasMovedOn(version, of: note) {
                try transaction.perform(.ref(note: note.ordinal, number: version.number))
            }
            return Bookmark(note, version, isVersion: true)
        }
    }

    /// Gives up a recorded bookmark. Returns false where none was recorded.
    @discardableResult
    public func release(_ bookmark: Bookmark) throws -> Bool {
        try write { transaction in
            guard let id = bookmark.version, let note = try transaction.index.note(id: bookmark.note) else {
                return false
            }
            guard let operation = try transaction.index.operation(of: id),
                let version = try transaction.index.version(madeBy: operation, of: note),
                try transaction.index.bookmark(version.number, of: note) != nil
            else { return false }
            try transaction.perform(.unref(note: note.ordinal, number: version.number))
            return true
        }
    }
}
