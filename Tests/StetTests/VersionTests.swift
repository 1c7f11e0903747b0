import Stet
import Testing
import TestSupport

@Test func versionsAreNamedByIDHashAndNumber() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let texts = ["v1\n", "v2\n", "v1\n", "v3\n"]
    for text in texts { try store.put(text, "n") }
    try store.put("other\n", "o")
    let note = try store.find(.called("n"))
    for version in try store.history(of: note) {
        #expect(try store.version(.id(version.id), of: note).number == version.number)
        #expect(try store.version(.number(version.number), of: note) == version)
    }
    // The same bytes in two versions are one answer: the newest.
    for prefix in ["2d27", "2D27FBDF", ObjectID(of: bytes("v1\n")).description] {
        #expect(try store.version(.hashPrefix(prefix), of: note).number == 3)
    }
    let other = try store.find(.called("o"))
    let foreign = try store.version(.head, of: other).id
    let stranger = try #require(VersionID("d0011223344556677.3"))
    let refused: [VersionReference] = [
        .id(foreign), .id(stranger), .id(VersionID(device: foreign.device, sequence: 0)),
        .id(VersionID(device: foreign.device, sequence: .max)), .number(0), .number(5), .number(-1), .number(.max),
        .hashPrefix("2d2"), .hashPrefix(""), .hashPrefix("ffff"), .hashPrefix("zzzz"), .hashPrefix("%%%%"),
        .hashPrefix(ObjectID(of: bytes("v1\n")).description + "0"), .time(Timestamp(milliseconds: 0)),
    ]
    for reference in refused {
        #expect(throws: StoreError.self, "\(reference)") { try store.version(reference, of: note) }
    }
    try fixture.expectSound()
}

@Test func hashThatSeveralTextsBeginWithIsAmbiguous() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    // Two texts whose hashes begin with the same four digits: among some hundreds there are some.
    var seen: [Substring: String] = [:]
    var number = 0
    var pair: (String, String)?
    while pair == nil {
        let text = "text \(number)\n"
        let prefix = ObjectID(of: bytes(text)).description.prefix(4)
        if let other = seen[prefix] { pair = (other, text) }
        seen[prefix] = text
        number += 1
    }
    let (one, two) = try #require(pair)
    try store.put(one, "n")
    let note = try store.put(two, "n").note
    let hashes = [one, two].map { ObjectID(of: bytes($0)).description }
    let error = #expect(throws: StoreError.self) {
        try store.version(.hashPrefix(String(hashes[0].prefix(4))), of: note)
    }
    guard case .ambiguousVersion(_, _, let versions) = error else {
        Issue.record("\(String(describing: error))")
        return
    }
    #expect(versions.map(\.number) == [2, 1])
    #expect(try store.version(.hashPrefix(hashes[0]), of: note).number == 1)
    #expect(try store.version(.hashPrefix(hashes[1]), of: note).number == 2)
    try fixture.expectSound()
}

@Test func labelsHaveALimitInBytesAndOneLine() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let name = try NoteName("n")
    let longest = String(repeating: "é", count: 500)
    #expect(try store.save(bytes("v1\n"), as: name, label: longest).version.label == longest)
    let before = try fixture.truth()
    for label in [longest + "x", "a\nb", "a\tb", "\0", "\u{1B}[2J", "\u{7F}", "\u{9B}2J"] {
        #expect(throws: StoreError.invalidLabel) { try store.save(bytes("v2\n"), as: name, label: label) }
        #expect(throws: StoreError.invalidLabel) { try store.label(.head, of: .name(name), label) }
        #expect(throws: StoreError.invalidLabel) {
            try store.save(as: name, label: label) { _ in
                Issue.record("the text was read")
                return 0
            }
        }
    }
    // A large text beside a label that is refused leaves nothing behind.
    let other = try NoteName("o")
    #expect(throws: StoreError.invalidLabel) {
        try store.save([SaveRequest(patterned(100_000), as: other), SaveRequest([], as: name, label: "a\nb")])
    }
    #expect(try Files.list(fixture.folder + "/caches/incoming").isEmpty)
    #expect(try fixture.truth() == before)
    try fixture.expectSound()
}

