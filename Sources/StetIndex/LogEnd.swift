/// Where a store's operation log was seen to go on after its index.
///
/// A commit comes before its record in the log (invariant 3), so that an index that is looked at after the log has
/// everything that the log had. One that has not was put back from a copy, or lost the end of its write-ahead log to damage.
package struct LogEnd: Equatable {
    private let devices: [DeviceID]
    private let device: DeviceID?
    private let position: OperationLog.Position

    /// Looks whether the log below `oplog` goes on after `index`; nil where it does not, or the index alone tells. In the
    /// usual case this is one look at a file's size. Call inside a read transaction.
    ///
    /// - Parameter lookingForDevices: whether to look for devices as well that the index does not know.
    package init?(beyond index: StoreIndex, oplog: String, lookingForDevices: Bool) throws {
        let newest = try index.newestRecord()
        var device: DeviceID?
        var position = OperationLog.start
        var goesOn = false
        if let newest {
            let log = try index.log(of: newest.operation, below: oplog)
            device = log.device
            position = newest.end
            // Where the segment is full, the next record stands in another one.
            for segment in Set([newest.end.segment, OperationLog.next(after: newest.end).segment]).sorted() {
                let begins = segment == newest.end.segment ? newest.end.offset : 0
                guard let size = try log.size(ofSegment: segment), size > begins else { continue }
                position = .init(segment: segment, offset: size)
                goesOn = true
            }
        }
        let devices = lookingForDevices || newest == nil ? try OperationLog.devices(in: oplog) : []
        let known = try devices.isEmpty ? [] : index.devices().map(\.id)
        guard goesOn || !devices.allSatisfy(known.contains) else { return nil }
        self.devices = devices
        self.device = device
        self.position = position
    }

    /// Whether `index` has all that the log was seen to have. Call inside a read transaction that began afterwards.
    package func isCovered(by index: StoreIndex) throws -> Bool {
        let known = try index.devices().map(\.id)
        guard devices.allSatisfy(known.contains) else { return false }
        guard let device else { return true }
        guard let newest = try index.newestRecord() else { return false }
        // Where another device has gone on, the log of this one was done with.
        guard try index.versionID(of: newest.operation).device == device else { return known.contains(device) }
        return newest.end >= position
    }

    /// Whether anything in the log below `oplog` is a whole record after the newest of `index`. Nothing else counts: an
    /// interrupted append can leave it, and what is no record at all tells nothing that the index lacks.
    package static func hasRecords(after index: StoreIndex, oplog: String) throws -> Bool {
        let known = try index.devices().map(\.id)
        let unknown = try OperationLog.devices(in: oplog).filter { !known.contains($0) }
        for device in unknown
        where try OperationLog(oplog: oplog, device: device).hasRecord(from: OperationLog.start, after: 0) {
            return true
        }
        guard let newest = try index.newestRecord() else { return false }
        let id = try index.versionID(of: newest.operation)
        return try OperationLog(oplog: oplog, device: id.device).hasRecord(from: newest.end, after: id.sequence)
    }
}
