// Text that stands in a file and that no version has is recorded before anything else is written there.

/// What a note shows, and what stands in its file.
struct NoteAndFile {
    var note: Note
    var head: Version
    /// The file, if there is one; then its text is that of the head.
    var file: VaultFile?
}

extension Vault {
    /// What is done with a text in a file that no version has.
    enum Unrecorded {
        case captured
        case refused
    }

    /// Brings a note's file and head to the same text, so that the file can be replaced: an unrecorded text becomes the
    /// note's newest version.
    ///
    /// - Throws: `VaultError` where the file cannot be replaced, before anything is recorded.
    func settle(_ reference: NoteReference, unrecorded: Unrecorded) throws -> NoteAndFile {
        for _ in 0..<Self.patience {
            let (note, head, known) = try store.read { index in
                let note = try index.find(reference, for: .changing)
                return (note, try index.version(.head, of: note), try index.look(note.ordinal))
            }
            guard let file = try files.find(note.name) else { return NoteAndFile(note: note, head: head) }
            try files.requireReplaceable(file, note.name)
            // The file may be the last whole copy of a text whose object somebody damaged or took away.
            let isHeld = try store.holds(head)
            if isHeld, let known, known.version == head.number, known.look.isSame(as: file.status), known.look.isTrusted
            {
                return NoteAndFile(note: note, head: head, file: file)
            }
            guard let text = try read(file) else { continue }
            defer { text.text.discard() }
            if text.text.object == head.object {
                if !isHeld { _ = try record(text, as: note.name, label: nil, kind: .capture) }
                return NoteAndFile(note: note, head: head, file: text.file)
            }
            if unrecorded == .refused { throw VaultError.unrecorded(note.name) }
            _ = try record(text, as: note.name, label: nil, kind: .capture)
        }
        throw VaultError.keepsChanging(noteName(reference))
    }

    func noteName(_ reference: NoteReference) -> NoteName {
        if case .name(let name) = reference { return name }
        return (try? store.find(reference, for: .changing).name) ?? NoteName(stored: [])
    }

    /// A text as it stood in a file that did not change while it was read.
    struct FoundText {
        var text: PreparedText
        var file: VaultFile
        var look: FileLook
    }

    /// Reads the text in `file`, in bounded memory; nil where it is not as it was found any more.
    func read(_ file: VaultFile) throws -> FoundText? {
        guard let (text, look) = try files.read(file, { read in try store.prepare(reading: read) }) else { return nil }
        if look.isSame(as: file.status) { return FoundText(text: text, file: file, look: look) }
        text.discard()
        return nil
    }

    /// Records a text that was read from the file `name`, unless the file is another one by now. A text that the note shows
    /// already makes no version.
    ///
    /// - Returns: nil where the file was changed in the meantime.
    func record(_ found: FoundText, as name: NoteName, label: String?, kind: VersionKind) throws -> Change? {
        try store.write { transaction in try record(found, as: name, label: label, kind: kind, in: &transaction) }
    }

    func record(
        _ found: FoundText, as name: NoteName, label: String?, kind: VersionKind,
        in transaction: inout Writer.Transaction
    ) throws -> Change? {
        // Somebody else may have put another text there, and made its version the head, since it was read.
        // (A folder or a link may have its name by now: that is told when it is read anew, and is no other file's failure.)
        guard (try? files.isUnchanged(name, found.file)) == true else { return nil }
        let change = try transaction.save(PreparedSave(name: name, label: label, kind: kind, text: found.text))
        try transaction.index.setLook(found.look, version: change.version.number, of: change.note.ordinal)
        return change
    }
}

extension Writer.Transaction {
    /// Makes a version of `text` on top of version `base` of `note`. Returns its number.
    mutating func capture(_ text: PreparedText, of note: Note, onto base: Int) throws -> Int {
        let isMissing = try isMissing(text)
        var onto = note
        onto.head = base
        let operation = try newVersion(
            of: onto, name: note.name, object: text.object, size: text.size, kind: .capture,
            journaled: isMissing ? text.journaledSize : 0)
        if isMissing { try keep(text, operation: operation) }
        return try index.newestNumber(note.ordinal)
    }
}

extension StoreIndex {
    /// Whether version `ancestor` of `note` is reached from `version` by going to first parents.
    func isAncestor(_ ancestor: Int, of version: Int, in note: Note) throws -> Bool {
        var number = version
        while number > ancestor, let parent = try parent(of: number, note: note.ordinal) { number = parent }
        return number == ancestor
    }
}
