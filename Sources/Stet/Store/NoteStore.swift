/// A store: every version of every note saved into it.
///
/// Nouns: a *note* is a lasting identity with a changeable *name*; a *version* is one saved state of it, numbered from 1;
/// the *head* is the version that the note shows. A store may be used by any number of threads and processes at once.
///
/// Nothing here prints, reads the environment or knows a command line: the folder, the clock and the machine's id are
/// handed in.
public final class NoteStore: Sendable {
    /// What a store is opened for.
    public enum Access: Sendable {
        /// Reading and writing.
        case readWrite
        /// Reading only; works on read-only media.
        case readOnly
    }

    /// The longest label in bytes.
    public static let maximumLabelLength = 1_000

    /// The store's folder, absolute, with symbolic links resolved.
    public let folder: String
    let objects: LooseObjects
    private let layout: StoreLayout
    private let access: Access
    private let clock: StoreClock
    private let machine: [UInt8]?
    /// Opened by the first change.
    private let writer = Guarded<Writer?>(nil)
    /// What this store is told from others by, once it was seen.
    private let identity = Guarded<[UInt8]?>(nil)
    let upkeep = Guarded(Upkeep())
    /// Held by the thread that does upkeep: one at a time.
    let upkeepTurn = Guarded(())
    /// Connections that nobody is reading with at the moment; nil once the store was closed.
    private let readers = Guarded<[StoreReader]?>([])

    private init(_ layout: StoreLayout, _ access: Access, _ clock: StoreClock, _ machine: [UInt8]?) {
        folder = layout.folder
        objects = LooseObjects(caches: layout.caches)
        self.layout = layout
        self.access = access
        self.clock = clock
        self.machine = machine
    }

    // MARK: Opening and closing

    /// Makes a store at `folder`, which must be missing or empty, and opens it.
    ///
    /// - Parameters:
    ///   - folder: where the store is to be; its parent must exist.
    ///   - settings: the settings that it begins with.
    ///   - clock: gives the times that are shown.
    ///   - machine: the machine's id, such as the text of `/etc/machine-id`; nil where it has none.
    /// - Throws: `StoreError.alreadyThere`, `.onNetwork`, or `SystemError`. What was made by then stays, and making the
    ///   store again completes it.
    public static func create(
        at folder: String, settings: Settings = Settings(), clock: StoreClock, machine: [UInt8]? = nil
    ) throws -> NoteStore {
        let made = try FileSystem.makeFolder(folder)
        let layout = StoreLayout(folder: try FileSystem.realPath(folder))
        do {
            if !made { try requireUnused(layout) }
            try layout.checkOwner()
            guard try !FileSystem.isOnNetwork(layout.folder) else { throw StoreError.onNetwork(layout.folder) }
        } catch {
            if made { FileSystem.removeEmptyFolder(layout.folder) }
            throw error
        }
        try layout.makeFolders()
        let store = NoteStore(layout, .readWrite, clock, machine)
        try Writer.begin(layout, store.objects, settings, clock: clock, machine: machine)
        try FileSystem.syncFolder(layout.folder + "/..")
        return store
    }

    /// A folder may become a store where it is empty, or holds no more than an earlier attempt left.
    private static func requireUnused(_ layout: StoreLayout) throws {
        // The journal is there for as long as SQLite makes the index one with a write-ahead log.
        let own: Set = [
            "index.sqlite", "index.sqlite-journal", "index.sqlite-wal", "index.sqlite-shm", "lock", "oplog", "caches",
            "config", "config.new", "index.sqlite.new", "lock.new", StoreLayout.setAside,
        ]
        guard try FileSystem.status(layout.folder)?.isFolder == true,
            try FileSystem.list(layout.folder).allSatisfy(own.contains)
        else { throw StoreError.alreadyThere(layout.folder) }
        // A log begins only when the index has its first record, and texts come later still: beside an index that is gone or
        // empty they are of a store whose index was lost, and beside any other one of a store.
        let hasLog = try FileSystem.status(layout.operationLog) != nil && !FileSystem.list(layout.operationLog).isEmpty
        guard try hasLog || LooseObjects(caches: layout.caches).hasFiles() else { return }
        guard let index = try FileSystem.status(layout.index), index.size > 0 else {
            throw layout.indexIsGone
        }
        throw StoreError.alreadyThere(layout.folder)
    }

    /// Opens the store at `folder`.
    ///
    /// - Parameters:
    ///   - folder: the store's folder.
    ///   - access: what for. For writing the lock is taken for a moment; no note is changed.
    ///   - clock: gives the times that are shown.
    ///   - machine: the machine's id; another one than last time begins a new device.
    /// - Throws: `StoreError.noStore`, `.foreignOwner`, `.writableByOthers`, `.damaged`, `LayoutError`.
    public static func open(
        at folder: String, access: Access = .readWrite, clock: StoreClock, machine: [UInt8]? = nil
    ) throws -> NoteStore {
        guard let path = try? FileSystem.realPath(folder) else { throw StoreError.noStore(folder) }
        let layout = StoreLayout(folder: path)
        guard try FileSystem.status(layout.folder)?.isFolder == true,
            try [layout.lock, layout.index, layout.operationLog].contains(where: { try FileSystem.status($0) != nil })
        else { throw StoreError.noStore(folder) }
        try layout.checkOwner()
        // Of an empty one SQLite would remove the write-ahead log.
        guard try FileSystem.status(layout.index).map({ $0.size > 0 }) == true else { throw layout.indexIsGone }
        let store = NoteStore(layout, access, clock, machine)
        // A store that cannot be used is refused here and not at the first question.
        if access == .readOnly { try store.read { _ in } } else { try store.withWriter { _ in } }
        return store
    }

