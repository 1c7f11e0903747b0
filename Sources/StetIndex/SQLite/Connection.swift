internal import CSQLite
internal import StetObjects

/// A connection to the index. Not shared between threads: whoever owns it serialises its use.
final class Connection {
    private let handle: OpaquePointer
    private var prepared: [String: Statement] = [:]
    private let path: String
    /// How many pages the write-ahead log held after this connection's last commit.
    private(set) var walPages = 0

    /// How long SQLite's own locks are waited for, in milliseconds. The store's lock comes before them, so they are free.
    private static let patience: Int32 = 30_000

    /// The path of a database that is in memory alone.
    static let memory = ":memory:"

    /// How a connection opens its file.
    enum Mode {
        /// Makes the file where it is missing.
        case create
        /// Reads and writes a file that exists.
        case write
        /// Only reads; the write-ahead log's shared memory is used as readers use it.
        case read
        /// Only reads a file that nobody is writing to; a write-ahead log beside it is ignored.
        case immutable
        /// Only reads a file that nobody is writing to, with the write-ahead log beside it; needs no shared memory.
        case unlocked
    }

    init(_ path: String, _ mode: Mode) throws {
        StetVFS.register()
        self.path = path
        let flags =
            switch mode {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .write, .read: SQLITE_OPEN_READWRITE
            case .immutable, .unlocked: SQLITE_OPEN_READONLY
            }
        let uri = "file:" + Self.uriEscaped(path) + (mode == .immutable ? "?immutable=1" : "")
        var opened: OpaquePointer?
        let result = sqlite3_open_v2(
            uri, &opened, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
            mode == .unlocked ? StetVFS.unlockedName : StetVFS.name)
        guard let opened, result == SQLITE_OK else {
            defer { sqlite3_close_v2(opened) }
            throw DatabaseError(code: result, message: Self.message(opened, result), path: path)
        }
        handle = opened
        try configure(mode)
    }

    deinit {
        prepared.removeAll()
        sqlite3_close_v2(handle)
    }

