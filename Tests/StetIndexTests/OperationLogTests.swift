import StetObjects
import Testing
import TestSupport

@testable import StetIndex

/// The log of one device in a folder of a test's own, and what was appended to it.
private final class LogFixture {
    let temporary: TemporaryFolder
    let log: OperationLog
    private(set) var records: [(position: OperationLog.Position, bytes: [UInt8])] = []
    private(set) var end = OperationLog.start

    init() throws {
        temporary = try TemporaryFolder()
        let device = try #require(DeviceID(bytes: [1, 2, 3, 4, 5, 6, 7, 8]))
        log = OperationLog(oplog: temporary.path, device: device)
    }

    func append(payload: [UInt8]) throws {
        let previous = records.last.map { RecordFrame.check(of: $0.bytes) } ?? RecordFrame.noCheck
        let record = RecordFrame(sequence: records.count + 1, previous: previous, payload: payload).bytes
        let position = OperationLog.next(after: end)
        try log.append(record, at: position)
        records.append((position, record))
        end = .init(segment: position.segment, offset: position.offset + record.count)
    }

    func expectAll(sourceLocation: SourceLocation = #_sourceLocation) throws {
        var found: [OperationLog.Entry] = []
        let (reached, isTorn) = try log.scan(from: OperationLog.start) { found.append($0) }
        #expect(reached == end, sourceLocation: sourceLocation)
        #expect(!isTorn, sourceLocation: sourceLocation)
        #expect(found.map(\.bytes) == records.map(\.bytes), sourceLocation: sourceLocation)
        #expect(found.map(\.position) == records.map(\.position), sourceLocation: sourceLocation)
        #expect(found.map(\.sequence) == Array(1...records.count), sourceLocation: sourceLocation)
    }
}

@Test func logGoesOnOverTheBoundariesOfSegments() throws {
    let fixture = try LogFixture()
    // Records of about a third of a segment: several segments, with boundaries in different places.
    for number in 0..<12 {
        try fixture.append(payload: [UInt8](repeating: UInt8(number), count: 350_000 + number * 1_000))
    }
    #expect(fixture.records.last?.position.segment == 4)
    try fixture.expectAll()
    #expect(try fixture.log.lastSegment() == 4)
    #expect(
        try Files.list(fixture.log.folder) == ["00000001.log", "00000002.log", "00000003.log", "00000004.log"])
    for segment in 1...4 {
        let bytes = try Files.bytes(at: fixture.log.path(segment))
        #expect(bytes.starts(with: Array("stetlog1".utf8) + [1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(try Files.permissions(of: fixture.log.path(segment)) == 0o600)
    }
    #expect(try Files.permissions(of: fixture.log.folder) == 0o700)
    // From any record on it is read as from the first.
    for (count, record) in fixture.records.enumerated() {
        var found = 0
        _ = try fixture.log.scan(from: record.position) { _ in found += 1 }
        #expect(found == fixture.records.count - count)
    }
}

// docs/format.md: a record that would begin at or past byte 1,048,576 stands in the next segment.
@Test func recordStandsInTheNextSegmentOnlyWhenItWouldBeginPastTheLimit() throws {
    let fixture = try LogFixture()
    let frameSize = 28
    try fixture.append(payload: [UInt8](repeating: 1, count: (1 << 20) - 16 - frameSize - 1))
    #expect(fixture.end.offset == (1 << 20) - 1)
    try fixture.append(payload: [2])
    #expect(fixture.records[1].position == .init(segment: 1, offset: (1 << 20) - 1))
    try fixture.append(payload: [3])
    #expect(fixture.records[2].position == .init(segment: 2, offset: 16))
    try fixture.expectAll()
}

@Test func logCutInItsLastRecordIsTornThereAndGoesOnAfterTheCut() throws {
    let fixture = try LogFixture()
    for text in ["one", "two", "three"] { try fixture.append(payload: bytes(text)) }
    let path = fixture.log.path(1)
    let whole = try Files.bytes(at: path)
    let last = fixture.records[2]
    for length in last.position.offset + 1..<whole.count {
        try Files.overwrite(path, with: Array(whole.prefix(length)))
        var found = 0
        let (end, isTorn) = try fixture.log.scan(from: OperationLog.start) { _ in found += 1 }
        #expect(isTorn)
        #expect(end == last.position)
        #expect(found == 2)
        try fixture.log.cut(at: end)
        try fixture.log.append(last.bytes, at: last.position)
        try fixture.expectAll()
    }
}

