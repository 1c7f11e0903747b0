import StetText
import TestSupport
import Testing

@Suite struct LinesTests {
    @Test func emptyBufferHasNoLines() {
        #expect(Lines([]).isEmpty)
    }

    @Test func lineFeedBelongsToItsLine() {
        let lines = Lines(bytes("a\n\nbc\n"))
        #expect(lines.map { Array($0) } == [bytes("a\n"), bytes("\n"), bytes("bc\n")])
        #expect(lines.indices.map { lines.byteRange(of: $0) } == [0..<2, 2..<3, 3..<6])
        #expect(lines.indices.allSatisfy { lines.hasLineFeed(at: $0) })
    }

    @Test func lastLineMayLackItsLineFeed() {
        let lines = Lines(bytes("a\nb"))
        #expect(lines.map { Array($0) } == [bytes("a\n"), bytes("b")])
        #expect(lines.hasLineFeed(at: 0))
        #expect(!lines.hasLineFeed(at: 1))
    }

    @Test func carriageReturnIsAnOrdinaryByte() {
        #expect(Lines(bytes("a\r\nb\r\n")).count == 2)
        #expect(Lines(bytes("a\rb")).count == 1)
    }

    @Test func linesJoinToTheBuffer() {
        var generator = SplitMix64.forTest()
        for _ in 0..<200 {
            let content = randomLines(&generator, upTo: 20)
            let lines = Lines(content)
            #expect(Array(lines.joined()) == content)
            #expect(lines.dropLast().allSatisfy { $0.last == 0x0A && $0.filter { $0 == 0x0A }.count == 1 })
        }
    }
}
