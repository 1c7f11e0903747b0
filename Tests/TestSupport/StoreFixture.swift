package import Stet
import Synchronization
package import Testing

/// A clock that a test moves by hand. Each reading is a second after the one before.
package final class ManualClock: Sendable {
    private let milliseconds: Mutex<Int64>

    package init(_ milliseconds: Int64 = 1_800_000_000_000) { self.milliseconds = Mutex(milliseconds) }

    /// Sets the moment of the next reading.
    package func set(_ milliseconds: Int64) { self.milliseconds.withLock { $0 = milliseconds } }

    package var clock: StoreClock {
        StoreClock {
            self.milliseconds.withLock { time in
                defer { time += 1000 }
                return Timestamp(milliseconds: time)
            }
        }
    }
}

/// A new store in a temporary folder, and what every scenario ends with.
package final class StoreFixture {
    package let temporary: TemporaryFolder
    package let folder: String
    package let clock = ManualClock()
    package private(set) var store: NoteStore

    package init() throws {
        temporary = try TemporaryFolder()
        folder = temporary.appending("store")
        store = try NoteStore.create(at: folder, clock: clock.clock)
    }

    /// Closes the store and opens it again.
    package func reopen(_ access: NoteStore.Access = .readWrite) throws {
        try store.close()
        store = try NoteStore.open(at: folder, access: access, clock: clock.clock)
    }

    /// The path of an object's file.
    package func path(of object: ObjectID) -> String {
        let hex = object.description
        return folder + "/caches/objects/\(hex.prefix(2))/\(hex.dropFirst(2))"
    }

    /// Every scenario ends so: the store verifies clean, which includes that the log replays to the same index.
    package func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let report = try store.verify()
        #expect(report.problems.isEmpty, sourceLocation: sourceLocation)
    }
}
