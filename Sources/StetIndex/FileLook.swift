package import StetObjects

/// How a file looked at some moment: enough to tell later, without reading it, that it still holds the same text.
package struct FileLook: Equatable, Sendable {
    package var size: Int
    package var inode: UInt64
    package var modified: Int64
    package var changed: Int64
    /// The moment of the look, in nanoseconds since 1970.
    package var seen: Int64

    /// How a file of `status` looked at `seen`.
    package init(_ status: FileStatus, seen: Int64) {
        size = status.size
        inode = status.inode
        modified = status.modified
        changed = status.changed
        self.seen = seen
    }

    /// Whether a file of `status` looks the same.
    package func isSame(as status: FileStatus) -> Bool {
        inode == status.inode && size == status.size && modified == status.modified && changed == status.changed
    }

    /// Whether two looks so alike mean the same text: not where the file had been changed so short a time before that a
    /// second change could have the same times, nor where the clock was set back since.
    package var isTrusted: Bool {
        // The numbers come from the index, and sums with them could overflow.
        let (limit, overflow) = seen.subtractingReportingOverflow(2_000_000_000)
        return !overflow && max(modified, changed) < limit
    }

    /// The number of bytes it is stored in.
    static let byteCount = 40

    /// The look stored at `start`.
    init(_ start: UnsafeRawPointer) {
        func integer(_ position: Int) -> Int64 {
            Int64(littleEndian: start.loadUnaligned(fromByteOffset: 8 * position, as: Int64.self))
        }
        size = Int(integer(0))
        inode = UInt64(bitPattern: integer(1))
        modified = integer(2)
        changed = integer(3)
        seen = integer(4)
    }

    /// The bytes it is stored as.
    var bytes: [UInt8] {
        [Int64(size), Int64(bitPattern: inode), modified, changed, seen].flatMap { integer in
            withUnsafeBytes(of: integer.littleEndian) { Array($0) }
        }
    }
}

/// What an operation that is committed still has to do to a file of the user's, or what one that is not has left there.
package struct FileStep: Equatable, Sendable {
    package enum Kind: Int, Sendable {
        /// Put a text in the place of another one, or where no file is.
        case write = 1
        /// Give a file or folder another name.
        case move = 2
        /// Take a file away.
        case remove = 3
        /// Write a text beside a file, for an operation that is not committed yet.
        case prepare = 4
    }

    package var kind: Kind
    /// The note's ordinal; nil where a folder is moved.
    package var note: Int?
    package var name: NoteName
    /// The new name of a move.
    package var target: NoteName?
    /// The inode of what is moved.
    package var inode: UInt64?
    /// The name in the same folder as `name` that is used on the way.
    package var spare: String
    /// The text that the file holds before; nil: there is no file.
    package var old: ObjectID?
    /// The text that the file holds afterwards; nil: there is no file.
    package var new: ObjectID?

    /// A name for a file on the way to its place, or away from it. Hidden, so that no scan takes it for a note.
    package static func spareName() -> String { ".stet-\(Hex.encode(randomBytes(8))).tmp" }

    /// Whether `name` is one that `spareName` gives.
    static func isSpareName(_ name: String) -> Bool {
        name.utf8.count == 26 && name.hasPrefix(".stet-") && name.hasSuffix(".tmp")
            && Hex.decode(name.dropFirst(6).dropLast(4)) != nil
    }

    package init(
        _ kind: Kind, note: Int?, name: NoteName, target: NoteName? = nil, inode: UInt64? = nil, spare: String,
        old: ObjectID?, new: ObjectID?
    ) {
        self.kind = kind
        self.note = note
        self.name = name
        self.target = target
        self.inode = inode
        self.spare = spare
        self.old = old
        self.new = new
    }
}

/// The live notes and what is known of their files, as one block of memory: there can be very many, and a scan looks at
/// all of them.
package struct KnownFiles: Sendable {
    package struct Row: Sendable {
        /// The note's ordinal.
        package var note: Int
        /// Where its name stands in `names`.
        package var name: Range<Int>
        package var head: Int
        /// The version whose text the file held when it looked like `look`; 0 where nothing is known.
        package var version: Int
        package var look: FileLook?
    }

    package var rows: [Row] = []
    package var names: [UInt8] = []

    /// The name of `row`.
    package func name(_ row: Row) -> NoteName { NoteName(stored: Array(names[row.name])) }
}
