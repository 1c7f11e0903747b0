internal import StetObjects

/// Brings a copy of a store's operation log up to one state of the store.
///
/// What the state's index holds of the newest records is taken from there; only what comes before it is read from the
/// store's own log, which nobody writes to any more at that place.
package struct LogCopy {
    private let state: StoreIndex
    private let source: String
    private let target: String

    /// A copy of the log below `source` into the folder `target`, up to the newest record of `state`.
    package init(of state: StoreIndex, source: String, target: String) {
        self.state = state
        self.source = source
        self.target = target
    }

    /// The copy has records that the store does not have.
    package struct Diverged: Error {
        package init() {}
    }

    /// The newest record that the copy has whole.
    package struct End {
        fileprivate var operation: Int
        fileprivate var position: OperationLog.Position
        fileprivate var check: [UInt8]
    }

    // MARK: What is there

    /// Where the copy's log ends, or nil where it has no record yet. Changes nothing.
    ///
    /// - Throws: `Diverged`, or `LogDamage` where the copy's log is broken at its end.
    package func end() throws -> End? {
        let devices = try state.devices()
        let there = try OperationLog.devices(in: target)
        let begun = devices.prefix(there.count)
        guard Set(begun.map(\.id)) == Set(there) else { throw Diverged() }
        // The last device may have been begun only. Each record has the check of the one before it, so the last one
        // speaks for all.
        for device in begun.reversed() {
            guard let entry = try OperationLog(oplog: target, device: device.id).newestEntry() else { continue }
            let operation = try state.operation(of: VersionID(device: device.id, sequence: entry.sequence))
            guard let operation, try isRecord(entry.bytes, operation, at: entry.position) else { throw Diverged() }
            return End(operation: operation, position: entry.end, check: RecordFrame.check(of: entry.bytes))
        }
        return nil
    }

    /// Whether `bytes`, at `position` of its device's log, are the record of `operation` in the store.
    package func isRecord(_ bytes: [UInt8], _ operation: Int, at position: OperationLog.Position) throws -> Bool {
        guard let held = try state.records(after: operation - 1).first else { return false }
        if held.operation == operation { return held.bytes == bytes && held.position == position }
        let log = try state.log(of: operation, below: source)
        guard try log.size(ofSegment: position.segment) != nil else { return false }
        return try log.read(at: position, count: bytes.count) == bytes
    }

    // MARK: Copying

    /// Appends what comes after `end`, durably. A segment lasts before the next one is begun, so that after power loss too
    /// only the last one can be short.
    ///
    /// - Throws: `LogDamage` where the store's own log is broken in the part that is copied.
    package func append(after end: End?) throws {
        var copying = Copying(state: state, target: target, end: end)
        let held = try state.records(after: end?.operation ?? 0)
        if let first = held.first { try read(before: first.operation, &copying) }
        for record in held {
            guard case .record(let frame, let length) = RecordFrame.read(record.bytes, at: 0),
                length == record.bytes.count
            else { throw IndexDamage("the record of operation \(record.operation) is not whole") }
            try copying.take(frame, record.bytes, of: state.versionID(of: record.operation).device, at: record.position)
        }
        try copying.write()
        // What is there already may have been put there by a run that was stopped before its name lasted.
        for device in try state.devices() {
            try FileSystem.syncFolder(OperationLog(oplog: target, device: device.id).folder)
        }
    }

    /// Takes the records of operations before `limit` from the store's log.
    private func read(before limit: Int, _ copying: inout Copying) throws {
        struct Enough: Error {}
        for device in try state.devices() {
            let next = copying.nextOperation
            guard next < limit, try state.versionID(of: next).device == device.id else { continue }
            let log = OperationLog(oplog: source, device: device.id)
            do {
                try log.scan(from: copying.nextPosition) { entry in
                    guard copying.nextOperation < limit else { throw Enough() }
                    let frame = RecordFrame(sequence: entry.sequence, previous: entry.previous, payload: entry.payload)
                    try copying.take(frame, entry.bytes, of: device.id, at: entry.position)
                }
            } catch is Enough {}
        }
    }

    /// What was taken and not written yet: records that follow one another in one segment.
    private struct Copying {
        private let state: StoreIndex
        private let target: String
        private var end: End?
        private var pending: (log: OperationLog, position: OperationLog.Position, bytes: [UInt8])?

        init(state: StoreIndex, target: String, end: End?) {
            self.state = state
            self.target = target
            self.end = end
        }

        var nextOperation: Int { (end?.operation ?? 0) + 1 }

        /// Where the next record stands.
        var nextPosition: OperationLog.Position {
            get throws {
                guard let end, try state.versionID(of: nextOperation).sequence > 1 else { return OperationLog.start }
                return OperationLog.next(after: end.position)
            }
        }

        /// Takes the next record, which must follow the one before.
        mutating func take(
            _ frame: RecordFrame, _ bytes: [UInt8], of device: DeviceID, at position: OperationLog.Position
        ) throws {
            let id = try state.versionID(of: nextOperation)
            let previous = id.sequence == 1 ? RecordFrame.noCheck : end?.check
            guard VersionID(device: device, sequence: frame.sequence) == id, frame.previous == previous,
                try position == nextPosition
            else { throw IndexDamage("record \(frame.sequence) of \(device) does not follow the one before it") }
            if let pending, pending.log.device != device || pending.position.segment != position.segment { try write() }
            if pending == nil { pending = (OperationLog(oplog: target, device: device), position, []) }
            pending?.bytes += bytes
            end = End(
                operation: nextOperation,
                position: .init(segment: position.segment, offset: position.offset + bytes.count),
                check: RecordFrame.check(of: bytes))
        }

        /// Writes what was taken. In one step: the earlier backup stays readable, whatever power loss leaves of this one.
        mutating func write() throws {
            guard let (log, position, bytes) = pending else { return }
            pending = nil
            if position == OperationLog.start {
                try FileSystem.makeFolder(log.folder)
                // Before the next device's: what lasts of the log is never without its beginning.
                try FileSystem.syncFolder(target)
            }
            try log.extend(at: position, with: bytes, spare: target + ".new")
        }
    }
}
