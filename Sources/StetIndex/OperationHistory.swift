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
        var position: OperationLog.Position? = oldest.position
        for device in try index.devices().reversed() where device.base < before {
            let log = OperationLog(oplog: oplog, device: device.id)
            var segment = try position?.segment ?? log.lastSegment()
            while segment > 0, found.count < limit {
                var entries: [TimedOperation] = []
                // From there on the index holds all, whatever a crash left in the log.
                let end = position?.offset ?? .max
                position = nil
                try log.scanSegment(segment, before: end) { entry in
                    let number = device.base + entry.sequence
                    if number < before { entries.append(try index.timedOperation(number, record: entry.bytes)) }
                }
                found += entries.reversed().prefix(limit - found.count)
                before = entries.first?.number ?? before
                segment -= 1
            }
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
