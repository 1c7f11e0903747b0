package import StetObjects

extension StoreIndex {
    private static let columns =
        "number, operation, parent, hash, size, time, kind, redo FROM version JOIN object USING (object)"

    /// Labels and pins of one note's versions.
    private struct Marks {
        var labels: [Int: String] = [:]
        var pins: Set<Int> = []
    }

    /// - Parameter number: only of this version, or of all where nil.
    private func marks(_ note: Int, number: Int? = nil) throws -> Marks {
        var marks = Marks()
        let condition = "WHERE note = ?1 AND (?2 IS NULL OR number = ?2)"
        try connection.forEach("SELECT number, text FROM label \(condition)", note, number) { row in
            marks.labels[row.integer(0)] = row.text(1)
        }
        try connection.forEach("SELECT number FROM pin \(condition)", note, number) { marks.pins.insert($0.integer(0)) }
        return marks
    }

    private func readVersion(_ row: Statement, of note: Int, _ marks: Marks) throws -> Version {
        let number = row.integer(0)
        guard let object = row.object(3), let kind = VersionKind(rawValue: row.integer(6)) else {
            throw IndexDamage("version \(number) of a note has no valid hash or kind")
        }
        guard [0, 1, 4].allSatisfy({ Self.possibleNumbers.contains(row.integer($0)) }) else {
            throw IndexDamage("a version has a number that cannot be")
        }
        let parent = row.optionalInteger(2) ?? number - 1
        try requireEarlier(parent, number)
        var parents = parent > 0 ? [parent] : []
        if kind == .merge { parents += try mergeParents(note, number) }
        let operation = row.integer(1)
        return Version(
            number: number, id: try versionID(of: operation), parents: parents, object: object, size: row.integer(4),
            saved: Timestamp(milliseconds: Int64(row.integer(5))), kind: kind, label: marks.labels[number],
            isPinned: marks.pins.contains(number), operation: operation, redo: row.optionalInteger(7))
    }

    private func mergeParents(_ note: Int, _ number: Int) throws -> [Int] {
        try connection.all(
            "SELECT parent FROM merge_parent WHERE note = ? AND number = ? ORDER BY position", note, number
        ) { $0.integer(0) }
    }

    /// Version `number` of `note`.
    package func version(_ number: Int, of note: Note) throws -> Version? {
        let marks = try marks(note.ordinal, number: number)
        return try connection.first(
            "SELECT \(Self.columns) WHERE note = ? AND number = ?", note.ordinal, number
        ) { try readVersion($0, of: note.ordinal, marks) }
    }

    /// The versions of `note` with numbers below `number`, newest first, at most `limit`.
    package func versions(of note: Note, below number: Int, limit: Int) throws -> [Version] {
        let marks = try marks(note.ordinal)
        return try connection.all(
            "SELECT \(Self.columns) WHERE note = ? AND number < ? ORDER BY number DESC LIMIT ?", note.ordinal, number,
            limit
        ) { try readVersion($0, of: note.ordinal, marks) }
    }

    /// The number of the newest version of `note`; 0 where there is none. Numbers have no gaps: it counts them too.
    package func newestNumber(_ note: Int) throws -> Int {
        try connection.first("SELECT max(number) FROM version WHERE note = ?", note) { $0.integer(0) } ?? 0
    }

    /// The first parent of version `number`: 0 where it has none, nil where there is no such version.
    package func parent(of number: Int, note: Int) throws -> Int? {
        let parent = try connection.first("SELECT parent FROM version WHERE note = ? AND number = ?", note, number) {
            $0.optionalInteger(0) ?? number - 1
        }
        if let parent { try requireEarlier(parent, number) }
        return parent
    }

    /// Parents are made before their children, or a way along them would have no end.
    private func requireEarlier(_ parent: Int, _ number: Int) throws {
        guard parent < number else { throw IndexDamage("version \(number) of a note was made from a later one") }
    }

    /// The version of `note` that `operation` made. Numbers grow with operations, so halving finds it.
    package func version(madeBy operation: Int, of note: Note) throws -> Version? {
        let number = try numberOfNewest(in: note, upTo: operation)
        guard let version = try version(number, of: note), version.operation == operation else { return nil }
        return version
    }

