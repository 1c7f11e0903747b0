import Stet
import Testing
import TestSupport

// B42
@Test func bookmarkFollowsTheNoteAndNotItsName() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.put("first\n", "A")
    let saved = try store.put("content A\n", "A")
    let bookmark = try store.bookmark(.called("A"), .number(2))
    try store.rename(.called("A"), to: NoteName("A OLD"))
    let new = try store.put("content B\n", "A").note
    try store.rename(.called("A OLD"), to: NoteName("folder/A OLD"))
    try fixture.reopen()
    let resolution = try fixture.store.resolve(bookmark)
    #expect(resolution.note.id == saved.note.id)
    #expect(resolution.note.name.description == "folder/A OLD")
    #expect(resolution.version.object == ObjectID(of: bytes("content A\n")))
    #expect(resolution.reasons == [.renamed])
    #expect(try !fixture.store.resolve(resolution.fresh).isStale)
    // The new note has none: no version of it is recorded as bookmarked.
    let newBookmark = try #require(Bookmark("stet:\(new.id)@\(fixture.store.history(of: new)[0].id)"))
    #expect(try !fixture.store.release(newBookmark))
    #expect(try fixture.store.release(bookmark))
    #expect(try !fixture.store.release(bookmark))
    #expect(try fixture.store.resolve(bookmark).note.id == saved.note.id)
    try fixture.expectSound()
}

@Test func reasonsForStalenessComeHeaviestFirst() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.put("v1\n", "n")
    let bookmark = try store.bookmark(.called("n"), .head)
    func reasons() throws -> [StaleReason] { try store.resolve(bookmark).reasons }
    #expect(try reasons() == [])
    try store.put("v2\n", "n")
    #expect(try reasons() == [.movedOn])
    try store.undo(.called("n"))
    #expect(try reasons() == [])
    try store.redo(.called("n"))
    try store.rename(.called("n"), to: NoteName("m"))
    #expect(try reasons() == [.renamed, .movedOn])
    try store.delete([.called("m")])
    #expect(try reasons() == [.deleted, .renamed, .movedOn])
    #expect(try store.resolve(bookmark).version.number == 1)
    try store.undelete(.called("m"), as: NoteName("n"))
    #expect(try reasons() == [.movedOn])
    // Made anew, it is of a version that is not the head, and cannot move on.
    #expect(try store.bookmark(.called("n"), .number(1)) == store.resolve(bookmark).fresh)
    #expect(try reasons() == [])
    #expect(StaleReason.allCases.sorted() == [.deleted, .likeness, .renamed, .movedOn])
    try fixture.expectSound()
}

@Test func bookmarkOfAnOlderVersionOrOfTheNoteDoesNotMoveOn() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    for text in ["v1\n", "v2\n"] { try store.put(text, "n") }
    let older = try store.bookmark(.called("n"), .number(1))
    let note = try store.bookmark(.called("n"))
    try store.put("v3\n", "n")
    #expect(try !store.resolve(older).isStale)
    #expect(try !store.resolve(note).isStale)
    #expect(try store.resolve(note).version.number == 3)
    #expect(try store.resolve(note).fresh.object == ObjectID(of: bytes("v3\n")))
    try fixture.expectSound()
}

@Test func bookmarkOfANoteRecordsNothingAndOneOfAVersionOnce() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.put("v1\n", "n")
    let before = try fixture.truth()
    _ = try store.bookmark(.called("n"))
    #expect(try fixture.truth() == before)
    let first = try store.bookmark(.called("n"), .head)
    let recorded = try fixture.truth()
    #expect(recorded != before)
    #expect(try store.bookmark(.called("n"), .number(1)) == first)
    #expect(try fixture.truth() == recorded)
    try fixture.expectSound()
}

