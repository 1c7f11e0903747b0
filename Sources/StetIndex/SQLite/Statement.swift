internal import CSQLite
internal import StetObjects

/// A prepared statement, and the row it stands on.
final class Statement {
    private let pointer: OpaquePointer
    private unowned let connection: Connection

    init(_ pointer: OpaquePointer, _ connection: Connection) {
        self.pointer = pointer
        self.connection = connection
    }

    deinit { sqlite3_finalize(pointer) }

    func reset() { sqlite3_reset(pointer) }

    func bind(_ values: [any Bindable]) throws {
        for (position, value) in values.enumerated() {
            let result = value.bind(to: pointer, at: Int32(position + 1))
            guard result == SQLITE_OK else { throw connection.failure(result) }
        }
    }

    /// Goes to the next row. Returns false where there is none.
    func step() throws -> Bool {
        let result = sqlite3_step(pointer)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw connection.failure(result)
        }
    }

    // MARK: The row

    var columnCount: Int32 { sqlite3_column_count(pointer) }

    /// SQLite's number for the type of a value.
    func type(_ column: Int32) -> UInt8 { UInt8(truncatingIfNeeded: sqlite3_column_type(pointer, column)) }

    func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(pointer, column)) }

    func optionalInteger(_ column: Int32) -> Int? {
        sqlite3_column_type(pointer, column) == SQLITE_NULL ? nil : integer(column)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(pointer, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column))))
    }

    func optionalBytes(_ column: Int32) -> [UInt8]? {
        sqlite3_column_type(pointer, column) == SQLITE_NULL ? nil : bytes(column)
    }

    /// Lends the bytes of a value; empty where it is NULL.
    func withBytes<Value>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        let start = sqlite3_column_blob(pointer, column)
        return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column))))
    }

    func object(_ column: Int32) -> ObjectID? {
        guard let start = sqlite3_column_blob(pointer, column) else { return nil }
        return ObjectID(bytes: UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column))))
    }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}

/// A value that can be bound to a statement.
protocol Bindable {
    func bind(to statement: OpaquePointer, at position: Int32) -> Int32
}

/// Tells SQLite to copy what is bound at once.
private var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

extension Int: Bindable {
    func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
        sqlite3_bind_int64(statement, position, Int64(self))
    }
}

extension Array: Bindable where Element == UInt8 {
    func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
        withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return sqlite3_bind_zeroblob(statement, position, 0) }
            return sqlite3_bind_blob64(statement, position, start, UInt64(buffer.count), copied)
        }
    }
}

extension String: Bindable {
    func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
        sqlite3_bind_text(statement, position, self, Int32(utf8.count), copied)
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
        switch self {
        case .some(let value): value.bind(to: statement, at: position)
        case .none: sqlite3_bind_null(statement, position)
        }
    }
}
