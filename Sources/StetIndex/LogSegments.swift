internal import StetObjects

/// The log of one device in memory, as its files have it and with what was mended: for `repair`, which must know how a log
/// reads before anything is written.
package struct LogSegments: Sendable {
    /// Where reading the log ends, and why.
    package enum Stop: Equatable, Sendable {
        /// After its last record.
        case end(OperationLog.Position)
        /// Where an append was cut short.
        case torn(OperationLog.Position)
        /// Where no record stands that follows the one before, for no reason that a crash explains.
        case damage(OperationLog.Position)

        /// Where the next record would stand.
        package var position: OperationLog.Position {
            switch self {
            case .end(let position), .torn(let position), .damage(let position): position
            }
        }

        /// Whether nothing is wrong with the log.
        package var isSound: Bool { if case .damage = self { false } else { true } }
    }

    package let log: OperationLog
    /// The bytes of each segment by its number.
    package private(set) var segments: [Int: [UInt8]] = [:]
    /// The segments that are not as their files have them any more.
    package private(set) var changed: Set<Int> = []

    /// Reads all segments of `device` below `oplog`. What is no file, or cannot be read, counts as one without bytes.
    package init(oplog: String, device: DeviceID) throws {
        log = OperationLog(oplog: oplog, device: device)
        guard try FileSystem.status(log.folder)?.isFolder == true else { return }
        for name in try FileSystem.list(log.folder) {
            guard let number = Int(name.prefix { $0 != "." }), number > 0, log.path(number) == log.folder + "/" + name
            else { continue }
            segments[number] = try Self.bytes(of: log.path(number))
        }
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        do throws(SystemError) {
            let file = try FileSystem.openForReading(path)
            let status = try FileSystem.status(file)
            guard status.isRegularFile else { return [] }
            // None that was written is longer.
            return try FileSystem.read(
                file, at: 0, count: min(status.size, OperationLog.segmentSize + RecordFrame.longest))
        } catch {
            if error.isNoFile || error.isFolder || error.isUnreadable { return [] }
            throw error
        }
    }

    package var device: DeviceID { log.device }

    /// The number of the last segment; 0 where there is none.
    package var lastSegment: Int { segments.keys.max() ?? 0 }

    // MARK: Reading

    /// The records that follow one another from the first one on, and where that ends.
    package func read() -> (entries: [OperationLog.Entry], stop: Stop) {
        var entries: [OperationLog.Entry] = []
        var position = OperationLog.start
        while true {
            let (entry, stop) = read(at: position, after: entries.last)
            guard let entry else { return (entries, stop) }
            entries.append(entry)
            position = OperationLog.next(after: entry.end)
        }
    }

    /// The record at `position` where it is the one that comes after `before`.
    private func read(
        at position: OperationLog.Position, after before: OperationLog.Entry?
    ) -> (OperationLog.Entry?, Stop) {
        let hasMore = lastSegment > position.segment
        if let before, before.end.segment < position.segment,
            segments[before.end.segment]?.count ?? 0 > before.end.offset
        {
            // A full segment that goes on after its last record.
            return (nil, segments[position.segment] == nil ? .torn(before.end) : .damage(before.end))
        }
        guard let bytes = segments[position.segment] else { return (nil, hasMore ? .damage(position) : .end(position)) }
        let header = log.header
        guard bytes.starts(with: header) else {
            let isTorn = bytes.allSatisfy { $0 == 0 } || (bytes.count < header.count && header.starts(with: bytes))
            return (nil, isTorn && !hasMore ? .torn(position) : .damage(position))
        }
        switch RecordFrame.read(bytes, at: position.offset) {
        case .record(let frame, let end):
            let previous = before.map { RecordFrame.check(of: $0.bytes) } ?? RecordFrame.noCheck
            guard frame.sequence == (before?.sequence ?? 0) + 1, frame.previous == previous else {
                return (nil, .damage(position))
            }
            return (
                .init(
                    position: position, end: .init(segment: position.segment, offset: end), sequence: frame.sequence,
                    bytes: Array(bytes[position.offset..<end]), payload: frame.payload, previous: frame.previous),
                .end(position)
            )
        case .end: return (nil, hasMore ? .damage(position) : .end(position))
        case .torn:
            let isDamage =
                hasMore || RecordFrame.isOneWhole(in: bytes, behind: position.offset, after: before?.sequence ?? 0)
            return (nil, isDamage ? .damage(position) : .torn(position))
        case .damaged: return (nil, .damage(position))
        }
    }

    /// The whole records with a later sequence number than `sequence` that stand behind `position`, by that number.
    package func fragments(behind position: OperationLog.Position, after sequence: Int) -> [Int: RecordFrame] {
        var found: [Int: RecordFrame] = [:]
        for (number, bytes) in segments.sorted(by: { $0.key < $1.key }) where number >= position.segment {
            var offset = number == position.segment ? position.offset : OperationLog.headerLength
            // What is hostile can look like the beginning of a record everywhere.
            var budget = 1 << 28
            while offset < bytes.count, budget > 0 {
                if let frame = RecordFrame.plausible(bytes, at: offset, after: sequence, budget: &budget) {
                    found[frame.sequence] = frame
                    offset += frame.length
                } else {
                    offset += 1
                }
            }
        }
        return found
    }

    // MARK: Changing

    /// Puts `record` at `position`, over what stands there.
    ///
    /// - Parameter isLast: whether nothing may stand behind it.
    package mutating func put(_ record: [UInt8], at position: OperationLog.Position, isLast: Bool) {
        var bytes = segments[position.segment] ?? []
        let (start, end) = (position.offset, position.offset + record.count)
        if bytes.count < start { bytes += [UInt8](repeating: 0, count: start - bytes.count) }
        bytes.replaceSubrange(0..<OperationLog.headerLength, with: log.header)
        let rest = isLast ? [] : bytes.dropFirst(end)
        segments[position.segment] = bytes[..<start] + record + rest
        changed.insert(position.segment)
    }

    /// Takes away everything from `position` on. A segment that is left without a record is taken away as a whole.
    package mutating func cut(at position: OperationLog.Position) {
        for number in segments.keys where number > position.segment { remove(number) }
        guard let bytes = segments[position.segment] else { return }
        if position.offset <= OperationLog.headerLength { return remove(position.segment) }
        guard bytes.count > position.offset else { return }
        segments[position.segment] = Array(bytes[..<position.offset])
        changed.insert(position.segment)
    }

    private mutating func remove(_ number: Int) {
        segments[number] = nil
        changed.insert(number)
    }

    // MARK: Mending

    /// Mends what is wrong at the place where reading stops, if one byte is, or what can be told otherwise. Returns whether
    /// it did.
    ///
    /// The record's check, 8 bytes of a SHA-256, proves that it is what was written; or the same 8 bytes in the record
    /// after it do.
    package mutating func mend(at position: OperationLog.Position, after before: OperationLog.Entry?) -> Bool {
        guard var bytes = segments[position.segment], bytes.count >= OperationLog.headerLength else { return false }
        let isHeaderWhole = bytes.starts(with: log.header)
        bytes.replaceSubrange(0..<OperationLog.headerLength, with: log.header)
        let previous = before.map { RecordFrame.check(of: $0.bytes) } ?? RecordFrame.noCheck
        let sequence = (before?.sequence ?? 0) + 1
        if !isHeaderWhole, case .record(let frame, let end) = RecordFrame.read(bytes, at: position.offset),
            frame.sequence == sequence, frame.previous == previous
        {
            put(Array(bytes[position.offset..<end]), at: position, isLast: false)
            return true
        }
        guard
            let record = RecordMending(bytes, at: position.offset, sequence: sequence, previous: previous).mended()
        else { return false }
        put(record, at: position, isLast: false)
        return true
    }
}
