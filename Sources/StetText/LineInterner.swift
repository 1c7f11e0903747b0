/// Gives equal lines equal small integers ("classes"), so that the search compares integers and never bytes.
///
/// An open-addressing hash table with linear probing, at most half full. The hash is the standard library's `Hasher`,
/// which is keyed anew in each process: no input can be prepared to make its lines collide. Classes are numbered in
/// the order in which lines first occur, so the key has no influence on the result.
struct LineInterner {
    /// The class of each line of the old and of the new side.
    private(set) var old: [Int] = []
    private(set) var new: [Int] = []

    /// How many classes there are; they are numbered from zero.
    private(set) var classCount = 0

    init(old: Lines, new: Lines) {
        old.bytes.withUnsafeBytes { oldBytes in
            new.bytes.withUnsafeBytes { newBytes in
                var table = Table(lineCount: old.count + new.count)
                self.old = Self.classes(of: old, in: oldBytes, table: &table)
                self.new = Self.classes(of: new, in: newBytes, table: &table)
                classCount = table.samples.count
            }
        }
    }

    private static func classes(of lines: Lines, in bytes: UnsafeRawBufferPointer, table: inout Table) -> [Int] {
        var classes: [Int] = []
        classes.reserveCapacity(lines.count)
        for index in 0..<lines.count {
            classes.append(table.intern(UnsafeRawBufferPointer(rebasing: bytes[lines.byteRange(of: index)])))
        }
        return classes
    }
}

/// The hash table.
///
/// It holds pointers into both buffers and so must not outlive the closure that lends them.
private struct Table {
    /// One line of each class.
    private(set) var samples: [UnsafeRawBufferPointer] = []
    private var hashes: [Int] = []
    /// The class in each slot, or -1 in a free one.
    private var slots: [Int]
    private let mask: Int

    init(lineCount: Int) {
        var capacity = 16
        while capacity < 2 * lineCount { capacity *= 2 }
        slots = Array(repeating: -1, count: capacity)
        mask = capacity - 1
    }

    mutating func intern(_ line: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: line)
        let hash = hasher.finalize()
        var slot = hash & mask
        while slots[slot] >= 0 {
            let candidate = slots[slot]
            if hashes[candidate] == hash, Self.areEqual(samples[candidate], line) { return candidate }
            slot = (slot + 1) & mask
        }
        slots[slot] = samples.count
        samples.append(line)
        hashes.append(hash)
        return samples.count - 1
    }

    /// Compares eight bytes at a time: lines are compared once per occurrence, which is most of the interning.
    private static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        var index = 0
        while index + 8 <= left.count {
            let leftWord = left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let rightWord = right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if leftWord != rightWord { return false }
            index += 8
        }
        while index < left.count {
            if left[index] != right[index] { return false }
            index += 1
        }
        return true
    }
}
