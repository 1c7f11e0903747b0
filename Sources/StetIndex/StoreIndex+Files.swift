package import StetObjects

// What is known of the user's own files. None of it is in the log.

extension StoreIndex {
    /// The live notes and what is known of their files.
    package func knownFiles() throws -> KnownFiles {
        var known = KnownFiles()
        let count = try connection.first("SELECT count(*) FROM file") { $0.integer(0) } ?? 0
        known.rows.reserveCapacity(count)
        known.names.reserveCapacity(32 * count)
        try connection.forEach(
            "SELECT note, name, head, version, look FROM note LEFT JOIN file USING (note) WHERE deleted IS NULL"
        ) { row in
            let start = known.names.count
            row.withBytes(1) { known.names += $0 }
            known.rows.append(
                .init(
                    note: row.integer(0), name: start..<known.names.count, head: row.integer(2),
                    version: row.integer(3),
                    look: row.withBytes(4) { bytes in
                        bytes.count == FileLook.byteCount ? bytes.baseAddress.map(FileLook.init) : nil
                    }))
        }
        return known
    }

    /// How the file of `note` looked when it held the text of the version that is returned; nil where nothing is known.
    package func look(_ note: Int) throws -> (version: Int, look: FileLook)? {
        try connection.first("SELECT version, look FROM file WHERE note = ?", note) { row in
            row.withBytes(1) { bytes in
                bytes.count == FileLook.byteCount ? bytes.baseAddress.map { (row.integer(0), FileLook($0)) } : nil
            }
        } ?? nil
    }

    /// Records that the file of `note` holds the text of `version` and how it looks.
    package func setLook(_ look: FileLook, version: Int, of note: Int) throws {
        try connection.run("INSERT OR REPLACE INTO file VALUES (?, ?, ?)", note, version, look.bytes)
    }

    /// Forgets how the file of `note` looked.
    package func forgetLook(_ note: Int) throws { try connection.run("DELETE FROM file WHERE note = ?", note) }

    /// The text that the note with this ordinal shows, and its length.
    package func headText(of note: Int) throws -> (object: ObjectID, size: Int) {
        let found = try connection.first(
            """
            SELECT hash, size FROM note JOIN version ON version.note = note.note AND number = head JOIN object USING (object)
            WHERE note.note = ?
            """, note
        ) { ($0.object(0), $0.integer(1)) }
        guard let (object, size) = found, let object else { throw IndexDamage("note \(note) has no valid head") }
        return (object, size)
    }

    // MARK: Steps

    /// Records what a committed operation has to do to a file.
    package func addStep(_ step: FileStep) throws {
        try connection.run(
            """
            INSERT INTO file_step (kind, note, name, target, inode, spare, old_hash, new_hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, step.kind.rawValue, step.note, step.name.bytes, step.target?.bytes,
            step.inode.map { Int(bitPattern: UInt($0)) }, Array(step.spare.utf8), step.old?.bytes, step.new?.bytes)
    }

    /// The steps that are not known to be done, oldest first.
    ///
    /// - Throws: `IndexDamage` for one that Stet would not have made: it must not lead to a file that is nobody's.
    package func steps() throws -> [FileStep] {
        try connection.all(
            "SELECT kind, note, name, target, inode, spare, old_hash, new_hash FROM file_step ORDER BY step"
        ) { row in
            let spare = String(decoding: row.bytes(5), as: UTF8.self)
            let target = row.optionalBytes(3)
            guard let kind = FileStep.Kind(rawValue: row.integer(0)), FileStep.isSpareName(spare),
                let name = try? NoteName(bytes: row.bytes(2)), target.map({ (try? NoteName(bytes: $0)) != nil }) ?? true
            else { throw IndexDamage("a step for a file cannot be understood") }
            return FileStep(
                kind, note: row.optionalInteger(1), name: name, target: target.map(NoteName.init(stored:)),
                inode: row.optionalInteger(4).map { UInt64(UInt(bitPattern: $0)) }, spare: spare, old: row.object(6),
                new: row.object(7))
        }
    }

    /// Whether a step is not known to be done.
    package func hasSteps() throws -> Bool {
        try connection.first("SELECT 1 FROM file_step LIMIT 1") { _ in true } ?? false
    }

    /// Drops a step that is done. The name on the way is random, and so is of one step alone.
    package func dropStep(_ step: FileStep) throws {
        try connection.run(
            "DELETE FROM file_step WHERE spare = ? AND kind = ?", Array(step.spare.utf8), step.kind.rawValue)
    }

    // MARK: Folders

    /// Records that Stet made the folder `name`.
    package func addMadeFolder(_ name: NoteName) throws {
        try connection.run("INSERT OR IGNORE INTO made_folder VALUES (?)", name.bytes)
    }

    /// Whether Stet made the folder `name`.
    package func isMadeFolder(_ name: NoteName) throws -> Bool {
        try connection.first("SELECT 1 FROM made_folder WHERE name = ?", name.bytes) { _ in true } ?? false
    }

    /// Follows the renaming of a folder.
    package func moveMadeFolders(from old: NoteName, to new: NoteName) throws {
        try connection.run(
            """
            UPDATE OR REPLACE made_folder SET name = CAST(?2 || substr(name, ?5) AS BLOB)
            WHERE name = ?1 OR (name > ?3 AND name < ?4)
            """, old.bytes, new.bytes, old.bytes + [UInt8(ascii: "/")], old.bytes + [UInt8(ascii: "0")],
            old.bytes.count + 1)
    }

    /// Forgets that Stet made the folder `name`.
    package func dropMadeFolder(_ name: NoteName) throws {
        try connection.run("DELETE FROM made_folder WHERE name = ?", name.bytes)
    }
}
