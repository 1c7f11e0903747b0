// Changes of a note's head, with its file.

extension Vault {
    /// Moves the head of a note to its parent, `steps` times or as often as there is one, and puts its text into the file.
    /// Text in the file that no version has becomes one first, and is then the first to be undone.
    ///
    /// - Throws: `StoreError.nothingToUndo`; `VaultError` where the file cannot be replaced.
    @discardableResult
    public func undo(_ note: NoteReference, steps: Int = 1) throws -> NoteStore.HeadMove {
        try moveHead(.undo, note, steps, unrecorded: .captured)
    }

    /// Moves the head of a note to the child that undo last left, `steps` times or as often as there is one, and puts its
    /// text into the file.
    ///
    /// - Throws: `StoreError.nothingToRedo`; `VaultError.unrecorded` where the file has text that no version has, and as
    ///   `undo` does.
    @discardableResult
    public func redo(_ note: NoteReference, steps: Int = 1) throws -> NoteStore.HeadMove {
        // Where there is nothing to redo, that is the answer, whatever the file holds.
        _ = try store.read { try $0.path(.redo, of: $0.find(note, for: .changing), steps: steps) }
        return try moveHead(.redo, note, steps, unrecorded: .refused)
    }

    private func moveHead(
        _ direction: HeadDirection, _ reference: NoteReference, _ steps: Int, unrecorded: Unrecorded
    ) throws -> NoteStore.HeadMove {
        try changeHead(reference, unrecorded: unrecorded) { index, note in
            try index.path(direction, of: note, steps: steps).end
        } change: { transaction, note in
            try transaction.move(direction, note, steps: steps)
        }
    }

    /// Brings an older version back as the newest, in store and file. Text in the file that no version has becomes one first.
    ///
    /// - Throws: as `NoteStore.restore`; `VaultError` where the file cannot be replaced.
    @discardableResult
    public func restore(_ reference: VersionReference, of note: NoteReference) throws -> Change {
        // What is meant is settled before a capture can change what "head" means.
        let number = try store.read { try $0.version(reference, of: $0.find(note, for: .changing)).number }
        return try changeHead(note, unrecorded: .captured) { index, note in
            try index.version(.number(number), of: note)
        } change: { transaction, note in
            try transaction.restore(.number(number), of: note)
        }
    }

    /// Changes the head of a note and puts the text of the new one into its file, as one recoverable step.
    ///
    /// - Parameters:
    ///   - target: the version that the note will show, or another one with the same text.
    ///   - change: makes it so.
    private func changeHead<Value>(
        _ reference: NoteReference, unrecorded: Unrecorded, to target: (StoreIndex, Note) throws -> Version,
        change: (inout Writer.Transaction, Note) throws -> Value
    ) throws -> Value {
        try finishSteps()
        for _ in 0..<Self.patience {
            let present = try settle(reference, unrecorded: unrecorded)
            let version = try store.read { try target($0, present.note) }
            let value = try replaceText(of: present, with: version.object) { write in
                try store.readText(of: version, write)
            } change: { transaction -> Value? in
                let now = try transaction.index.note(ordinal: present.note.ordinal)
                return now == present.note ? try change(&transaction, present.note) : nil
            }
            if let value { return value }
        }
        throw VaultError.keepsChanging(noteName(reference))
    }

