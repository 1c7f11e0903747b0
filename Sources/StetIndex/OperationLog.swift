package import StetObjects

/// The append-only log of one device: `oplog/<device>/00000001.log` and so on, each beginning with a header.
///
/// Written only by the holder of the store's lock. Appending does not sync: the index holds every record until a flush
/// has synced the log (invariant 3).
package struct OperationLog: Sendable {
    /// Where a record stands.
    package struct Position: Comparable, Sendable {
        package var segment: Int
        package var offset: Int

        package init(segment: Int, offset: Int) {
            self.segment = segment
            self.offset = offset
        }

        package static func < (left: Position, right: Position) -> Bool {
            (left.segment, left.offset) < (right.segment, right.offset)
        }
    }

    package let device: DeviceID
    package let folder: String

    private static let magic = Array("stetlog1".utf8)
    static let headerLength = magic.count + DeviceID.byteCount
    /// A record that would begin past this goes into the next segment. Small enough to be read whole.
    static let segmentSize = 1 << 20

    /// The log of `device` below `oplog`, the store's folder of that name.
    package init(oplog: String, device: DeviceID) {
        self.device = device
        folder = oplog + "/" + device.description
    }

    /// Where a segment stands.
    package func path(_ segment: Int) -> String {
        let digits = String(segment)
        return folder + "/" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits + ".log"
    }

    /// What each segment begins with.
    var header: [UInt8] { Self.magic + device.bytes }

    // MARK: Writing

    /// Where the record after one that ends at `end` stands.
    package static func next(after end: Position) -> Position {
        end.offset < segmentSize ? end : Position(segment: end.segment + 1, offset: headerLength)
    }

    /// Where the first record stands.
    package static var start: Position { Position(segment: 1, offset: headerLength) }

    /// Writes a record at `position`, where the log ends.
    package func append(_ record: [UInt8], at position: Position) throws(SystemError) {
        if position == Self.start { try FileSystem.makeFolder(folder) }
        let file = try FileSystem.openForAppending(path(position.segment))
        var bytes = record
        var offset = position.offset
        if offset == Self.headerLength {
            bytes = header + record
            offset = 0
        }
        do throws(SystemError) {
            try FileSystem.write(file, at: offset, bytes)
        } catch {
            // Half a record would be taken for one cut by a crash, which it is; but cut it now while it is known.
            try? FileSystem.truncate(file, to: offset)
            throw error
        }
    }

    /// Cuts everything from `position` on: an append that was cut short.
    package func cut(at position: Position) throws(SystemError) {
        try FileSystem.truncate(FileSystem.openForAppending(path(position.segment)), to: position.offset)
    }

    /// Puts records at `position`, over what follows there, so that they last: all of them or none, whenever it is stopped.
    ///
    /// - Parameter spare: where the segment is written first, in the same file system.
    /// - Throws: `LogDamage` where the log is shorter; `SystemError`.
    func extend(at position: Position, with records: [UInt8], spare: String) throws {
        var bytes = header
        if position.offset > Self.headerLength {
            bytes = try read(at: .init(segment: position.segment, offset: 0), count: position.offset)
            guard bytes.count == position.offset else {
                throw LogDamage(path: path(position.segment), offset: bytes.count)
            }
        }
        // What an interrupted call left.
        try FileSystem.remove(spare)
        let file = try FileSystem.createExclusively(spare, mode: 0o600)
        try FileSystem.write(file, at: 0, bytes + records)
        try FileSystem.sync(file)
        try FileSystem.rename(spare, to: path(position.segment))
        try FileSystem.syncFolder(folder)
    }

    /// Makes a segment and the names of the segments survive power loss.
    package func sync(segment: Int) throws(SystemError) {
        // Opened for reading: one that is gone must not be made, empty, and then be taken for synced.
        try FileSystem.sync(FileSystem.openForReading(path(segment)))
        try FileSystem.syncFolder(folder)
    }

    /// Makes a segment that somebody else wrote, and its name, survive power loss, even where his sync failed.
    func renew(segment: Int) throws(SystemError) {
        try FileSystem.renew(path(segment))
        try FileSystem.syncFolder(folder)
    }

    /// Does so for all segments of all devices below `oplog`.
    package static func renewAll(in oplog: String) throws(SystemError) {
        for device in try devices(in: oplog) {
            let log = OperationLog(oplog: oplog, device: device)
            for segment in stride(from: 1, through: try log.lastSegment(), by: 1) { try log.renew(segment: segment) }
        }
    }

    // MARK: Reading

    /// The devices that have a log below `oplog`; none where it is gone, which is damage and no failure of the system.
    package static func devices(in oplog: String) throws(SystemError) -> [DeviceID] {
        guard try FileSystem.status(oplog) != nil else { return [] }
        return try FileSystem.list(oplog).compactMap { DeviceID($0) }
    }

    /// The size of a segment's file, or nil where there is none.
    package func size(ofSegment segment: Int) throws(SystemError) -> Int? { try FileSystem.status(path(segment))?.size }

    /// Reads `count` bytes at `position`; fewer where the log ends before.
    package func read(at position: Position, count: Int) throws(SystemError) -> [UInt8] {
        try FileSystem.read(FileSystem.openForReading(path(position.segment)), at: position.offset, count: count)
    }

    /// Whether the log has `record` where it belongs.
    ///
    /// - Throws: `LogDamage` where another record stands there, or the log ends before it.
    package func holds(_ record: StoreIndex.HeldRecord) throws -> Bool {
        let position = record.position
        let size = try size(ofSegment: position.segment) ?? 0
        let begins = position.offset == Self.headerLength ? 0 : position.offset
        guard size >= begins else { throw LogDamage(path: path(position.segment), offset: size) }
        if size < position.offset { return false }
        let there = try read(at: position, count: record.bytes.count)
        if there == record.bytes { return true }
        if case .record = RecordFrame.read(there, at: 0) {
            throw LogDamage(path: path(position.segment), offset: position.offset)
        }
        return false
    }

    /// A whole record with its place.
    package struct Entry: Equatable, Sendable {
        package var position: Position
        package var end: Position
        package var sequence: Int
        package var bytes: [UInt8]
        package var payload: [UInt8]
        package var previous: [UInt8]
    }

    /// Reads the records from `start` on and hands each to `body`. Returns where the whole ones end, and whether
    /// something that was cut short follows.
    ///
    /// - Throws: `LogDamage` where bytes stand that no interrupted append explains.
    @discardableResult
    package func scan(
        from start: Position, _ body: (Entry) throws -> Void
    ) throws -> (end: Position, isTorn: Bool) {
        var position = start
        while true {
            guard let log = try whole(segment: position.segment) else { return (position, false) }
            let (end, isTorn) = try scan(segment: log, from: position, body)
            let next = Position(segment: position.segment + 1, offset: Self.headerLength)
            let hasNext = try self.size(ofSegment: next.segment) != nil
            if isTorn, hasNext { throw LogDamage(path: path(position.segment), offset: end.offset) }
            if isTorn || !hasNext { return (end, isTorn) }
            position = next
        }
    }

    /// The number of the newest segment; 0 where there is none.
    package func lastSegment() throws(SystemError) -> Int {
        guard try FileSystem.status(folder) != nil else { return 0 }
        // Somebody may have put a copy beside a segment.
        return try FileSystem.list(folder).compactMap { name in
            Int(name.prefix { $0 != "." }).flatMap { $0 > 0 && path($0) == folder + "/" + name ? $0 : nil }
        }.max() ?? 0
    }

    /// The newest whole record, or nil where there is none. Reads the last segment, and more only where that was just begun.
    package func newestEntry() throws -> Entry? {
        var newest: Entry?
        var segment = try lastSegment()
        while newest == nil, segment > 0 {
            try scanSegment(segment) { newest = $0 }
            segment -= 1
        }
        return newest
    }

    /// Whether a whole record of a later number than `sequence` stands anywhere from `start` on.
    func hasRecord(from start: Position, after sequence: Int) throws -> Bool {
        var position = start
        while let log = try whole(segment: position.segment) {
            if RecordFrame.isOneWhole(in: log, behind: position.offset - 1, after: sequence) { return true }
            position = Position(segment: position.segment + 1, offset: Self.headerLength)
        }
        return false
    }

    /// Hands the whole records of one segment to `body`: all of them, or those that stand before `end` in it.
    package func scanSegment(_ segment: Int, before end: Int = .max, _ body: (Entry) throws -> Void) throws {
        guard var log = try whole(segment: segment) else { return }
        log.removeLast(max(0, log.count - end))
        _ = try scan(segment: log, from: Position(segment: segment, offset: Self.headerLength), body)
    }

    /// All bytes of a segment, or nil where there is none.
    ///
    /// - Throws: `LogDamage` where it is longer than any that was written: a file may claim a length that no memory holds.
    private func whole(segment: Int) throws -> [UInt8]? {
        guard let size = try size(ofSegment: segment) else { return nil }
        let longest = Self.segmentSize + RecordFrame.longest
        guard size <= longest else { throw LogDamage(path: path(segment), offset: longest) }
        return try read(at: Position(segment: segment, offset: 0), count: size)
    }

    private func scan(
        segment log: [UInt8], from start: Position, _ body: (Entry) throws -> Void
    ) throws -> (end: Position, isTorn: Bool) {
        let header = self.header
        // Behind the first record it does not matter: where a crash took it, the index holds that record, and writes both.
        guard start.offset > Self.headerLength || log.starts(with: header) else {
            // A crash can leave a file that has a name and no bytes, or fewer, or zeros.
            let isTorn = log.allSatisfy { $0 == 0 } || (log.count < header.count && header.starts(with: log))
            guard isTorn else { throw LogDamage(path: path(start.segment), offset: 0) }
            return (start, true)
        }
        var position = start
        var sequence = 0
        while true {
            switch RecordFrame.read(log, at: position.offset) {
            case .record(let frame, let end):
                let after = Position(segment: position.segment, offset: end)
                try body(
                    Entry(
                        position: position, end: after, sequence: frame.sequence,
                        bytes: Array(log[position.offset..<end]), payload: frame.payload, previous: frame.previous))
                position = after
                sequence = frame.sequence
            case .end: return (position, false)
            case .torn:
                // A wrong length makes a record in the middle look as if it were cut short.
                guard !RecordFrame.isOneWhole(in: log, behind: position.offset, after: sequence) else {
                    throw LogDamage(path: path(position.segment), offset: position.offset)
                }
                return (position, true)
            case .damaged: throw LogDamage(path: path(position.segment), offset: position.offset)
            }
        }
    }
}

/// A place in the operation log that no crash explains.
public struct LogDamage: Error, Equatable, Sendable, CustomStringConvertible {
    /// The segment.
    public let path: String
    /// Where in it, in bytes.
    public let offset: Int

    /// One line.
    public var description: String { "the operation log is damaged: \(path) at byte \(offset)" }
}
