/// The one writer of a store in this process: lock, index and log, and the order in which they are touched.
///
/// Invariants kept here:
/// 1. Acknowledged means durable: `transact` returns after the index transaction, texts and records in it, was synced.
/// 3. The log is the truth: the records of a transaction are appended in the same call, under the same lock; what was
///    not appended because of a crash or a full disk is appended by the next transaction, before anything else.
/// 6. One writer: everything here that writes runs under the lock; syncs of a flush run outside it.
///
/// Order of writes in a transaction: index commit (with its one sync), object files, log records. A log that ends where
/// the index says it must therefore proves that the object files before it were written as well.
final class Writer {
    let layout: StoreLayout
    let objects: LooseObjects
    private let clock: StoreClock
    /// Where this writer writes: another machine than last time, or a copy of the folder, is another device.
    fileprivate let place: StoreIndex.Place
    let lock: StoreLock
    /// Whether a call of `exclusively` is under way.
    private var isHeld = false
    let index: StoreIndex
    /// Whether the index could be opened again after a failure; where it could not, this writer is of no use any more.
    private(set) var isUsable = true
    /// Whether the log was seen to end in the very record that the index holds for its end.
    private var isTailKnown = false
    /// What waits for upkeep, as of the last transaction.
    var backlog = Backlog()
    /// The folder of the objects, opened before anything was written there: the system tells each open file once that
    /// something could not be written, and one that is opened later may not be told.
    let tree: FileDescriptor
    /// Objects whose files this writer wrote and has not tried to sync yet.
    var written: Set<ObjectID> = []

    /// Texts up to this size go through the journal: one sync for text and index together. Larger ones are synced as
    /// files first, since writing them twice would cost more than a second sync.
    static let journalLimit = 64 << 10

    init(_ layout: StoreLayout, _ objects: LooseObjects, clock: StoreClock, machine: [UInt8]?) throws {
        self.layout = layout
        self.objects = objects
        self.clock = clock
        let lock = try StoreLock.taken(layout.lock)
        self.lock = lock
        defer { lock.give() }
        index = try Self.openIndex(layout, lock)
        guard let lockFile = try FileSystem.identity(layout.lock) else { throw StoreError.replaced(layout.folder) }
        place = .init(machine: machine, lock: lockFile, index: try FileSystem.identity(layout.index))
        try layout.completeFolders()
        tree = try FileSystem.openFolder(objects.folder)
        try objects.sweepIncoming()
        // A device that the index does not know shows in no size: the log went on while the index was put back.
        if try OperationLog.devices(in: layout.operationLog).count != index.devices().count {
            try Self.committing(lock) { try index.write { _ = try reconcileAll(.looks) } }
        }
    }

    private static func openIndex(_ layout: StoreLayout, _ lock: StoreLock) throws -> StoreIndex {
        guard try FileSystem.status(layout.index) != nil else { throw layout.indexIsGone }
        try ensureWriteAheadLog(layout)
        return try committing(lock) { try StoreIndex.openForWriting(layout.index) }
    }

    /// Makes the write-ahead log where it is missing, and its name durable before anything is written to it, so that
    /// SQLite need not sync the folder at the first commit of every process (see `StetVFS`).
    private static func ensureWriteAheadLog(_ layout: StoreLayout) throws {
        guard try FileSystem.status(layout.writeAheadLog) == nil else { return }
        // Only read: nothing is committed to a log whose name may not last.
        _ = try StoreIndex.openForReading(layout.index)
        try FileSystem.syncFolder(layout.folder)
    }

    // MARK: Transactions

    /// A transaction in progress: what it may do.
    struct Transaction {
        fileprivate let writer: Writer
        fileprivate(set) var newest: StoreIndex.HeldRecord?
        fileprivate var records: [StoreIndex.HeldRecord] = []
        fileprivate var texts: [(object: ObjectID, bytes: [UInt8])] = []
        fileprivate var placed: [ObjectID] = []
        let time: Timestamp

        var index: StoreIndex { writer.index }
        var objects: LooseObjects { writer.objects }
    }

    /// Runs `body` under the lock; a transaction inside does not take it again.
    ///
    /// - Throws: `StoreError.replaced` where the store does not stand any more where it was opened.
    func exclusively<Value>(_ body: () throws -> Value) throws -> Value {
        if isHeld { return try body() }
        try lock.take()
        isHeld = true
        defer {
            isHeld = false
            lock.give()
        }
        guard try lock.isInPlace() else {
            isUsable = false
            throw StoreError.replaced(layout.folder)
        }
        if try lock.isInDoubt(.commits) { try renewCommits() }
        return try Self.committing(lock, body)
    }

