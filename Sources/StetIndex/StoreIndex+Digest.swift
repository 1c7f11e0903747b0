internal import StetObjects

extension StoreIndex {
    /// What has to come out the same when the log is replayed, table by table. Object ordinals stand for hashes, and
    /// journal, held records and place are no part of it.
    private static let replayed = [
        ("devices", "SELECT device, id, base, store FROM device ORDER BY device"),
        ("notes", "SELECT note, id, name, head, deleted FROM note ORDER BY note"),
        ("names", "SELECT note, operation, time, name FROM former_name ORDER BY note, operation"),
        (
            "versions",
            """
            SELECT note, number, operation, parent, hash, size, time, kind, redo
            FROM version JOIN object USING (object) ORDER BY note, number
            """
        ),
        ("merges", "SELECT note, number, position, parent FROM merge_parent ORDER BY note, number, position"),
        ("heads", "SELECT note, operation, time, head FROM head_move ORDER BY note, operation"),
        ("labels", "SELECT note, number, text FROM label ORDER BY note, number"),
        ("pins", "SELECT note, number FROM pin ORDER BY note, number"),
        ("bookmarks", "SELECT note, number, operation FROM bookmark ORDER BY note, number"),
    ]

    /// The names of the parts in which this index and `other` differ.
    package func differences(from other: StoreIndex) throws -> [String] {
        try Self.replayed.filter { try digest($0.1) != other.digest($0.1) }.map(\.0)
    }

    private func digest(_ query: String) throws -> [UInt8] {
        var hash = SHA256()
        try connection.forEach(query) { row in
            for column in 0..<row.columnCount {
                let value = row.bytes(column)
                hash.update([row.type(column)] + Array("\(value.count):".utf8) + value)
            }
        }
        return hash.digest()
    }

    /// Refuses an index whose pages are damaged: a quick look, at 0.3 µs a version.
    ///
    /// - Throws: `IndexDamage`.
    package func requireSoundPages() throws {
        let found = try connection.first("PRAGMA quick_check(1)") { $0.text(0) } ?? "nothing"
        if found != "ok" { throw IndexDamage(found) }
    }

    /// What SQLite's own check and the references between tables find wrong, at most `limit` lines.
    package func structuralProblems(limit: Int) throws -> [String] {
        let check = try connection.all("PRAGMA integrity_check(\(limit))") { $0.text(0) }.filter { $0 != "ok" }
        let references = [
            ("a version of no note", "SELECT count(*) FROM version WHERE note NOT IN (SELECT note FROM note)"),
            ("a version of no object", "SELECT count(*) FROM version WHERE object NOT IN (SELECT object FROM object)"),
            (
                "a head that is no version",
                """
                SELECT count(*) FROM note WHERE NOT EXISTS
                    (SELECT 1 FROM version WHERE version.note = note.note AND version.number = note.head)
                """
            ),
            (
                "a hash that stands twice",
                "SELECT count(*) - count(DISTINCT hash) FROM object"
            ),
        ]
        return try check
            + references.compactMap { problem, query in
                let count = try connection.first(query) { $0.integer(0) } ?? 0
                return count == 0 ? nil : "\(problem) (\(count))"
            }
    }
}
