// What is done for the store besides changes: a flush of what waits in the index, and folding the write-ahead log in.
// Neither may cost a saved text, whenever it is stopped and whatever fails in it.

extension Writer {
    /// What waits for upkeep, as of this writer's last transaction.
    struct Backlog {
        /// Operations whose records and texts the index holds.
        var records = 0
        /// Bytes of text that the index holds.
        var bytes = 0
        /// Past how many pages of the write-ahead log it is folded in next.
        var pageLimit = Writer.pageLimit

        /// Whether a flush is due.
        var isDue: Bool { records >= 1_000 || bytes >= 4 << 20 }
        /// Whether no more should be added before a flush: somebody writes faster than flushes end.
        var isUrgent: Bool { records >= 4_000 || bytes >= 16 << 20 }
    }

    /// The write-ahead log is folded in past so many pages of 4 KiB while the store is open.
    fileprivate static let pageLimit = 1_000
    /// The write-ahead log is emptied past so many pages when the store is closed: a process that opens it reads all of
    /// them, at 2 µs each, and folding in costs 1.5 ms.
    private static let closingPageLimit = 128
    /// From so many pages on, readers are waited for in order to empty the log: 16 MiB.
    private static let patientPages = 4_096
    /// So many pages the log should never have: 64 MiB.
    private static let excessivePages = 16_384

    /// Whether there is something to do after the last transaction.
    var isUpkeepDue: Bool { backlog.isDue || index.walPages > backlog.pageLimit }

    func measureBacklog(_ newest: StoreIndex.HeldRecord?) throws {
        guard let newest, let oldest = try index.oldestRecord() else { return }
        backlog.records = newest.operation - oldest.operation
        backlog.bytes = newest.journaled - oldest.journaled
        // A log that was begun anew since is far from its limit.
        if index.walPages < Self.pageLimit { backlog.pageLimit = Self.pageLimit }
    }

    // MARK: Flush

    /// A flush under way: object files and log are made durable, and then what the index holds of them is dropped.
    ///
    /// 1. `startFlush`: the only one of the store at a time. 2. `read` which files are whole, without any lock. 3. `prepare`,
    /// under the lock: everything else is written again. 4. `sync`, without any lock. 5. `finish`, under the lock.
    ///
    /// A file counts as whole only if this very writer wrote it and has not tried to sync it before. Of any other one a
    /// sync may have failed: then memory shows it, the disk does not have it, and nobody is told a second time.
    struct Flush {
        /// Locked for as long as the flush lasts, so that no other one takes what this one has not synced for synced.
        fileprivate let turn: FileDescriptor
        fileprivate let objects: LooseObjects
        fileprivate let tree: FileDescriptor
        fileprivate let texts: [ObjectID]
        fileprivate var whole: Set<ObjectID> = []
        fileprivate var upTo: StoreIndex.HeldRecord?
        fileprivate var logs: [(log: OperationLog, segment: Int)] = []

        /// Reads the files of the texts that wait.
        mutating func read() {
            // One that cannot be read is written again like one that is not there.
            whole = Set(texts.filter { (try? objects.isWhole($0)) ?? false })
        }

        /// Makes files and log survive power loss.
        func sync() throws {
            guard upTo != nil else { return }
            try FileSystem.syncFileSystem(tree)
            for (log, segment) in logs { try log.sync(segment: segment) }
            try FileSystem.syncFolder(turn.path)
        }
    }

    /// Begins a flush.
    ///
    /// - Parameter waiting: whether one that is under way, in whatever process, is waited for.
    /// - Returns: nil where another one is under way and is not waited for.
    /// - Throws: `LockTimeout` where another one takes too long.
    func startFlush(waiting: Bool) throws -> Flush? {
        let turn = try FileSystem.openFolder(layout.operationLog)
        guard try StoreLock.take(turn, patience: waiting ? StoreLock.patience : 0) else {
            guard !waiting else { throw LockTimeout(path: turn.path, holder: nil) }
            return nil
        }
        let texts = try index.read { try index.journalObjects() }
        return Flush(turn: turn, objects: objects, tree: tree, texts: texts.filter(written.contains))
    }

    /// Writes what is not whole again.
    func prepare(_ flush: inout Flush) throws {
        try exclusively {
            // What this writer wrote since is as good as what was read.
            let since = written.subtracting(flush.texts)
            guard let upTo = try index.write({ try reconcileAll(.files(flush.whole.union(since))) }) else { return }
            written = []
            for record in try index.records(after: 0) where record.operation <= upTo.operation {
                let log = try index.log(of: record.operation, below: layout.operationLog)
                let segment = record.position.segment
                if let last = flush.logs.last, last.log.device == log.device, last.segment == segment { continue }
                flush.logs.append((log, segment))
            }
            flush.upTo = upTo
        }
    }

    /// Drops what the index holds of that which was synced.
    func finish(_ flush: Flush) throws {
        guard let upTo = flush.upTo else { return }
        try exclusively {
            try index.write {
                try index.dropFlushed(upTo: upTo.operation)
                try measureBacklog(index.newestRecord())
            }
        }
    }

    // MARK: The write-ahead log

    /// How far the write-ahead log is folded in.
    enum Folding {
        /// If it is long, as far as no reader is in the way.
        case whenLong
        /// So that it is empty, if opening it would take a while.
        case closing
        /// So that it is empty.
        case all
    }

    /// Folds the write-ahead log into the database.
    ///
    /// - Throws: `StoreError.keptBack` where it has grown past all measure because somebody reads without end.
    func fold(_ folding: Folding) throws {
        let pages = index.walPages
        let isWanted =
            switch folding {
            case .whenLong: pages > backlog.pageLimit
            case .closing: pages > Self.closingPageLimit
            case .all: true
            }
        guard isWanted else { return }
        let isPatient = pages > Self.patientPages
        try exclusively {
            try index.checkpoint(emptying: isPatient || folding != .whenLong, patience: isPatient ? 1_000 : 0)
        }
        // One that a reader keeps back is not tried again at each change.
        backlog.pageLimit = (index.walPages == 0 ? 0 : pages) + Self.pageLimit
        if index.walPages > Self.excessivePages {
            throw StoreError.keptBack(layout.writeAheadLog, by: try readersOfOldStates())
        }
    }

    /// The processes that read the index, as `name (process N)`.
    private func readersOfOldStates() throws -> [String] {
        guard let memory = try FileSystem.status(layout.index + "-shm") else { return [] }
        // https://www.sqlite.org/walformat.html: bytes 124 to 127 are the marks of readers that use the log.
        return LockHolders.ofBytes(124...127, inode: memory.inode)
    }

    // MARK: All of it, on the calling thread

    /// Flushes and folds everything, waiting for a flush that is under way.
    func maintain() throws {
        if var flush = try startFlush(waiting: true) {
            flush.read()
            try prepare(&flush)
            try flush.sync()
            try finish(flush)
        }
        try fold(.all)
    }
}
