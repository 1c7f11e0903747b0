/// The checksum of a page of the database file, in the page's last eight bytes: a damaged page would else give a wrong name,
/// parent or time without a word.
///
/// It is the XXH64 of all bytes before it, with the page's number as seed, so that a page in another's place is noticed
/// too, as little endian. Zeros there mean that the page has none: another program folded the write-ahead log in, in which no page
/// has one.
enum PageCheck {
    static let length = 8
    /// Where the database header tells how many bytes at the end of each page are not SQLite's.
    private static let reservedByte = 20
    private static let magic: StaticString = "SQLite format 3\0"

    /// Whether `start` of a database says that its pages have checksums; nil where it is not the start of one.
    static func isAnnounced(in start: UnsafeRawBufferPointer) -> Bool? {
        guard start.count > reservedByte, magic.withUTF8Buffer({ start.starts(with: $0) }) else { return nil }
        return start[reservedByte] == UInt8(length)
    }

    /// Whether so many bytes at `offset` can be a page.
    static func isPage(_ count: Int, at offset: Int) -> Bool {
        count >= 512 && count & (count - 1) == 0 && offset & (count - 1) == 0
    }

    /// Gives `page`, which stands at `offset`, its checksum.
    static func fill(_ page: UnsafeMutableRawBufferPointer, at offset: Int) {
        field(of: page).storeBytes(of: sum(of: UnsafeRawBufferPointer(page), at: offset).littleEndian, as: UInt64.self)
    }

    /// Takes the checksum away: what SQLite has in memory goes to the write-ahead log as it is.
    static func clear(_ page: UnsafeMutableRawBufferPointer) { field(of: page).storeBytes(of: 0, as: UInt64.self) }

    /// Whether `page`, which stands at `offset`, has no other checksum than its own.
    static func fits(_ page: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
        let stored = UInt64(littleEndian: field(of: page).loadUnaligned(as: UInt64.self))
        return stored == 0 || stored == sum(of: UnsafeRawBufferPointer(page), at: offset)
    }

    /// Whether the first page has the checksum that it would have if it announced one: then that announcement was damaged.
    static func hidesItself(_ page: UnsafeMutableRawBufferPointer) -> Bool {
        guard field(of: page).loadUnaligned(as: UInt64.self) != 0 else { return false }
        let reserved = page[reservedByte]
        defer { page[reservedByte] = reserved }
        page[reservedByte] = UInt8(length)
        return fits(page, at: 0)
    }

    private static func field(of page: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: page[(page.count - length)...])
    }

    private static func sum(of page: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        XXH64.hash(
            UnsafeRawBufferPointer(rebasing: page[..<(page.count - length)]), seed: UInt64(offset / page.count + 1))
    }
}

/// The hash XXH64 (Collet, "xxHash fast digest algorithm", version 0.1.1), for input of at least 32 bytes and a multiple of
/// eight: 0.35 µs for 4 KiB. It finds damage; it is no defence against somebody who means harm.
package enum XXH64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The hash of `bytes`.
    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var lanes = (seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
        var offset = 0
        while offset + 32 <= bytes.count {
            lanes.0 = round(lanes.0, word(bytes, offset))
            lanes.1 = round(lanes.1, word(bytes, offset + 8))
            lanes.2 = round(lanes.2, word(bytes, offset + 16))
            lanes.3 = round(lanes.3, word(bytes, offset + 24))
            offset += 32
        }
        var hash =
            rotated(lanes.0, 1) &+ rotated(lanes.1, 7) &+ rotated(lanes.2, 12) &+ rotated(lanes.3, 18)
        hash = merged(hash, lanes.0)
        hash = merged(hash, lanes.1)
        hash = merged(hash, lanes.2)
        hash = merged(hash, lanes.3)
        hash &+= UInt64(bytes.count)
        while offset < bytes.count {
            hash = rotated(hash ^ round(0, word(bytes, offset)), 27) &* prime1 &+ prime4
            offset += 8
        }
        hash = (hash ^ hash >> 33) &* prime2
        hash = (hash ^ hash >> 29) &* prime3
        return hash ^ hash >> 32
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 &- count) }

    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotated(lane &+ word &* prime2, 31) &* prime1
    }

    private static func merged(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }
}
