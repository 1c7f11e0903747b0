package import StetObjects

/// The logs of all devices in memory, and the chain of operations that they make: for `repair`.
package struct LogChain {
    /// A record with its place in the order.
    package struct Link {
        package var device: DeviceID
        package var entry: OperationLog.Entry
        package var operation: Operation
        package var time: Timestamp
    }

    private let oplog: String
    private var logs: [DeviceID: LogSegments] = [:]

    /// The operations in their order, as far as they follow one another: number 1 is the first.
    package private(set) var links: [Link] = []
    /// The devices of these, in their order; the last may have no record yet.
    package private(set) var devices: [DeviceID] = []
    /// Where the last of them stops.
    package private(set) var stop = LogSegments.Stop.end(OperationLog.start)
    /// Devices that hold something and are not in the chain.
    private var strays: [DeviceID] = []

    /// Reads the logs below `oplog`.
    ///
    /// - Throws: `LayoutError.tooNew` where a whole record is of a newer format.
    package init(oplog: String) throws {
        self.oplog = oplog
        for device in try OperationLog.devices(in: oplog) {
            logs[device] = try LogSegments(oplog: oplog, device: device)
        }
        try follow(preferring: [])
    }

    /// The files that are not as the logs have them any more, with their new bytes; nil where there is to be none. In an
    /// order in which a stop in between leaves logs that read as before, or are cut.
    package var changes: [(path: String, bytes: [UInt8]?)] {
        devices.reversed().flatMap { device in
            guard let log = logs[device] else { return [(path: String, bytes: [UInt8]?)]() }
            return log.changed.sorted(by: >).map { (log.log.path($0), log.segments[$0]) }
        }
    }

    /// The folders of devices that are in no chain, or of whose records none is left.
    package var outcasts: [String] {
        let emptied = logs.values.filter { $0.segments.isEmpty && !$0.changed.isEmpty && !devices.contains($0.device) }
        return (strays + emptied.map(\.device)).map(folder)
    }

    /// The folder of a device's log.
    package func folder(of device: DeviceID) -> String { OperationLog(oplog: oplog, device: device).folder }

    // MARK: Following

    /// Orders the records anew.
    ///
    /// - Parameter known: the devices that some index has, in their order: of several that follow one, these do.
    package mutating func follow(preferring known: [DeviceID]) throws {
        links = []
        devices = []
        stop = .end(OperationLog.start)
        var read = logs.mapValues { $0.read() }
        while stop.isSound, let next = try next(among: read, known) {
            guard let (entries, end) = read.removeValue(forKey: next) else { break }
            devices.append(next)
            stop = end
            for entry in entries {
                guard let (operation, time) = try decode(entry, next), isBegin(operation) == (entry.sequence == 1)
                else {
                    stop = .damage(entry.position)
                    break
                }
                links.append(Link(device: next, entry: entry, operation: operation, time: time))
            }
        }
        // A log of which nothing was written is of no device yet.
        strays = read.filter { !$0.value.entries.isEmpty || !$0.value.stop.isSound }.keys.sorted {
            $0.description < $1.description
        }
    }

    private func isBegin(_ operation: Operation) -> Bool { if case .begin = operation { true } else { false } }

    private func next(
        among read: [DeviceID: (entries: [OperationLog.Entry], stop: LogSegments.Stop)], _ known: [DeviceID]
    ) throws -> DeviceID? {
        let last = end
        var followers: [DeviceID] = []
        for (device, log) in read {
            guard let first = log.entries.first else { continue }
            if case .begin(let begin)? = try decode(first, device)?.0, begin.previous == last {
                followers.append(device)
            }
        }
        if followers.isEmpty {
            // One whose beginning cannot be read is the next one, for want of another.
            followers = read.filter { $0.value.entries.isEmpty && !$0.value.stop.isSound }.map(\.key)
        }
        return followers.max { left, right in
            func rank(_ device: DeviceID) -> (Int, Int, String) {
                (known.contains(device) ? 1 : 0, read[device]?.entries.count ?? 0, device.description)
            }
            return rank(left) < rank(right)
        }
    }

    private func decode(_ entry: OperationLog.Entry, _ device: DeviceID) throws -> (Operation, Timestamp)? {
        do throws(PayloadError) {
            return try Operation.decode(entry.payload, device: device)
        } catch {
            if case .unknownKind = error { throw LayoutError.tooNew(folder(of: device)) }
            return nil
        }
    }

    /// What the begin of a further device would name.
    package var end: Operation.Begin.Previous? {
        links.last.map {
            .init(device: $0.device, sequence: $0.entry.sequence, check: RecordFrame.check(of: $0.entry.bytes))
        }
    }

    private var lastEntry: OperationLog.Entry? {
        links.last.flatMap { $0.device == devices.last ? $0.entry : nil }
    }

    /// The texts of all versions that the operations make.
    package var texts: Set<ObjectID> {
        Set(
            links.compactMap { link in
                if case .save(let save) = link.operation { save.object } else { nil }
            })
    }

    /// How many of the operations can be carried out, one after the other: all but where the records are not Stet's.
    package func replayable() throws -> Int {
        let index = try StoreIndex.inMemory()
        return try index.write {
            for (position, link) in links.enumerated() {
                do {
                    try index.apply(TimedOperation(number: position + 1, time: link.time, operation: link.operation))
                } catch is IndexDamage {
                    return position
                }
            }
            return links.count
        }
    }

    // MARK: Mending

    /// Mends the record at which the chain stops, from what the log itself tells. Returns its file and place where it did.
    package mutating func mend(preferring known: [DeviceID]) throws -> (path: String, offset: Int)? {
        guard !stop.isEnd, let device = devices.last, var log = logs[device] else { return nil }
        let position = stop.position
        let before = links.count
        guard log.mend(at: position, after: lastEntry) else { return nil }
        let unmended = self
        logs[device] = log
        try follow(preferring: known)
        guard links.count > before else {
            self = unmended
            return nil
        }
        return (log.log.path(position.segment), position.offset)
    }

    /// Puts the next record in where the chain stops, if `records` have it: those that an index holds. At the end of a log
    /// all that follow it as well. Returns how many.
    ///
    /// The check of the record before, which each record has in it, proves that it is the next one.
    ///
    /// - Parameter begun: the device that begins after so many operations, where an index says so.
    package mutating func restore(from records: [RecordFrame], begun: (Int) -> DeviceID?) throws -> Int {
        if let device = devices.last, var log = logs[device] {
            let before = lastEntry
            let previous = before.map { RecordFrame.check(of: $0.bytes) } ?? RecordFrame.noCheck
            let next = records.first { record in
                record.sequence == (before?.sequence ?? 0) + 1 && record.previous == previous
                    && (before != nil || follows(record, device))
            }
            if let next {
                var position = stop.position
                log.put(next.bytes, at: position, isLast: stop.isSound)
                var last = next
                while stop.isSound,
                    let following = records.first(where: {
                        $0.sequence == last.sequence + 1 && $0.previous == RecordFrame.check(of: last.bytes)
                    })
                {
                    position.offset += last.bytes.count
                    position = OperationLog.next(after: position)
                    log.put(following.bytes, at: position, isLast: true)
                    last = following
                }
                return try take(log)
            }
        }
        guard stop.isSound, let device = begun(links.count), !devices.contains(device),
            let next = records.first(where: { $0.sequence == 1 && follows($0, device) })
        else { return 0 }
        var log = try LogSegments(oplog: oplog, device: device)
        log.put(next.bytes, at: OperationLog.start, isLast: true)
        return try take(log)
    }

    private func follows(_ frame: RecordFrame, _ device: DeviceID) -> Bool {
        guard let (operation, _) = try? Operation.decode(frame.payload, device: device) else { return false }
        guard case .begin(let begin) = operation else { return false }
        return begin.previous == end
    }

    /// Returns how many records the chain is longer with `log`, which is not taken otherwise.
    private mutating func take(_ log: LogSegments) throws -> Int {
        let before = self
        logs[log.device] = log
        try follow(preferring: devices)
        if links.count > before.links.count { return links.count - before.links.count }
        self = before
        return 0
    }

    // MARK: Cutting

    /// Leaves the first `count` operations and takes all others away. Strays are left to whoever moves whole folders.
    package mutating func cut(after count: Int) throws {
        let kept = links.prefix(count)
        for device in devices {
            guard var log = logs[device] else { continue }
            log.cut(at: kept.last { $0.device == device }?.entry.end ?? OperationLog.start)
            logs[device] = log
        }
        try follow(preferring: devices)
    }

    /// The records behind the place where the chain stops that are whole by themselves, by device and number.
    package func fragments() -> [DeviceID: [Int: RecordFrame]] {
        var found: [DeviceID: [Int: RecordFrame]] = [:]
        if let device = devices.last, let log = logs[device] {
            found[device] = log.fragments(behind: stop.position, after: lastEntry?.sequence ?? 0)
        }
        for device in strays { found[device] = logs[device]?.fragments(behind: OperationLog.start, after: 0) }
        return found
    }

    /// Puts `records` in the place of everything from operation `first` on.
    package mutating func replace(from first: Int, with records: [(device: DeviceID, bytes: [UInt8])]) throws {
        var position = first > 1 ? links[first - 2].entry.end : OperationLog.start
        var device = first > 1 ? links[first - 2].device : nil
        let keptDevices = Set(links.prefix(first - 1).map(\.device))
        for other in devices + strays where !keptDevices.contains(other) { logs[other]?.cut(at: OperationLog.start) }
        if let device { logs[device]?.cut(at: position) }
        for record in records {
            if record.device != device {
                device = record.device
                position = OperationLog.start
                if logs[record.device] == nil {
                    logs[record.device] = try LogSegments(oplog: oplog, device: record.device)
                }
            } else {
                position = OperationLog.next(after: position)
            }
            logs[record.device]?.put(record.bytes, at: position, isLast: true)
            position.offset += record.bytes.count
        }
        try follow(preferring: devices)
    }
}

extension LogSegments.Stop {
    var isEnd: Bool { if case .end = self { true } else { false } }
}