    /// The number of the newest version of `note` made by `operation` or one before; 0 where there is none.
    private func numberOfNewest(in note: Note, upTo operation: Int) throws -> Int {
        var low = 0
        var high = try newestNumber(note.ordinal)
        while low < high {
            let middle = (low + high + 1) / 2
            let made = try connection.first(
                "SELECT operation FROM version WHERE note = ? AND number = ?", note.ordinal, middle
            ) { $0.integer(0) }
            guard let made else { throw IndexDamage("version \(middle) of \(note.name) is not there") }
            if made <= operation { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// Versions of `note` whose hash begins with the hexadecimal digits `prefix`, newest first.
    package func versions(of note: Note, hashPrefix prefix: String) throws -> [Version] {
        let marks = try marks(note.ordinal)
        return try connection.all(
            "SELECT \(Self.columns) WHERE note = ? AND lower(substr(hex(hash), 1, ?)) = ? ORDER BY number DESC",
            note.ordinal, prefix.utf8.count, prefix
        ) { try readVersion($0, of: note.ordinal, marks) }
    }

    /// The number of the newest version of `note` with the text `object`.
    package func newestVersion(of note: Note, with object: ObjectID) throws -> Int? {
        guard let ordinal = try ordinal(of: object) else { return nil }
        return try connection.first(
            "SELECT max(number) FROM version WHERE note = ? AND object = ?", note.ordinal, ordinal
        ) { $0.optionalInteger(0) } ?? nil
    }

    // MARK: Heads of the past

    /// The head of `note` right after `operation`, in the order of operations; 0 where it had none yet.
    package func head(of note: Note, after operation: Int) throws -> Int {
        let saved = try numberOfNewest(in: note, upTo: operation)
        let made = try version(saved, of: note)?.operation ?? 0
        let moved = try connection.first(
            "SELECT operation, head FROM head_move WHERE note = ? AND operation <= ? ORDER BY operation DESC LIMIT 1",
            note.ordinal, operation
        ) { (operation: $0.integer(0), head: $0.integer(1)) }
        if let moved, moved.operation > made { return moved.head }
        return saved
    }

    /// The head of `note` at `time`: after the last operation, in the order of operations, that was made then or before.
    package func head(of note: Note, at time: Timestamp) throws -> Int {
        let operation = try connection.first(
            """
            SELECT max(operation) FROM (
                SELECT max(operation) AS operation FROM version WHERE note = ?1 AND time <= ?2
                UNION ALL SELECT max(operation) FROM head_move WHERE note = ?1 AND time <= ?2)
            """, note.ordinal, Int(time.milliseconds)
        ) { $0.integer(0) }
        guard let operation, operation > 0 else { return 0 }
        return try head(of: note, after: operation)
    }

    // MARK: Marks

    /// The operation that recorded a bookmark of the version, or nil where none is recorded.
    package func bookmark(_ number: Int, of note: Note) throws -> Int? {
        try connection.first(
            "SELECT operation FROM bookmark WHERE note = ? AND number = ?", note.ordinal, number
        ) { $0.integer(0) }
    }

    // MARK: Objects

    /// The ordinal of `object`, or nil where no version has it.
    package func ordinal(of object: ObjectID) throws -> Int? {
        let bytes = object.bytes
        return try connection.first(
            "SELECT object FROM object WHERE substr(hash, 1, 8) = ? AND hash = ?", Array(bytes.prefix(8)), bytes
        ) { $0.integer(0) }
    }

    /// Keeps the outline of a large object.
    package func setOutline(_ outline: Outline, of object: ObjectID) throws {
        guard let ordinal = try ordinal(of: object) else { throw IndexDamage("object \(object) is not there") }
        try connection.run("INSERT OR REPLACE INTO outline VALUES (?, ?)", ordinal, outline.bytes)
    }

    /// The outline of `object`, or nil where none is kept.
    package func outline(of object: ObjectID) throws -> Outline? {
        guard let ordinal = try ordinal(of: object) else { return nil }
        return try connection.first("SELECT blocks FROM outline WHERE object = ?", ordinal) {
            Outline(bytes: $0.bytes(0))
        }
    }

    /// Whether some version has `object`.
    package func contains(_ object: ObjectID) throws -> Bool { try ordinal(of: object) != nil }

    /// The versions that have `object`, as `name@number`, at most ten. Looks at every version: for reports of damage.
    package func users(of object: ObjectID) throws -> [String] {
        try connection.all(
            """
            SELECT name, number FROM version JOIN note USING (note)
            WHERE object = (SELECT object FROM object WHERE substr(hash, 1, 8) = ? AND hash = ?) LIMIT 10
            """, Array(object.bytes.prefix(8)), object.bytes
        ) { "\(TerminalText.escape($0.bytes(0)))@\($0.integer(1))" }
    }

    /// Every object that a version has, and its size.
    package func objects() throws -> [(object: ObjectID, size: Int)] {
        try connection.all("SELECT hash, size FROM object ORDER BY object") { (try readObject($0), $0.integer(1)) }
    }

    /// The objects that the journal holds.
    package func journalObjects() throws -> [ObjectID] {
        try connection.all("SELECT hash FROM journal JOIN object USING (object) ORDER BY object", read: readObject)
    }

    private func readObject(_ row: Statement) throws -> ObjectID {
        guard let object = row.object(0) else { throw IndexDamage("an object has no valid hash") }
        return object
    }

    /// The number of versions and of objects.
    package func counts() throws -> (versions: Int, objects: Int) {
        let versions = try connection.first("SELECT count(*) FROM version") { $0.integer(0) } ?? 0
        let objects = try connection.first("SELECT count(*) FROM object") { $0.integer(0) } ?? 0
        return (versions, objects)
    }
}