    /// Puts `object` into the file of a note together with a change of its head.
    ///
    /// - Parameters:
    ///   - fill: writes the text.
    ///   - change: the change; nil where something is not any more as it was found.
    /// - Returns: nil where the change gave nil, or the file was changed meanwhile; nothing is changed then.
    func replaceText<Value>(
        of present: NoteAndFile, with object: ObjectID,
        _ fill: (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void,
        change: (inout Writer.Transaction) throws -> Value?
    ) throws -> Value? {
        let name = present.note.name
        if present.file != nil, present.head.object == object {
            return try store.write { transaction in
                try files.isUnchanged(name, present.file) ? change(&transaction) : nil
            }
        }
        return try writeFile(
            name, note: { _ in present.note.ordinal }, old: present.file, oldObject: present.head.object, new: object,
            fill,
            change: change)
    }

    /// Writes a file together with a change that makes its text a note's head.
    ///
    /// - Parameters:
    ///   - note: the ordinal of the note, asked for after the change.
    ///   - old: the file that is there, with the text `oldObject`.
    func writeFile<Value>(
        _ name: NoteName, note: (Value) -> Int, old: VaultFile?, oldObject: ObjectID?, new: ObjectID,
        _ fill: (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void,
        change: (inout Writer.Transaction) throws -> Value?
    ) throws -> Value? {
        guard var spare = try store.exclusively({ try prepareSpare(for: name, $0) }) else { return nil }
        var isCommitted = false
        defer {
            spare.file = nil
            if !isCommitted {
                // By the folder that it was made in, which may have another name by now.
                try? FileSystem.remove(spare.place)
                try? store.exclusively { try carryOut(spare.step, $0, isFresh: true) }
            }
        }
        // Outside the lock: this is the part that takes time.
        guard try spare.file.map({ try files.fill($0, like: old, fill) }) == true else { return nil }
        // Its name has to last as well: once the operation is committed, the step is finished with what stands there.
        try FileSystem.syncEntries(of: spare.place.folder)
        return try store.exclusively { writer in
            let committed: (Value, FileStep)? = try writer.transact { transaction in
                guard try files.isUnchanged(name, old), try isInPlace(spare), let value = try change(&transaction)
                else { return nil }
                let step = FileStep(
                    .write, note: note(value), name: name, spare: spare.step.spare, old: old == nil ? nil : oldObject,
                    new: new)
                try transaction.index.dropStep(spare.step)
                try transaction.index.addStep(step)
                // From here on the step may be durable, whatever becomes of the commit: the next change decides.
                isCommitted = true
                return (value, step)
            }
            guard let (value, step) = committed else { return nil }
            // Whoever looks whether somebody has the file open for writing must not find this process.
            spare.file = nil
            try carryOut(step, writer, isFresh: true)
            return value
        }
    }

    /// Makes an empty file beside the one that is to be written, with the folders that it needs. It is known to the index,
    /// durably, before it is there, so that neither a kill nor a power cut leaves a file that nobody takes away; a lock on
    /// it tells that its writer lives.
    private func prepareSpare(for name: NoteName, _ writer: Writer) throws -> Spare? {
        let folders = try files.makeFolders(for: name)
        guard let place = try files.place(name) else { return nil }
        let step = FileStep(.prepare, note: nil, name: name, spare: FileStep.spareName(), old: nil, new: nil)
        try writer.transact { transaction in
            for folder in folders { try transaction.index.addMadeFolder(folder) }
            try transaction.index.addStep(step)
        }
        let spare = place.beside(step.spare)
        let file = try FileSystem.createExclusively(spare, mode: 0o666)
        _ = try? FileSystem.tryLock(file)
        return Spare(step: step, place: spare, file: file)
    }

    /// Whether it is still found by the name of its folder.
    private func isInPlace(_ spare: Spare) throws -> Bool {
        guard let place = try files.place(spare.step.name) else { return false }
        return try FileSystem.status(place.beside(spare.step.spare)) != nil
    }

    // MARK: From elsewhere

    /// Saves what `read` gives as the newest version of the note `name`, and puts it into the file. Text in the file that no
    /// version has becomes one first.
    ///
    /// - Parameter read: fills a buffer and returns how many bytes it put there; 0 at the end.
    @discardableResult
    public func save(
        as name: NoteName, label: String? = nil, reading read: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> Change {
        try NoteStore.check(label: label)
        let text = try store.prepare(reading: read)
        defer { text.discard() }
        try finishSteps()
        for _ in 0..<Self.patience {
            if let change = try save(text, as: name, label: label) { return change }
        }
        throw VaultError.keepsChanging(name)
    }

    private func save(_ text: PreparedText, as name: NoteName, label: String?) throws -> Change? {
        let request = PreparedSave(name: name, label: label, text: text)
        if let note = try store.read({ try $0.liveNote(name) }) {
            let present = try settle(.id(note.id), unrecorded: .captured)
            guard present.note.name == name else { return nil }
            return try replaceText(of: present, with: text.object, text.forEachPiece) { transaction in
                let now = try transaction.index.note(ordinal: present.note.ordinal)
                return now == present.note ? try transaction.save(request) : nil
            }
        }
        // A file that is no note yet becomes one first.
        if let file = try files.find(name) {
            try files.requireReplaceable(file, name)
            guard let found = try self.read(file) else { return nil }
            defer { found.text.discard() }
            _ = try record(found, as: name, label: nil, kind: .capture)
            return nil
        }
        return try writeFile(
            name, note: \.note.ordinal, old: nil, oldObject: nil, new: text.object, text.forEachPiece
        ) { transaction -> Change? in
            try transaction.index.liveNote(name) == nil ? transaction.save(request) : nil
        }
    }
}

/// A file beside the one that is to be written, known to the index by a step.
private struct Spare {
    var step: FileStep
    var place: FilePlace
    /// Open for writing, and locked, for as long as it is being filled.
    var file: FileDescriptor?
}

extension PreparedText {
    /// Hands the text to `body` in pieces.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        switch self {
        case .small(_, let bytes): try bytes.withUnsafeBytes(body)
        case .large(_, let file): try file.forEachPiece(body)
        }
    }
}
