/// Why a folder was not made a backup, or not brought up to date. Nothing was changed.
public enum BackupRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// Something else is there.
    case notABackup(String)
    /// It is a backup of another store, or another store.
    case ofAnotherStore(String)
    /// It has operations that the store does not have.
    case diverged(String)
    /// It is the store's own folder, or one of the two lies inside the other.
    case notApart(String)
    /// It lies in the vault, where its texts would be taken for notes.
    case amongNotes(String)

    /// One line: what is in the way, and what to do.
    public var description: String {
        switch self {
        case .notABackup(let path):
            "\(TerminalText.escape(path)) is neither empty nor a backup of this store: name another folder"
        case .ofAnotherStore(let path):
            "\(TerminalText.escape(path)) belongs to another store: name another folder"
        case .diverged(let path):
            "\(TerminalText.escape(path)) has changes that this store does not have: name another folder, and keep that one"
        case .notApart(let path):
            "\(TerminalText.escape(path)) and the store cannot lie one in the other: name a folder elsewhere"
        case .amongNotes(let path):
            "\(TerminalText.escape(path)) lies in the vault, and its texts would be taken for notes: name a folder elsewhere"
        }
    }
}

/// The folder that a store is backed up into: a store itself.
///
/// It begins as a store to which nothing ever happened, so that the first backup is an update like any other, and one
/// that is interrupted is gone on with by the next.
struct BackupFolder {
    let layout: StoreLayout
    private let lock: StoreLock

    /// What SQLite and the lock put into a folder that was only begun.
    private static let begun: Set = [
        "lock", "index.sqlite", "index.sqlite-journal", "index.sqlite-wal", "index.sqlite-shm",
    ]

    /// Makes the folder at `path` where it is missing, and locks it.
    ///
    /// - Parameters:
    ///   - store: the folder of the store that is backed up.
    ///   - vault: the folder of its vault.
    /// - Throws: `BackupRefusal`, `StoreError.foreignOwner`, `.writableByOthers`, `.onNetwork`; `LockTimeout`.
    init(_ path: String, of store: String, vault: String?) throws {
        let place = try FileSystem.status(path) == nil ? Self.parent(of: path) : path
        guard try !FileSystem.isOnNetwork(place) else { throw StoreError.onNetwork(path) }
        try Self.requireApart(path, place, store, vault)
        try FileSystem.makeFolder(path)
        guard let folder = try? FileSystem.realPath(path), try FileSystem.status(folder)?.isFolder == true else {
            throw BackupRefusal.notABackup(path)
        }
        layout = StoreLayout(folder: folder)
        try layout.checkOwner()
        // Always: whoever made it may have been killed before he came to this.
        try FileSystem.syncFolder(layout.folder + "/..")
        let names = try FileSystem.list(layout.folder)
        // A power cut can leave what was made after the lock without it.
        guard names.contains("lock") || names.allSatisfy(Self.begun.contains) else {
            throw BackupRefusal.notABackup(path)
        }
        lock = try StoreLock.taken(layout.lock)
    }

    /// Gives the lock back.
    func unlock() { lock.give() }

    // MARK: Failed syncs

    /// Whether a sync of an earlier run failed, so that what is here and not part of an earlier backup may not be on the disk.
    /// Its index's write-ahead log is written anew.
    func isInDoubt() throws -> Bool {
        guard try lock.isInDoubt(.copies) else { return false }
        if try FileSystem.status(layout.writeAheadLog) != nil { try FileSystem.renew(layout.writeAheadLog) }
        return true
    }

    /// Runs `body`, which writes and syncs; where it fails, the next run knows.
    func syncing(_ body: () throws -> Void) throws { try lock.watching(.copies, body) }

    /// What was written is written anew and synced.
    func isSound() throws { try lock.set(.copies, false) }

    private static func parent(of path: String) -> String {
        let slash = UInt8(ascii: "/")
        let rest = path.utf8.reversed().drop { $0 == slash }.drop { $0 != slash }
        return rest.isEmpty ? "." : String(decoding: rest.reversed(), as: UTF8.self)
    }

    /// Refuses a folder that is the store's, by whatever path, or is inside it or has it inside.
    ///
    /// - Parameter place: the folder at `path`, or the one it is to be made in.
    private static func requireApart(_ path: String, _ place: String, _ store: String, _ vault: String?) throws {
        let stores = try identities(from: store)
        let places = try identities(from: place)
        let isInside = places.contains { $0 == stores.first }
        let hasInside = place == path && stores.contains { $0 == places.first }
        if isInside || hasInside { throw BackupRefusal.notApart(path) }
        if let notes = try vault.flatMap({ try identities(from: $0).first }), places.contains(notes) {
            throw BackupRefusal.amongNotes(path)
        }
    }

    private struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64
    }

    /// The folder at `path` and those above it.
    private static func identities(from path: String) throws -> [Identity] {
        var found: [Identity] = []
        var path = path
        while let status = try FileSystem.status(path) {
            let identity = Identity(device: status.device, inode: status.inode)
            // The folder above the root is the root.
            if found.last == identity { break }
            found.append(identity)
            path += "/.."
        }
        return found
    }

    // MARK: What is there

    /// The index that is there, opened for reading; a new one where the folder was only begun.
    ///
    /// - Throws: `BackupRefusal.notABackup`.
    func openIndex() throws -> StoreIndex {
        do {
            if try FileSystem.list(layout.folder).allSatisfy(Self.begun.contains) {
                return try StoreIndex.begin(layout.index)
            }
            guard try FileSystem.status(layout.index)?.isRegularFile == true else {
                throw BackupRefusal.notABackup(layout.folder)
            }
            return try StoreIndex.openForReading(layout.index)
        } catch LayoutError.notAnIndex {
            throw BackupRefusal.notABackup(layout.folder)
        } catch let error as DatabaseError where error.isDamage {
            throw BackupRefusal.notABackup(layout.folder)
        } catch let error as DatabaseError where error.isInputOutput {
            // Its sync may be what failed. Only here: before it is known whose the folder is, nothing is written to it.
            try lock.set(.copies, true)
            throw error
        }
    }

    /// Refuses the folder where it is no earlier state of the store, whose present one is `state`. Returns where its log
    /// ends.
    ///
    /// - Throws: `BackupRefusal.ofAnotherStore`, `.diverged`.
    func requireEarlier(_ index: StoreIndex, than state: StoreIndex, _ log: LogCopy) throws -> LogCopy.End? {
        do {
            if let newest = try index.newestRecord() {
                guard try index.storeID() == state.storeID() else { throw BackupRefusal.ofAnotherStore(layout.folder) }
                guard try index.devices() == Array(state.devices().prefix(index.devices().count)),
                    try log.isRecord(newest.bytes, newest.operation, at: newest.position)
                else { throw LogCopy.Diverged() }
            }
            return try log.end()
        } catch is LogCopy.Diverged {
            throw BackupRefusal.diverged(layout.folder)
        }
    }

    // MARK: What comes

    /// Makes `state` the index of the backup, in one transaction: whoever reads it sees the earlier backup or this one.
    func replaceIndex(by state: StoreIndex) throws {
        let index = try StoreIndex.openForWriting(layout.index)
        try FileSystem.syncFolder(layout.folder)
        try state.replace(index)
        // Whole without it. So that the file alone is the index: it may be read next where nothing can be written.
        try? index.checkpoint(emptying: true)
    }
}
