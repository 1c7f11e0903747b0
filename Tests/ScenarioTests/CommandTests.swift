import Foundation
import Testing
import TestSupport

/// The main path of every command as a person sees it: text on standard output, nothing on standard error.
struct CommandTests {
    private let time = #"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} \+0000"#

    private func expect(
        _ run: CommandRun, _ patterns: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(run.errors == "", sourceLocation: sourceLocation)
        #expect(run.lines.count == patterns.count, "\(run.text)", sourceLocation: sourceLocation)
        for (line, pattern) in zip(run.lines, patterns) {
            #expect(
                line.range(of: "^\(pattern)$", options: .regularExpression) != nil, "\"\(line)\" is not \"\(pattern)\"",
                sourceLocation: sourceLocation)
        }
    }

    @Test func initSaysWhatItMade() throws {
        let scene = try Scene(hasStore: false)
        expect(try scene.stet("init", "--bare"), "made the store \(scene.store)")
        expect(try scene.stet("init", "--bare", "other"), "made the store \(scene.folder)/other")
        let mode = try FileManager.default.attributesOfItem(atPath: scene.store)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        try scene.expectSound()
    }

    @Test func saveSaysTheVersionAndUnchangedTextMakesNone() throws {
        let scene = try Scene()
        expect(try scene.stet("save", "n", "-", input: "v1\n"), "n@1")
        expect(try scene.stet("save", "n", "-", input: "v2\n"), "n@2")
        let again = try scene.stet("save", "n", "-", "-m", "sent", input: "v2\n")
        #expect(again.text == "n@2\n")
        #expect(again.errors == "stet: unchanged: no new version; the label is on this one\n")
        #expect(try scene.json("history", "n").map { $0["label"] as? String } == ["sent", nil])
        expect(try scene.stet("save", "empty", "-"), "empty@1")
        #expect(try scene.shown("empty") == "")
        try scene.expectSound()
    }

    @Test func listAndStatusSayWhatThereIs() throws {
        let scene = try Scene()
        expect(try scene.stet("status"), "store \(scene.store)", "0 notes; 0 versions")
        try scene.save("v1\n", as: "b")
        expect(try scene.stet(), "store \(scene.store)", "1 note; 1 version")
        try scene.save("v1\n", "v2\n", as: "work/long name.md")
        try scene.save("v1\n", as: "gone")
        try scene.stet("rm", "gone")
        expect(try scene.stet("status"), "store \(scene.store)", "2 notes, and 1 deleted; 4 versions")
        expect(
            try scene.stet("list"), "b                  @1      \(time)  3 B",
            "work/long name.md  @2      \(time)  3 B")
        expect(try scene.stet("list", "--deleted"), "gone  @1      \(time)  3 B")
        try scene.expectSound()
    }

    @Test func historyDrawsTheBranchThatUndoLeft() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", "v3\n", as: "n")
        try scene.stet("undo", "n")
        try scene.save("v4\n", as: "n")
        try scene.stet("label", "n@2", "as sent")
        try scene.stet("pin", "n@1")
        try scene.stet("restore", "n@3")
        expect(
            try scene.stet("history", "n"), "n  stet:[0-9a-f]{12}",
            #"\* @5  \#(time)  3 B  restore  <- head"#, #"\* @4  \#(time)  3 B"#, #"\| \* @3  \#(time)  3 B"#, #"\|/"#,
            #"\* @2  \#(time)  3 B  "as sent""#, #"\* @1  \#(time)  3 B  pinned"#)
        expect(try scene.stet("log", "n", "-n", "1"), "n  stet:[0-9a-f]{12}", #"\* @5  .*"#)
        let events = try scene.stet("history")
        #expect(events.lines.count == 9)
        #expect(events.lines.first?.hasSuffix("n@5") == true)
        #expect(try scene.stet("history", "--limit", "2").lines.count == 2)
        try scene.expectSound()
    }

    @Test func showPrintsExactBytesAndChosenLines() throws {
        let scene = try Scene()
        let text = Array(0...255) + Array("\nlast".utf8)
        try scene.stet(bytes: [Array("save".utf8), [0x6E], [0x2D]], input: text)
        #expect(try scene.stet("show", "n").output == text)
        #expect(try scene.stet("cat", "n@1").output == text)
        try scene.save("1\n2\n3", as: "m")
        #expect(try scene.stet("show", "m", "--lines", "2").text == "1\n2\n")
        #expect(try scene.stet("show", "m", "--last", "2").text == "2\n3")
        #expect(try scene.stet("show", "m", "--lines=0").text == "")
        #expect(try scene.stet("show", "m", "--last", "99").text == "1\n2\n3")
        try scene.expectSound()
    }

    @Test func versionsAreNamedByNumberIdHashAndHead() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", as: "n")
        let second = try scene.json("history", "n")[1]
        let id = try #require(second["id"] as? String)
        for version in ["1", id, "sha:2d27", "sha:2D27FBDF"] { #expect(try scene.shown("n@\(version)") == "v1\n") }
        #expect(try scene.shown("n@head") == "v2\n")
        let note = try #require(second["note"] as? String)
        #expect(try scene.shown("stet:\(note.prefix(6))@1") == "v1\n")
        try scene.expectSound()
    }

    @Test func undoAndRedoSayWhatTheyDid() throws {
        let scene = try Scene()
        #expect(try scene.stet("undo", exits: 2).errorLines.count == 1)
        try scene.save("v1\n", "v2\n", "v3\n", as: "n")
        expect(try scene.stet("undo", "n"), #"n@2: undid @3 \(save of \#(time)\)"#)
        expect(try scene.stet("redo", "n"), "n@3: redid @3")
        expect(try scene.stet("-n", "2", "undo", "n"), "n@1: undid @3, @2")
        expect(try scene.stet("redo", "n", "-n2"), "n@3: redid @2, @3")
        let most = try scene.stet("undo", "n", "-n", "9")
        #expect(most.text == "n@1: undid @3, @2\n")
        #expect(most.errors == "stet: only 2 of 9 steps: there are no more\n")
        let none = try scene.stet("undo", exits: 2)
        #expect(none.text == "")
        #expect(none.errorLines.last == "  stet undo n")
        try scene.expectSound()
    }

    @Test func namesChangeAndNotesGoAndComeBack() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        expect(try scene.stet("rename", "n", "work/m"), "n -> work/m")
        expect(try scene.stet("mv", "work", "archive/2026"), "work/m -> archive/2026/m")
        try scene.save("v2\n", as: "o")
        expect(try scene.stet("mv", "o", "archive/"), "o -> archive/o")
        expect(try scene.stet("rm", "archive/2026"), "deleted archive/2026/m, which showed @1")
        #expect(try scene.stet("show", "archive/2026/m").errors == "stet: archive/2026/m is deleted\n")
        expect(try scene.stet("undelete", "archive/2026/m"), "archive/2026/m@1")
        #expect(try scene.stet("show", "n").errors == "stet: n means the note that is now called archive/2026/m\n")
        // A folder that holds nothing but what leaves it is none by then.
        expect(try scene.stet("mv", "archive/2026/m", "archive/2026"), "archive/2026/m -> archive/2026")
        try scene.save("v3\n", as: "a/b/c")
        expect(try scene.stet("mv", "a/b", "a"), "a/b/c -> a/c")
        try scene.expectSound()
    }

    @Test func marksAndBookmarksAreAnswered() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", as: "n")
        expect(try scene.stet("label", "n@1", "first"), #"n@1  "first""#)
        expect(try scene.stet("pin", "n@1"), #"n@1  "first"  pinned"#)
        expect(try scene.stet("unpin", "n@1"), #"n@1  "first""#)
        expect(try scene.stet("label", "n@1", ""), "n@1")
        let reference = try scene.stet("ref", "n@2")
        expect(reference, #"stet:[0-9a-f]{32}@d[0-9a-f]{16}\.[0-9]+\?name=n&size=3&sha256=81db67b6[0-9a-f]{56}"#)
        expect(try scene.stet("resolve", reference.lines[0]), "n@2")
        try scene.stet("undo", "n")
        let moved = try scene.stet("resolve", reference.lines[0])
        #expect(moved.lines.prefix(2) == ["n@2", "stale: moved-on"])
        #expect(moved.lines.count == 3)
        #expect(try scene.stet("unref", reference.lines[0]).text == "")
        try scene.stet("unref", reference.lines[0], exits: 1)
        try scene.expectSound()
    }

    @Test func verifySumsUp() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", as: "n")
        expect(try scene.stet("verify"), "1 note, 2 versions, 2 texts: all whole")
        expect(try scene.stet("verify", "--quick"), "1 note, 2 versions, 2 texts: all whole")
    }

    @Test func versionIsSaid() throws {
        let scene = try Scene(hasStore: false)
        expect(try scene.stet("version"), #"stet [0-9]+\.[0-9]+\.[0-9]+"#)
    }
}
