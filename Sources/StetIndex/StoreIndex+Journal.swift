package import StetObjects

// What the index holds until a flush: records of operations, and texts.

extension StoreIndex {
    /// A held record: its operation, where it stands in the log, and its bytes.
    package struct HeldRecord: Equatable, Sendable {
        package var operation: Int
        package var position: OperationLog.Position
        package var bytes: [UInt8]
        /// How many bytes of text went through the journal ever, up to and with this operation.
        package var journaled: Int

        package init(operation: Int, position: OperationLog.Position, bytes: [UInt8], journaled: Int) {
            self.operation = operation
            self.position = position
            self.bytes = bytes
            self.journaled = journaled
        }

        /// Where it ends in the log.
        package var end: OperationLog.Position {
            .init(segment: position.segment, offset: position.offset + bytes.count)
        }
    }

    private func readRecord(_ row: Statement) throws -> HeldRecord {
        guard [0, 1, 2, 4].allSatisfy({ Self.possibleNumbers.contains(row.integer($0)) }) else {
            throw IndexDamage("a record has a number that cannot be")
        }
        return HeldRecord(
            operation: row.integer(0), position: .init(segment: row.integer(1), offset: row.integer(2)),
            bytes: row.bytes(3), journaled: row.integer(4))
    }

    /// What a record says that stands in this index or in the log of one of its devices.
    func timedOperation(_ operation: Int, record: [UInt8]) throws -> TimedOperation {
        guard case .record(let frame, _) = RecordFrame.read(record, at: 0) else {
            throw IndexDamage("the record of operation \(operation) is not whole")
        }
        let device = try versionID(of: operation).device
        guard let (decoded, time) = try? Operation.decode(frame.payload, device: device) else {
            throw IndexDamage("the record of operation \(operation) cannot be understood")
        }
        return TimedOperation(number: operation, time: time, operation: decoded)
    }

    private static let recordColumns = "operation, segment, start, bytes, journaled FROM record"

    /// The newest record: where the log must end. Nil only in an index that nothing was applied to.
    package func newestRecord() throws -> HeldRecord? {
        try connection.first(
            "SELECT \(Self.recordColumns) ORDER BY operation DESC LIMIT 1", read: readRecord)
    }

    /// The records held for operations after `operation`, oldest first.
    package func records(after operation: Int) throws -> [HeldRecord] {
        try connection.all(
            "SELECT \(Self.recordColumns) WHERE operation > ? ORDER BY operation", operation,
            read: readRecord)
    }

    /// Holds `record`.
    package func hold(_ record: HeldRecord) throws {
        try connection.run(
            "INSERT INTO record VALUES (?, ?, ?, ?, ?)", record.operation, record.position.segment,
            record.position.offset, record.bytes, record.journaled)
    }

    /// The oldest record that is held.
    package func oldestRecord() throws -> HeldRecord? {
        try connection.first("SELECT \(Self.recordColumns) ORDER BY operation LIMIT 1", read: readRecord)
    }

    /// Puts the bytes of `object` into the journal on behalf of `operation`; they replace what it holds.
    package func addToJournal(_ object: ObjectID, _ bytes: [UInt8], operation: Int) throws {
        guard let ordinal = try ordinal(of: object) else { throw IndexDamage("object \(object) is not there") }
        try connection.run("INSERT OR REPLACE INTO journal VALUES (?, ?, ?)", ordinal, operation, bytes)
    }

    /// The bytes of `object` in the journal, checked against its name; nil where it is not there or not whole.
    package func journaled(_ object: ObjectID) throws -> [UInt8]? {
        guard let ordinal = try ordinal(of: object) else { return nil }
        let bytes = try connection.first("SELECT bytes FROM journal WHERE object = ?", ordinal) { $0.bytes(0) }
        guard let bytes, ObjectID(of: bytes) == object else { return nil }
        return bytes
    }

    /// Whether the journal holds `object`.
    package func journalHolds(_ object: ObjectID) throws -> Bool {
        guard let ordinal = try ordinal(of: object) else { return false }
        return try connection.first("SELECT 1 FROM journal WHERE object = ?", ordinal) { _ in true } ?? false
    }

    /// Drops what a flush of all operations up to `operation` has made durable elsewhere.
    ///
    /// The record of `operation` itself stays, so that the newest is always there.
    package func dropFlushed(upTo operation: Int) throws {
        try connection.run("DELETE FROM journal WHERE operation <= ?", operation)
        try connection.run("DELETE FROM record WHERE operation < ?", operation)
    }

    // MARK: Place

    /// What this copy of the store last ran on. What was not known is nil.
    package struct Place: Equatable, Sendable {
        package var machine: [UInt8]?
        package var lock: FileSystem.Identity
        package var index: FileSystem.Identity?

        package init(machine: [UInt8]?, lock: FileSystem.Identity, index: FileSystem.Identity?) {
            self.machine = machine
            self.lock = lock
            self.index = index
        }

        /// Whether both can be the same copy on the same machine. What one of the two does not know tells nothing.
        package func agrees(with other: Place) -> Bool {
            func agree<Value: Equatable>(_ one: Value?, _ two: Value?) -> Bool {
                one == nil || two == nil || one == two
            }
            return agree(machine, other.machine) && lock.inode == other.lock.inode
                && agree(lock.birth, other.lock.birth) && agree(index?.inode, other.index?.inode)
                && agree(index?.birth, other.index?.birth)
        }
    }

    /// Where this copy was last written, or nil where it never was.
    package func place() throws -> Place? {
        try connection.first("SELECT machine, lock_inode, lock_birth, index_inode, index_birth FROM place") { row in
            Place(
                machine: row.optionalBytes(0).flatMap { $0.isEmpty ? nil : $0 },
                lock: .init(inode: row.integer(1), birth: row.optionalInteger(2)),
                index: row.optionalInteger(3).map { .init(inode: $0, birth: row.optionalInteger(4)) })
        }
    }

    /// Records where this copy is written now.
    package func setPlace(_ place: Place) throws {
        try connection.run(
            "INSERT OR REPLACE INTO place VALUES (1, ?, ?, ?, ?, ?)", place.machine, place.lock.inode, place.lock.birth,
            place.index?.inode, place.index?.birth)
    }
}
