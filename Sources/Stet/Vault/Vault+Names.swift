// Renaming, deleting and bringing back, with the files.

extension Vault {
    /// Renames a note and moves its file. A move that was made on the disk already is accepted.
    ///
    /// - Throws: `StoreError.nameTaken`, `.nameInside`; `VaultError.inTheWay` where a file has the new name.
    @discardableResult
    public func rename(_ reference: NoteReference, to name: NoteName) throws -> Change {
        try finishSteps()
        for _ in 0..<Self.patience {
            let note = try store.find(reference, for: .changing)
            let changes = try move(note.name, to: name, note: note) { transaction in
                // Another process may have given it another name since.
                guard try transaction.index.note(ordinal: note.ordinal)?.name == note.name else { return nil }
                return try transaction.rename([Renaming(.id(note.id), to: name)])
            }
            if let changes { return changes[0] }
        }
        throw VaultError.keepsChanging(name)
    }

    /// Renames a folder: everything in it, notes or not, moves. A move that was made on the disk already is accepted.
    ///
    /// - Throws: `StoreError.noNote` where no note lies in it; as `rename` does.
    @discardableResult
    public func renameFolder(_ folder: NoteName, to name: NoteName) throws -> [Change] {
        try finishSteps()
        if name.relative(to: folder) != nil { throw StoreError.nameInside(name, other: folder) }
        let changes = try move(folder, to: name, note: nil) { transaction in
            try transaction.rename(transaction.index.renamings(ofFolder: folder, to: name))
        }
        return changes ?? []
    }

    private func move(
        _ name: NoteName, to target: NoteName, note: Note?, _ change: (inout Writer.Transaction) throws -> [Change]?
    ) throws -> [Change]? {
        if (store.folder + "/").hasPrefix("\(folder)/\(name)/") { throw VaultError.insideStore(store.folder) }
        guard name != target, let there = try status(name), there.isFolder == (note == nil) else {
            return try store.write(change)
        }
        if let place = try files.place(target), try FileSystem.status(place) != nil,
            try !files.isAlias(place, of: name, target)
        {
            throw VaultError.inTheWay(target)
        }
        if let place = try files.place(name) { try files.requireWritableFolder(of: place, name) }
        let folders = try files.makeFolders(for: target)
        if let place = try files.place(target) { try files.requireWritableFolder(of: place, target) }
        var isCommitted = false
        defer { if !isCommitted { files.removeFolders(folders) } }
        return try store.exclusively { writer in
            let step = FileStep(
                .move, note: note?.ordinal, name: name, target: target, inode: there.inode,
                spare: FileStep.spareName(), old: nil, new: nil)
            let committed: [Change]? = try writer.transact { transaction in
                guard let changes = try change(&transaction) else { return nil }
                if note == nil { try transaction.index.moveMadeFolders(from: name, to: target) }
                for folder in folders { try transaction.index.addMadeFolder(folder) }
                try transaction.index.addStep(step)
                return changes
            }
            guard let changes = committed else { return nil }
            isCommitted = true
            do {
                try carryOut(step, writer, isFresh: true)
            } catch {
                try removeEmptyFolders(of: target, writer)
                throw error
            }
            try removeEmptyFolders(of: name, writer)
            return changes
        }
    }

    /// What has the name.
    private func status(_ name: NoteName) throws -> FileStatus? {
        guard let place = try files.place(name) else { return nil }
        return try FileSystem.status(place)
    }

    /// Removes the folders of `name`, innermost first, that Stet made and that are empty now.
    func removeEmptyFolders(of name: NoteName, _ writer: Writer) throws {
        for folder in name.folders.reversed() {
            guard try writer.index.read({ try writer.index.isMadeFolder(folder) }),
                let place = try files.place(folder), FileSystem.removeEmptyFolder(place)
            else { return }
            try writer.remember { try $0.dropMadeFolder(folder) }
        }
    }

    /// Deletes notes and takes their files away. Text in a file that no version has becomes one first; the notes keep all
    /// their versions.
    ///
    /// - Throws: `VaultError` where a file is no plain file of this user's; nothing is deleted then.
    @discardableResult
    public func delete(_ references: [NoteReference]) throws -> [Change] {
        try finishSteps()
        for _ in 0..<Self.patience {
            let present = try references.map { try settle($0, unrecorded: .captured) }
            if let changes = try delete(present) { return changes }
        }
        throw VaultError.keepsChanging(try store.find(references[0], for: .changing).name)
    }

    private func delete(_ present: [NoteAndFile]) throws -> [Change]? {
        try store.exclusively { writer in
            let committed: ([Change], [FileStep])? = try writer.transact { transaction in
                for one in present {
                    guard try transaction.index.note(ordinal: one.note.ordinal) == one.note,
                        try files.isUnchanged(one.note.name, one.file)
                    else { return nil }
                }
                let changes = try transaction.delete(present.map { .id($0.note.id) })
                let steps = present.filter { $0.file != nil }.map { one in
                    FileStep(
                        .remove, note: one.note.ordinal, name: one.note.name, spare: FileStep.spareName(),
                        old: one.head.object, new: nil)
                }
                for step in steps { try transaction.index.addStep(step) }
                return (changes, steps)
            }
            guard let (changes, steps) = committed else { return nil }
            // One that cannot be taken away keeps no other one there.
            let results = steps.map { step in
                Result {
                    try carryOut(step, writer, isFresh: true)
                    try removeEmptyFolders(of: step.name, writer)
                }
            }
            for result in results { try result.get() }
            return changes
        }
    }

    /// Brings a deleted note back, with the name it had or another, and its file with it.
    ///
    /// - Throws: `StoreError.nameTaken` or `.nameInside` where the name is not free; `VaultError.inTheWay` where a file of
    ///   another text has it.
    @discardableResult
    public func undelete(_ reference: NoteReference, as name: NoteName? = nil) throws -> Change {
        try finishSteps()
        for _ in 0..<Self.patience {
            let note = try store.find(reference, for: .undeleting)
            let head = try store.version(.head, of: note)
            if let change = try undelete(note, head, as: name ?? note.name) { return change }
        }
        throw VaultError.keepsChanging(noteName(reference))
    }

    private func undelete(_ note: Note, _ head: Version, as name: NoteName) throws -> Change? {
        func change(_ transaction: inout Writer.Transaction) throws -> Change? {
            // Somebody else may have brought it back, and deleted it with another text.
            guard try transaction.index.note(ordinal: note.ordinal) == note else { return nil }
            return try transaction.undelete(.id(note.id), as: name)
        }
        if let file = try files.find(name) {
            guard try files.hash(file)?.object == head.object else { throw VaultError.inTheWay(name) }
            return try store.write { transaction in
                try files.isUnchanged(name, file) ? change(&transaction) : nil
            }
        }
        return try writeFile(name, note: \Change.note.ordinal, old: nil, oldObject: nil, new: head.object) { write in
            try store.readText(of: head, write)
        } change: {
            try change(&$0)
        }
    }
}
