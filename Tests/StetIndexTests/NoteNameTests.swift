import StetIndex
import Testing
import TestSupport

/// What is wrong with `bytes` as a name, or nil.
private func problem(_ bytes: [UInt8]) -> NameError.Problem? {
    do throws(NameError) {
        _ = try NoteName(bytes: bytes)
        return nil
    } catch {
        return error.problem
    }
}

// B22: the limit counts bytes, not characters.
@Test func componentMayHave255BytesAndNotOneMore() throws {
    let fits = String(repeating: "漢", count: 84) + ".md"
    #expect(fits.utf8.count == 255)
    #expect(try NoteName(fits).bytes == bytes(fits))
    #expect(problem(bytes(String(repeating: "漢", count: 85) + ".md")) == .componentTooLong)
    let family = "👨‍👩‍👧‍👦"
    #expect(family.utf8.count == 25)
    #expect(problem(bytes(String(repeating: family, count: 10))) == nil)
    #expect(problem(bytes(String(repeating: family, count: 11))) == .componentTooLong)
    #expect(problem(bytes(String(repeating: "x", count: 255))) == nil)
    #expect(problem(bytes(String(repeating: "x", count: 256))) == .componentTooLong)
    // Each component counts by itself, wherever it stands.
    #expect(problem(bytes("a/" + fits + "/" + fits)) == nil)
    #expect(problem(bytes(String(repeating: "x", count: 256) + "/a")) == .componentTooLong)
    #expect(problem(bytes("a/" + String(repeating: "x", count: 256) + "/b")) == .componentTooLong)
}

// B22: two long names with the same beginning stay two.
@Test func longNamesThatShareTheirBeginningStayDifferent() throws {
    let start = String(repeating: "漢", count: 84)
    let (one, other) = (try NoteName(start + "a"), try NoteName(start + "b"))
    #expect(one != other)
}

@Test func wholeNameMayHave4095BytesAndNotOneMore() {
    let component = [UInt8](repeating: 0x78, count: 255)
    var name = component
    while name.count + 256 <= NoteName.maximumLength { name += [0x2F] + component }
    #expect(name.count == 4095)
    #expect(problem(name) == nil)
    #expect(problem(name.dropLast() + [0x2F, 0x79]) == .tooLong)
}

// B23
@Test(arguments: [
    ("", NameError.Problem.empty), (".", .dots), ("..", .dots), ("../evil", .dots), ("a/../../evil", .dots),
    ("a/..", .dots), ("./a", .dots), ("a/./b", .dots), ("a/.", .dots), ("/tmp/evil", .absolute), ("/", .absolute),
    ("a//b", .emptyComponent), ("a/", .emptyComponent), ("x\0y", .controlCharacter), ("\0", .controlCharacter),
    ("a\nb", .controlCharacter), ("a\tb", .controlCharacter), ("x\u{1B}[2Jy", .controlCharacter),
    ("a\u{7F}", .controlCharacter), ("a\u{85}b", .controlCharacter), ("a\u{9B}b", .controlCharacter),
])
func namesThatLeaveTheirFolderOrCannotBeFilesAreRefused(name: String, expected: NameError.Problem) {
    #expect(problem(bytes(name)) == expected)
}

// B23 and B78: what only looks dangerous is a name like any other.
@Test(arguments: [
    "..foo", "..foo/bar", "foo..", "...", "a/...", "a..b", "a\\..\\b", "\\", ".hidden", "C:\\x.md", "-INBOX-.md",
    "--help", " ", "~", "$HOME", "a b", "%2e%2e", "*?", "'\"", "stet:x", "a@1",
])
func namesThatOnlyLookDangerousAreTaken(name: String) throws {
    #expect(try NoteName(name).bytes == bytes(name))
}

// B25
@Test(
    arguments: [
        [0xFF], [0x63, 0x61, 0x66, 0xE9], [0xC3], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80],
        [0x61, 0x2F, 0xFE],
    ] as [[UInt8]])
func namesThatAreNotUTF8AreRefused(name: [UInt8]) {
    #expect(problem(name) == .notUTF8)
}

