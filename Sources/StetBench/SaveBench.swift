import CSQLite
import Foundation
import Stet

enum SaveLoop {
    /// Saves `count` texts, for counting system calls from outside.
    static func run(count: Int, store path: String) throws {
        let store = try NoteStore.create(at: path, clock: .system)
        for number in 0..<count { try store.save(Measure.text(number), as: NoteName("notes/\(number % 100).md")) }
        try store.close()
    }
}

/// The least that a durable save can be: one row in a table, WAL, synchronous=FULL.
final class BareInsert {
    private let database: OpaquePointer
    private let statement: OpaquePointer

    init(_ path: String) throws {
        var opened: OpaquePointer?
        guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else { throw CocoaError(.fileWriteUnknown) }
        database = opened
        let set =
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, bytes BLOB)"
        guard sqlite3_exec(database, set, nil, nil, nil) == SQLITE_OK else { throw CocoaError(.fileWriteUnknown) }
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(database, "INSERT INTO t (bytes) VALUES (?)", -1, &prepared, nil) == SQLITE_OK,
            let prepared
        else { throw CocoaError(.fileWriteUnknown) }
        statement = prepared
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(database)
    }

    func insert(_ bytes: [UInt8]) throws {
        sqlite3_reset(statement)
        let result = bytes.withUnsafeBytes { buffer in
            sqlite3_bind_blob64(statement, 1, buffer.baseAddress, UInt64(buffer.count), nil)
            return sqlite3_step(statement)
        }
        guard result == SQLITE_DONE else { throw CocoaError(.fileWriteUnknown) }
    }
}