@Test func bookmarkOfAnotherStoreIsFoundByLikeness() throws {
    let (here, there) = (try StoreFixture(), try StoreFixture())
    try there.store.put("content A\n", "work/todo.md")
    let bookmark = try there.store.bookmark(.called("work/todo.md"), .head)
    #expect(throws: StoreError.noNote("stet:\(bookmark.note)")) { try here.store.resolve(bookmark) }
    // The same file name and nearly the size; then the same text weighs more; then two with the same text.
    try here.store.put("content C\n", "old/todo.md")
    #expect(try here.store.resolve(bookmark).note.name.description == "old/todo.md")
    #expect(try here.store.resolve(bookmark).reasons == [.likeness])
    try here.store.put("content A\n", "elsewhere")
    let found = try here.store.resolve(bookmark)
    #expect(found.note.name.description == "elsewhere")
    #expect(try !here.store.resolve(found.fresh).isStale)
    try here.store.put("content A\n", "copy")
    #expect(throws: StoreError.self) { try here.store.resolve(bookmark) }
    try here.store.put(String(repeating: "long ", count: 1_000), "big/todo.md")
    try here.store.delete([.called("copy"), .called("elsewhere")])
    #expect(try here.store.resolve(bookmark).note.name.description == "old/todo.md")
    try here.expectSound()
}

@Test(arguments: [
    "plain", "work/todo.md", "a b&c=d?e#f%g", "stet:x@1?name=y", "é", "e\u{301}", "漢字", "👩‍👩‍👧‍👦", "..foo", "a\\b", "'\"$`",
    "+", "&&==",
])
func bookmarkIsReadBackFromItsToken(name: String) throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", name)
    for bookmark in [
        try fixture.store.bookmark(.called(name)), try fixture.store.bookmark(.called(name), .head),
    ] {
        let token = bookmark.description
        // One token of plain ASCII that no shell or page splits.
        let plain = { (byte: UInt8) in byte > 0x20 && byte < 0x7F && !"'\"\\`$<>".utf8.contains(byte) }
        #expect(token.utf8.allSatisfy(plain))
        let read = try #require(Bookmark(token))
        #expect(read == bookmark)
        #expect(read.name?.bytes == bytes(name))
        #expect(try fixture.store.resolve(read).note.name.bytes == bytes(name))
    }
    try fixture.expectSound()
}

@Test func hintsOfATokenMayBeMissingUnknownOrWrong() throws {
    let id = "00112233445566778899aabbccddeeff"
    for hints in ["", "?", "?&&", "?name", "?name=", "?name=%", "?name=%4", "?name=%zz", "?name=..", "?size=x", "?x=1"]
    {
        let bookmark = try #require(Bookmark("stet:" + id + hints))
        #expect(bookmark.note.description == id)
        #expect(bookmark.name == nil)
        #expect(bookmark.size == nil)
        #expect(bookmark.object == nil)
    }
    let full = try #require(Bookmark("stet:\(id)@d0011223344556677.5?size=3&new=x&name=%C3%A9&sha256=12"))
    #expect(full.version?.sequence == 5)
    #expect(full.size == 3)
    #expect(full.name?.bytes == [0xC3, 0xA9])
    #expect(full.object == nil)
}

@Test(arguments: [
    "", "stet", "stet:", "stet:@", "stet:?name=x", "STET:00112233445566778899aabbccddeeff", "stet:0011",
    "stet:00112233445566778899aabbccddeefg", "stet:00112233445566778899aabbccddeeff@",
    "stet:00112233445566778899aabbccddeeff@1", "stet:00112233445566778899aabbccddeeff@d00.1",
    "stet:00112233445566778899aabbccddeeff0", " stet:00112233445566778899aabbccddeeff",
    "stet:00112233445566778899aabbccddeeff@d0011223344556677.1@2", "stet:/etc/passwd", "stet:\u{301}",
])
func textThatIsNoBookmarkIsRefused(text: String) {
    #expect(Bookmark(text) == nil)
}

// A token comes from outside: no number in it may bring the store down.
@Test(arguments: ["-1", "-9223372036854775808", "9223372036854775807", "99999999999999999999", "+3", "0"])
func anySizeInATokenIsHarmless(size: String) throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    for version in ["", "@d0011223344556677.9223372036854775807", "@d0011223344556677.0"] {
        let token = "stet:00112233445566778899aabbccddeeff\(version)?name=x&size=\(size)"
        let bookmark = try #require(Bookmark(token))
        #expect(throws: StoreError.self) { try fixture.store.resolve(bookmark) }
        let note = try fixture.store.find(.called("n"))
        let known = try #require(Bookmark("stet:\(note.id)\(version)?size=\(size)"))
        if version.isEmpty {
            #expect(try fixture.store.resolve(known).note.id == note.id)
        } else {
            #expect(throws: StoreError.self) { try fixture.store.resolve(known) }
        }
    }
    try fixture.expectSound()
}