@Test func labelsAndPinsAreSetChangedAndTakenAway() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.put("v1\n", "n", label: "first")
    // Unchanged text makes no version; its label is still set.
    let again = try store.put("v1\n", "n", label: "renamed")
    #expect(!again.isNew)
    #expect(again.version.label == "renamed")
    #expect(try store.put("v1\n", "n").version.label == "renamed")
    #expect(try store.put("v2\n", "n", label: "").version.label == nil)
    #expect(try store.label(.number(1), of: .called("n"), "").label == nil)
    #expect(try store.label(.number(2), of: .called("n"), "漢").label == "漢")
    #expect(try store.pin(.number(1), of: .called("n")).isPinned)
    let before = try fixture.truth()
    #expect(try store.pin(.number(1), of: .called("n")).isPinned)
    #expect(try store.label(.number(2), of: .called("n"), "漢").label == "漢")
    #expect(try !store.unpin(.number(2), of: .called("n")).isPinned)
    #expect(try fixture.truth() == before)
    try store.delete([.called("n")])
    #expect(try !store.unpin(.number(1), of: .called("n")).isPinned)
    #expect(throws: StoreError.self) { try store.pin(.number(3), of: .called("n")) }
    try fixture.expectSound()
}

@Test func mergeHasTheHeadAndWhatWasMergedForParents() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let name = try NoteName("n")
    for text in ["base\n", "left\n"] { try store.put(text, "n") }
    try store.undo(.called("n"))
    for text in ["right\n", "right 2\n"] { try store.put(text, "n") }
    let merge = try store.save([SaveRequest(bytes("both\n"), as: name, label: "m", mergedFrom: [2, 3])])[0]
    #expect(merge.version.number == 5)
    #expect(merge.version.parents == [4, 2, 3])
    #expect(merge.version.kind == .merge)
    // The text of the head is still a merge of its own: it records where it came from.
    let same = try store.save([SaveRequest(bytes("both\n"), as: name, mergedFrom: [2])])[0]
    #expect(same.isNew)
    #expect(same.version.parents == [5, 2])
    try store.undo(.called("n"), steps: 2)
    #expect(try store.shown("n") == "right 2\n")
    try store.redo(.called("n"), steps: 2)
    let before = try fixture.truth()
    for parents in [[9], [0], [-1], [2, 9]] {
        #expect(throws: StoreError.self) {
            try store.save([SaveRequest(bytes("x\n"), as: name, mergedFrom: parents)])
        }
    }
    // A note that is not there has nothing to be merged from.
    #expect(throws: StoreError.self) {
        try store.save([SaveRequest(bytes("x\n"), as: NoteName("new"), mergedFrom: [1])])
    }
    #expect(try fixture.truth() == before)
    try fixture.reopen()
    let history = try fixture.store.history(of: fixture.store.find(.name(name)))
    #expect(history.map(\.parents) == [[5, 2], [4, 2, 3], [3], [1], [1], []])
    try fixture.expectSound()
}

@Test func severalSavesAreAllDoneOrNone() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.put("v1\n", "a")
    let before = try fixture.truth()
    let large = patterned(300_000)
    let requests = [
        SaveRequest(bytes("v2\n"), as: try NoteName("a")), SaveRequest(large, as: try NoteName("large")),
        SaveRequest(bytes("new\n"), as: try NoteName("b")), SaveRequest(bytes("in the way\n"), as: try NoteName("a/b")),
    ]
    #expect(throws: StoreError.nameInside(try NoteName("a/b"), other: try NoteName("a"))) { try store.save(requests) }
    #expect(try fixture.truth() == before)
    #expect(try Files.list(fixture.folder + "/caches/incoming").isEmpty)
    #expect(try store.shown("a") == "v1\n")
    let changes = try store.save(Array(requests.dropLast()) + [SaveRequest(bytes("v3\n"), as: try NoteName("a"))])
    #expect(changes.map(\.version.number) == [2, 1, 1, 3])
    #expect(try store.save([SaveRequest]()).isEmpty)
    // The same text several times in one call is one object.
    let twice = try ["x", "y"].map { SaveRequest(bytes("same\n"), as: try NoteName($0)) }
    #expect(try Set(store.save(twice).map(\.version.object)).count == 1)
    let largeTwice = try ["lx", "ly"].map { SaveRequest(patterned(70_000), as: try NoteName($0)) }
    #expect(try store.save(largeTwice).count == 2)
    #expect(try Files.list(fixture.folder + "/caches/incoming").isEmpty)
    try fixture.expectSound()
}
