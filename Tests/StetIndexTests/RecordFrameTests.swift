import StetObjects
import Testing
import TestSupport

@testable import StetIndex

private func frame(_ payload: [UInt8], sequence: Int = 7) -> RecordFrame {
    RecordFrame(sequence: sequence, previous: [1, 2, 3, 4, 5, 6, 7, 8], payload: payload)
}

@Test(arguments: [0, 1, 20, 127, 128, 70_000])
func recordIsReadBackAsItWas(length: Int) {
    for sequence in [0, 1, 255, 256, Int.max] {
        let record = frame([UInt8](repeating: 0xA5, count: length), sequence: sequence)
        let bytes = record.bytes
        #expect(RecordFrame.read(bytes, at: 0) == .record(record, end: bytes.count))
        #expect(RecordFrame.read([9, 9, 9] + bytes + [0], at: 3) == .record(record, end: 3 + bytes.count))
        #expect(RecordFrame.check(of: bytes) == Array(SHA256.digest(of: Array(bytes.dropLast(8))).prefix(8)))
    }
}

// Invariant 3: no bit of a record can change unseen, whether it is the last one or others follow.
@Test func everyFlippedBitOfARecordIsNoticed() {
    let record = frame(bytes("some payload of a record"))
    let whole = record.bytes
    let follower = frame([1, 2, 3], sequence: 8).bytes
    for position in whole.indices {
        for bit in 0..<8 {
            var flipped = whole
            flipped[position] ^= 1 << UInt8(bit)
            if case .record = RecordFrame.read(flipped, at: 0) { Issue.record("bit \(bit) of byte \(position)") }
            let reading = RecordFrame.read(flipped + follower, at: 0)
            if case .record = reading { Issue.record("bit \(bit) of byte \(position), followed") }
            // Past the length, a wrong byte in the middle of a log is damage and nothing to be cut.
            if position >= 4 { #expect(reading == .damaged) }
        }
    }
}

@Test func recordThatIsCutAnywhereIsTorn() {
    let whole = frame(bytes("some payload")).bytes
    #expect(RecordFrame.read([], at: 0) == .end)
    #expect(RecordFrame.read(whole, at: whole.count) == .end)
    for length in 1..<whole.count { #expect(RecordFrame.read(Array(whole.prefix(length)), at: 0) == .torn) }
}

@Test func zerosAfterTheLastRecordAreTorn() {
    let whole = frame(bytes("some payload")).bytes
    for count in [1, 7, 19, 20, 27, 28, 29, 100, 5_000] {
        let log = whole + [UInt8](repeating: 0, count: count)
        #expect(RecordFrame.read(log, at: whole.count) == .torn)
    }
}

// A file can grow before its bytes are written: the beginning is there and zeros follow, or zeros only.
@Test func recordWhoseEndIsZerosIsTorn() {
    let whole = frame(bytes("some payload")).bytes
    for length in 0..<whole.count - 8 {
        // Where several records were written at once, the zeros go on.
        for more in [0, 1, 28, 5_000] {
            let log = Array(whole.prefix(length)) + [UInt8](repeating: 0, count: whole.count - length + more)
            #expect(RecordFrame.read(log, at: 0) == .torn)
        }
    }
}

@Test func lengthThatNoRecordHasIsDamage() {
    var bytes = frame(bytes("some payload")).bytes
    bytes[3] = 0xFF
    #expect(RecordFrame.read(bytes, at: 0) == .damaged)
}
