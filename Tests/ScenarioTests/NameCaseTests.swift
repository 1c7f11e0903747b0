import Foundation
import Testing
import TestSupport

/// Names that other programs stumbled over. The numbers are those of the cases in the trackers of such programs.
struct NameCaseTests {
    // B16: the composed and the decomposed spelling are two notes, and each is found by its own.
    @Test func composedAndDecomposedSpellingsAreTwoNotes() throws {
        let scene = try Scene()
        let (composed, decomposed) = ("caf\u{E9}.md", "cafe\u{301}.md")
        try scene.save("content A\n", as: composed)
        try scene.save("content B\n", as: decomposed)
        let list = try scene.json("list")
        #expect(Set(list.compactMap { $0["note"] as? String }).count == 2)
        #expect(Set(list.compactMap { ($0["name"] as? String).map { Array($0.utf8) } }).count == 2)
        try scene.stet("rename", composed, "tea.md")
        // Only one is left: now the other spelling finds it too, for reading alone.
        #expect(try scene.shown(decomposed) == "content B\n")
        try scene.stet("rename", "tea.md", composed)
        #expect(try scene.shown(composed) == "content A\n")
        #expect(try scene.shown(decomposed) == "content B\n")
        try scene.stet("rm", composed)
        #expect(try scene.shown(decomposed) == "content B\n")
        try scene.expectSound()
    }

    // B21: a name that begins with a dash, or is an option's name, is a name after "--".
    @Test func namesThatBeginWithADashAreNamesAfterTheDoubleDash() throws {
        let scene = try Scene()
        try scene.stet("save", "--", "-INBOX-.md", "-", input: "v1\n")
        try scene.stet("save", "./-n", "-", input: "v2\n")
        try scene.stet("save", "--", "-", "-", input: "v3\n")
        try scene.stet("rename", "--", "-INBOX-.md", "--help")
        for name in ["--help", "-n", "-"] {
            let log = try scene.stet("log", "--", name)
            #expect(log.lines.first?.hasPrefix("\(name)  stet:") == true)
            #expect(try scene.stet("show", "./\(name)").output.count == 3)
        }
        let pasted = try scene.stet("undo", exits: 2).errorLines.dropFirst()
        for line in pasted { try scene.shell(line, exits: 1) }
        #expect(try scene.json("list").compactMap { $0["name"] as? String } == ["-", "--help", "-n"])
        try scene.stet("diff", "--", "--help", "-n", exits: 1)
        try scene.stet("restore", "--to", "out", "--", "-n@1")
        try scene.stet("rm", "--", "--help", "-n", "-")
        try scene.stet("undelete", "--", "--help", "-n", "-")
        try scene.expectSound()
    }

    // B22: the limit counts bytes, and what is over it is refused before anything is recorded.
    @Test func longNamesAreCountedInBytes() throws {
        let scene = try Scene()
        let han = String(repeating: "漢", count: 84)
        let family = String(repeating: "👨‍👩‍👧‍👦", count: 10)
        #expect((han + ".md").utf8.count == 255 && family.utf8.count == 250)
        for name in [han + ".md", family, "\(han)/\(han)/\(family)"] {
            try scene.save("v1\n", as: name)
            #expect(try scene.shown(name) == "v1\n")
        }
        try scene.stet("restore", "\(han).md@1", "--to", "\(han).md")
        let before = try scene.contents()
        for name in [
            han + "漢.md", han + "字.md", family + "👨‍👩‍👧‍👦", "a/\(han)漢.md/b", String(repeating: "a/", count: 2048) + "b",
        ] {
            let run = try scene.stet("save", name, "-", input: "v1\n", exits: 2)
            #expect(run.errorLines.count == 1 && run.errors.utf8.count < 400)
            try scene.stet("rename", family, name, exits: 2)
        }
        #expect(try scene.contents() == before)
        try scene.expectSound()
    }

    // B23: what would leave the store is refused everywhere, and nothing exists outside it.
    @Test func namesThatLeaveTheStoreAreRefused() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        let before = try FileManager.default.subpathsOfDirectory(atPath: scene.temporary.path).sorted()
        let names = [
            "../evil", "a/../../evil", scene.temporary.appending("evil"), ".", "..", "", "./", "././..", "a/./b",
            "a//b",
            "a/..", "x\ny", "x\u{1B}[2Jy", "x\u{7F}", "x\u{9B}y", "/",
        ]
        for name in names {
            try scene.stet("save", name, "-", input: "evil", exits: 2)
            try scene.stet("rename", "n", name, exits: 2)
        }
        for bytes in [[0xFF], Array("bad\u{FF}".utf8.dropLast()), Array("a/".utf8) + [0xC0, 0xAF]] {
            let run = try scene.stet(bytes: [Array("save".utf8), bytes, [0x2D]], exits: 2)
            #expect(run.errors.contains("\\x"))
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: scene.temporary.path).sorted() == before)
        #expect(try scene.json("list").count == 1)
        // --to writes where it is told to, and a name that only looks like an escape is none.
        try scene.stet("restore", "n@1", "--to", "../outside")
        #expect(FileManager.default.contents(atPath: scene.temporary.appending("outside")) == Data("v1\n".utf8))
        for name in ["..foo", "a\\..\\b", "...", "a/..b", ".hidden"] {
            try scene.save("v1\n", "v2\n", as: name)
            try scene.stet("undo", name)
            #expect(try scene.shown(name) == "v1\n")
            try scene.stet("rename", name, "other")
            try scene.stet("rename", "other", name)
        }
        try scene.expectSound()
    }

    @Test func anOperandMayBeAsLongAsTheSystemAllows() throws {
        let scene = try Scene()
        let huge = String(repeating: "x", count: 120_000)
        for call in [["show", huge], ["save", huge, "-"], ["label", "n@1", huge], [huge], ["list", "--" + huge]] {
            let run = try scene.stet(bytes: call.map { Array($0.utf8) }, exits: nil)
            #expect((2...3).contains(run.status) && run.errorLines.count == 1)
        }
        try scene.expectSound()
    }
}