// B17: Swift's strings take the two spellings for one, dictionaries included.
@Test func composedAndDecomposedSpellingsAreTwoNames() throws {
    let composed = try NoteName(bytes: [0x63, 0x61, 0x66, 0xC3, 0xA9])
    let decomposed = try NoteName(bytes: [0x63, 0x61, 0x66, 0x65, 0xCC, 0x81])
    #expect(composed.description == decomposed.description)
    #expect(composed != decomposed)
    var numbers: [NoteName: Int] = [:]
    numbers[composed] = 1
    numbers[decomposed] = 2
    #expect(numbers.count == 2)
    #expect(Set([composed, decomposed, composed]).count == 2)
    #expect((composed < decomposed) != (decomposed < composed))
}

@Test func namesAreOrderedByTheirBytes() throws {
    let names = try ["b", "a/b", "a", "é", "B", "a.", "漢", "a0"].map { try NoteName($0) }
    let sorted = names.sorted().map(\.bytes)
    for (left, right) in zip(sorted, sorted.dropFirst()) { #expect(left.lexicographicallyPrecedes(right)) }
    #expect(names.sorted().map(\.description) == ["B", "a", "a.", "a/b", "a0", "b", "é", "漢"])
}

@Test func partsOfANameAreFoundAgain() throws {
    let name = try NoteName("work/2026/todo.md")
    #expect(name.folders.map(\.description) == ["work", "work/2026"])
    #expect(name.fileName.description == "todo.md")
    #expect(try name.relative(to: NoteName("work"))?.description == "2026/todo.md")
    #expect(try name.relative(to: NoteName("wor")) == nil)
    #expect(name.relative(to: name) == nil)
    #expect(try NoteName("work").appending(NoteName("2026/todo.md")) == name)
    #expect(try NoteName("todo.md").folders.isEmpty)
    let long = try NoteName(String(repeating: "x", count: 250) + "/" + String(repeating: "y", count: 250))
    #expect(throws: NameError.self) {
        var all = long
        while true { all = try all.appending(long) }
    }
}

// B20: the refusal itself is shown on a terminal.
@Test func refusalOfANameIsOneHarmlessLine() {
    for name in ["x\u{1B}[2Jy", "a\nb", String(repeating: "漢", count: 90)].map(bytes) + [[0xFF, 0x0A]] {
        do throws(NameError) {
            _ = try NoteName(bytes: name)
            Issue.record("\(name) was taken")
        } catch {
            #expect(!error.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
            #expect(error.description.contains("cannot be the name of a note"))
        }
    }
}

// B22: a message that shows the beginning of a long name does not cut a character in two.
@Test(arguments: ["漢", "é", "👩", "x"])
func refusalCutsALongNameBetweenCharacters(character: String) {
    for lead in ["", "a", "ab", "abc"] {
        let name = lead + String(repeating: character, count: 300)
        do throws(NameError) {
            _ = try NoteName(name)
            Issue.record("\(name) was taken")
        } catch {
            #expect(!error.description.contains("\\x"), "\(error.description)")
            #expect(error.description.hasPrefix("\"\(lead)\(character)"))
        }
    }
}

@Test func identifiersAreReadBackFromTheirText() throws {
    let device = try #require(DeviceID(bytes: [1, 2, 3, 4, 5, 6, 7, 0xFE]))
    #expect(device.description == "d01020304050607fe")
    #expect(DeviceID(device.description) == device)
    let version = VersionID(device: device, sequence: 42)
    #expect(version.description == "d01020304050607fe.42")
    #expect(VersionID(version.description) == version)
    let note = try #require(NoteID(bytes: Array(1...16)))
    #expect(NoteID(hex: note.description) == note)
    #expect(NoteID(bytes: Array(1...15)) == nil)
}

@Test(arguments: [
    "", "d", ".", "d.1", "01020304050607fe.1", "d01020304050607fe", "d01020304050607fe.", "d01020304050607fe.x",
    "d01020304050607fe.-1", "d01020304050607fe.+1", "d01020304050607fe.1.2", "d01020304050607fe. 1",
    "d01020304050607fe.99999999999999999999", "d0102.1", "e01020304050607fe.1", "d01020304050607fg.1",
])
func textThatIsNoVersionIdentifierIsRefused(text: String) {
    #expect(VersionID(text) == nil)
}
