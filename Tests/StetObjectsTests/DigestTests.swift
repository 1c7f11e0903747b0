import StetObjects
import Testing
import TestSupport

@Test(arguments: [
    ([UInt8](), "e3b0c44298fc1c14"), (bytes("one\n"), "2c8b08da5ce60398"), (bytes("two\n"), "27dd8ed44a83ff94"),
    (bytes("v1\n"), "2d27fbdf4e8ca207"), (bytes("v2\n"), "81db67b6a5702b9b"), (bytes("v3\n"), "1875add404b2a01d"),
    (bytes("content A\n"), "ae95b3147662a625"), (bytes("content B\n"), "17654af92a21f923"),
    (bytes("a\nb\n"), "911169ddaaf146af"), (bytes("a\nb"), "7e18f737311b2dc3"),
    (bytes("a\r\nb\r\n"), "58055bdcc73787eb"), ([0xEF, 0xBB, 0xBF, 0x61, 0x0A], "be4fccb045869c7a"),
    ([0x63, 0x61, 0x66, 0xE9, 0x0A], "9e4efed0ff1dbcf3"),
    ([0x6E, 0, 0x6F, 0, 0x74, 0, 0x65, 0, 0x0A, 0], "15cf2ae80475826f"), ([0x61, 0, 0x62, 0x0A], "3a100994c4e38751"),
    ([0xC4, 0xE3, 0xBA, 0xC3], "6b5b97ebb913939e"), (bytes("full text\n"), "a9ae66b08364f2d9"),
])
func objectsAreNamedByTheirSHA256(text: [UInt8], begins: String) {
    #expect(ObjectID(of: text).description.hasPrefix(begins))
}

@Test func digestOfPiecesIsThatOfTheWhole() {
    var random = SplitMix64.forTest()
    let text = (0..<10_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    for size in [1, 63, 64, 65, 4_096, 9_999, 10_000] {
        var hash = SHA256()
        for start in stride(from: 0, to: text.count, by: size) {
            hash.update(Array(text[start..<min(start + size, text.count)]))
        }
        #expect(ObjectID(hash) == ObjectID(of: text))
        // Asking for the digest does not end it: more can be added.
        hash.update([])
        #expect(hash.digest() == SHA256.digest(of: text))
    }
}

// The example of FIPS 180-4 of a million times "a", in pieces that are no divisor of the block size.
@Test func digestOfAMillionLettersIsTheKnownOne() {
    var hash = SHA256()
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000)
    for _ in 0..<1_000 { hash.update(piece) }
    #expect(Hex.encode(hash.digest()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
}

@Test func hexSpellsEveryByteAndReadsItBack() {
    let all = (UInt8.min ... .max).map { $0 }
    #expect(Hex.encode(all).count == 512)
    #expect(Hex.decode(Hex.encode(all)) == all)
    #expect(Hex.decode(Hex.encode(all).uppercased()) == all)
    #expect(Hex.encode([]) == "")
    #expect(Hex.decode("") == [])
    #expect(Hex.encode([0x00, 0x0F, 0xF0, 0xFF]) == "000ff0ff")
}

@Test(arguments: ["0", "abc", "0g", "g0", " 00", "0x", "+1", "-1", "é0", "０１", "00 "])
func textThatIsNoHexIsRefused(text: String) {
    #expect(Hex.decode(text) == nil)
}

@Test func objectIdentifiersKeepTheirBytes() throws {
    let raw = (0..<32).map { UInt8($0 * 8 + 1 & 0xFF) }
    let object = try #require(ObjectID(bytes: raw))
    #expect(object.bytes == raw)
    #expect(ObjectID(hex: object.description) == object)
    #expect(ObjectID(hex: object.description.uppercased()) == object)
    #expect(ObjectID(bytes: raw.dropLast()) == nil)
    #expect(ObjectID(bytes: raw + [0]) == nil)
    #expect(ObjectID(hex: String(object.description.dropLast())) == nil)
    #expect(ObjectID(hex: object.description.dropLast() + "x") == nil)
}

@Test func objectsThatDifferInAnyByteAreDifferent() throws {
    let raw = [UInt8](repeating: 7, count: 32)
    let object = try #require(ObjectID(bytes: raw))
    for position in raw.indices {
        var other = raw
        other[position] ^= 1
        #expect(try #require(ObjectID(bytes: other)) != object)
    }
    #expect(Set([object, try #require(ObjectID(bytes: raw))]).count == 1)
}
