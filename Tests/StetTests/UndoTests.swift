import Stet
import Testing
import TestSupport

// B58
@Test func saveAfterUndoBeginsABranchAndTheOldOneStays() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    for text in ["v1\n", "v2\n", "v3\n"] { try store.put(text, "n") }
    try store.undo(.called("n"))
    try store.undo(.called("n"))
    let change = try store.put("content A\n", "n")
    #expect(change.version.number == 4)
    #expect(change.version.parents == [1])
    #expect(throws: StoreError.nothingToRedo(change.note.name, head: 4)) { try store.redo(.called("n")) }
    #expect(try store.shown("n") == "content A\n")
    #expect(try store.texts(.called("n")) == ["v1\n", "v2\n", "v3\n", "content A\n"])
    // Undone, the way forward is the one that was left last.
    try store.undo(.called("n"))
    #expect(try store.shown("n") == "v1\n")
    try store.redo(.called("n"))
    #expect(try store.shown("n") == "content A\n")
    // The old branch can be brought back, and undone to where it came from.
    for (number, text) in [(3, "v3\n"), (2, "v2\n")] {
        #expect(try store.restore(.number(number), of: .called("n")).isNew)
        #expect(try store.shown("n") == text)
    }
    try fixture.expectSound()
}

// B60: each step in a store that was opened for it, with saves to another note in between.
@Test func secondUndoGoesFurtherBackAndRedoTheWholeWayForward() throws {
    let fixture = try StoreFixture()
    for text in ["v1\n", "v2\n", "v3\n"] {
        try fixture.reopen()
        try fixture.store.put(text, "n")
        try fixture.store.put("other \(text)", "other")
    }
    var others = 3
    let steps = [("undo", "v2\n"), ("undo", "v1\n"), ("redo", "v2\n"), ("redo", "v3\n"), ("undo", "v2\n")]
    for (step, expected) in steps {
        try fixture.reopen()
        let move =
            step == "undo" ? try fixture.store.undo(.called("n")) : try fixture.store.redo(.called("n"))
        #expect(move.left.count == 1)
        #expect(try fixture.store.shown("n") == expected)
        try fixture.reopen()
        others += 1
        try fixture.store.put("other text \(others)\n", "other")
        #expect(try fixture.store.shown("n") == expected)
        #expect(try fixture.store.shown("other") == "other text \(others)\n")
    }
    #expect(try fixture.store.history(of: fixture.store.find(.called("other"))).count == others)
    #expect(try fixture.store.history(of: fixture.store.find(.called("n"))).count == 3)
    try fixture.expectSound()
}

@Test func undoAtTheFirstVersionSaysSoAndChangesNothing() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let name = try NoteName("n")
    try store.put("v1\n", "n")
    let before = try fixture.truth()
    #expect(throws: StoreError.nothingToUndo(name, head: 1)) { try store.undo(.name(name)) }
    #expect(throws: StoreError.nothingToRedo(name, head: 1)) { try store.redo(.name(name)) }
    #expect(throws: StoreError.noNote("x")) { try store.undo(.called("x")) }
    #expect(try fixture.truth() == before)
    try fixture.expectSound()
}

@Test func undoOfSeveralStepsGoesAsFarAsThereIsAWay() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    for number in 1...5 { try store.put("v\(number)\n", "n") }
    #expect(try store.undo(.called("n"), steps: 2).left.map(\.number) == [5, 4])
    #expect(try store.undo(.called("n"), steps: 100).left.map(\.number) == [3, 2])
    #expect(try store.redo(.called("n"), steps: 3).left.map(\.number) == [1, 2, 3])
    #expect(try store.redo(.called("n"), steps: 100).left.map(\.number) == [4])
    #expect(try store.shown("n") == "v5\n")
    try fixture.expectSound()
}

// B56: the watcher's echo of an undo is a save of the text that is there: it adds nothing and leaves redo alone.
@Test func savingWhatUndoBroughtBackAddsNothingAndKeepsRedo() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    for text in ["v1\n", "v2\n", "v3\n"] { try store.put(text, "n") }
    try store.undo(.called("n"))
    let echo = try store.put("v2\n", "n")
    #expect(!echo.isNew)
    #expect(echo.version.number == 2)
    try store.redo(.called("n"))
    #expect(try store.shown("n") == "v3\n")
    try fixture.expectSound()
}

@Test func restoreAddsAVersionAndIsUndoneLikeOne() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    for text in ["v1\n", "v2\n", "v3\n"] { try store.put(text, "n") }
    let change = try store.restore(.number(1), of: .called("n"))
    #expect(change.version.number == 4)
    #expect(change.version.kind == .restore)
    #expect(change.version.parents == [3])
    #expect(try !store.restore(.number(1), of: .called("n")).isNew)
    #expect(try !store.restore(.head, of: .called("n")).isNew)
    try store.undo(.called("n"))
    #expect(try store.shown("n") == "v3\n")
    #expect(throws: StoreError.noVersion(change.note.name, "5")) { try store.restore(.number(5), of: .called("n")) }
    #expect(throws: StoreError.noVersion(change.note.name, "0")) { try store.restore(.number(0), of: .called("n")) }
    try fixture.expectSound()
}
