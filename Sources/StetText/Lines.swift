/// A byte buffer seen as lines.
///
/// A line ends after each line feed (0x0A) and the line feed belongs to it; the last line may lack one. Nothing else
/// ends a line: a carriage return is an ordinary byte, so a CRLF line merely ends in CR LF. Bytes are never decoded,
/// which keeps text that is not valid UTF-8 intact.
///
/// Only the offsets are stored; no line is copied.
public struct Lines: RandomAccessCollection, Sendable, Equatable {
    /// The buffer itself.
    public let bytes: [UInt8]

    /// The start of every line, followed by the length of the buffer: one item more than there are lines.
    private let offsets: [Int]

    /// Splits `bytes` into lines, in one pass.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var offsets = [0]
        bytes.withUnsafeBufferPointer { buffer in
            var index = 0
            while index < buffer.count {
                if buffer[index] == lineFeed { offsets.append(index + 1) }
                index += 1
            }
            // A buffer that ends in a line feed has its end recorded already, as has the empty one.
            if let last = buffer.last, last != lineFeed { offsets.append(buffer.count) }
        }
        self.offsets = offsets
    }

    /// The index of the first line: always 0.
    public var startIndex: Int { 0 }

    /// The number of lines.
    ///
    /// An empty buffer has none.
    public var endIndex: Int { offsets.count - 1 }

    /// The bytes of one line, with its line feed where it has one.
    public subscript(position: Int) -> ArraySlice<UInt8> { bytes[byteRange(of: position)] }

    /// Where line `index` lies in ``bytes``, its line feed included.
    public func byteRange(of index: Int) -> Range<Int> { offsets[index]..<offsets[index + 1] }

    /// Whether line `index` ends in a line feed.
    ///
    /// Only the last line can lack it.
    public func hasLineFeed(at index: Int) -> Bool { bytes[offsets[index + 1] - 1] == lineFeed }

    /// Two buffers are equal when their bytes are; the offsets follow from those.
    public static func == (left: Lines, right: Lines) -> Bool { left.bytes == right.bytes }
}

/// The byte that ends a line.
let lineFeed = UInt8(ascii: "\n")
