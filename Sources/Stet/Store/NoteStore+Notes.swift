/// A note as somebody names it.
public enum NoteReference: Hashable, Sendable {
    /// By its name.
    case name(NoteName)
    /// By the first hexadecimal digits of its id, six or more.
    case idPrefix(String)

    /// By its id.
    public static func id(_ id: NoteID) -> NoteReference { .idPrefix(id.description) }

    /// The fewest digits that name a note.
    public static let shortestPrefix = 6
}

/// What a note is looked up for, which decides how far the search may go.
public enum LookupPurpose: Sendable {
    /// To look at it. A name that no live note bears also finds a deleted note, one that bore it before, and at last
    /// one whose name differs only in case or Unicode form; always only where exactly one note matches.
    case reading
    /// To change it: only a live note of exactly that name.
    case changing
    /// To bring it back: only deleted notes.
    case undeleting
}

extension NoteStore {
    /// The live notes in the order of their names, or the deleted ones.
    public func notes(deleted: Bool = false) throws -> [Note] { try read { try $0.notes(deleted: deleted) } }

    /// The note that is meant.
    ///
    /// - Throws: `StoreError.noNote`, `.ambiguous`, `.deleted` or `.renamed`.
    public func find(_ reference: NoteReference, for purpose: LookupPurpose = .reading) throws -> Note {
        try read { try $0.find(reference, for: purpose) }
    }

    /// The live notes in a folder and below it, in the order of their names.
    public func notes(in folder: NoteName) throws -> [Note] { try read { try $0.liveNotes(in: folder) } }

    /// The names of live notes, or of deleted ones, that begin with these bytes, in their order.
    public func names(beginningWith prefix: [UInt8], deleted: Bool = false) throws -> [NoteName] {
        try read { try $0.names(beginningWith: prefix, deleted: deleted) }
    }

    /// The names that a note had before, oldest first.
    public func formerNames(of note: Note) throws -> [FormerName] { try read { try $0.formerNames(note.ordinal) } }
}

extension StoreIndex {
    func find(_ reference: NoteReference, for purpose: LookupPurpose) throws -> Note {
        switch reference {
        case .name(let name):
            switch purpose {
            case .changing: return try noteToChange(name)
            case .reading: return try noteToRead(name)
            case .undeleting: return try noteToUndelete(name)
            }
        case .idPrefix(let prefix):
            guard prefix.utf8.count >= NoteReference.shortestPrefix else { throw StoreError.noNote("stet:" + prefix) }
            let note: Note
            if let id = NoteID(hex: prefix) {
                guard let found = try self.note(id: id) else { throw StoreError.noNote("stet:" + prefix) }
                note = found
            } else {
                note = try one(of: notes(idPrefix: prefix.lowercased(), limit: 20), called: "stet:" + prefix)
            }
            if purpose == .changing, note.isDeleted { throw StoreError.deleted(note.name) }
            if purpose == .undeleting, !note.isDeleted { throw StoreError.notDeleted(note.name) }
            return note
        }
    }

    private func one(of notes: [Note], called text: String) throws -> Note {
        guard let first = notes.first else { throw StoreError.noNote(text) }
        guard notes.count == 1 else { throw StoreError.ambiguous(text, notes) }
        return first
    }

    private func noteToChange(_ name: NoteName) throws -> Note {
        if let note = try liveNote(name) { return note }
        if let note = try deletedNotes(name).first { throw StoreError.deleted(note.name) }
        let renamed = try notes(formerlyNamed: name)
        if renamed.count == 1, !renamed[0].isDeleted { throw StoreError.renamed(from: name, to: renamed[0].name) }
        throw StoreError.noNote(name.description)
    }

    private func noteToUndelete(_ name: NoteName) throws -> Note {
        let deleted = try deletedNotes(name)
        if deleted.isEmpty, let note = try liveNote(name) { throw StoreError.notDeleted(note.name) }
        return try one(of: deleted, called: name.description)
    }

    private func noteToRead(_ name: NoteName) throws -> Note {
        if let note = try liveNote(name) { return note }
        for candidates in [try deletedNotes(name), try notes(formerlyNamed: name)] where !candidates.isEmpty {
            return try one(of: candidates, called: name.description)
        }
        return try one(of: notesSpelledLike(name), called: name.description)
    }

    /// Live notes whose names differ from `name` only in case or Unicode form. Looks at every name: a last resort.
    private func notesSpelledLike(_ name: NoteName) throws -> [Note] {
        // String compares by canonical equivalence, which is just what is wanted here.
        let wanted = name.description.lowercased()
        return try notes(deleted: false).filter { $0.name.description.lowercased() == wanted }
    }
}
