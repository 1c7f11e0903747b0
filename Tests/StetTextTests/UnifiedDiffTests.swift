import StetText
import TestSupport
import Testing

@Suite struct UnifiedDiffTests {
    private func unified(_ old: String, _ new: String, contextLines: Int = 3) -> String {
        let diff = UnifiedDiff(old: bytes(old), new: bytes(new), contextLines: contextLines)
        return String(decoding: diff.bytes(oldLabel: bytes("a/n"), newLabel: bytes("b/n")), as: UTF8.self)
    }

    private let header = "--- a/n\n+++ b/n\n"
    private let marker = "\\ No newline at end of file\n"

    @Test func equalBuffersGiveNoOutput() {
        #expect(unified("a\n", "a\n") == "")
        #expect(unified("", "") == "")
        #expect(UnifiedDiff(old: [1], new: [1]).isEmpty)
    }

    @Test func emptySideIsLineZero() {
        #expect(unified("", "a\nb\n") == header + "@@ -0,0 +1,2 @@\n+a\n+b\n")
        #expect(unified("a\n", "") == header + "@@ -1 +0,0 @@\n-a\n")
        #expect(unified("", "a") == header + "@@ -0,0 +1 @@\n+a\n" + marker)
    }

    @Test func missingLineFeedIsMarkedOnEachSide() {
        #expect(unified("a", "b") == header + "@@ -1 +1 @@\n-a\n\(marker)+b\n\(marker)")
        #expect(unified("a\n", "a") == header + "@@ -1 +1 @@\n-a\n+a\n\(marker)")
        #expect(unified("a", "a\n") == header + "@@ -1 +1 @@\n-a\n\(marker)+a\n")
        #expect(unified("x\na", "y\na") == header + "@@ -1,2 +1,2 @@\n-x\n+y\n a\n\(marker)")
    }

    @Test func carriageReturnsAreKept() {
        #expect(unified("a\r\nb\r\n", "a\r\nc\r\n") == header + "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n")
    }

    @Test func contextIsLimitedAndHunksJoinWhenItWouldMeet() {
        let old = (1...20).map { "\($0)\n" }
        func changed(_ lines: Int...) -> String {
            old.map { lines.contains(Int($0.dropLast()) ?? 0) ? "x\n" : $0 }.joined()
        }
        let apart = UnifiedDiff(old: bytes(old.joined()), new: bytes(changed(5, 13)))
        #expect(apart.hunks.map(\.oldRange) == [1..<8, 9..<16])
        let near = UnifiedDiff(old: bytes(old.joined()), new: bytes(changed(5, 12)))
        #expect(near.hunks.map(\.oldRange) == [1..<15])
        let all = UnifiedDiff(old: bytes(old.joined()), new: bytes(changed(5, 13)), contextLines: Int.max)
        #expect(all.hunks.map(\.oldRange) == [0..<20])
    }

    @Test func noContextNamesTheLineBefore() {
        #expect(unified("a\nb\n", "a\nx\nb\n", contextLines: 0) == header + "@@ -1,0 +2 @@\n+x\n")
        #expect(unified("a\nx\nb\n", "a\nb\n", contextLines: -1) == header + "@@ -2 +1,0 @@\n-x\n")
    }

    @Test func linesCarryTheirKindPlaceAndBytes() {
        let diff = UnifiedDiff(old: bytes("a\nb\n"), new: bytes("a\nccc"))
        let lines = diff.hunks.flatMap(\.lines)
        #expect(lines.map(\.kind) == [.context, .removed, .added])
        #expect(lines.map(\.oldIndex) == [0, 1, nil])
        #expect(lines.map(\.newIndex) == [0, nil, 1])
        #expect(lines.map(\.byteRange) == [0..<2, 2..<4, 2..<5])
        #expect(lines.map(\.hasLineFeed) == [true, true, false])
        #expect(lines.map { Array(diff.bytes(of: $0)) } == [bytes("a\n"), bytes("b\n"), bytes("ccc")])
    }

    @Test(arguments: [
        ("plain.txt", "plain.txt"), ("a b", "a b\t"), ("é", "é"), ("say \"x\"", "\"say \\\"x\\\"\"\t"),
        ("a\\b", "\"a\\\\b\""), ("a\tb\nc\r", "\"a\\tb\\nc\\r\""), ("\u{1}\u{7F}\u{7}", "\"\\001\\177\\a\""),
        ("end ", "\"end \"\t"), ("", "\"\""),
    ])
    func namesAreQuotedAsGitDoes(name: String, expected: String) {
        let output = UnifiedDiff(old: [], new: bytes("x\n")).bytes(oldLabel: bytes("/dev/null"), newLabel: bytes(name))
        #expect(String(decoding: output, as: UTF8.self) == "--- /dev/null\n+++ \(expected)\n@@ -0,0 +1 @@\n+x\n")
    }

    @Test func outputAppliesToTheOldBytes() throws {
        var generator = SplitMix64.forTest()
        for _ in 0..<1_000 {
            let old = randomLines(&generator, upTo: 60)
            let new = Bool.random(using: &generator) ? randomLines(&generator, upTo: 60) : edited(old, &generator)
            let diff = UnifiedDiff(old: old, new: new, contextLines: Int.random(in: 0...4, using: &generator))
            #expect(try applying(patch: diff.bytes(oldLabel: [0x61], newLabel: [0x62]), to: old) == new)
        }
    }
}
