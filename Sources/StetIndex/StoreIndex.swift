internal import Migrations
internal import StetObjects

/// The SQLite index of a store: a view of the operation log that answers questions fast, and until a flush the only
/// durable home of the newest operations and texts.
///
/// Nouns: an *operation* is numbered 1, 2, 3, … in this store; a *record* is its line in the log; the *journal* holds
/// texts until their files are known to be durable.
///
/// Invariants kept here:
/// 3. The index changes only through `apply`, with the same operation whose record goes to the log, so that replaying
///    the log gives the same index.
/// 6. Write transactions and checkpoints are made only by the holder of the store's lock.
package final class StoreIndex {
    private(set) var connection: Connection
    package let path: String
    private var deviceCache: [Device] = []

    /// A device and where its operations begin: operation = base + sequence.
    package struct Device: Equatable, Sendable {
        package var id: DeviceID
        package var base: Int
    }

    /// "stet" as SQLite's application id.
    private static let applicationID = 0x7374_6574

    /// Numbers that counting can have reached. The file may be hostile, and sums with any other could overflow.
    static let possibleNumbers = 0...(1 << 48)

    private init(_ connection: Connection, _ path: String) {
        self.connection = connection
        self.path = path
    }

    // MARK: Opening

    /// Makes an index at `path`, or opens the one that stands there, with the newest layout. Call under the lock.
    package static func create(_ path: String) throws -> StoreIndex {
        // SQLite would make it with the umask's mode, and gives its log and shared memory the mode of this file.
        if try FileSystem.status(path) == nil { _ = try FileSystem.createExclusively(path, mode: 0o600) }
        let index = StoreIndex(try Connection(path, .create), path)
        // What somebody else made here is not made an index of.
        if try index.isBlank() { index.connection.giveChecksums() } else { _ = try index.layout() }
        try index.connection.useWriteAheadLog()
        try index.migrate()
        return index
    }

    /// Makes an index at `path`, or opens the one that stands there; what power loss left of one that was only begun is made
    /// anew. Call under the lock, in a folder that has no history.
    package static func begin(_ path: String) throws -> StoreIndex {
        if try FileSystem.status(path) != nil, try !isOnlyBegun(path) { return try create(path) }
        for suffix in ["", "-journal", "-wal", "-shm"] { try FileSystem.remove(path + suffix) }
        return try create(path)
    }

    /// Whether nothing lasting is in the file at `path`: it is empty, or has zeros in the place of SQLite's name, or it is a
    /// database that cannot be read or has nothing in it.
    private static func isOnlyBegun(_ path: String) throws -> Bool {
        let head = try FileSystem.read(FileSystem.openForReading(path), at: 0, count: 16)
        if head.allSatisfy({ $0 == 0 }) { return true }
        guard head == Array("SQLite format 3\0".utf8) else { return false }
        do {
            return try StoreIndex(Connection(path, .read), path).isBlank()
        } catch let error as DatabaseError where error.isDamage {
            return true
        }
    }

    /// Opens an index that exists for writing. Call under the lock: its layout is brought up to date.
    package static func openForWriting(_ path: String) throws -> StoreIndex {
        try requireFilled(path)
        let index = StoreIndex(try Connection(path, .write), path)
        let layout = try index.layout()
        // Reading has made it, unless somebody else's program has changed the file to do without.
        if try FileSystem.status(path + "-wal") == nil { try index.connection.useWriteAheadLog() }
        if layout < Migrations.all.count { try index.migrate() }
        return index
    }

    /// Opens an index that exists for reading only. Where nothing can be written, it is a copy in memory.
    ///
    /// - Parameter lock: the lock file of the store, which is held while the copy is made; nil where the caller has it.
    package static func openForReading(_ path: String, lock: String? = nil) throws -> StoreIndex {
        try requireFilled(path)
        do {
            let index = StoreIndex(try Connection(path, .read), path)
            _ = try index.layout()
            return index
        } catch let error as DatabaseError where error.isReadOnly {
            return try whileLocked(lock, orElse: error) { try copyWhereNothingCanBeWritten(path) }
        }
    }

    /// SQLite takes the write-ahead log of an empty file away, and the newest operations with it.
    private static func requireFilled(_ path: String) throws {
        if try FileSystem.status(path)?.size == 0 { throw LayoutError.notAnIndex(path) }
    }

    /// Runs `body` while nobody writes: a disk that is read-only here need not be so elsewhere. A lock file that is not
    /// there, or cannot be read, is held by nobody.
    private static func whileLocked<Value>(
        _ lock: String?, orElse failure: DatabaseError, _ body: () throws -> Value
    ) throws -> Value {
        guard let lock, let file = try? FileSystem.openForReading(lock) else { return try body() }
        guard try StoreLock.take(file, patience: StoreLock.patience) else { throw failure }
        defer { FileSystem.unlock(file) }
        return try body()
    }

    private static func copyWhereNothingCanBeWritten(_ path: String) throws -> StoreIndex {
        // An empty write-ahead log, or none, holds nothing: then the file alone is all there is.
        let isLogged = try FileSystem.status(path + "-wal")?.size ?? 0 > 0
        let index = StoreIndex(try Connection(path, isLogged ? .unlocked : .immutable), path)
        _ = try index.layout()
        return try index.inMemoryCopy()
    }

    /// An index in memory, to replay a log into.
    package static func inMemory() throws -> StoreIndex {
        let index = StoreIndex(try Connection(Connection.memory, .create), Connection.memory)
        try index.migrate()
        return index
    }

    /// A copy of this index as it is at one moment, in memory: it holds texts, which no temporary file elsewhere should.
    package func inMemoryCopy() throws -> StoreIndex {
        let copy = StoreIndex(try Connection(Connection.memory, .create), path)
        try connection.copy(to: copy.connection)
        // This one may be of an older layout, where nothing can be written.
        try copy.migrate()
        return copy
    }

    /// A copy in memory of the history in this index.
    ///
    /// What is about this one's folder and the user's files is no part of it. It has no place, so that whoever writes to a
    /// copy of it begins a device.
    package func snapshot() throws -> StoreIndex {
        let copy = try inMemoryCopy()
        for table in ["place", "file", "file_step", "made_folder"] {
            try copy.connection.run("DELETE FROM \(table)")
        }
        return copy
    }

    /// Makes `target` hold what this index holds, in one transaction. Call under the lock of the store that `target` is of.
    package func replace(_ target: StoreIndex) throws {
        target.deviceCache = []
        try connection.copy(to: target.connection)
    }

    /// Whether nobody has put anything into the database.
    private func isBlank() throws -> Bool {
        let application = try connection.first("PRAGMA application_id") { $0.integer(0) }
        let version = try connection.first("PRAGMA user_version") { $0.integer(0) }
        let parts = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
        return application == 0 && version == 0 && parts == 0
    }

    /// The number of migrations that were run on it.
    ///
    /// - Throws: `LayoutError` where the file is no index of Stet's, or one of a newer Stet's.
    private func layout() throws -> Int {
        let application = try connection.first("PRAGMA application_id") { $0.integer(0) } ?? 0
        let version = try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0
        guard application == Self.applicationID, version > 0 else { throw LayoutError.notAnIndex(path) }
        guard version <= Migrations.all.count else { throw LayoutError.tooNew(path) }
        return version
    }

    private func migrate() throws {
        let done = try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0
        for (number, step) in Migrations.all.enumerated().dropFirst(done) {
            try connection.transaction("BEGIN IMMEDIATE") {
                try connection.execute(String(decoding: step.sql, as: UTF8.self))
                try connection.execute(
                    "PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(number + 1)")
            }
        }
    }

    // MARK: Transactions

    /// Runs `body` as one durable transaction. Call under the lock only.
    package func write<Value>(_ body: () throws -> Value) throws -> Value {
        // Another process may have begun a device since, and one that failed here has begun none.
        deviceCache = []
        try connection.setSyncs(true)
        return try connection.transaction("BEGIN IMMEDIATE", body)
    }

    /// Runs `body` as a transaction that may be lost in a power cut: only for what is known of the user's files, which
    /// can be found out again. Call under the lock only.
    package func writeUnsynced(_ body: () throws -> Void) throws {
        try connection.setSyncs(false)
        try connection.transaction("BEGIN IMMEDIATE", body)
    }

    /// Runs `body` over one unchanging state of the index.
    package func read<Value>(_ body: () throws -> Value) throws -> Value {
        deviceCache = []
        return try connection.transaction("BEGIN", body)
    }

    /// Closes the database, runs `body`, and opens it for writing again: after a commit that failed, when what this process
    /// remembers of it cannot be relied on. Where that fails, the index is empty and cannot be used.
    package func reopen(after body: () throws -> Void) throws {
        deviceCache = []
        connection = try Connection(Connection.memory, .create)
        try body()
        connection = try Connection(path, .write)
    }

    /// Commits nothing, in the place of what the write-ahead log has after the newest commit that is seen. Call under the lock.
    package func overwriteEnd() throws {
        try write { try connection.execute("PRAGMA user_version = \(Migrations.all.count)") }
    }

    /// Folds the write-ahead log into the database. Call under the lock only: a commit must not overlap it (SQLite
    /// 3.7.0 to 3.51.2 can lose such a commit).
    ///
    /// - Parameters:
    ///   - emptying: whether the log is cut to nothing as well.
    ///   - patience: for how many milliseconds readers that are in the way are waited for.
    package func checkpoint(emptying: Bool, patience: Int = 0) throws {
        try connection.checkpoint(emptying: emptying, patience: patience)
    }

    /// How many pages the write-ahead log held after the last commit made here.
    package var walPages: Int { connection.walPages }

    // MARK: Devices

    /// The devices in the order in which they began.
    package func devices() throws -> [Device] {
        if deviceCache.isEmpty {
            deviceCache = try connection.all("SELECT id, base FROM device ORDER BY device") { row in
                guard let id = DeviceID(bytes: row.bytes(0)), Self.possibleNumbers.contains(row.integer(1)) else {
                    throw IndexDamage("a device has no valid id or place in the order")
                }
                return Device(id: id, base: row.integer(1))
            }
        }
        return deviceCache
    }

    /// What names `operation` in every store.
    package func versionID(of operation: Int) throws -> VersionID {
        guard let device = try devices().last(where: { $0.base < operation }) else {
            throw IndexDamage("operation \(operation) belongs to no device")
        }
        return VersionID(device: device.id, sequence: operation - device.base)
    }

    /// The log below `oplog` that the record of `operation` is in.
    package func log(of operation: Int, below oplog: String) throws -> OperationLog {
        OperationLog(oplog: oplog, device: try versionID(of: operation).device)
    }

    /// The operation that `id` names, or nil where it is not of this store.
    package func operation(of id: VersionID) throws -> Int? {
        let devices = try devices()
        guard let position = devices.firstIndex(where: { $0.id == id.device }), id.sequence > 0 else { return nil }
        let (operation, overflow) = devices[position].base.addingReportingOverflow(id.sequence)
        if overflow { return nil }
        if position + 1 < devices.count, operation > devices[position + 1].base { return nil }
        return operation
    }

    /// The identity of the store, the same in all its copies.
    package func storeID() throws -> [UInt8] {
        guard let id = try connection.first("SELECT store FROM device LIMIT 1", read: { $0.bytes(0) }) else {
            throw IndexDamage("no device ever wrote here")
        }
        return id
    }

    /// The devices changed in this transaction.
    func forgetDevices() { deviceCache = [] }
}

/// A file that is not an index this Stet can use.
public enum LayoutError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It is a database of something else, or empty.
    case notAnIndex(String)
    /// A newer Stet wrote it.
    case tooNew(String)

    /// One line: what it is, and what to do.
    public var description: String {
        switch self {
        case .notAnIndex(let path): "\(TerminalText.escape(path)) is not an index of Stet's"
        case .tooNew(let path):
            "\(TerminalText.escape(path)) was written by a newer Stet: use that one; this one changes nothing here"
        }
    }
}

/// Something in the index, or in a log that is replayed into it, that cannot be.
public struct IndexDamage: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let description: String

    package init(_ description: String) { self.description = "the index is damaged: \(description)" }
}
