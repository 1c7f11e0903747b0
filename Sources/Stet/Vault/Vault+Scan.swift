/// What a scan of a vault found to be otherwise than its notes' heads.
struct VaultScan {
    /// A live note by what is known of its file.
    struct Known {
        var note: Int
        var name: NoteName
        var head: Int
        /// The file, where there is one.
        var file: VaultFile?
    }

    /// Files whose text is that of their notes' heads though they looked otherwise: how they look now.
    var refreshed: [(note: Int, version: Int, look: FileLook)] = []
    var changed: [Known] = []
    var new: [NoteName] = []
    var gone: [Known] = []
    var skipped: [(path: [UInt8], reason: SkipReason)] = []
}

extension Vault {
    /// Compares every file with its note's head. What looks as it did when it was recorded is not read.
    ///
    /// - Parameter scope: only what lies in this folder; nil for all.
    func scan(in scope: NoteName? = nil) throws -> VaultScan {
        var begin = files.root
        if let scope {
            guard let folder = try files.folder(scope) else { throw VaultError.noFile(scope) }
            begin = folder
        }
        let path = scope.map { $0.bytes + [UInt8(ascii: "/")] } ?? []
        let walk = try FolderWalk(begin, path: path, store: storeStatus)
        Threads.start(atMost: 3) { walk.takePart() }
        // While the others walk already, this thread reads what is known.
        let known = try store.read { try $0.knownFiles() }
        walk.takePart()
        var comparison = try ScanComparison(vault: self, known: known, scope: path)
        for batch in walk.result() { try comparison.compare(batch) }
        return try comparison.finish()
    }
}

/// Brings together what a walk found and what is known of the notes' files.
private struct ScanComparison {
    private let vault: Vault
    private let known: KnownFiles
    private let scope: [UInt8]
    private let sizeLimit: Int
    private var isMet: [Bool]
    /// Rows by inode: that of an unchanged file leads to its note without a look at names.
    private var byInode: [UInt64: Int] = [:]
    /// Rows by name, made when the first file needs it.
    private var byName: [[UInt8]: Int]?
    private var scan = VaultScan()

    init(vault: Vault, known: KnownFiles, scope: [UInt8]) throws {
        self.vault = vault
        self.known = known
        self.scope = scope
        sizeLimit = vault.sizeLimit
        isMet = [Bool](repeating: false, count: known.rows.count)
        byInode.reserveCapacity(known.rows.count)
        for (position, row) in known.rows.enumerated() {
            if let look = row.look { byInode[look.inode] = position }
        }
    }

    mutating func compare(_ batch: FolderWalk.Batch) throws {
        for file in batch.files where !isUnchanged(file, batch.paths) {
            try compare(Array(batch.paths[file.path]), file.status)
        }
        for (path, reason) in batch.skipped {
            // What cannot be listed at all is no vault with nothing in it.
            if path == scope, reason == .unreadable { throw VaultError.folderGone(vault.folder, nil) }
            let isFolder = path.last == UInt8(ascii: "/")
            scan.skipped.append((isFolder ? path.dropLast() : path, reason))
        }
    }

    private mutating func isUnchanged(_ file: FolderWalk.File, _ paths: [UInt8]) -> Bool {
        guard let position = byInode[file.status.inode] else { return false }
        let row = known.rows[position]
        guard let look = row.look, row.version == row.head, look.isSame(as: file.status), look.isTrusted,
            known.names[row.name].elementsEqual(paths[file.path])
        else { return false }
        isMet[position] = true
        return true
    }

    private mutating func compare(_ path: [UInt8], _ status: FileStatus) throws {
        if let position = position(of: path) {
            isMet[position] = true
            return try compare(known.rows[position])
        }
        let name: NoteName
        do throws(NameError) {
            name = try NoteName(bytes: path)
        } catch {
            return scan.skipped.append((path, .name(error.problem)))
        }
        if status.size > sizeLimit { return scan.skipped.append((path, .tooLarge)) }
        do {
            guard let file = try vault.files.find(name) else { return }
            if try vault.files.isText(file) { scan.new.append(name) } else { scan.skipped.append((path, .notText)) }
        } catch is SystemError {
            scan.skipped.append((path, .unreadable))
        } catch is VaultError {
            scan.skipped.append((path, .special))
        }
    }

    private mutating func position(of path: [UInt8]) -> Int? {
        if byName == nil {
            var names: [[UInt8]: Int] = [:]
            names.reserveCapacity(known.rows.count)
            for (position, row) in known.rows.enumerated() where !isMet[position] {
                names[Array(known.names[row.name])] = position
            }
            byName = names
        }
        return byName?[path]
    }

    /// Looks at the file of a note that does not look as it did, wherever it stands and whatever it is: also where a scan
    /// would not take it for a note.
    private mutating func compare(_ row: KnownFiles.Row) throws {
        let name = known.name(row)
        var note = VaultScan.Known(note: row.note, name: name, head: row.head)
        do {
            guard let file = try vault.files.find(name) else { return scan.gone.append(note) }
            // A link may lead anywhere: only where it is named is a text read through it.
            if file.isLink { throw VaultError.link(name) }
            note.file = file
            if let look = row.look, row.version == row.head, look.isSame(as: file.status), look.isTrusted { return }
            let head = try vault.head(row.note)
            // Another length is another text, and need not be read for that.
            guard file.status.size == head.size, let (object, look) = try vault.files.hash(file) else {
                return scan.changed.append(note)
            }
            if head.object == object {
                scan.refreshed.append((row.note, row.head, look))
            } else {
                scan.changed.append(note)
            }
        } catch let error as SystemError where error.isMissing {
            scan.gone.append(note)
        } catch is SystemError {
            scan.skipped.append((name.bytes, .unreadable))
        } catch VaultError.link {
            scan.skipped.append((name.bytes, .link))
        } catch is VaultError {
            // A folder or a pipe took its name: the note's file is gone.
            scan.gone.append(note)
        }
    }

    mutating func finish() throws -> VaultScan {
        let unmet = known.rows.indices.filter { !isMet[$0] && known.names[known.rows[$0].name].starts(with: scope) }
        // What the walk left out for its name or kind and is a note all the same is compared like any other.
        let names = Set(unmet.map { Array(known.names[known.rows[$0].name]) })
        scan.skipped.removeAll { path, reason in reason != .unreadable && names.contains(path) }
        for position in unmet {
            let row = known.rows[position]
            // Files in a folder that could not be looked into are not gone.
            if let reason = reasonForFolder(of: known.names[row.name]) {
                scan.skipped.append((Array(known.names[row.name]), reason))
            } else {
                try compare(row)
            }
        }
        return scan
    }

    private func reasonForFolder(of name: ArraySlice<UInt8>) -> SkipReason? {
        scan.skipped.first { path, reason in
            (reason == .unreadable || reason == .otherFileSystem) && name.count > path.count
                && name.starts(with: path) && name[name.startIndex + path.count] == UInt8(ascii: "/")
        }?.reason
    }
}

extension Vault {
    /// The head of the note with this ordinal.
    func head(_ note: Int) throws -> Version {
        try store.read { index in
            guard let note = try index.note(ordinal: note) else { throw IndexDamage("note \(note) is not there") }
            return try index.version(.head, of: note)
        }
    }
}
