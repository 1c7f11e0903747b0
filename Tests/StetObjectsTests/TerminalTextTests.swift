import StetObjects
import Testing
import TestSupport

// B20
@Test func controlCharactersAreSpelledOut() {
    for code in Array(UInt8(0)...0x1F) + [0x7F] {
        let shown = TerminalText.escape([0x61, code, 0x62])
        #expect(shown == "a\\x" + Hex.encode([code]).uppercased() + "b")
    }
    #expect(TerminalText.escape("x\u{1B}[2Jy") == "x\\x1B[2Jy")
    #expect(TerminalText.escape("a\u{1B}]0;t\u{07}b") == "a\\x1B]0;t\\x07b")
}

// B20: the eight-bit controls do what ESC and a letter do.
@Test func eightBitControlsAreSpelledOutInBothEncodings() {
    for code in UInt8(0x80)...0x9F {
        let spelled = "\\x" + Hex.encode([code]).uppercased()
        #expect(TerminalText.escape([code]) == spelled)
        #expect(TerminalText.escape([0xC2, code]) == spelled)
    }
}

// B20
@Test func charactersThatTurnTheDirectionAreSpelledOut() {
    let turning: [UInt32] = [0x061C, 0x200E, 0x200F] + Array(0x2028...0x202E) + Array(0x2066...0x2069)
    for code in turning {
        guard let scalar = Unicode.Scalar(code) else { continue }
        let shown = TerminalText.escape("a" + String(Character(scalar)) + "b")
        #expect(shown == "a\\u{" + String(code, radix: 16, uppercase: true) + "}b")
    }
}

// B20
@Test(
    arguments: [
        ([0xFF], "\\xFF"), ([0xC3], "\\xC3"), ([0xC3, 0x28], "\\xC3("), ([0xE6, 0xBC], "\\xE6\\xBC"),
        ([0xF0, 0x9F, 0x98], "\\xF0\\x9F\\x98"),
        // Overlong spellings of a slash and of ESC, a surrogate, and a number past the last character.
        ([0xC0, 0xAF], "\\xC0\\xAF"), ([0xC0, 0x9B], "\\xC0\\x9B"), ([0xE0, 0x80, 0x9B], "\\xE0\\x80\\x9B"),
        ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"), ([0xF4, 0x90, 0x80, 0x80], "\\xF4\\x90\\x80\\x80"),
        ([0x63, 0x61, 0x66, 0xE9, 0x0A], "caf\\xE9\\x0A"), ([0x61, 0xE6, 0x1B, 0x5B], "a\\xE6\\x1B["),
    ] as [([UInt8], String)])
func bytesThatAreNotUTF8AreSpelledOut(text: [UInt8], shown: String) {
    #expect(TerminalText.escape(text) == shown)
}

@Test(arguments: [
    "", "plain text", "café", "cafe\u{301}", "漢字かな交じり文", "한국어", "👩‍👩‍👧‍👦 🇮🇹 👍🏽", "שלום", "C:\\dir\\x1B", "\u{FEFF}", "a\u{A0}b",
])
func harmlessTextIsLeftAsItIs(text: String) {
    // Compared as bytes: strings would take composed and decomposed letters for the same.
    #expect(Array(TerminalText.escape(text).utf8) == bytes(text))
}

@Test func controlsThatAreToBeKeptAreKept() {
    let text = bytes("a\tb\nc\r\u{1B}\u{85}")
    #expect(Array(TerminalText.escape(text, keeping: [0x09, 0x0A]).utf8) == bytes("a\tb\nc\\x0D\\x1B\\x85"))
}

// B20: whatever the bytes, nothing that a terminal obeys comes through.
@Test func randomBytesNeverReachTheTerminalAsControls() {
    var random = SplitMix64.forTest()
    for _ in 0..<2_000 {
        let text = (0..<Int.random(in: 0...24, using: &random)).map { _ in
            UInt8.random(in: .min ... .max, using: &random)
        }
        let shown = TerminalText.escape(text)
        #expect(!shown.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(text)")
    }
}

@Test func failuresOfTheSystemAreToldInOneEscapedLine() {
    let failure = SystemError(2, "open", "/x\u{1B}[2J\ny")
    #expect(failure.isMissing)
    #expect(failure.description == "cannot open /x\\x1B[2J\\x0Ay: No such file or directory")
}
