/// The newest operations, read from what the index holds and then from the end of the log backwards.
package struct OperationHistory {
    private let index: StoreIndex
    private let oplog: String

    package init(_ index: StoreIndex, oplog: String) {
        self.index = index
        self.oplog = oplog
    }

    /// The newest `limit` operations, newest first.
    package func newest(_ limit: Int) throws -> [TimedOperation] {
        let held = try newestHeld()
        var found = try held.prefix(limit).map { record in
            try index.timedOperation(record.operation, record: record.bytes)
        }
        // The log goes on before the oldest of them; segments are small and read whole, the last one first.
        guard found.count < limit, let oldest = held.last else { return found }
        var before = oldest.operation
        // From there on the index holds all, whatever a crash left in the log.
        var limitOfSegment: Int? = oldest.position.offset
        for device in try index.devices().reversed() where device.base < before {
            let log = OperationLog(oplog: oplog, device: device.id)
            var segment = try limitOfSegment == nil ? log.lastSegment() : oldest.position.segment
            while segment > 0, found.count < limit {
                let end = limitOfSegment ?? .max
                limitOfSegment = nil
                let entries = try operations(of: device, log, segment, before: before, end)
                found += entries.reversed().prefix(limit - found.count)
                before = entries.first?.number ?? before
                segment -= 1
            }
            // All of it was read, and it does not begin with its first one.
            if found.count < limit, before != device.base + 1 { throw LogDamage(path: log.path(1), offset: 0) }
        }
        return found
    }

    /// What stands in one segment before byte `end`: operations that lead up to `before` without a gap, or none.
    private func operations(
        of device: StoreIndex.Device, _ log: OperationLog, _ segment: Int, before: Int, _ end: Int
    ) throws -> [TimedOperation] {
        var found: [TimedOperation] = []
        var position = OperationLog.headerLength
        try log.scanSegment(segment, before: end) { entry in
            position = entry.end.offset
            let number = device.base + entry.sequence
            if number < before { found.append(try index.timedOperation(number, record: entry.bytes)) }
        }
        // What looks cut short is damage where more has come.
        if let last = found.last, last.number != before - 1 {
            throw LogDamage(path: log.path(segment), offset: position)
        }
        return found
    }

    /// The held records from the newest back without a gap: of what was replayed from the log, the index holds the last
    /// record alone.
    private func newestHeld() throws -> [StoreIndex.HeldRecord] {
        var held: [StoreIndex.HeldRecord] = []
        for record in try index.records(after: 0).reversed() {
            if let next = held.last, record.operation != next.operation - 1 { break }
            held.append(record)
        }
        return held
    }
}
