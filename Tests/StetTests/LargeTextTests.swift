import Stet
import Testing
import TestSupport

/// Gives `text` in pieces of at most `size` bytes, as a file would be read.
private func reader(_ text: [UInt8], pieces size: Int) -> (UnsafeMutableRawBufferPointer) -> Int {
    var position = 0
    return { buffer in
        let count = min(size, buffer.count, text.count - position)
        buffer.copyBytes(from: text[position..<position + count])
        position += count
        return count
    }
}

// Around the largest text that goes through the journal, and around the size of the pieces that are streamed.
@Test(arguments: [0, 1, 65_535, 65_536, 65_537, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3_000_000])
func textsOfEverySizeAreSavedAndStreamed(size: Int) throws {
    let fixture = try StoreFixture()
    let text = patterned(size)
    for (name, pieces) in [("a", 1 << 22), ("b", 65_536), ("c", 60_001)] {
        let change = try fixture.store.save(as: NoteName(name), reading: reader(text, pieces: pieces))
        #expect(change.version.size == size)
        #expect(change.version.object == ObjectID(of: text))
    }
    #expect(try !fixture.store.save(text, as: NoteName("a")).isNew)
    func check() throws {
        for name in ["a", "b", "c"] {
            let version = try fixture.store.version(.head, of: fixture.store.find(.called(name)))
            #expect(try fixture.store.text(of: version) == text)
            #expect(try fixture.store.streamed(version) == text)
            #expect(try !fixture.store.missingTexts().contains(version))
        }
    }
    try check()
    #expect(try Files.list(fixture.folder + "/caches/incoming").isEmpty)
    try fixture.expectSound()
    try fixture.store.flush()
    try fixture.reopen()
    try check()
    try fixture.expectSound()
}

@Test func textThatCannotBeReadToItsEndIsNotSaved() throws {
    struct Broken: Error {}
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    let before = try fixture.truth()
    for limit in [0, 10, 65_536, 65_537, 2_000_000] {
        var given = 0
        #expect(throws: Broken.self) {
            try fixture.store.save(as: NoteName("n")) { buffer in
                if given >= limit { throw Broken() }
                let count = min(buffer.count, limit - given)
                given += count
                return count
            }
        }
    }
    #expect(try fixture.truth() == before)
    #expect(try Files.list(fixture.folder + "/caches/incoming").isEmpty)
    try fixture.expectSound()
}

// Invariant 2: not even the first piece of a text is handed out before the last was checked.
@Test(arguments: [0, 1_500_000, 2_999_999])
func damagedLargeTextIsNeverShown(offset: Int) throws {
    let fixture = try StoreFixture()
    let change = try fixture.store.save(patterned(3_000_000), as: NoteName("n"))
    try Files.flipBit(fixture.path(of: change.version.object), at: offset)
    func refuse(_ read: ((UnsafeRawBufferPointer) -> Void) throws -> Void) {
        #expect(throws: ObjectError.self) { try read { _ in Issue.record("something was shown") } }
    }
    refuse { try fixture.store.readText(of: change.version, $0) }
    // Without an outline a part cannot be checked alone: then all of it is read first, as for the whole.
    let index = try StoreIndex.openForWriting(fixture.folder + "/index.sqlite")
    try index.write { try index.setOutline(Outline(), of: change.version.object) }
    refuse { try fixture.store.readFirstLines(1, of: change.version, $0) }
    refuse { try fixture.store.readLastLines(1, of: change.version, $0) }
    #expect(throws: ObjectError.self) { try fixture.store.text(of: change.version) }
    try fixture.store.put("small\n", "n")
    #expect(throws: ObjectError.self) { try fixture.store.restore(.number(1), of: .called("n")) }
    #expect(try fixture.store.verify().damaged == 1)
}

/// The lines of `text` with their ends.
private func lines(_ text: [UInt8]) -> [[UInt8]] {
    var result: [[UInt8]] = []
    var line: [UInt8] = []
    for byte in text {
        line.append(byte)
        if byte == 0x0A {
            result.append(line)
            line = []
        }
    }
    return line.isEmpty ? result : result + [line]
}

private func expectLines(of text: [UInt8], _ counts: [Int], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let fixture = try StoreFixture()
    let version = try fixture.store.save(text, as: NoteName("n")).version
    let all = lines(text)
    for count in counts {
        var (first, last): ([UInt8], [UInt8]) = ([], [])
        try fixture.store.readFirstLines(count, of: version) { first += Array($0) }
        try fixture.store.readLastLines(count, of: version) { last += Array($0) }
        #expect(first == Array(all.prefix(count).joined()), "first \(count)", sourceLocation: sourceLocation)
        #expect(last == Array(all.suffix(count).joined()), "last \(count)", sourceLocation: sourceLocation)
    }
    try fixture.expectSound(sourceLocation: sourceLocation)
}

@Test(arguments: [
    "", "\n", "\n\n\n", "a", "a\n", "a\nb", "a\nb\n", "a\r\nb\r\nc", "a\r\nb\r\n", "\na", "a\n\nb\n\n", "a\rb",
])
func firstAndLastLinesOfSmallTexts(text: String) throws {
    try expectLines(of: bytes(text), [0, 1, 2, 3, 4, 100])
}

@Test func firstAndLastLinesOfLargeTextsCrossPieces() throws {
    // Lines that are longer than a piece, and line feeds right at the edges of pieces.
    let piece = 1 << 20
    var text = [UInt8](repeating: 0x61, count: piece * 2 + 7)
    for position in [10, piece - 1, piece, piece + 1, piece + 6, piece + 7, piece + 8] { text[position] = 0x0A }
    try expectLines(of: text, [1, 3, 7, 9])
    try expectLines(of: text + [0x0A], [2, 8])
    try expectLines(of: [UInt8](repeating: 0x61, count: piece + 1), [1])
}

@Test func asManyLinesAsThereAreBytesAreCounted() throws {
    let fixture = try StoreFixture()
    let size = (1 << 20) + 1
    let version = try fixture.store.save([UInt8](repeating: 0x0A, count: size), as: NoteName("n")).version
    for count in [size - 1, size + 1] {
        var (first, last) = (0, 0)
        try fixture.store.readFirstLines(count, of: version) { first += $0.count }
        try fixture.store.readLastLines(count, of: version) { last += $0.count }
        #expect(first == min(count, size))
        #expect(last == min(count, size))
    }
    try fixture.expectSound()
}
