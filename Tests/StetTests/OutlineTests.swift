import Stet
import Testing
import TestSupport

/// A text of three blocks and a half, in lines that tell their numbers.
private func longText() -> [UInt8] {
    var text: [UInt8] = []
    var number = 0
    while text.count < Outline.blockSize * 7 / 2 {
        text += bytes("line \(number) of a long log\n")
        number += 1
    }
    return text
}

private func first(_ count: Int, _ version: Version, _ store: NoteStore) throws -> [UInt8] {
    var result: [UInt8] = []
    try store.readFirstLines(count, of: version) { result += Array($0) }
    return result
}

private func last(_ count: Int, _ version: Version, _ store: NoteStore) throws -> [UInt8] {
    var result: [UInt8] = []
    try store.readLastLines(count, of: version) { result += Array($0) }
    return result
}

@Test func aPartOfALargeTextIsCheckedWithoutTheRest() throws {
    let fixture = try StoreFixture()
    let text = longText()
    let version = try fixture.store.save(text, as: NoteName("log")).version
    let path = fixture.path(of: version.object)
    // What is wrong in the second block is neither read for the ends of the text nor ever shown.
    try Files.flipBit(path, at: Outline.blockSize + 5)
    #expect(try first(2, version, fixture.store) == Array(text.prefix(2 * "line 0 of a long log\n".utf8.count)))
    #expect(try last(1, version, fixture.store) == Array(text.suffix(last(1, version, fixture.store).count)))
    #expect(throws: ObjectError.self) { try first(100_000, version, fixture.store) }
    #expect(throws: ObjectError.self) { try last(100_000, version, fixture.store) }
    #expect(throws: ObjectError.self) { try fixture.store.text(of: version) }
    #expect(try fixture.store.verify().damaged == 1)
    // The first and the last block are checked.
    for offset in [3, text.count - 3] {
        try Files.flipBit(path, at: offset)
        defer { try? Files.flipBit(path, at: offset) }
        if offset == 3 {
            #expect(throws: ObjectError.self) { try first(1, version, fixture.store) }
        } else {
            #expect(throws: ObjectError.self) { try last(1, version, fixture.store) }
        }
    }
}

@Test func aTextThatWasCutIsNotReadInPart() throws {
    let fixture = try StoreFixture()
    let text = longText()
    let version = try fixture.store.save(text, as: NoteName("log")).version
    let path = fixture.path(of: version.object)
    for length in [0, Outline.blockSize, text.count - 1] {
        try Files.overwrite(path, with: Array(text.prefix(length)))
        #expect(throws: ObjectError.self) { try last(1, version, fixture.store) }
    }
    try Files.overwrite(path, with: text)
    #expect(try last(1, version, fixture.store).count > 0)
    try fixture.expectSound()
}