    /// Runs `body` as one durable transaction under the lock.
    ///
    /// - Throws: `StoreError.outcomeUnknown` where the sync of the commit failed, and to write it anew as well.
    func transact<Value>(_ body: (inout Transaction) throws -> Value) throws -> Value {
        try exclusively {
            var done: (transaction: Transaction, value: Value)?
            do {
                try index.write { done = try run(body) }
            } catch let error as DatabaseError where error.isOfCommit && error.isInputOutput {
                try confirm(done?.transaction, error)
            }
            guard let done else { throw StoreError.closed }
            settle(done.transaction)
            return done.value
        }
    }

    private func run<Value>(_ body: (inout Transaction) throws -> Value) throws -> (Transaction, Value) {
        var transaction = Transaction(writer: self, newest: try reconcile(), time: clock.now())
        try transaction.beginDeviceIfPlaceChanged()
        let value = try body(&transaction)
        // Before the commit, so that no durable version ever lacks its text.
        try objects.syncNames(of: transaction.placed)
        try measureBacklog(transaction.newest)
        return (transaction, value)
    }

    // MARK: Commits whose sync failed

    /// After a commit whose sync failed: whether it reached the disk is not known, and another sync of the same pages would
    /// not tell. It counts where the write-ahead log, written anew and synced, has it.
    ///
    /// - Throws: `failure` where it does not count, `StoreError.outcomeUnknown` where that cannot be found out.
    private func confirm(_ transaction: Transaction?, _ failure: DatabaseError) throws {
        do {
            try lock.set(.commits, true)
            try renewCommits()
            if let record = transaction?.records.last, try index.newestRecord() == record { return }
            // It stands in the log all the same, and would count once the last process that does not see it has closed the
            // index.
            try Self.committing(lock) { try index.overwriteEnd() }
        } catch {
            throw StoreError.outcomeUnknown(failure.message)
        }
        throw failure
    }

    /// Runs `body`, which commits or checkpoints. Where the system fails it in that, a sync may be what failed: then whoever
    /// takes the lock next writes the write-ahead log anew before any change.
    private static func committing<Value>(_ lock: StoreLock, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError where error.isInputOutput {
            try lock.set(.commits, true)
            throw error
        }
    }

    /// Writes the write-ahead log anew: nothing may be appended to pages that are perhaps not on the disk.
    private func renewCommits() throws {
        isUsable = false
        try index.reopen {
            if try FileSystem.status(layout.writeAheadLog) != nil { try FileSystem.renew(layout.writeAheadLog) }
            // SQLite does so after its first sync of a log that was empty, unless that fails.
            try FileSystem.syncFolder(layout.folder)
        }
        isUsable = true
        try lock.set(.commits, false)
    }

    /// Runs `body` as a transaction that may be lost in a power cut: for what is known of the user's files alone.
    func remember(_ body: (StoreIndex) throws -> Void) throws {
        try exclusively { try index.writeUnsynced { try body(index) } }
    }

    /// Writes object files and log records of a committed transaction. A failure here loses nothing: the index holds
    /// both, and the next transaction finds the log short and does this again.
    private func settle(_ transaction: Transaction) {
        do {
            for text in transaction.texts {
                try objects.write(text.bytes, as: text.object)
                written.insert(text.object)
            }
            try append(transaction.records)
        } catch {}
    }

    private func append(_ records: [StoreIndex.HeldRecord]) throws {
        for record in records {
            try index.log(of: record.operation, below: layout.operationLog).append(record.bytes, at: record.position)
        }
    }

    // MARK: Index and log compared

    /// Makes index and log agree, inside a transaction, and returns the newest record. In the usual case one stat; the
    /// first time the log's last record is read as well: after a crash it can have its length and not its bytes, and a
    /// log that was put back can end in another record just as long.
    private func reconcile() throws -> StoreIndex.HeldRecord? {
        guard let newest = try index.newestRecord() else { return nil }
        let log = try index.log(of: newest.operation, below: layout.operationLog)
        if try log.size(ofSegment: newest.position.segment) == newest.end.offset {
            if !isTailKnown {
                isTailKnown = try log.read(at: newest.position, count: newest.bytes.count) == newest.bytes
            }
            let next = OperationLog.next(after: newest.end)
            let isLast = try next == newest.end || log.size(ofSegment: next.segment) == nil
            if isTailKnown, isLast { return newest }
        }
        return try reconcileAll(.looks)
    }