@Test func logCutInItsHeaderIsTornAtTheBeginning() throws {
    let fixture = try LogFixture()
    try fixture.append(payload: bytes("one"))
    let whole = try Files.bytes(at: fixture.log.path(1))
    for length in 0..<16 {
        for zeros in [0, 16 - length, 100] {
            let start = Array(whole.prefix(length))
            if zeros > 0, length > 0 { continue }
            try Files.overwrite(fixture.log.path(1), with: start + [UInt8](repeating: 0, count: zeros))
            let (end, isTorn) = try fixture.log.scan(from: OperationLog.start) { _ in Issue.record("a record") }
            #expect(isTorn)
            #expect(end == OperationLog.start)
        }
    }
    try Files.overwrite(fixture.log.path(1), with: bytes("something else entirely"))
    #expect(throws: LogDamage(path: fixture.log.path(1), offset: 0)) {
        try fixture.log.scan(from: OperationLog.start) { _ in }
    }
}

@Test func tornRecordBeforeAnotherSegmentIsDamage() throws {
    let fixture = try LogFixture()
    for number in 0..<5 { try fixture.append(payload: [UInt8](repeating: UInt8(number), count: 400_000)) }
    let path = fixture.log.path(1)
    try Files.modify(path) { $0.removeLast() }
    #expect(throws: LogDamage.self) { try fixture.log.scan(from: OperationLog.start) { _ in } }
}

@Test func flippedByteInTheMiddleOfALogIsDamageWhereItStands() throws {
    let fixture = try LogFixture()
    for text in ["one", "two", "three"] { try fixture.append(payload: bytes(text)) }
    let second = fixture.records[1]
    try Files.flipBit(fixture.log.path(1), at: second.position.offset + 21)
    #expect(throws: LogDamage(path: fixture.log.path(1), offset: second.position.offset)) {
        try fixture.log.scan(from: OperationLog.start) { _ in }
    }
}

@Test func logThatIsNotThereIsEmpty() throws {
    let fixture = try LogFixture()
    let (end, isTorn) = try fixture.log.scan(from: OperationLog.start) { _ in Issue.record("a record") }
    #expect(end == OperationLog.start)
    #expect(!isTorn)
    #expect(try fixture.log.lastSegment() == 0)
    #expect(try OperationLog.devices(in: fixture.temporary.path).isEmpty)
    try fixture.append(payload: [])
    try Files.overwrite(fixture.temporary.appending("README"), with: [])
    #expect(try OperationLog.devices(in: fixture.temporary.path) == [fixture.log.device])
}

// A length that is wrong makes a record in the middle look as if it were cut short, and what was cut would be lost.
@Test func recordWhoseLengthIsTooGreatIsDamageWhereOthersFollow() throws {
    let fixture = try LogFixture()
    for number in 0..<4 { try fixture.append(payload: [UInt8](repeating: UInt8(number), count: 40)) }
    let path = fixture.log.path(1)
    for (position, _) in fixture.records.dropLast() {
        let whole = try Files.bytes(at: path)
        var harmed = whole
        harmed[position.offset + 1] = 200
        try Files.overwrite(path, with: harmed)
        #expect(throws: LogDamage(path: path, offset: position.offset)) {
            try fixture.log.scan(from: OperationLog.start) { _ in }
        }
        try Files.overwrite(path, with: whole)
    }
    try fixture.expectAll()
}

// The file takes no room and claims more than memory holds.
@Test func segmentLongerThanAnyThatWasWrittenIsDamage() throws {
    let fixture = try LogFixture()
    try fixture.append(payload: [1, 2, 3])
    try FileSystem.truncate(FileSystem.openForAppending(fixture.log.path(1)), to: 1 << 40)
    #expect(throws: LogDamage.self) { try fixture.log.scan(from: OperationLog.start) { _ in } }
    #expect(throws: LogDamage.self) { try fixture.log.scanSegment(1) { _ in } }
}
