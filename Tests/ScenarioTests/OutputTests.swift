import Foundation
import Testing
import TestSupport

/// Where output goes, how it is coloured, and where options may stand.
struct OutputTests {
    private let escape = UInt8(0x1B)

    @Test func dataGoesToStandardOutputAndTheRestToStandardError() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        let unchanged = try scene.stet("save", "n", "-", input: "v1\n")
        #expect((unchanged.text, unchanged.errorLines.count) == ("n@1\n", 1))
        let quiet = try scene.stet("-q", "save", "n", "-", input: "v1\n")
        #expect((quiet.text, quiet.errors) == ("n@1\n", ""))
        let refused = try scene.stet("--quiet", "show", "none", exits: 3)
        #expect((refused.text, refused.errors) == ("", "stet: no note is called \"none\"\n"))
        try scene.stet("rename", "n", "m")
        #expect(try scene.stet("show", "n", "-q").errors == "")
        #expect(try scene.stet("show", "n").text == "v1\n")
    }

    @Test func everyRefusalIsOneLineOnStandardError() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        try scene.save("v1\n", as: "m")
        let calls: [([String], Int32)] = [
            (["show", "none"], 3), (["show", "n@9"], 3), (["show", "n@2001-01-01"], 3), (["show", "n@sha:ffff"], 3),
            (["undo", "n"], 1), (["redo", "n"], 1), (["diff", "n@1", "none"], 3), (["undelete", "n"], 3),
            (["show", ""], 2), (["show", "n@"], 2), (["show", "n", "--lines", "x"], 2), (["undo", "n", "-n", "0"], 2),
            (["undo", "n", "-n", "99999999999999999999"], 2), (["show", "n", "--lines=1", "--last=1"], 2),
            (["show", "n", "--lines=-1"], 2), (["show", "n@sha:12"], 2), (["show", "n@2026-02-31"], 2),
            (["show", "n@3 fortnights ago"], 2), (["label", "n", "x"], 2), (["label", "n@1", "a\u{1B}[2Jb"], 2),
            (["label", "n@1", "a\nb"], 2), (["label", "n@1", String(repeating: "x", count: 1001)], 2),
            (["save", "n", "-", "-m", "a\u{9B}b"], 2), (["save", "n/inside", "-"], 4), (["rename", "n", "m/x"], 4),
            (["restore", "n"], 2), (["resolve", "n"], 2), (["resolve", "stet:12345"], 2), (["ref", "stet:ffffff"], 3),
            (["list", "--color", "blue"], 2), (["list", "--json=yes"], 2), (["save"], 2), (["save", "n"], 2),
            (["diff"], 2),
            (["undo", "-n"], 2), (["history", "--json"], 2), (["version", "now"], 2), (["show"], 2),
            (["init", "--bare"], 4), (["init", "--bare", scene.temporary.path], 4), (["--store", "none", "list"], 3),
            (["--store", "", "list"], 2), (["restore", "n@1", "--to", "none/file"], 6),
        ]
        for (call, code) in calls {
            let run = try scene.stet(bytes: call.map { Array($0.utf8) }, exits: code)
            #expect(run.text == "", "\(call)")
            #expect(run.errorLines.count == 1 && run.errors.hasPrefix("stet: "), "\(call): \(run.errors)")
            #expect(!run.errorBytes.contains(escape))
        }
        #expect(try scene.json("history", "n").count == 1)
        try scene.expectSound()
    }

    @Test func severalOperandsAreAllTriedAndTheWorstCodeWins() throws {
        let scene = try Scene()
        for name in ["a", "b", "c"] { try scene.save(name, as: name) }
        let run = try scene.stet("rm", "a", "none", "..", "c", exits: 3)
        #expect(run.lines == ["deleted a, which showed @1", "deleted c, which showed @1"])
        #expect(run.errorLines.count == 2)
        try scene.save("new", as: "c")
        let back = try scene.stet("undelete", "a", "b", "c", exits: 4)
        #expect(back.text == "a@1\n")
        #expect(back.errorLines.count == 2)
        try scene.expectSound()
    }

    @Test func colourIsForTerminalsUnlessAskedForOrForbidden() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", as: "n")
        for words in [["list"], ["history", "n"], ["diff", "n"], ["help"]] {
            func isColoured(_ more: String...) throws -> Bool {
                try scene.stet(bytes: (words + more).map { Array($0.utf8) }, exits: nil).output.contains(escape)
            }
            #expect(try !isColoured(), "\(words)")
            #expect(try !isColoured("--color", "auto"), "\(words)")
            #expect(try !isColoured("--color=never"), "\(words)")
            #expect(try isColoured("--color=always"), "\(words)")
        }
        #expect(try !scene.stet("list", "--json", "--color", "always").output.contains(escape))
        #expect(try !scene.stet("show", "n", "--color", "always").output.contains(escape))
        #expect(try scene.terminal("history", "n").contains(escape))
        #expect(try !scene.terminal("history", "n", "--color", "never").contains(escape))
        scene.environment["NO_COLOR"] = "1"
        #expect(try !scene.terminal("history", "n").contains(escape))
        #expect(try scene.terminal("history", "n", "--color", "always").contains(escape))
        scene.environment["NO_COLOR"] = ""
        #expect(try scene.terminal("history", "n").contains(escape))
    }

    @Test func optionsStandAnywhereBeforeTheDoubleDash() throws {
        let scene = try Scene()
        try scene.stet("-m", "words", "save", "n", "-", input: "v1\n")
        try scene.stet("save", "-mwords", "n", "-", input: "v2\n")
        try scene.stet("save", "n", "-", "--label=words", input: "v3\n")
        try scene.stet("--label", "words", "-q", "save", "--", "n", "-", input: "v4\n")
        #expect(try scene.json("history", "n").map { $0["label"] as? String } == Array(repeating: "words", count: 4))
        #expect(try scene.stet("--json", "list").text.hasPrefix("{"))
        #expect(try scene.stet("--store", scene.store, "--json", "list").text.hasPrefix("{"))
        #expect(try scene.stet("list", "--store=\(scene.store)", "--json").text.hasPrefix("{"))
        try scene.stet("list", "--", "--json", exits: 2)
        try scene.expectSound()
    }

    @Test func fullOrClosedStreamsAreReportedAndHurtNothing() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        for call in ["list", "history n", "show n", "help", "--help", "list --json", "version", "verify"] {
            let run = try scene.shell("stet \(call) > /dev/full", exits: 6)
            #expect(run.errors == "stet: cannot write to standard output: No space left on device\n", "\(call)")
        }
        // Saved all the same: the text is safe, and only its answer was lost.
        try scene.shell("echo v2 | stet save n - > /dev/full", exits: 6)
        #expect(try scene.shown("n@2") == "v2\n")
        let unread = try scene.shell("stet save m - <&-", exits: 6)
        #expect(unread.errors == "stet: cannot read standard input: Bad file descriptor\n")
        try scene.stet("show", "m", exits: 3)
        // Whatever is opened first must not become standard output or error.
        try scene.shell("echo v3 | stet save n - >&-", exits: 6)
        try scene.shell("echo v4 | stet save n - >&- 2>&-", exits: 6)
        try scene.shell("stet show none 2>&-", exits: 3)
        try scene.shell("stet save m - <&- >&- 2>&-", exits: 6)
        #expect(try scene.shown("n@4") == "v4\n")
        try scene.expectSound()
    }

    @Test func aReaderThatLeavesEndsTheCommandQuietly() throws {
        let scene = try Scene()
        try scene.shell("seq 1 300000 | stet save n -")
        let run = try scene.shell("stet show n | head -n 1")
        #expect((run.text, run.errors) == ("1\n", ""))
        try scene.expectSound()
    }
}
