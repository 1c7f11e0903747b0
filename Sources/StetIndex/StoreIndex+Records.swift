internal import StetObjects

// Whether the records that the index holds until a flush fit each other and the log.

extension StoreIndex {
    /// Checks that each held record is whole, follows the one before it, and is the one that stands in its place of the
    /// log, as far as the log goes.
    ///
    /// - Throws: `IndexDamage` or `LogDamage`: with such a record nothing could be written.
    package func requireHeldRecords(in oplog: String) throws {
        var before: HeldRecord?
        for record in try records(after: 0) {
            try require(record, after: before)
            let log = OperationLog(oplog: oplog, device: try versionID(of: record.operation).device)
            if try log.size(ofSegment: record.position.segment) ?? 0 > record.position.offset {
                let there = try log.read(at: record.position, count: record.bytes.count)
                if there != record.bytes, case .record = RecordFrame.read(there, at: 0) {
                    throw LogDamage(path: log.path(record.position.segment), offset: record.position.offset)
                }
            }
            before = record
        }
    }

    /// - Parameter before: the held record before, or nil where it is the first.
    private func require(_ record: HeldRecord, after before: HeldRecord?) throws {
        let sequence = try versionID(of: record.operation).sequence
        let isFirst = sequence == 1
        guard case .record(let frame, record.bytes.count) = RecordFrame.read(record.bytes, at: 0),
            frame.sequence == sequence, !isFirst || record.position == OperationLog.start
        else { throw IndexDamage("the record of operation \(record.operation) is not whole") }
        guard let before else { return }
        let previous = isFirst ? RecordFrame.noCheck : RecordFrame.check(of: before.bytes)
        let position = isFirst ? OperationLog.start : OperationLog.next(after: before.end)
        guard record.operation == before.operation + 1, frame.previous == previous, record.position == position else {
            throw IndexDamage("the record of operation \(record.operation) does not follow the one before it")
        }
    }
}
