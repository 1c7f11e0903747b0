internal import StetObjects

/// A record as it stands in the log:
///
///     length    4 bytes, little endian: of the payload
///     sequence  8 bytes, little endian: 1, 2, 3, … on this device
///     previous  8 bytes: the check of the record before, zeros for the device's first
///     payload
///     check     8 bytes: the first of the SHA-256 of all the above
///
/// The chain of checks makes a record that was taken out, exchanged or put in show.
package struct RecordFrame: Equatable, Sendable {
    package static let checkLength = 8
    static let headerLength = 4 + 8 + checkLength
    /// No record is longer: a rename of a folder of a hundred thousand notes fits.
    static let maximumPayload = 1 << 26
    static let longest = headerLength + maximumPayload + checkLength

    /// What a device's first record has for the check of the one before.
    package static let noCheck = [UInt8](repeating: 0, count: checkLength)

    package var sequence: Int
    package var previous: [UInt8]
    package var payload: [UInt8]

    package init(sequence: Int, previous: [UInt8], payload: [UInt8]) {
        self.sequence = sequence
        self.previous = previous
        self.payload = payload
    }

    /// The bytes of the record.
    package var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(Self.headerLength + payload.count + Self.checkLength)
        for shift in stride(from: 0, to: 32, by: 8) {
            result.append(UInt8(truncatingIfNeeded: payload.count >> shift))
        }
        for shift in stride(from: 0, to: 64, by: 8) {
            result.append(UInt8(truncatingIfNeeded: sequence >> shift))
        }
        result += previous
        result += payload
        result += SHA256.digest(of: result).prefix(Self.checkLength)
        return result
    }

    /// The check that ends `record`.
    package static func check(of record: [UInt8]) -> [UInt8] { Array(record.suffix(checkLength)) }

    /// What stands at one place of a log.
    enum Reading: Equatable {
        /// A whole record, and where it ends.
        case record(RecordFrame, end: Int)
        /// The end of the log.
        case end
        /// Less than a whole record and then nothing: an append that was cut short.
        case torn
        /// Bytes that are no record.
        case damaged
    }

    /// Reads the record that begins at `start` of `log`.
    static func read(_ log: [UInt8], at start: Int) -> Reading {
        let rest = log.count - start
        if rest <= 0 { return .end }
        if rest < headerLength { return .torn }
        let length = integer(log[start..<start + 4])
        if length > maximumPayload { return tornOrDamaged(log, from: start) }
        let end = start + headerLength + length + checkLength
        if end > log.count { return .torn }
        let check = log[(end - checkLength)..<end]
        guard SHA256.digest(of: Array(log[start..<end - checkLength])).starts(with: check) else {
            // An append that was cut short can only be the last thing in the log. A file that grew before its bytes
            // were written holds zeros there.
            return tornOrDamaged(log, from: end)
        }
        let frame = RecordFrame(
            sequence: integer(log[start + 4..<start + 12]), previous: Array(log[start + 12..<start + headerLength]),
            payload: Array(log[start + headerLength..<end - checkLength]))
        return .record(frame, end: end)
    }

    private static func tornOrDamaged(_ log: [UInt8], from start: Int) -> Reading {
        log[start...].allSatisfy { $0 == 0 } ? .torn : .damaged
    }

    /// Whether a whole record of a later number than `sequence` stands anywhere behind `start`: then what is at `start` was
    /// not cut short, for an append is the last thing in a log.
    static func isOneWhole(in log: [UInt8], behind start: Int, after sequence: Int) -> Bool {
        // Hostile bytes can look like a record everywhere. After this much hashing they are no interrupted append.
        var budget = 1 << 28
        let shortest = headerLength + checkLength
        var position = start + 1
        while position + shortest <= log.count {
            defer { position += 1 }
            let length = integer(log[position..<position + 4])
            guard length <= min(maximumPayload, log.count - position - shortest),
                integer(log[position + 4..<position + 12]) > sequence
            else { continue }
            budget -= length
            if budget < 0 { return true }
            if case .record = read(log, at: position) { return true }
        }
        return false
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int {
        Int(truncatingIfNeeded: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
