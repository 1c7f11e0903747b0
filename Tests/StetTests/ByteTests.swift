import Stet
import Testing
import TestSupport

private let oddTexts: [[UInt8]] = [
    [], [0x0A], [0x00], [0x63, 0x61, 0x66, 0xE9, 0x0A],
    // UTF-16 with and without a mark, both ways round.
    [0x6E, 0, 0x6F, 0, 0x74, 0, 0x65, 0, 0x0A, 0], [0xFF, 0xFE, 0x61, 0, 0x0A, 0], [0xFE, 0xFF, 0, 0x61, 0, 0x0A],
    // NUL in a text, a mark of UTF-8, GBK, and what a careless decoder leaves.
    [0x61, 0x00, 0x62, 0x0A], [0xEF, 0xBB, 0xBF, 0x61, 0x0A], [0xC4, 0xE3, 0xBA, 0xC3], [0xEF, 0xBF, 0xBD],
    [0xED, 0xA0, 0x80], [0xFF], Array("a\r\nb\rc\n".utf8), Array("no newline".utf8), Array(UInt8.min ... .max),
]

// B34: nothing decodes a text on its way in or out.
@Test func textsComeBackAsTheBytesTheyWere() throws {
    let fixture = try StoreFixture()
    let name = try NoteName("n")
    for text in oddTexts { try fixture.store.save(text, as: name) }
    func check() throws {
        let note = try fixture.store.find(.name(name))
        let versions = try fixture.store.history(of: note).reversed()
        #expect(versions.count == oddTexts.count)
        for (version, text) in zip(versions, oddTexts) {
            #expect(try fixture.store.text(of: version) == text)
            #expect(try fixture.store.streamed(version) == text)
            #expect(version.size == text.count)
            #expect(try Files.bytes(at: fixture.path(of: version.object)) == text)
        }
    }
    try check()
    try fixture.expectSound()
    // From the journal before, from the files now.
    try fixture.store.flush()
    try fixture.reopen()
    try check()
    try fixture.expectSound()
}

// B34: editing one line leaves the foreign bytes of the others alone.
@Test func foreignBytesSurviveAnEditOfAnotherLine() throws {
    let fixture = try StoreFixture()
    let name = try NoteName("n")
    let before: [UInt8] = [0x63, 0x61, 0x66, 0xE9, 0x0A] + bytes("ascii\n")
    let after: [UInt8] = [0x63, 0x61, 0x66, 0xE9, 0x0A] + bytes("ASCII\n")
    try fixture.store.save(before, as: name)
    try fixture.store.save(after, as: name)
    try fixture.store.restore(.number(1), of: .name(name))
    let note = try fixture.store.find(.name(name))
    let history = try fixture.store.history(of: note)
    #expect(try history.map { try fixture.store.text(of: $0) } == [before, after, before])
    #expect(history.map(\.kind) == [.restore, .save, .save])
    try fixture.expectSound()
}

// Texts that differ only in line ends, a mark or a last newline are different texts.
@Test func textsThatLookAlikeAreDifferentVersions() throws {
    let fixture = try StoreFixture()
    let texts: [[UInt8]] = [
        bytes("a\nb\n"), bytes("a\nb"), bytes("a\r\nb\r\n"), [0xEF, 0xBB, 0xBF] + bytes("a\nb\n"),
        bytes("caf\u{E9}\n"), bytes("cafe\u{301}\n"),
    ]
    for (position, text) in texts.enumerated() {
        let change = try fixture.store.save(text, as: NoteName("n"))
        #expect(change.isNew)
        #expect(change.version.number == position + 1)
        #expect(try !fixture.store.save(text, as: NoteName("n")).isNew)
    }
    try fixture.expectSound()
}
