import CSQLite
import Migrations
import Stet
import StetObjects

/// A store that an older Stet left is brought to the newest layout.
extension Scenario {
    static func migration(from layout: Int) -> Scenario {
        Scenario(
            name: "migration-\(layout)",
            prepare: { stage in
                try stage.create()
                for round in 1...3 {
                    for note in 1...6 {
                        let text = Text.make("note \(note), \(round)", 500 * note)
                        try stage.store.save(text, as: NoteName("notes/\(note).md"))
                    }
                }
                try stage.store.undo(.name(NoteName("notes/2.md")))
                try stage.finishPreparing()
                try OldIndex(stage.storeFolder + "/index.sqlite").put(layout)
            },
            act: { stage in
                stage.step { try stage.open() }
                for round in 1...2 {
                    for note in [2, 7, 3] {
                        stage.save("notes/\(note).md", Text.make("note \(note), since then \(round)", 450 * note))
                    }
                    stage.step { try stage.store.undo(.name(NoteName("notes/2.md"))) }
                    stage.step { try stage.store.redo(.name(NoteName("notes/2.md"))) }
                    stage.step { try stage.store.rename(.name(NoteName("notes/3.md")), to: NoteName("notes/0.md")) }
                    stage.step { try stage.store.rename(.name(NoteName("notes/0.md")), to: NoteName("notes/3.md")) }
                }
                stage.quietly { try stage.close() }
                stage.quietly { try stage.open() }
                stage.save("notes/1.md", Text.make("after it was opened again", 700))
                stage.step { try stage.store.flush() }
                stage.quietly { try stage.close() }
            })
    }
}

/// An index in an older layout, with the rows that are there.
private struct OldIndex {
    let path: String

    struct Failure: Error { var message: String }

    init(_ path: String) { self.path = path }

    /// Puts an index of `layout` into the place of this one: the older steps are run in an empty file, and the tables
    /// that they make filled from this one.
    func put(_ layout: Int) throws {
        let old = path + ".old"
        let database = try open(old, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        defer { sqlite3_close(database) }
        for step in Migrations.all.prefix(layout) { try run(String(decoding: step.sql, as: UTF8.self), database) }
        try run("ATTACH '\(path)' AS new", database)
        try run("PRAGMA new.wal_checkpoint(TRUNCATE)", database)
        let application = try rows("PRAGMA new.application_id", database)[0][0]
        for table in try rows("SELECT name FROM main.sqlite_schema WHERE type = 'table'", database).map({ $0[0] }) {
            let columns = try rows("SELECT name FROM pragma_table_info('\(table)', 'main')", database).map { $0[0] }
            let list = columns.joined(separator: ", ")
            try run("INSERT INTO main.\(table) (\(list)) SELECT \(list) FROM new.\(table)", database)
        }
        try run("DETACH new; PRAGMA application_id = \(application); PRAGMA user_version = \(layout)", database)
        try run("PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE)", database)
        for suffix in ["-wal", "-shm"] { try FileSystem.remove(path + suffix) }
        try FileSystem.rename(old, to: path)
    }

    private func open(_ path: String, _ flags: Int32) throws -> OpaquePointer {
        var opened: OpaquePointer?
        guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else {
            throw Failure(message: "cannot open \(path)")
        }
        return opened
    }

    private func run(_ sql: String, _ database: OpaquePointer) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(database)))
        }
    }

    private func rows(_ sql: String, _ database: OpaquePointer) throws -> [[String]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(database)))
        }
        defer { sqlite3_finalize(statement) }
        var rows: [[String]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
                })
        }
        return rows
    }
}
