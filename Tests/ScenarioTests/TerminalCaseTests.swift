import Foundation
import Testing
import TestSupport

/// B20: what is stored never reaches the terminal as something that it could obey.
struct TerminalCaseTests {
    private static let text: [UInt8] =
        Array("a\u{1B}]0;t\u{07}b \u{9B}2J \u{202E}r\u{2066} \u{85}\u{2028} tab\tend\u{7F}\n".utf8) + [
            0x9B, 0x32, 0x4A, 0xFF, 0x0A, 0x0D, 0x08, 0x0A,
        ]
    private static let harmful: [UInt32] =
        Array(0...0x1F) + Array(0x7F...0x9F) + [0x61C, 0x200E, 0x200F] + Array(0x2028...0x202E) + Array(0x2066...0x2069)

    /// A store with text, names and labels that try to take the terminal over.
    private func hostileScene() throws -> Scene {
        let scene = try Scene()
        let name = Array("r\u{202E}md.x\u{2067}".utf8)
        try scene.stet(bytes: [Array("save".utf8), name, [0x2D]], input: Array("first\n".utf8))
        try scene.stet(
            bytes: [Array("save".utf8), name, [0x2D], Array("-m".utf8), Array("l\u{202E}abel\u{2028}".utf8)],
            input: Self.text)
        try scene.save("other", as: "n")
        return scene
    }

    private func expectHarmless(
        _ output: [UInt8], _ call: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let text = try #require(String(validating: output, as: UTF8.self), "\(call)", sourceLocation: sourceLocation)
        let found = text.unicodeScalars.filter { $0 != "\n" && $0 != "\t" && Self.harmful.contains($0.value) }
        #expect(found.isEmpty, "\(call): \(found.map { String($0.value, radix: 16) })", sourceLocation: sourceLocation)
        #expect(!output.isEmpty, "\(call)", sourceLocation: sourceLocation)
    }

    @Test func storedDataIsSpelledOutOnATerminal() throws {
        let scene = try hostileScene()
        let name = "r\u{202E}md.x\u{2067}"
        for call in [
            ["list"], ["list", "--json"], ["history", name], ["history", name, "--json"], ["history"], ["diff", name],
            ["diff", "n", name], ["show", name], ["show", name, "--lines", "1"], ["show", name, "--last", "1"],
            ["verify"], ["status"], ["undo"], ["ref", name], ["label", name + "@2", "x\u{202E}y"],
            ["pin", name + "@2"],
            ["undo", name], ["redo", name], ["restore", name + "@1"], ["rename", name, "\u{202E}"],
            ["rename", "\u{202E}", name], ["rm", name], ["list", "--deleted"], ["show", name], ["undelete", name],
        ] {
            let words = call + ["--color", "never"]
            try expectHarmless(try scene.terminal(words), "\(call)")
        }
        try scene.expectSound()
    }

    @Test func whatWasTypedIsSpelledOutInErrors() throws {
        let scene = try hostileScene()
        let word = "x\u{1B}[2J\u{202E}\u{9B}y"
        for call in [
            [word], ["show", word], ["show", "n@" + word], ["show", "none\u{202E}"], ["list", "--" + word],
            ["list", "-\u{1B}"], ["list", "--color", word], ["list", "--store", word], ["help", word],
            ["resolve", "stet:" + word], ["resolve", word], ["show", "stet:" + word], ["undo", "n", "-n", word],
            ["restore", "n@1", "--to", "none/" + word], ["init", "--bare", "none/" + word], ["save", word, "-"],
            ["label", "n@1", word], ["list", "--json=" + word], ["show", "n", "--lines", word],
        ] {
            try expectHarmless(try scene.terminal(call + ["--color", "never"]), "\(call)")
            let piped = try scene.stet(bytes: call.map { Array($0.utf8) }, exits: nil)
            #expect(piped.status != 0)
            try expectHarmless(piped.errorBytes, "\(call)")
        }
        try scene.expectSound()
    }

    @Test func verifySpellsOutTheNamesOfDamagedNotes() throws {
        let scene = try Scene()
        let text = String(repeating: "line\n", count: 40_000)
        try scene.save(text, as: "r\u{202E}md")
        let hash = try #require(try scene.json("history", "r\u{202E}md")[0]["hash"] as? String)
        try FileManager.default.removeItem(atPath: scene.path(ofObject: hash))
        let output = try scene.terminal(["verify", "--color", "never"])
        #expect(String(decoding: output, as: UTF8.self).contains("r\\u{202E}md"))
        try expectHarmless(output, "verify")
        #expect(try scene.stet("verify", exits: 1).text.contains("1 missing"))
        try expectHarmless(try scene.terminal(["show", "r\u{202E}md", "--color", "never"]), "show")
    }

    @Test func pipesGetExactBytes() throws {
        let scene = try hostileScene()
        let name = "r\u{202E}md.x\u{2067}"
        #expect(try scene.stet("show", name).output == Self.text)
        let diff = try scene.stet("diff", name, exits: 1).output
        for line in Self.text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            #expect(
                diff.split(separator: UInt8(ascii: "\n")).contains { $0.dropFirst().elementsEqual(line) }
                    || line.isEmpty)
        }
        try scene.expectSound()
    }
}
