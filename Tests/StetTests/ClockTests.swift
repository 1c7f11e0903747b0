import Stet
import Testing
import TestSupport

/// 2030-01-01 and 2024-01-01 in UTC.
private let later: Int64 = 1_893_456_000_000
private let earlier: Int64 = 1_704_067_200_000

extension StoreFixture {
    /// Saves v1, v2 and v3 as the note n, each at its time.
    fileprivate func saveThrice(at times: [Int64]) throws {
        for (text, time) in zip(["v1\n", "v2\n", "v3\n"], times) {
            clock.set(time)
            try store.put(text, "n")
        }
    }
}

// B08: the clock goes back by six years, and then stands still.
@Test func clockSetBackChangesNoOrder() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try fixture.saveThrice(at: [later, earlier, earlier])
    let note = try store.find(.called("n"))
    #expect(try store.history(of: note).map(\.number) == [3, 2, 1])
    #expect(try store.history(of: note).map(\.saved.milliseconds) == [earlier, earlier, later])
    #expect(try store.version(.head, of: note).object == ObjectID(of: bytes("v3\n")))
    for (step, expected) in [("undo", "v2\n"), ("undo", "v1\n"), ("redo", "v2\n"), ("redo", "v3\n")] {
        fixture.clock.set(earlier - 1_000_000)
        if step == "undo" { try store.undo(.called("n")) } else { try store.redo(.called("n")) }
        #expect(try store.shown("n") == expected)
    }
    #expect(throws: StoreError.nothingToRedo(note.name, head: 3)) { try store.redo(.called("n")) }
    try fixture.expectSound()
}

// B08: a time names what was the head by the order of operations, as far as that time goes.
@Test func timeNamesTheHeadByTheOrderOfOperations() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try fixture.saveThrice(at: [later, earlier, earlier])
    let note = try store.find(.called("n"))
    func head(_ time: Int64) throws -> Int {
        try store.version(.time(Timestamp(milliseconds: time)), of: note).number
    }
    #expect(try head(later) == 3)
    #expect(try head(earlier) == 3)
    #expect(throws: StoreError.self) { try head(earlier - 1) }
    fixture.clock.set(earlier + 5_000)
    try store.undo(.called("n"), steps: 2)
    #expect(try head(earlier + 4_999) == 3)
    #expect(try head(earlier + 5_000) == 1)
    #expect(try head(.max) == 1)
    try fixture.expectSound()
}

@Test(arguments: [Int64.min, -1, 0, .max])
func anyTimeIsRecordedAndReplayed(time: Int64) throws {
    let temporary = try TemporaryFolder()
    let clock = StoreClock { Timestamp(milliseconds: time) }
    let store = try NoteStore.create(at: temporary.appending("s"), clock: clock)
    try store.put("v1\n", "n")
    try store.put("v2\n", "n")
    try store.undo(.called("n"))
    let note = try store.find(.called("n"))
    #expect(try store.history(of: note).map(\.saved.milliseconds) == [time, time])
    #expect(try store.verify().problems == [])
}

// B08: events are told in the order in which they happened.
@Test func eventsComeNewestFirstWhateverTheClockSays() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try fixture.saveThrice(at: [later, earlier, later])
    try store.flush()
    try store.undo(.called("n"))
    let events = try store.events(newest: 4).map(\.description)
    #expect(events == ["undid n@3, back to @2", "saved n@3", "saved n@2", "saved n@1"])
    #expect(try store.events(newest: 100).count == 5)
    #expect(try store.events(newest: 0).isEmpty)
    try fixture.expectSound()
}
