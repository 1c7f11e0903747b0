import StetText
import TestSupport
import Testing

@Suite struct LineDiffTests {
    private func diff(_ old: String, _ new: String) -> LineDiff { LineDiff(old: bytes(old), new: bytes(new)) }

    @Test func equalBuffersHaveNoChanges() {
        #expect(diff("", "").isEmpty)
        #expect(diff("a\nb", "a\nb").changes == [])
    }

    @Test func emptyAgainstSomething() {
        #expect(diff("", "a\nb\n").changes == [.init(oldRange: 0..<0, newRange: 0..<2)])
        #expect(diff("a\nb\n", "").changes == [.init(oldRange: 0..<2, newRange: 0..<0)])
    }

    @Test func missingLineFeedMakesADifferentLine() {
        #expect(diff("a\nb\n", "a\nb").changes == [.init(oldRange: 1..<2, newRange: 1..<2)])
    }

    /// Case B26.
    @Test func changeInCRLFTextIsOneLineEachWay() {
        let result = diff("a\r\nb\r\n", "a\r\nc\r\n")
        #expect(result.removedLineCount == 1)
        #expect(result.addedLineCount == 1)
        #expect(result.oldLines.count == 2)
        #expect(result.newLines.count == 2)
    }

    @Test func addedRunSlidesToTheLatestPlace() {
        // Unslid, the script would add the first "1 2" of the two.
        #expect(
            diff("P\nk\n1\n2\ne\n", "Q\nk\n1\n2\n1\n2\ne\n").changes == [
                .init(oldRange: 0..<1, newRange: 0..<1), .init(oldRange: 4..<4, newRange: 4..<6),
            ])
    }

    @Test func removedRunSlidesToTheLatestPlace() {
        #expect(
            diff("Q\nk\n1\n2\n1\n2\ne\n", "P\nk\n1\n2\ne\n").changes == [
                .init(oldRange: 0..<1, newRange: 0..<1), .init(oldRange: 4..<6, newRange: 4..<4),
            ])
    }

    @Test func runSlidesToLineUpWithARunOnTheOtherSide() {
        // The added "b" could stand after the last "b", but here it replaces "D".
        #expect(
            diff("P\nk\nb\nD\nb\ne\n", "Q\nk\nb\nb\nb\ne\n").changes == [
                .init(oldRange: 0..<1, newRange: 0..<1), .init(oldRange: 3..<4, newRange: 3..<4),
            ])
    }

    @Test func movedBlockCostsOnlyItsOwnLines() {
        // Anchored at the only unique line, the script would give up all the others.
        let others = String(repeating: "x\n", count: 50)
        let result = diff("A\n" + others, others + "A\n")
        #expect(result.removedLineCount == 1)
        #expect(result.addedLineCount == 1)
    }

    @Test func scriptIsMinimalForSmallInputs() {
        var generator = SplitMix64.forTest()
        for _ in 0..<2_000 {
            let old = Lines(randomLines(&generator, upTo: 24))
            let new = Lines(
                Bool.random(using: &generator)
                    ? randomLines(&generator, upTo: 24) : edited(old.bytes, &generator))
            let result = LineDiff(old: old, new: new)
            let common = longestCommonSubsequenceLength(old, new)
            #expect(result.removedLineCount == old.count - common)
            #expect(result.addedLineCount == new.count - common)
        }
    }

    @Test func scriptGivesTheNewBytes() {
        var generator = SplitMix64.forTest()
        for _ in 0..<1_000 {
            let old = randomLines(&generator, upTo: 60)
            let new = Bool.random(using: &generator) ? randomLines(&generator, upTo: 60) : edited(old, &generator)
            let result = LineDiff(old: old, new: new)
            #expect(applying(result) == new)
            expectSeparated(result)
        }
    }

    @Test func scriptIsCorrectPastTheCostLimit() {
        var generator = SplitMix64.forTest()
        for _ in 0..<2_000 {
            let old = Lines(randomLines(&generator, upTo: 60))
            let new = Lines(
                Bool.random(using: &generator)
                    ? randomLines(&generator, upTo: 60) : edited(old.bytes, &generator))
            let limit = Int.random(in: 1...6, using: &generator)
            let result = LineDiff(old: old, new: new, costLimit: limit)
            #expect(applying(result) == new.bytes)
            expectSeparated(result)
        }
    }

    @Test func anchorsAreUsedPastTheCostLimit() {
        // Every third line is unique and stays; the others are few and repeated. With a low limit the search gives up
        // at once, and only the anchors can keep the unique lines in place. Between them the search is exact.
        var generator = SplitMix64.forTest()
        func version() -> [Int] {
            (0..<3_000).map { $0 % 3 == 0 ? 100 + $0 : Int.random(in: 0..<4, using: &generator) }
        }
        let (old, new) = (version(), version())
        let common = stride(from: 0, to: old.count, by: 3).reduce(0) { sum, start in
            sum
                + longestCommonSubsequenceLength(
                    Lines(numberedLines(old[start..<(start + 3)])), Lines(numberedLines(new[start..<(start + 3)])))
        }
        let result = LineDiff(old: Lines(numberedLines(old)), new: Lines(numberedLines(new)), costLimit: 4)
        #expect(result.removedLineCount == old.count - common)
        #expect(result.addedLineCount == new.count - common)
    }

    @Test func singleMovedLineIsNoAnchorPastTheCostLimit() {
        // The only unique line moves from the top to the bottom; held on to, it would give up all the others.
        var generator = SplitMix64.forTest()
        let old = (0..<600).map { _ in Int.random(in: 0..<20, using: &generator) }
        var new = old
        for index in stride(from: 10, to: 600, by: 20) { new[index] = 20 + index % 3 }
        let result = LineDiff(
            old: Lines(numberedLines([99] + old)), new: Lines(numberedLines(new + [99])), costLimit: 8)
        #expect(result.removedLineCount < 200)
        #expect(applying(result) == result.newLines.bytes)
    }

    /// The change list is in order and no two changes touch, on either side.
    private func expectSeparated(_ diff: LineDiff) {
        for (one, next) in zip(diff.changes, diff.changes.dropFirst()) {
            #expect(one.oldRange.upperBound < next.oldRange.lowerBound)
            #expect(one.newRange.upperBound < next.newRange.lowerBound)
        }
        #expect(diff.changes.allSatisfy { !$0.oldRange.isEmpty || !$0.newRange.isEmpty })
    }
}
