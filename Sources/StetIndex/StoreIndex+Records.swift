internal import StetObjects

// Whether the index, and the records that it holds until a flush, fit the log.

extension StoreIndex {
    /// Compares the index with a replay of the log; the names of the parts in which they differ.
    ///
    /// - Throws: `LogDamage` or `IndexDamage` where the log cannot be replayed, or a held record is not what it should be.
    package func differences(fromLog oplog: String) throws -> [String] {
        let replayed = try StoreIndex.inMemory()
        let replay = LogReplay(into: replayed, oplog: oplog)
        let last = try newestRecord()?.operation ?? 0
        let newest = try replayed.write { try replay.run(after: nil, upTo: last, repairing: false) }
        try requireHeldRecords(after: newest, in: oplog)
        // Records that the log does not have yet are part of the truth.
        try replayed.write {
            try LogReplay.apply(records(after: newest?.operation ?? 0), of: self, to: replayed)
        }
        let differences = try differences(from: replayed)
        // A log that goes on is replayed by the next write, and has to be fit for it.
        if newest?.operation ?? 0 == last {
            _ = try replayed.write { try replay.run(after: newest, repairing: false) }
        }
        return differences
    }

    /// Checks that the held records stand in the log where they say, as far as it goes, and that the others go on from
    /// there.
    ///
    /// - Parameter end: the newest record of the log, as far as this index goes.
    /// - Throws: `IndexDamage`: with such a record nothing could be written.
    func requireHeldRecords(after end: HeldRecord?, in oplog: String) throws {
        var before = end
        for record in try records(after: 0) {
            if record.operation <= end?.operation ?? 0 {
                guard try isRecord(record, in: oplog) else {
                    throw IndexDamage("the record of operation \(record.operation) is another one in the log")
                }
            } else {
                try require(record, after: before)
                before = record
            }
        }
    }

    private func isRecord(_ record: HeldRecord, in oplog: String) throws -> Bool {
        let log = OperationLog(oplog: oplog, device: try versionID(of: record.operation).device)
        guard try log.size(ofSegment: record.position.segment) != nil, try isNumbered(record) else { return false }
        return try log.read(at: record.position, count: record.bytes.count) == record.bytes
    }

    private func isNumbered(_ record: HeldRecord) throws -> Bool {
        guard case .record(let frame, record.bytes.count) = RecordFrame.read(record.bytes, at: 0) else { return false }
        return try frame.sequence == versionID(of: record.operation).sequence
    }

    private func require(_ record: HeldRecord, after before: HeldRecord?) throws {
        let isFirst = try versionID(of: record.operation).sequence == 1
        let position = isFirst ? OperationLog.start : before.map { OperationLog.next(after: $0.end) }
        guard try isNumbered(record), case .record(let frame, _) = RecordFrame.read(record.bytes, at: 0),
            frame.previous == (isFirst ? RecordFrame.noCheck : RecordFrame.check(of: before?.bytes ?? [])),
            record.operation == (before?.operation ?? 0) + 1, record.position == position
        else { throw IndexDamage("the record of operation \(record.operation) does not follow the one before it") }
    }
}