    private func configure(_ mode: Mode) throws {
        // A checkpoint may run only under the store's lock (see `StoreIndex.checkpoint`), so never on SQLite's own
        // account: the hook takes the place of SQLite's automatic checkpoint.
        _ = stet_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        let this = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_ERROR }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().walPages = Int(pages)
                return SQLITE_OK
            }, this)
        // The file may be hostile: nothing stored in its schema may run, and damaged pages are looked at with care.
        _ = stet_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = stet_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        // Stet makes neither: a view in a table's place could answer without end, a trigger change what nobody changed.
        _ = stet_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
        _ = stet_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0)
        sqlite3_busy_timeout(handle, Self.patience)
        // Before anything is read: SQLite then keeps in its own memory what else is shared between processes.
        if mode == .unlocked { try execute("PRAGMA locking_mode = EXCLUSIVE") }
        if mode == .create || mode == .write {
            try execute("PRAGMA synchronous = FULL; PRAGMA cell_size_check = 1; PRAGMA foreign_keys = 0")
        } else {
            try execute("PRAGMA query_only = 1; PRAGMA cell_size_check = 1")
        }
    }

    private static func uriEscaped(_ path: String) -> String {
        var result = ""
        for byte in path.utf8 {
            switch byte {
            // Bytes past ASCII one by one: as scalars they would be other characters.
            case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...0xFF: result += "%" + uriHex(byte)
            default: result.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return result
    }

    private static func uriHex(_ byte: UInt8) -> String {
        let digits = Array("0123456789ABCDEF")
        return String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }

    private static func message(_ handle: OpaquePointer?, _ code: Int32) -> String {
        if let handle, let text = sqlite3_errmsg(handle) { return String(cString: text) }
        return String(cString: sqlite3_errstr(code))
    }

    /// The failure of the last call on this connection.
    func failure(_ code: Int32) -> DatabaseError {
        DatabaseError(code: code, message: Self.message(handle, code), path: path)
    }

    // MARK: Running

    /// Runs one or more statements that take no values and give no rows.
    func execute(_ sql: String) throws {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// The statement `sql`, prepared once and kept, with `values` bound.
    func statement(_ sql: String, _ values: [any Bindable]) throws -> Statement {
        let statement = try prepared[sql] ?? prepare(sql)
        statement.reset()
        try statement.bind(values)
        return statement
    }

    private func prepare(_ sql: String) throws -> Statement {
        var pointer: OpaquePointer?
        let result = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard let pointer, result == SQLITE_OK else { throw failure(result) }
        let statement = Statement(pointer, self)
        prepared[sql] = statement
        return statement
    }

    /// Runs a statement that gives no rows.
    func run(_ sql: String, _ values: any Bindable...) throws { _ = try changes(sql, values) }

    /// Runs a statement that gives no rows, and returns how many it changed.
    func changes(_ sql: String, _ values: [any Bindable]) throws -> Int {
        let statement = try statement(sql, values)
        defer { statement.reset() }
        while try statement.step() {}
        return Int(sqlite3_changes(handle))
    }

    /// The row id of the newest row inserted.
    var lastInsertedRow: Int { Int(sqlite3_last_insert_rowid(handle)) }

    /// The first row of a query, read by `read`, or nil where it has none.
    func first<Value>(_ sql: String, _ values: any Bindable..., read: (Statement) throws -> Value) throws -> Value? {
        let statement = try statement(sql, values)
        defer { statement.reset() }
        return try statement.step() ? read(statement) : nil
    }

    /// Every row of a query, read by `read`.
    func all<Value>(_ sql: String, _ values: any Bindable..., read: (Statement) throws -> Value) throws -> [Value] {
        let statement = try statement(sql, values)
        defer { statement.reset() }
        var rows: [Value] = []
        while try statement.step() { rows.append(try read(statement)) }
        return rows
    }

    /// Calls `body` with every row of a query, one in memory at a time; the same query must not be run inside.
    func forEach(_ sql: String, _ values: any Bindable..., body: (Statement) throws -> Void) throws {
        let statement = try statement(sql, values)
        defer { statement.reset() }
        while try statement.step() { try body(statement) }
    }

    // MARK: Transactions

    /// Runs `body` as one transaction that begins with `begin`; a failure inside undoes it.
    func transaction<Value>(_ begin: String, _ body: () throws -> Value) throws -> Value {
        try run(begin)
        let value: Value
        do {
            value = try body()
        } catch {
            rollback()
            throw error
        }
        do {
            try run("COMMIT")
        } catch var error as DatabaseError {
            rollback()
            error.isOfCommit = true
            throw error
        }
        return value
    }

    private var syncs = true

    /// Sets whether commits are synced; every connection begins with it.
    func setSyncs(_ wanted: Bool) throws {
        guard wanted != syncs else { return }
        try execute("PRAGMA synchronous = \(wanted ? "FULL" : "NORMAL")")
        syncs = wanted
    }

    private func rollback() {
        // Many failures have rolled back already, and then there is nothing left to undo.
        if sqlite3_get_autocommit(handle) == 0 { _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    // MARK: Pages

    /// Makes a database that is still empty one whose pages have checksums (see `PageCheck`).
    func giveChecksums() {
        var reserved = Int32(PageCheck.length)
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
    }

    // MARK: Copying

    /// Makes `target` hold what this database holds, all of it from one moment, in one transaction of `target`.
    func copy(to target: Connection) throws {
        guard let copying = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.failure(sqlite3_extended_errcode(target.handle))
        }
        let result = sqlite3_backup_step(copying, -1)
        let finished = sqlite3_backup_finish(copying)
        guard result == SQLITE_DONE, finished == SQLITE_OK else {
            let failure = target.failure(result == SQLITE_DONE ? finished : result)
            // One of the two is in memory, where nothing is damaged.
            let damaged = target.path == Self.memory ? path : target.path
            throw failure.isDamage
                ? DatabaseError(code: failure.code, message: failure.message, path: damaged) : failure
        }
    }

    // MARK: The write-ahead log

    /// Makes the database one with a write-ahead log.
    func useWriteAheadLog() throws {
        // To its end: the statement gives its row before it commits, and says only afterwards that it could not.
        try execute("PRAGMA journal_mode = WAL")
        guard try first("PRAGMA journal_mode", read: { $0.text(0) }) == "wal" else {
            throw DatabaseError(code: SQLITE_IOERR, message: "no write-ahead log can be used here", path: path)
        }
    }

    /// Copies committed pages from the write-ahead log into the database, as far as no reader still needs older ones.
    ///
    /// - Parameters:
    ///   - emptying: whether the log is cut to nothing as well. A process that opens the store reads the whole log and
    ///     forgets what was copied already, so only an emptied one is short for it.
    ///   - patience: for how many milliseconds readers are waited for.
    func checkpoint(emptying: Bool, patience: Int) throws {
        let mode = emptying ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        var frames: Int32 = 0
        var copied: Int32 = 0
        // What readers keep back is copied another time.
        sqlite3_busy_timeout(handle, Int32(patience))
        defer { sqlite3_busy_timeout(handle, Self.patience) }
        let result = sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &copied)
        if result & 0xFF == SQLITE_BUSY { return }
        guard result == SQLITE_OK else { throw failure(result) }
        if frames == copied { walPages = 0 }
    }
}

/// The index could not be read or written: SQLite's own account of it.
public struct DatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// SQLite's extended result code.
    public let code: Int32
    /// SQLite's message.
    public let message: String
    /// The database.
    public let path: String
    /// Whether it happened while a transaction was committed.
    package internal(set) var isOfCommit = false

    init(code: Int32, message: String, path: String) {
        self.code = code
        self.message = message
        self.path = path
    }

    private var primaryCode: Int32 { code & 0xFF }

    /// Whether the file is not a sound database.
    public var isDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }
    /// Whether the system failed to read, write or sync.
    package var isInputOutput: Bool { primaryCode == SQLITE_IOERR }
    /// Whether a row contradicts another one, which an operation that fits never does.
    var isContradiction: Bool { primaryCode == SQLITE_CONSTRAINT }
    /// Whether the disk is full.
    public var isOutOfSpace: Bool { primaryCode == SQLITE_FULL }
    /// Whether it cannot be written here, or not even opened.
    public var isReadOnly: Bool {
        primaryCode == SQLITE_READONLY || primaryCode == SQLITE_CANTOPEN || primaryCode == SQLITE_PERM
    }

    /// One line: what cannot be done with the index, and why.
    public var description: String {
        let path = TerminalText.escape(path)
        if isOutOfSpace { return "there is no space left for \(path): nothing was changed; free some and try again" }
        if isReadOnly { return "\(path) cannot be written or opened here: \(message)" }
        return "the index \(path) cannot be used: \(message)"
    }
}
