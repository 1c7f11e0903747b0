import Stet
import Testing
import TestSupport

// B40
@Test func deletedNoteKeepsItsNewestSaveAndComesBackWithIt() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.put("v1\n", "n")
    let id = try store.put("v2\n", "n").note.id
    try store.delete([.called("n")])
    #expect(try store.notes().isEmpty)
    #expect(try store.notes(deleted: true).map(\.id) == [id])
    let deleted = try store.find(.called("n"))
    #expect(deleted.isDeleted)
    #expect(try store.texts(.called("n")) == ["v1\n", "v2\n"])
    #expect(throws: StoreError.deleted(deleted.name)) { try store.undo(.called("n")) }
    #expect(throws: StoreError.deleted(deleted.name)) { try store.delete([.called("n")]) }
    try fixture.reopen()
    let change = try fixture.store.undelete(.called("n"))
    #expect(change.note.id == id)
    #expect(change.version.object == ObjectID(of: bytes("v2\n")))
    #expect(try fixture.store.shown("n") == "v2\n")
    #expect(try fixture.store.texts(.called("n")).count == 2)
    try fixture.store.undo(.called("n"))
    #expect(try fixture.store.shown("n") == "v1\n")
    try fixture.expectSound()
}

// B40: what was undone when the note was deleted can still be redone.
@Test func deletionLeavesHeadAndRedoAsTheyWere() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    for text in ["v1\n", "v2\n", "v3\n"] { try store.put(text, "n") }
    try store.undo(.called("n"), steps: 2)
    try store.delete([.called("n")])
    try store.undelete(.called("n"))
    #expect(try store.shown("n") == "v1\n")
    try store.redo(.called("n"), steps: 2)
    #expect(try store.shown("n") == "v3\n")
    try fixture.expectSound()
}

@Test func nameOfADeletedNoteIsFreeForANewOne() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let old = try store.put("old\n", "n").note.id
    try store.delete([.called("n")])
    let new = try store.put("new\n", "n").note.id
    #expect(old != new)
    #expect(throws: StoreError.nameTaken(try NoteName("n"))) { try store.undelete(.id(old)) }
    try store.undelete(.id(old), as: NoteName("old"))
    #expect(try store.shown("old") == "old\n")
    #expect(try store.shown("n") == "new\n")
    #expect(throws: StoreError.self) { try store.undelete(.id(old)) }
    try fixture.expectSound()
}

@Test func severalDeletedNotesOfOneNameAreToldApartByTheirIDs() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    var ids: [NoteID] = []
    for text in ["1", "2", "3"] {
        ids.append(try store.put(text, "n").note.id)
        try store.delete([.called("n")])
    }
    for purpose in [LookupPurpose.reading, .undeleting] {
        let error = #expect(throws: StoreError.self) { try store.find(.called("n"), for: purpose) }
        guard case .ambiguous(_, let notes) = error else {
            Issue.record("\(String(describing: error))")
            continue
        }
        #expect(notes.map(\.id) == ids.reversed())
    }
    #expect(throws: StoreError.deleted(try NoteName("n"))) { try store.find(.called("n"), for: .changing) }
    try store.undelete(.id(ids[1]))
    #expect(try store.shown("n") == "2")
    try fixture.expectSound()
}

@Test func severalNotesAreDeletedTogetherOrNotAtAll() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    for name in ["a", "b", "c"] { try store.put(name, name) }
    #expect(throws: StoreError.noNote("x")) { try store.delete([.called("a"), .called("x")]) }
    #expect(try store.notes().count == 3)
    // Named twice is meant once.
    let changes = try store.delete([.called("a"), .called("a"), .called("c")])
    #expect(changes.map(\.note.isDeleted) == [true, true, true])
    #expect(try store.notes().map(\.name.description) == ["b"])
    #expect(try store.delete([]).isEmpty)
    try fixture.expectSound()
}
