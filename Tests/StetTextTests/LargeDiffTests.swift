import StetText
import TestSupport
import Testing

/// Inputs that make a careless diff quadratic.
///
/// The tests assert the result; a blow-up would show as a hang.
@Suite(.timeLimit(.minutes(2))) struct LargeDiffTests {
    /// Case B30.
    @Test func reversedNumbersShareOneLine() {
        let result = LineDiff(old: numberedLines(1...20_000), new: numberedLines((1...20_000).reversed()))
        #expect(result.removedLineCount == 19_999)
        #expect(result.addedLineCount == 19_999)
        #expect(applying(result) == result.newLines.bytes)
    }

    /// Case B30.
    @Test func oneOfManyIdenticalLinesIsRemoved() {
        let old = numberedLines(repeatElement(1, count: 100_000))
        let new = numberedLines(repeatElement(1, count: 99_999))
        #expect(LineDiff(old: old, new: new).changes == [.init(oldRange: 99_999..<100_000, newRange: 99_999..<99_999)])
        #expect(LineDiff(old: new, new: old).changes == [.init(oldRange: 99_999..<99_999, newRange: 99_999..<100_000)])
    }

    @Test(arguments: [2, 100, 25_000, 50_000])
    func shuffledLinesGiveTheNewBytes(distinct: Int) {
        var generator = SplitMix64.forTest("shuffledLinesGiveTheNewBytes(\(distinct))")
        let lines = (0..<50_000).map { $0 % distinct }
        let old = numberedLines(lines.shuffled(using: &generator))
        let new = numberedLines(lines.shuffled(using: &generator))
        let result = LineDiff(old: old, new: new)
        #expect(applying(result) == new)
        #expect(result.removedLineCount == result.addedLineCount)
    }

    @Test func periodicTextWithRemovalsGivesTheNewBytes() {
        var generator = SplitMix64.forTest()
        let old = (0..<60_000).map { $0 % 2 }
        let new = old.filter { _ in Int.random(in: 0..<50, using: &generator) > 0 }
        let result = LineDiff(old: numberedLines(old), new: numberedLines(new))
        #expect(applying(result) == result.newLines.bytes)
        #expect(result.removedLineCount - result.addedLineCount == old.count - new.count)
    }
}
