import Foundation
import Stet
import Testing
import TestSupport

/// Help: it is there for every command, and what it shows works when typed.
struct HelpTests {
    private static let commands = [
        "init", "save", "list", "status", "history", "show", "diff", "restore", "undo", "redo", "rename", "rm",
        "undelete", "ref", "unref", "resolve", "label", "pin", "unpin", "verify", "repair", "backup", "config",
        "completion", "help", "version",
    ]

    @Test func theOverviewNamesEveryCommand() throws {
        let scene = try Scene(hasStore: false)
        for call in [["help"], ["--help"], ["-h"], []] {
            let run = try scene.stet(bytes: call.map { Array($0.utf8) })
            let named = run.lines.filter { $0.hasPrefix("  ") }.compactMap { $0.split(separator: " ").first }
            #expect(named.map(String.init) == Self.commands, "\(call)")
            #expect(run.errors == "")
        }
    }

    @Test func everyLineFitsOnATerminal() throws {
        let scene = try Scene(hasStore: false)
        for command in Self.commands {
            for line in try scene.stet("help", command).lines { #expect(line.count <= 80, "\(command): \(line)") }
        }
    }

    @Test(arguments: commands)
    func helpOfACommandShowsExamplesAndAllOfThemWork(_ command: String) throws {
        let scene = try preparedScene(for: command)
        let help = try scene.stet("help", command)
        #expect(help.lines.first?.hasPrefix("stet \(command)") == true)
        #expect(try scene.stet(command, "--help").text == help.text)
        #expect(try scene.stet("-h", command).text == help.text)
        let examples = Self.examples(in: help.lines)
        #expect(!examples.isEmpty)
        for example in examples {
            #expect(example.contains("stet"))
            let run = try scene.shell(example, exits: nil)
            // diff tells by 1 that there is a difference.
            #expect(run.status == 0 || command == "diff" && run.status == 1, "\(example): \(run.errors)")
            // init tells what can be saved, and what is saved already is told.
            let isTold = command == "init" || command == "save" && run.errors.contains("unchanged")
            #expect(run.errors == "" || isTold, "\(example): \(run.errors)")
        }
        if command != "init" { try scene.expectVaultSound() }
    }

    @Test func theFirstStepsOfTheOverviewWork() throws {
        let scene = try Scene(hasStore: false)
        let line = try #require(try scene.stet("help").lines.first { $0.hasPrefix("To begin:") })
        try scene.write("milk\n", to: "notes/todo.md")
        let steps = line.dropFirst("To begin:".count).replacingOccurrences(of: "NOTES", with: "notes")
        let run = try scene.shell("set -e; \(steps); stet verify")
        #expect(run.text.contains("todo.md@1") && run.text.contains("all whole"))
    }

    @Test func unknownWordsAreRefusedWithTheNearestName() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        let calls: [([String], String)] = [
            (["sav", "n", "-"], "save"), (["hsitory"], "history"), (["histroy"], "history"), (["hist"], "history"),
            (["lst"], "list"), (["reanme"], "rename"), (["undelte"], "undelete"), (["SHOW", "n"], "show"),
            (["show", "n", "--line", "1"], "--lines"), (["save", "n", "-", "--lable", "x"], "--label"),
            (["list", "--jsno"], "--json"), (["list", "--stoer", "x"], "--store"), (["list", "--delete"], "--deleted"),
            (["help", "shwo"], "show"),
        ]
        for (call, nearest) in calls {
            let run = try scene.stet(bytes: call.map { Array($0.utf8) }, exits: 2)
            #expect(run.errors.contains("did you mean \"\(nearest)\"?"), "\(call): \(run.errors)")
        }
        for call in [["xyzzy"], ["list", "--xyzzy"], ["list", "-x"], ["help", "xyzzy"], ["-x"]] {
            let run = try scene.stet(bytes: call.map { Array($0.utf8) }, exits: 2)
            #expect(run.errorLines.count == 1 && run.errors.contains("see \"stet help"), "\(run.errors)")
            #expect(!run.errors.contains("did you mean"), "\(run.errors)")
        }
    }

    @Test func noCommandIsKnownByItsBeginning() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", as: "n")
        let names = Set(Self.commands + ["log", "cat", "mv"])
        for command in Self.commands {
            for length in 1..<command.count where !names.contains(String(command.prefix(length))) {
                try scene.stet(String(command.prefix(length)), "n", exits: 2)
            }
        }
        #expect(try scene.shown("n") == "v2\n")
        try scene.expectSound()
    }

    // MARK: Help taken apart

    private static func examples(in help: [String]) -> [String] {
        help.drop { !$0.hasPrefix("Example") }.dropFirst()
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.map { String($0.dropFirst(2)) }
    }

    /// A vault in which the notes of the examples have versions enough, the older ones from hours ago.
    private func preparedScene(for command: String) throws -> Scene {
        let scene = try Scene(hasStore: false, isVault: command != "init")
        if command == "init" {
            try scene.write("Dear all\n", to: "notes/letter.txt")
            return scene
        }
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let clock = ManualClock(now - 10 * 3_600_000)
        let store = try NoteStore.open(at: scene.store, clock: clock.clock)
        for name in ["todo.md", "letter.txt", "logs/garden.log", "old.md", "work/plan.md"] {
            for number in 1...6 { try store.save(bytes("\(name) \(number)\n"), as: NoteName(name)) }
            try scene.write("\(name) 6\n", to: name)
        }
        try store.close()
        try scene.stet("save")
        if command == "undelete" { try scene.stet("rm", "old.md") }
        if command == "redo" { try scene.stet("undo", "todo.md") }
        if ["save", "diff"].contains(command) { try scene.write("todo.md 7\n", to: "todo.md") }
        return scene
    }
}
