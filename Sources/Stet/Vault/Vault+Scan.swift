/// What a scan of a vault found to be otherwise than its notes' heads.
struct VaultScan {
    /// A live note by what is known of its file.
    struct Known {
        var note: Int
        var name: NoteName
        var head: Int
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
        let walk = try FolderWalk(begin, path: path, store: files.store)
        Threads.start(atMost: 3) { walk.takePart() }
        // While the others walk already, this thread reads what is known.
        let known = try store.read { try $0.knownFiles() }
        walk.takePart()
        var comparison = try ScanComparison(vault: self, known: known, scope: path)
        for batch in walk.result() { try comparison.take(batch) }
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
    /// Files that are not what was known of them.
    private var others: [(path: [UInt8], status: FileStatus)] = []
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

    /// Takes what a thread found.
    mutating func take(_ batch: FolderWalk.Batch) throws {
        if let failure = batch.failure { throw failure }
        for file in batch.files where !isUnchanged(file, batch.paths) {
            others.append((Array(batch.paths[file.path]), file.status))
        }
        for (path, reason) in batch.skipped {
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

    /// Compares a file that is not what was known of it; the note of its name, if there is one, is in `rows`.
    private mutating func compare(_ path: [UInt8], _ status: FileStatus, _ rows: [[UInt8]: Int]) throws {
        if let position = rows[path] {
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

    /// Looks at the file of a note that does not look as it did, wherever it stands and whatever it is: also where a scan
    /// would not take it for a note.
    private mutating func compare(_ row: KnownFiles.Row) throws {
        let name = known.name(row)
        let note = VaultScan.Known(note: row.note, name: name, head: row.head)
        do {
            guard let file = try vault.files.find(name) else { return scan.gone.append(note) }
            // A link may lead anywhere: only where it is named is a text read through it.
            if file.isLink { throw VaultError.link(name) }
            if let look = row.look, row.version == row.head, look.isSame(as: file.status), look.isTrusted { return }
            let head = try vault.store.read { try $0.headText(of: row.note) }
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
        // What cannot be listed at all is no vault with nothing in it.
        let isUnreadable = scan.skipped.contains { path, reason in reason == .unreadable && path == scope.dropLast() }
        if isUnreadable { throw VaultError.folderGone(vault.folder, nil) }
        var rows: [[UInt8]: Int] = [:]
        for position in known.rows.indices where !isMet[position] {
            rows[Array(known.names[known.rows[position].name])] = position
        }
        for (path, status) in others { try compare(path, status, rows) }
        let unmet = known.rows.indices.filter { !isMet[$0] && known.names[known.rows[$0].name].starts(with: scope) }
        // What the walk left out for its name or kind and is a note all the same is compared like any other.
        let names = Set(unmet.map { Array(known.names[known.rows[$0].name]) })
        scan.skipped.removeAll { path, reason in reason != .unreadable && names.contains(path) }
        let closed = scan.skipped.filter { $0.reason == .unreadable || $0.reason == .otherFileSystem }
        for position in unmet {
            let row = known.rows[position]
            // Files in a folder that could not be looked into are not gone.
            if let reason = reason(for: known.names[row.name], closed) {
                scan.skipped.append((Array(known.names[row.name]), reason))
            } else {
                try compare(row)
            }
        }
        return scan
    }

    private func reason(for name: ArraySlice<UInt8>, _ closed: [(path: [UInt8], reason: SkipReason)]) -> SkipReason? {
        closed.first { path, _ in
            name.count > path.count && name.starts(with: path)
                && name[name.startIndex + path.count] == UInt8(ascii: "/")
        }?.reason
    }
}
