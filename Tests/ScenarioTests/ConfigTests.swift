import Foundation
import Testing
import TestSupport

/// `config`: the store's settings, and what the other commands make of them.
struct ConfigTests {
    @Test func settingsAreShownAndChanged() throws {
        let scene = try Scene()
        #expect(try scene.stet("config", "get").text == "color = auto\npager = auto\nsize-limit = 64M\n")
        #expect(try scene.stet("config", "get", "size-limit").text == "64M\n")
        #expect(try scene.stet("config", "get", "vault", exits: 1).text == "")
        let change = try scene.stet("config", "set", "size-limit", "1G")
        #expect((change.text, change.errors) == ("", ""))
        #expect(try scene.stet("config", "get", "size-limit").text == "1G\n")
        let lines = try scene.json("config", "get")
        #expect(lines.map { $0["key"] as? String } == ["color", "pager", "size-limit"])
        #expect(lines.map { $0["value"] as? String } == ["auto", "auto", "1G"])
        #expect(try scene.json("config", "get", "pager").count == 1)
        try Files.overwrite(scene.store + "/config", with: bytes("vault = /it's\u{202E}\n"))
        #expect(try scene.stet("config", "get", "vault").text == "/it's\\u{202E}\n")
        try scene.expectSound()
    }

    @Test func whatMakesNoSenseIsRefused() throws {
        let scene = try Scene()
        let calls = [
            ("config", "an operand is missing"), ("config show", "stet config get [KEY]"),
            ("config get a b", "stet config get [KEY]"), ("config set pager", "stet config get [KEY]"),
            ("config get colour", "did you mean \"color\"?"), ("config set xyz 1", "vault, color, pager, size-limit"),
            ("config set color red", "auto, always or never, not \"red\""), ("config set pager less", "auto or never"),
            ("config set size-limit 0", "such as 1000000 or 64M"), ("config set vault ..", "stet init DIR"),
            ("config set color '\u{1B}'", "not \"\\x1B\""), ("config set color \"$(printf '\\377')\"", "not \""),
        ]
        for (call, words) in calls {
            let run = try scene.shell("stet \(call)", exits: 2)
            #expect(run.errorLines.count == 1 && run.errors.contains(words), "\(call): \(run.errors)")
        }
        #expect(!Files.exists(scene.store + "/config"))
        try scene.expectSound()
    }

    @Test func damagedSettingsAreNamedByEveryCommandAndNothingIsChanged() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        try Files.overwrite(scene.store + "/config", with: bytes("color = never\npager = rm -rf \u{1B}[2J /\n"))
        let before = try scene.contents()
        for call in ["list", "history n", "show n", "config get", "config set color auto", "rm n", "save n -"] {
            let run = try scene.shell("stet \(call) < /dev/null", exits: 5)
            #expect(run.text == "")
            let place = "line 2 of \(scene.store)/config makes no sense: \"pager = rm -rf \\x1B[2J /\""
            #expect(run.errors == "stet: \(place)\n", "\(call)")
        }
        try Files.overwrite(scene.store + "/config", with: [0xFF])
        #expect(try scene.stet("list", exits: 5).errors.contains("is no text in UTF-8 of at most 64 KiB"))
        try scene.stet("help", "config")
        try Files.remove(scene.store + "/config")
        #expect(try scene.contents() == before.filter { $0.key != "config" })
        try scene.expectSound()
    }

    @Test func colourIsAsTheCallerSaysAndElseAsTheStoreDoes() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        func isColoured(_ words: String...) throws -> Bool {
            try scene.stet(bytes: (["list"] + words).map { Array($0.utf8) }).text.contains("\u{1B}")
        }
        func isColouredOnATerminal(_ words: String...) throws -> Bool {
            try scene.terminal(["list"] + words).contains(0x1B)
        }
        #expect(try !isColoured() && isColouredOnATerminal())
        try scene.stet("config", "set", "color", "always")
        #expect(try isColoured() && !isColoured("--color", "auto") && !isColoured("--color", "never"))
        scene.environment["NO_COLOR"] = "1"
        #expect(try !isColoured() && !isColouredOnATerminal())
        #expect(try isColoured("--color", "always"))
        scene.environment["NO_COLOR"] = nil
        try scene.stet("config", "set", "color", "never")
        #expect(try !isColouredOnATerminal() && isColouredOnATerminal("--color", "auto"))
        #expect(try scene.stet("list", "--json", "--color", "always").text.contains("\u{1B}") == false)
    }
}