    /// Makes index, log and tree agree, looking at every record and text that the index holds.
    func reconcileAll(_ trust: Reconciliation.Trust) throws -> StoreIndex.HeldRecord? {
        try Reconciliation(index: index, objects: objects, oplog: layout.operationLog).run(trusting: trust)
    }

    // MARK: Beginning

    /// The first operation of a new store.
    static func begin(
        _ layout: StoreLayout, _ objects: LooseObjects, _ settings: Settings, clock: StoreClock, machine: [UInt8]?
    ) throws {
        try makeIndex(layout, settings)
        // SQLite does so only where it made the write-ahead log itself, and not where a killed process did.
        try FileSystem.syncFolder(layout.folder)
        let writer = try Writer(layout, objects, clock: clock, machine: machine)
        try writer.transact { _ in }
        try writer.maintain()
    }
}

extension Writer {
    private static func makeIndex(_ layout: StoreLayout, _ settings: Settings) throws {
        let lock = try StoreLock.taken(layout.lock)
        defer { lock.give() }
        let index = try committing(lock) { try StoreIndex.begin(layout.index) }
        guard try index.newestRecord() == nil else { throw StoreError.alreadyThere(layout.folder) }
        // Before the first record, so that no store is ever without the settings it was to begin with.
        if try settings != Settings() || FileSystem.status(layout.settings) != nil { try layout.write(settings) }
    }
}

extension Writer.Transaction {
    /// Applies `operation` and holds its record. Returns its number.
    @discardableResult
    mutating func perform(_ operation: Operation, journaled: Int = 0) throws -> Int {
        let number = nextOperation
        try index.apply(TimedOperation(number: number, time: time, operation: operation))
        let sequence = try index.versionID(of: number).sequence
        let isFirst = sequence == 1
        let frame = RecordFrame(
            sequence: sequence,
            previous: isFirst ? RecordFrame.noCheck : RecordFrame.check(of: newest?.bytes ?? []),
            payload: operation.encoded(at: time))
        let position = isFirst ? OperationLog.start : newest.map { OperationLog.next(after: $0.end) }
        let record = StoreIndex.HeldRecord(
            operation: number, position: position ?? OperationLog.start, bytes: frame.bytes,
            journaled: (newest?.journaled ?? 0) + journaled)
        try index.hold(record)
        records.append(record)
        newest = record
        return number
    }

    /// Makes `bytes` durable as `object` with this transaction: in the journal now, as a file right after.
    ///
    /// - Parameter operation: the operation that brought them; a text that only came again counts for the next one, so
    ///   that a flush already under way leaves it be.
    mutating func keep(_ bytes: [UInt8], as object: ObjectID, operation: Int) throws {
        try index.addToJournal(object, bytes, operation: operation)
        texts.append((object, bytes))
    }

    /// Puts a large text in place as `object`; replaces a damaged copy. Its name is synced before the commit.
    mutating func place(_ file: IncomingObject, as object: ObjectID) throws {
        try objects.place(file, as: object)
        placed.append(object)
    }

    /// The number that the next operation will have.
    var nextOperation: Int { (newest?.operation ?? 0) + 1 }

    /// A store that was copied, or moved to another machine, goes on as a new device, so that no two copies ever give
    /// different operations the same identity.
    fileprivate mutating func beginDeviceIfPlaceChanged() throws {
        let now = writer.place
        if newest != nil, let before = try index.place(), before.agrees(with: now) {
            // What was not known before is remembered; what is not known this time is not forgotten.
            var both = now
            both.machine = now.machine ?? before.machine
            both.lock.birth = now.lock.birth ?? before.lock.birth
            both.index?.birth = now.index?.birth ?? before.index?.birth
            if both != before { try index.setPlace(both) }
            return
        }
        let device = DeviceID.random()
        var previous: Operation.Begin.Previous?
        var store = randomBytes(NoteID.byteCount)
        if let newest {
            let last = try index.versionID(of: newest.operation)
            previous = .init(device: last.device, sequence: last.sequence, check: RecordFrame.check(of: newest.bytes))
            store = try index.storeID()
        }
        try perform(.begin(.init(device: device, store: store, previous: previous)))
        try index.setPlace(now)
    }
}
