import Stet
import Testing
import TestSupport

/// `café.md` composed and decomposed, as bytes (case B16).
private func cafes() throws -> (composed: NoteName, decomposed: NoteName) {
    let end = bytes(".md")
    return (
        try NoteName(bytes: [0x63, 0x61, 0x66, 0xC3, 0xA9] + end),
        try NoteName(bytes: [0x63, 0x61, 0x66, 0x65, 0xCC, 0x81] + end)
    )
}

// B16, B17
@Test func composedAndDecomposedNamesAreTwoNotes() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let (composed, decomposed) = try cafes()
    let changes = try store.save([
        SaveRequest(bytes("content A\n"), as: composed), SaveRequest(bytes("content B\n"), as: decomposed),
    ])
    #expect(changes.map(\.isNew) == [true, true])
    #expect(changes[0].note.id != changes[1].note.id)
    let notes = try store.notes()
    let byName = Dictionary(notes.map { ($0.name, $0.id) }) { first, _ in first }
    #expect(byName.count == 2)
    #expect(byName[composed] == changes[0].note.id)
    #expect(byName[decomposed] == changes[1].note.id)
    #expect(Set(notes.map(\.name.bytes)) == [composed.bytes, decomposed.bytes])
    for (name, text) in [(composed, "content A\n"), (decomposed, "content B\n")] {
        let note = try store.find(.name(name))
        #expect(note.name == name)
        #expect(try store.text(of: store.version(.head, of: note)) == bytes(text))
    }
    // Renaming and undoing one leaves the other alone.
    try store.save(bytes("content C\n"), as: composed)
    try store.rename(.name(composed), to: NoteName("other.md"))
    try store.undo(.called("other.md"))
    #expect(try store.shown("other.md") == "content A\n")
    #expect(try store.find(.name(decomposed), for: .changing).id == changes[1].note.id)
    try fixture.expectSound()
}

// B16: with one of the two there, either spelling reads it, and only its own changes it.
@Test func otherSpellingFindsTheOnlyNoteForReadingAndNothingForChanging() throws {
    let (composed, decomposed) = try cafes()
    for (there, other) in [(composed, decomposed), (decomposed, composed)] {
        let fixture = try StoreFixture()
        let store = fixture.store
        let id = try store.save(bytes("content A\n"), as: there).note.id
        for _ in 0..<3 { #expect(try store.find(.name(other)).id == id) }
        #expect(throws: StoreError.noNote(other.description)) { try store.find(.name(other), for: .changing) }
        #expect(throws: StoreError.noNote(other.description)) { try store.delete([.name(other)]) }
        try fixture.expectSound()
    }
}

@Test func nameThatSeveralNotesAreLikeIsAmbiguous() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.put("1", "Todo")
    try store.put("2", "TODO")
    let error = #expect(throws: StoreError.self) { try store.find(.called("todo")) }
    guard case .ambiguous("todo", let notes) = error else {
        Issue.record("\(String(describing: error))")
        return
    }
    #expect(notes.map(\.name.description) == ["TODO", "Todo"])
    #expect(try store.find(.called("Todo")).name.description == "Todo")
    #expect(throws: StoreError.noNote("nothing")) { try store.find(.called("nothing")) }
    try fixture.expectSound()
}

// A name inside another's is refused whichever of the two came first, however it comes to be.
@Test func namesInsideOneAnotherAreRefusedInBothDirections() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.put("1", "a/b")
    try store.put("2", "x")
    let (outer, inner) = (try NoteName("a"), try NoteName("a/b/c"))
    let middle = try NoteName("a/b")
    for (name, other) in [(outer, middle), (inner, middle)] {
        let refusal = StoreError.nameInside(name, other: other)
        #expect(throws: refusal) { try store.save(bytes("3"), as: name) }
        #expect(throws: refusal) { try store.rename(.called("x"), to: name) }
    }
    try store.delete([.called("x")])
    #expect(throws: StoreError.nameInside(inner, other: middle)) { try store.undelete(.called("x"), as: inner) }
    #expect(try store.notes().map(\.name.description) == ["a/b"])
    // Names that only begin alike are no matter, nor is what a deleted note lies in.
    for name in ["a0", "a.b", "a/bc", "a/b.c", "ab"] { try store.put("4", name) }
    try store.delete([.called("a/b")])
    try store.put("5", "a/b/c")
    #expect(throws: StoreError.nameInside(middle, other: inner)) { try store.undelete(.called("a/b")) }
    try fixture.expectSound()
}

@Test func noteMayMoveIntoWhatWasItsOwnNameAndBack() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let id = try store.put("1", "a").note.id
    try store.rename(.called("a"), to: NoteName("a/b"))
    #expect(try store.find(.called("a/b"), for: .changing).id == id)
    try store.rename(.called("a/b"), to: NoteName("a"))
    #expect(try store.find(.called("a"), for: .changing).id == id)
    try fixture.expectSound()
}

// B23 at the library: `..foo` goes all the way round.
@Test func namesThatOnlyLookDangerousGoAllTheWayRound() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    for name in ["..foo", "a\\..\\b", "-n", "--help", "C:\\x.md", ".hidden/..x"] {
        try store.put("content A\n", name)
        try store.put("content B\n", name)
        try store.undo(.called(name))
        #expect(try store.shown(name) == "content A\n")
        let bookmark = try store.bookmark(.called(name), .number(2))
        try store.delete([.called(name)])
        try store.undelete(.called(name))
        #expect(try store.resolve(try #require(Bookmark(bookmark.description))).version.number == 2)
    }
    #expect(try Files.list(fixture.temporary.path) == ["store"])
    try fixture.expectSound()
}

@Test func noteIsFoundByTheBeginningOfItsID() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let note = try store.put("1", "n").note
    let id = note.id.description
    for length in [6, 7, 8, 31, 32] {
        #expect(try store.find(.idPrefix(String(id.prefix(length)))).id == note.id)
        #expect(try store.find(.idPrefix(String(id.prefix(length)).uppercased())).id == note.id)
    }
    for prefix in ["", "12345", String(id.prefix(5)), id + "0", "zzzzzz", "%%%%%%", "' OR 1"] {
        #expect(throws: StoreError.noNote("stet:" + prefix)) { try store.find(.idPrefix(prefix)) }
    }
    try store.delete([.id(note.id)])
    #expect(throws: StoreError.deleted(note.name)) { try store.find(.id(note.id), for: .changing) }
    #expect(try store.find(.id(note.id)).isDeleted)
    try fixture.expectSound()
}
