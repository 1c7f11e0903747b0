extension StoreIndex {
    private static let columns = "note, id, name, head, deleted"

    private func readNote(_ row: Statement) throws -> Note {
        guard let id = NoteID(bytes: row.bytes(1)) else { throw IndexDamage("a note has no valid id") }
        guard Self.possibleNumbers.contains(row.integer(0)), Self.possibleNumbers.contains(row.integer(3)) else {
            throw IndexDamage("a note has a number that cannot be")
        }
        return Note(
            ordinal: row.integer(0), id: id, name: NoteName(stored: row.bytes(2)), head: row.integer(3),
            isDeleted: row.optionalInteger(4) != nil)
    }

    /// The note with `ordinal`.
    package func note(ordinal: Int) throws -> Note? {
        try connection.first("SELECT \(Self.columns) FROM note WHERE note = ?", ordinal, read: readNote)
    }

    /// The note with `id`, live or deleted.
    package func note(id: NoteID) throws -> Note? {
        try connection.first("SELECT \(Self.columns) FROM note WHERE id = ?", id.bytes, read: readNote)
    }

    /// Notes whose id begins with the bytes and perhaps one more hexadecimal digit of `prefix`, at most `limit`.
    package func notes(idPrefix prefix: String, limit: Int) throws -> [Note] {
        // Compared as text: half a byte cannot be bound as a blob, and ids are few.
        try connection.all(
            "SELECT \(Self.columns) FROM note WHERE lower(substr(hex(id), 1, ?)) = ? LIMIT ?", prefix.utf8.count,
            prefix,
            limit, read: readNote)
    }

    /// The live note called `name`.
    package func liveNote(_ name: NoteName) throws -> Note? {
        try connection.first(
            "SELECT \(Self.columns) FROM note WHERE name = ? AND deleted IS NULL", name.bytes, read: readNote)
    }

    /// Deleted notes that were called `name` when they were deleted, newest deletion first.
    package func deletedNotes(_ name: NoteName) throws -> [Note] {
        try connection.all(
            "SELECT \(Self.columns) FROM note WHERE name = ? AND deleted IS NOT NULL ORDER BY deleted DESC", name.bytes,
            read: readNote)
    }

    /// Notes, live or deleted, that were once called `name` and no longer are.
    package func notes(formerlyNamed name: NoteName) throws -> [Note] {
        try connection.all(
            """
            SELECT \(Self.columns) FROM note
            WHERE note IN (SELECT note FROM former_name WHERE former_name.name = ?1) AND name <> ?1 ORDER BY note
            """, name.bytes, read: readNote)
    }

    /// Live notes in the folder `folder` and below it, in the order of their names.
    package func liveNotes(in folder: NoteName) throws -> [Note] {
        // "/" is followed by "0": everything that begins with "folder/" lies between the two.
        try connection.all(
            "SELECT \(Self.columns) FROM note WHERE name > ? AND name < ? AND deleted IS NULL ORDER BY name",
            folder.bytes + [UInt8(ascii: "/")], folder.bytes + [UInt8(ascii: "0")], read: readNote)
    }

    /// The names of live notes, or of deleted ones, that begin with `prefix`, in their order; a name stands once.
    package func names(beginningWith prefix: [UInt8], deleted: Bool) throws -> [NoteName] {
        let condition = deleted ? "deleted IS NOT NULL" : "deleted IS NULL"
        // UTF-8 has no byte 0xFF: behind the prefix it comes after all that begins with it.
        return try connection.all(
            "SELECT DISTINCT name FROM note WHERE name >= ? AND name < ? AND \(condition) ORDER BY name",
            prefix, prefix + [0xFF]
        ) { NoteName(stored: $0.bytes(0)) }
    }

    /// All live notes in the order of their names, or all deleted ones.
    package func notes(deleted: Bool) throws -> [Note] {
        let condition = deleted ? "deleted IS NOT NULL" : "deleted IS NULL"
        return try connection.all(
            "SELECT \(Self.columns) FROM note WHERE \(condition) ORDER BY name, note", read: readNote)
    }

    /// How many notes were ever made.
    package func noteCount() throws -> Int { try connection.first("SELECT max(note) FROM note") { $0.integer(0) } ?? 0 }

    /// The names that a note gave up, oldest first.
    package func formerNames(_ note: Int) throws -> [FormerName] {
        try connection.all(
            "SELECT name, time, operation FROM former_name WHERE note = ? ORDER BY operation", note
        ) { row in
            FormerName(
                name: NoteName(stored: row.bytes(0)), until: Timestamp(milliseconds: Int64(row.integer(1))),
                operation: row.integer(2))
        }
    }
}