    /// Does the upkeep that is due and closes the store. Every change was durable before already.
    ///
    /// - Throws: what the upkeep met; the store is closed all the same.
    public func close() throws {
        let upkeep = Result {
            // Where nothing was written, nothing is opened for it.
            if writer.withLock({ $0 != nil }) { try maintain(.closing) }
        }
        readers.withLock { $0 = nil }
        writer.withLock { $0 = nil }
        try upkeep.get()
    }

    /// Whether a folder looks like that of a store.
    static func isStore(_ folder: String) -> Bool {
        let layout = StoreLayout(folder: folder)
        return [layout.index, layout.lock].allSatisfy { (try? FileSystem.status($0)) ?? nil != nil }
    }

    // MARK: Reading

    /// Runs `body` over one unchanging state of the store. Never waits for a writer.
    ///
    /// - Throws: `LogDamage`, `IndexDamage`, `LayoutError` where the log goes on after the index with something that cannot
    ///   be replayed.
    func read<Value>(_ body: (StoreIndex) throws -> Value) throws -> Value {
        try withReader {
            try $0.read(body)
        } fromWriter: { index in
            // The same look as a reader's, but that the writer knows all devices.
            guard try LogEnd(beyond: index, oplog: operationLog, lookingForDevices: false) == nil else { return nil }
            return .some(try body(index))
        }
    }

    /// Runs `body` over one unchanging state of the index as it is, be it behind the log: to check it.
    func readIndex<Value>(_ body: (StoreIndex) throws -> Value) throws -> Value {
        try withReader {
            try $0.readIndex(body)
        } fromWriter: {
            .some(try body($0))
        }
    }

    /// Lends the writer's connection, or where there is none, or it is of no use, one of its own.
    private func withReader<Value>(
        _ body: (StoreReader) throws -> Value, fromWriter: (StoreIndex) throws -> Value?
    ) throws -> Value {
        // Whoever writes has a connection already, and a short command needs no second one.
        let own = try writer.withLockIfFree { slot in
            try slot.map { writer in try writer.index.read { try fromWriter(writer.index) } }
        }
        if case .some(.some(.some(let value))) = own { return value }
        let idle = try readers.withLock { (pool) throws -> StoreReader? in
            guard pool != nil else { throw StoreError.closed }
            return pool?.popLast()
        }
        let reader = try idle ?? StoreReader(layout)
        do {
            let value = try body(reader)
            readers.withLock { $0?.append(reader) }
            return value
        } catch {
            // A connection that failed is not used again; one that only found nothing is as good as before.
            if !(error is DatabaseError) { readers.withLock { $0?.append(reader) } }
            throw error
        }
    }

    /// Compares the index with a replay of the log; the names of the parts in which they differ.
    func differencesFromLog() throws -> [String] {
        try readIndex { index in
            let replayed = try StoreIndex.inMemory()
            return try replayed.write {
                try LogReplay(into: replayed, oplog: layout.operationLog).differences(of: index)
            }
        }
    }

    /// Whether the store was opened for reading only.
    var isReadOnly: Bool { access == .readOnly }

    /// The operation logs, for reading.
    var operationLog: String { layout.operationLog }

    // MARK: Writing

    /// Runs `body` as one durable transaction.
    func write<Value>(_ body: (inout Writer.Transaction) throws -> Value) throws -> Value {
        try exclusively { try $0.transact(body) }
    }

    /// Runs `body`, which may be several transactions and what lies between them, while nobody else can write. Upkeep
    /// that it makes due is done by another thread.
    func exclusively<Value>(_ body: (Writer) throws -> Value) throws -> Value {
        // Upkeep that fails loses nothing and must not keep anybody from saving; `close` tries again, and says so.
        if try withWriter({ $0.backlog.isUrgent }) { try? maintain(.whenLong) }
        return try withWriter { writer in
            defer { changed(writer.isUpkeepDue) }
            return try writer.exclusively { try body(writer) }
        }
    }

    func withWriter<Value>(_ body: (Writer) throws -> Value) throws -> Value {
        guard access == .readWrite else { throw StoreError.readOnly(folder) }
        return try writer.withLock { slot in
            if readers.withLock({ $0 == nil }) { throw StoreError.closed }
            let writer = try slot ?? openWriter()
            slot = writer
            do {
                let value = try body(writer)
                if !writer.isUsable { slot = nil }
                return value
            } catch {
                // A connection that the system failed is not used again.
                if !writer.isUsable || (error as? DatabaseError)?.isInputOutput == true { slot = nil }
                throw error
            }
        }
    }

    private func openWriter() throws -> Writer {
        guard try !FileSystem.isOnNetwork(folder) else { throw StoreError.onNetwork(folder) }
        let writer = try Writer(layout, objects, clock: clock, machine: machine)
        let found = try writer.index.storeID()
        // Another store may have taken the place of the one that was opened first.
        let known = identity.withLock { known in
            known = known ?? found
            return known
        }
        if known != found { throw StoreError.replaced(folder) }
        return writer
    }
}
