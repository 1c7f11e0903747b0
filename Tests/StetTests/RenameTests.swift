import Stet
import Testing
import TestSupport

/// Notes A, B and C with two, one and three versions, and a bookmark of each one's first version.
private struct ThreeNotes {
    let fixture: StoreFixture
    let ids: [NoteID]
    let bookmarks: [Bookmark]
    var store: NoteStore { fixture.store }

    init() throws {
        let fixture = try StoreFixture()
        self.fixture = fixture
        for (text, name) in [
            ("first\n", "A"), ("content A\n", "A"), ("content B\n", "B"), ("c1\n", "C"), ("c2\n", "C"), ("c3\n", "C"),
        ] {
            try fixture.store.put(text, name)
        }
        ids = try ["A", "B", "C"].map { try fixture.store.find(.called($0)).id }
        bookmarks = try ["A", "B", "C"].map { try fixture.store.bookmark(.called($0), .number(1)) }
    }

    /// IDs, histories and bookmarks went with the notes, which now have `names`.
    func expect(_ names: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let texts = [["first\n", "content A\n"], ["content B\n"], ["c1\n", "c2\n", "c3\n"]]
        for (position, name) in names.enumerated() {
            let note = try store.find(.called(name), for: .changing)
            #expect(note.id == ids[position], sourceLocation: sourceLocation)
            #expect(try store.texts(.called(name)) == texts[position], sourceLocation: sourceLocation)
            let resolution = try store.resolve(bookmarks[position])
            #expect(resolution.note.id == ids[position], sourceLocation: sourceLocation)
            #expect(resolution.note.name.description == name, sourceLocation: sourceLocation)
            #expect(resolution.version.number == 1, sourceLocation: sourceLocation)
            #expect(resolution.isStale == (name != ["A", "B", "C"][position]), sourceLocation: sourceLocation)
        }
        #expect(try store.counts().versions == 6, sourceLocation: sourceLocation)
        #expect(try store.notes().count == 3, sourceLocation: sourceLocation)
        try fixture.expectSound(sourceLocation: sourceLocation)
    }
}

// B37
@Test func swapThroughATemporaryNameKeepsEachNoteItself() throws {
    let notes = try ThreeNotes()
    for (old, new) in [("A", "t"), ("B", "A"), ("t", "B")] {
        try notes.store.rename(.called(old), to: NoteName(new))
    }
    try notes.expect(["B", "A", "C"])
}

// B37
@Test func swapInOneCallKeepsEachNoteItself() throws {
    let notes = try ThreeNotes()
    try notes.store.rename([Renaming(.called("A"), to: NoteName("B")), Renaming(.called("B"), to: NoteName("A"))])
    try notes.expect(["B", "A", "C"])
    try notes.fixture.reopen()
    try notes.expect(["B", "A", "C"])
}

// B37
@Test func cycleOfThreeThroughATemporaryNameKeepsEachNoteItself() throws {
    let notes = try ThreeNotes()
    for (old, new) in [("A", "t"), ("C", "A"), ("B", "C"), ("t", "B")] {
        try notes.store.rename(.called(old), to: NoteName(new))
    }
    try notes.expect(["B", "C", "A"])
}

// B37
@Test func cycleOfThreeInOneCallKeepsEachNoteItself() throws {
    let notes = try ThreeNotes()
    let renamings = try [("A", "B"), ("B", "C"), ("C", "A")].map { Renaming(try .called($0), to: try NoteName($1)) }
    for expected in [["B", "C", "A"], ["C", "A", "B"], ["A", "B", "C"]] {
        try notes.store.rename(renamings)
        try notes.expect(expected)
    }
}

@Test func renameThatCannotBeDoneWholeIsNotDoneAtAll() throws {
    let notes = try ThreeNotes()
    let store = notes.store
    let before = try notes.fixture.truth()
    func refuse(_ pairs: [(String, String)]) throws {
        let renamings = try pairs.map { Renaming(try .called($0), to: try NoteName($1)) }
        #expect(throws: StoreError.self) { try store.rename(renamings) }
    }
    try refuse([("A", "B")])
    try refuse([("A", "t"), ("B", "C")])
    try refuse([("A", "t"), ("B", "t")])
    try refuse([("A", "t"), ("B", "t/u")])
    try refuse([("A", "t"), ("A", "u")])
    try refuse([("A", "t"), ("nothing", "u")])
    try refuse([("A", "C"), ("C", "C")])
    #expect(try notes.fixture.truth() == before)
    try notes.expect(["A", "B", "C"])
}

@Test func renamingToTheSameNameRecordsNothing() throws {
    let notes = try ThreeNotes()
    let before = try notes.fixture.truth()
    try notes.store.rename(.called("A"), to: NoteName("A"))
    try notes.store.rename([])
    #expect(try notes.fixture.truth() == before)
}

@Test func formerNamesAreKeptInOrderAndFindTheNoteForReading() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let id = try store.put("1", "a").note.id
    for name in ["b", "c", "a", "d"] { try store.rename(.id(id), to: NoteName(name)) }
    let note = try store.find(.id(id))
    #expect(try store.formerNames(of: note).map(\.name.description) == ["a", "b", "c", "a"])
    #expect(try store.find(.called("b")).id == id)
    let refusal = StoreError.renamed(from: try NoteName("b"), to: try NoteName("d"))
    #expect(throws: refusal) { try store.find(.called("b"), for: .changing) }
    // A new note under an old name is that name's note from then on.
    let other = try store.put("2", "b").note.id
    #expect(try store.find(.called("b")).id == other)
    try fixture.expectSound()
}
