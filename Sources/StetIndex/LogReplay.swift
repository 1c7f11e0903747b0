internal import StetObjects

/// Replays operation logs into an index: the log is the truth, and this is how the index becomes its view.
package struct LogReplay {
    private let index: StoreIndex
    private let oplog: String

    package init(into index: StoreIndex, oplog: String) {
        self.index = index
        self.oplog = oplog
    }

    /// Applies what the logs hold beyond `newest`, the newest record that the index has: all of it where that is nil.
    /// Call inside a write transaction. Returns the newest record afterwards, which the index then holds.
    ///
    /// - Parameters:
    ///   - limit: the last operation that is applied.
    ///   - repairing: whether this is the store's own index: then an append that was cut short at the end is cut off, and
    ///     the log synced.
    /// - Throws: `LogDamage` or `IndexDamage` where the logs do not go on from `newest`.
    package func run(
        after newest: StoreIndex.HeldRecord?, upTo limit: Int = .max, repairing: Bool
    ) throws -> StoreIndex.HeldRecord? {
        var newest = newest
        if let last = newest, last.operation < limit {
            newest = try follow(try device(of: last), from: OperationLog.next(after: last.end), last, limit, repairing)
        }
        while newest?.operation ?? 0 < limit, let next = try deviceAfter(newest) {
            newest = try follow(next, from: OperationLog.start, newest, limit, repairing)
        }
        return newest
    }

    private func device(of record: StoreIndex.HeldRecord) throws -> DeviceID {
        try index.versionID(of: record.operation).device
    }

    /// The device that goes on after `newest` and that the index does not know yet.
    private func deviceAfter(_ newest: StoreIndex.HeldRecord?) throws -> DeviceID? {
        let known = Set(try index.devices().map(\.id))
        let unknown = try OperationLog.devices(in: oplog).filter { !known.contains($0) }
        var last: Operation.Begin.Previous?
        if let newest {
            let id = try index.versionID(of: newest.operation)
            last = .init(device: id.device, sequence: id.sequence, check: RecordFrame.check(of: newest.bytes))
        }
        // One that was begun since may have lost its beginning to power loss, and is held by the index.
        var damage: LogDamage?
        let begun = try unknown.compactMap { device -> Operation.Begin? in
            do { return try firstRecord(of: device) } catch let found as LogDamage {
                damage = damage ?? found
                return nil
            }
        }
        if let next = begun.first(where: { $0.previous == last }) { return next.device }
        if let damage { throw damage }
        if let stray = begun.first {
            throw IndexDamage("the operation log of device \(stray.device) does not go on from what the index has")
        }
        return nil
    }

    private func firstRecord(of device: DeviceID) throws -> Operation.Begin? {
        struct Found: Error { var begin: Operation.Begin }
        do {
            try OperationLog(oplog: oplog, device: device).scan(from: OperationLog.start) { entry in
                guard case .begin(let begin) = try decode(entry, device).0 else { throw damage(device, entry) }
                throw Found(begin: begin)
            }
            return nil
        } catch let found as Found {
            return found.begin
        }
    }

    private func decode(_ entry: OperationLog.Entry, _ device: DeviceID) throws -> (Operation, Timestamp) {
        do throws(PayloadError) {
            return try Operation.decode(entry.payload, device: device)
        } catch {
            if case .unknownKind = error { throw LayoutError.tooNew(oplog + "/" + device.description) }
            throw damage(device, entry)
        }
    }

    private func damage(_ device: DeviceID, _ entry: OperationLog.Entry) -> LogDamage {
        LogDamage(
            path: OperationLog(oplog: oplog, device: device).path(entry.position.segment), offset: entry.position.offset
        )
    }

    /// Replays everything and compares it with `source`, the index that the logs belong to; the names of the parts in which
    /// they differ. Call inside a write transaction.
    ///
    /// What `source` holds of the newest records counts, and not what a crash left of them in the log: the next flush writes
    /// them there. A log that goes on after them is replayed by the next write, and has to be fit for it.
    ///
    /// - Throws: `LogDamage`, `IndexDamage`.
    package func differences(of source: StoreIndex) throws -> [String] {
        let held = try source.records(after: 0)
        var newest: StoreIndex.HeldRecord?
        for record in held {
            newest = try run(after: newest, upTo: record.operation - 1, repairing: false)
            newest = try apply(record, of: source, after: newest)
        }
        let differences = try source.differences(from: index)
        // The first one that is missing explains all after it.
        _ = try held.first { record in
            try !source.log(of: record.operation, below: oplog).holds(record)
        }
        _ = try run(after: newest, repairing: false)
        return differences
    }

    private func apply(
        _ record: StoreIndex.HeldRecord, of source: StoreIndex, after newest: StoreIndex.HeldRecord?
    ) throws -> StoreIndex.HeldRecord {
        let sequence = try source.versionID(of: record.operation).sequence
        guard case .record(let frame, end: record.bytes.count) = RecordFrame.read(record.bytes, at: 0),
            record.operation == (newest?.operation ?? 0) + 1, frame.sequence == sequence,
            frame.previous == (sequence == 1 ? RecordFrame.noCheck : RecordFrame.check(of: newest?.bytes ?? [])),
            record.position
                == (sequence == 1 ? OperationLog.start : newest.map { OperationLog.next(after: $0.end) })
        else { throw IndexDamage("its record of operation \(record.operation) does not follow the one before it") }
        try index.apply(source.timedOperation(record.operation, record: record.bytes))
        return record
    }

    /// Applies the records of `device` from `start` on, up to operation `limit`.
    private func follow(
        _ device: DeviceID, from start: OperationLog.Position, _ last: StoreIndex.HeldRecord?, _ limit: Int,
        _ repairing: Bool
    ) throws -> StoreIndex.HeldRecord? {
        struct Enough: Error {}
        var newest = last
        let log = OperationLog(oplog: oplog, device: device)
        func apply(_ entry: OperationLog.Entry) throws {
            let isFirst = entry.position == OperationLog.start
            let before = isFirst ? RecordFrame.noCheck : RecordFrame.check(of: newest?.bytes ?? [])
            guard entry.previous == before else { throw damage(device, entry) }
            let (operation, time) = try decode(entry, device)
            let number = (newest?.operation ?? 0) + 1
            try index.apply(TimedOperation(number: number, time: time, operation: operation))
            guard try index.versionID(of: number) == VersionID(device: device, sequence: entry.sequence) else {
                throw damage(device, entry)
            }
            newest = .init(
                operation: number, position: entry.position, bytes: entry.bytes, journaled: newest?.journaled ?? 0)
            // What comes after may not be whole yet.
            if number == limit { throw Enough() }
        }
        do {
            let (end, isTorn) = try log.scan(from: start, apply)
            if isTorn, repairing { try log.cut(at: end) }
        } catch is Enough {}
        if let newest, newest != last {
            try index.hold(newest)
            // The index holds the newest alone: the log must not lose the others once it has been believed.
            if repairing {
                for segment in start.segment...newest.position.segment { try log.renew(segment: segment) }
                try FileSystem.syncFolder(oplog)
            }
        }
        return newest
    }
}
