/// A connection to the index for reading that never answers from an index that is behind its log.
///
/// Invariant 3: the log is the truth. The next write replays what the index lacks of it; until then a reader does so in
/// a copy of its own, in memory.
final class StoreReader {
    private let layout: StoreLayout
    private var index: StoreIndex
    /// Whether the index was seen to know all devices that have a log.
    private var knowsDevices = false
    /// What stands behind the log's last record and is none.
    private var ignored: LogEnd?
    private var completed: Completed?

    /// A copy that has the rest of the log, and the newest record that the index had when it was copied.
    private struct Completed {
        var index: StoreIndex
        var newest: StoreIndex.HeldRecord?
    }

    init(_ layout: StoreLayout) throws {
        self.layout = layout
        index = try StoreIndex.openForReading(layout.index, lock: layout.lock)
    }

    /// Runs `body` over one unchanging state of the index as it is.
    func readIndex<Value>(_ body: (StoreIndex) throws -> Value) throws -> Value {
        try index.read { try body(index) }
    }

    /// Runs `body` over one unchanging state of the store.
    ///
    /// - Throws: `LogDamage`, `IndexDamage`, `LayoutError` where the log goes on with something that cannot be replayed.
    func read<Value>(_ body: (StoreIndex) throws -> Value) throws -> Value {
        if let completed, try isUpToDate(completed) { return try completed.index.read { try body(completed.index) } }
        completed = nil
        var seen: LogEnd?
        let value = try answer(body) {
            seen = try end(of: index, lookingForDevices: !knowsDevices)
            return seen == nil || seen == ignored
        }
        if value != nil { knowsDevices = true }
        return try value ?? answer(body, lookingAgainAfter: seen)
    }

    private func answer<Value>(_ body: (StoreIndex) throws -> Value, lookingAgainAfter seen: LogEnd?) throws -> Value {
        // Somebody may have written meanwhile, and another file may have taken the index's place.
        index = try StoreIndex.openForReading(layout.index, lock: layout.lock)
        knowsDevices = false
        if let value = try answer(body, where: { try seen?.isCovered(by: index) ?? true }) { return value }
        guard try index.read({ try LogEnd.hasRecords(after: index, oplog: layout.operationLog) }) else {
            ignored = seen
            return try readIndex(body)
        }
        let completed = try complete()
        self.completed = completed
        return try completed.index.read { try body(completed.index) }
    }

    /// Runs `body` over the index where `condition` holds for the same state of it; nil where it does not.
    private func answer<Value>(
        _ body: (StoreIndex) throws -> Value, where condition: () throws -> Bool
    ) throws -> Value? {
        try index.read { try condition() ? .some(body(index)) : nil }
    }

    private func end(of index: StoreIndex, lookingForDevices: Bool) throws -> LogEnd? {
        try LogEnd(beyond: index, oplog: layout.operationLog, lookingForDevices: lookingForDevices)
    }

    private func complete() throws -> Completed {
        let (copy, newest) = try index.read { (try index.inMemoryCopy(), try index.newestRecord()) }
        try copy.write {
            _ = try LogReplay(into: copy, oplog: layout.operationLog).run(
                after: copy.newestRecord(), repairing: false)
        }
        return Completed(index: copy, newest: newest)
    }

    /// Whether neither index nor log has changed since the copy was made.
    private func isUpToDate(_ completed: Completed) throws -> Bool {
        guard try index.read({ try index.newestRecord() }) == completed.newest else { return false }
        return try completed.index.read { try end(of: completed.index, lookingForDevices: true) } == nil
    }
}
