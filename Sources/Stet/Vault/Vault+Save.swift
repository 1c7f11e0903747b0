/// What saving one file came to.
public enum SavedFile: Sendable {
    /// The note and the version that has the text; a new one, or one that the note showed already.
    case saved(Change)
    /// Nothing was recorded, and why.
    case failed(NoteName, any Error)
}

extension Vault {
    /// Saves every new and every changed file of the vault.
    ///
    /// - Parameters:
    ///   - scope: only in this folder; nil for all.
    ///   - label: words to put on each new version.
    ///   - each: is told what became of each file, as soon as it is durable.
    /// - Returns: the notes whose files are gone, which are not deleted, and the files that were skipped.
    public func saveAll(
        in scope: NoteName? = nil, label: String? = nil, _ each: (SavedFile) throws -> Void
    ) throws -> [FileState] {
        try NoteStore.check(label: label)
        if !store.isReadOnly { try finishSteps() }
        let scan = try scan(in: scope)
        let names = (scan.changed.map(\.name) + scan.new).sorted()
        try save(names, label: label, refreshing: scan.refreshed, each)
        return try states(of: scan).filter { $0.difference == .gone || $0.difference == .skipped }
    }

    /// Saves the file `name`, whatever its size or kind, after reading all of it.
    ///
    /// - Throws: `VaultError.noFile`, `.notAFile`, `.keepsChanging`; as `NoteStore.save` does.
    @discardableResult
    public func save(_ name: NoteName, label: String? = nil) throws -> Change {
        try NoteStore.check(label: label)
        try finishSteps()
        for _ in 0..<Self.patience {
            guard let file = try files.find(name) else { throw VaultError.noFile(name) }
            guard let found = try read(file) else { continue }
            defer { found.text.discard() }
            if let change = try record(found, as: name, label: label, kind: .save) { return change }
        }
        throw VaultError.keepsChanging(name)
    }

    /// How many files, and how many bytes, go into one transaction.
    private static let batchFiles = 100
    private static let batchBytes = 4 << 20

    private func save(
        _ names: [NoteName], label: String?, refreshing: [(note: Int, version: Int, look: FileLook)],
        _ each: (SavedFile) throws -> Void
    ) throws {
        var batch: [(name: NoteName, found: FoundText)] = []
        var refreshing = refreshing
        func flush() throws {
            if batch.isEmpty, refreshing.isEmpty { return }
            try save(batch, label: label, refreshing: refreshing, each)
            batch = []
            refreshing = []
        }
        for name in names {
            let found: FoundText?
            do {
                guard let file = try files.find(name) else { throw VaultError.noFile(name) }
                found = try read(file)
            } catch {
                try each(.failed(name, error))
                continue
            }
            if let found { batch.append((name, found)) } else { try each(saveAlone(name, label: label)) }
            let size = batch.reduce(0) { $0 + $1.found.text.size }
            if batch.count >= Self.batchFiles || size >= Self.batchBytes { try flush() }
        }
        try flush()
    }

    /// Records a batch in one transaction with one sync.
    private func save(
        _ batch: [(name: NoteName, found: FoundText)], label: String?,
        refreshing: [(note: Int, version: Int, look: FileLook)], _ each: (SavedFile) throws -> Void
    ) throws {
        defer { for (_, found) in batch { found.text.discard() } }
        if batch.isEmpty {
            // Nothing that is worth a sync: where it is lost, the files are read once more.
            return try store.exclusively { writer in try writer.remember { try refresh(refreshing, in: $0) } }
        }
        let results = try store.write { transaction in
            try refresh(refreshing, in: transaction.index)
            return try batch.map { name, found -> Result<Change?, StoreError> in
                do {
                    return .success(try record(found, as: name, label: label, kind: .save, in: &transaction))
                } catch let error as StoreError {
                    // A name that cannot be a note's beside the others is refused before anything is written for it.
                    return .failure(error)
                }
            }
        }
        for ((name, _), result) in zip(batch, results) {
            switch result {
            case .success(let change?): try each(.saved(change))
            // One that was changed in the meantime is read anew.
            case .success(nil): try each(saveAlone(name, label: label))
            case .failure(let error): try each(.failed(name, error))
            }
        }
    }

    private func saveAlone(_ name: NoteName, label: String?) -> SavedFile {
        do {
            return .saved(try save(name, label: label))
        } catch {
            return .failed(name, error)
        }
    }

    private func refresh(_ looks: [(note: Int, version: Int, look: FileLook)], in index: StoreIndex) throws {
        for (note, version, look) in looks {
            // The head may have moved since, with its file.
            guard try index.note(ordinal: note)?.head == version else { continue }
            try index.setLook(look, version: version, of: note)
        }
    }
}
