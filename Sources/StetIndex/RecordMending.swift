internal import StetObjects

/// Finds what a damaged record was: by trial of every value for every byte, and by what the records beside it say of it.
struct RecordMending {
    private let log: [UInt8]
    private let start: Int
    private let sequence: Int
    private let previous: [UInt8]

    /// Longer records are not tried: the time grows with the square of the length.
    private static let longest = 4 << 10

    /// The record that should stand at `start` of `log`, with this number, after the record with the check `previous`.
    init(_ log: [UInt8], at start: Int, sequence: Int, previous: [UInt8]) {
        self.log = log
        self.start = start
        self.sequence = sequence
        self.previous = previous
    }

    /// The record as it was, or nil where that cannot be proved.
    func mended() -> [UInt8]? {
        guard log.count - start >= RecordFrame.headerLength + RecordFrame.checkLength else { return nil }
        let length = integer(at: start)
        if let record = whole(length: length) ?? withOneByteChanged(length: length) { return record }
        // One byte of the length itself.
        for position in 0..<4 {
            for value in 0..<256 {
                let other = length & ~(0xFF << (8 * position)) | value << (8 * position)
                if other != length, let record = whole(length: other) { return record }
            }
        }
        return nil
    }

    private func integer(at offset: Int) -> Int {
        log[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Where a record with a payload of `length` bytes would end, if that is in the log.
    private func end(length: Int) -> Int? {
        let end = start + RecordFrame.headerLength + length + RecordFrame.checkLength
        return end <= log.count ? end : nil
    }

    private func frame(length: Int) -> [UInt8] {
        let payload = start + RecordFrame.headerLength
        return RecordFrame(sequence: sequence, previous: previous, payload: Array(log[payload..<payload + length]))
            .bytes
    }

    /// The record with this payload, where its own check or the record after it proves it: then at most what is known
    /// anyway, number and checks, was damaged.
    private func whole(length: Int) -> [UInt8]? {
        guard let end = end(length: length) else { return nil }
        let record = frame(length: length)
        let check = RecordFrame.check(of: record)
        // The other seven bytes of a check with a damaged one are proof enough.
        if zip(log[end - RecordFrame.checkLength..<end], check).count(where: !=) <= 1 { return record }
        guard case .record(let next, _) = RecordFrame.read(log, at: end), next.previous == check,
            next.sequence == sequence + 1
        else { return nil }
        return record
    }

    private func withOneByteChanged(length: Int) -> [UInt8]? {
        guard length <= Self.longest, let end = end(length: length) else { return nil }
        var record = frame(length: length)
        let bodyEnd = record.count - RecordFrame.checkLength
        let check = log[end - RecordFrame.checkLength..<end]
        var before = SHA256()
        before.update(Array(record[..<RecordFrame.headerLength]))
        for position in RecordFrame.headerLength..<bodyEnd {
            let value = record[position]
            for other in UInt8.min...UInt8.max where other != value {
                record[position] = other
                var hash = before
                record.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[position..<bodyEnd])) }
                if hash.digest().starts(with: check) { return Array(record[..<bodyEnd]) + check }
            }
            record[position] = value
            before.update([value])
        }
        return nil
    }
}

extension RecordFrame {
    /// Its length in the log.
    var length: Int { Self.headerLength + payload.count + Self.checkLength }

    /// The whole record at `offset` whose number comes after `sequence`; nil where none is.
    ///
    /// - Parameter budget: how many bytes may still be hashed.
    static func plausible(_ log: [UInt8], at offset: Int, after sequence: Int, budget: inout Int) -> RecordFrame? {
        let rest = log.count - offset
        guard rest >= headerLength + checkLength else { return nil }
        func number(_ range: Range<Int>) -> Int {
            Int(truncatingIfNeeded: log[range].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        let length = number(offset..<offset + 4)
        guard length <= rest - headerLength - checkLength, number(offset + 4..<offset + 12) > sequence else {
            return nil
        }
        budget -= length
        guard case .record(let frame, _) = read(log, at: offset) else { return nil }
        return frame
    }
}
