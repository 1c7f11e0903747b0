import Foundation
import Testing
import TestSupport

/// What diff writes into a pipe is a patch.
struct DiffTests {
    /// Applies the diff of two versions to the old text with patch, and expects the new text.
    private func expectPatch(
        _ note: String, from old: String, to new: String, in scene: Scene, _ operands: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let run = try scene.stet(bytes: (["diff"] + operands).map { Array($0.utf8) }, exits: 1)
        let place = scene.temporary.appending("patched-\(UUID().uuidString)")
        let file = URL(fileURLWithPath: place + "/" + note)
        try FileManager.default.makeFolder(file.deletingLastPathComponent().path)
        if !old.isEmpty { try Data(old.utf8).write(to: file) }
        let patch = try CommandRun.run(
            "/usr/bin/env", ["patch", "-p1", "--no-backup-if-mismatch"], input: run.output, in: place)
        #expect(patch.status == 0, "\(patch.text)\(run.text)", sourceLocation: sourceLocation)
        #expect(try Data(contentsOf: file) == Data(new.utf8), sourceLocation: sourceLocation)
    }

    @Test(arguments: ["n.md", "work/a name with spaces.md", "漢字/日記 帳.md", "back\\slash \"quoted\".md", "emoji 👨‍👩‍👧.md"])
    func patchTurnsTheOldTextIntoTheNew(_ note: String) throws {
        let scene = try Scene()
        let lines = (1...60).map { "line \($0)" }
        var changed = lines
        changed[3] = "another line"
        changed.remove(at: 30)
        changed.insert("-- a line that looks like a header", at: 50)
        let texts = [
            lines.joined(separator: "\n") + "\n", changed.joined(separator: "\n") + "\n",
            changed.joined(separator: "\n"), "no line feed at the end", "",
        ]
        for text in texts { try scene.stet("save", note, "-", input: text) }
        // The first version against nothing, and each against its parent.
        try scene.stet("undo", note, "-n", "4")
        try expectPatch(note, from: "", to: texts[0], in: scene, [note])
        for number in 2...4 {
            try scene.stet("redo", note)
            try expectPatch(note, from: texts[number - 2], to: texts[number - 1], in: scene, [note])
        }
        try expectPatch(note, from: texts[0], to: texts[2], in: scene, [note + "@1", "@3"])
        try expectPatch(note, from: texts[2], to: texts[0], in: scene, [note + "@3", note + "@1"])
        try expectPatch(note, from: texts[1], to: texts[3], in: scene, [note + "@2"])
        try scene.expectSound()
    }

    @Test func equalTextsDifferInNothing() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", "v1\n", as: "n")
        try scene.save("v1\n", as: "m")
        for operands in [["n@1", "@3"], ["n", "m"], ["n@1"], ["n", "n"], ["n@head", "@1"]] {
            #expect(try scene.stet(bytes: (["diff"] + operands).map { Array($0.utf8) }).text == "")
        }
        try scene.stet("save", "empty", "-")
        #expect(try scene.stet("diff", "empty").text == "")
        let run = try scene.stet("diff", "n", "empty", exits: 1)
        #expect(run.lines == ["--- a/n", "+++ b/empty", "@@ -1 +0,0 @@", "-v1"])
        try scene.expectSound()
    }

    // B26: a carriage return is a byte of its line, and lines are not merged over it.
    @Test func windowsLineEndingsAreLineEndings() throws {
        let scene = try Scene()
        try scene.save("a\r\nb\r\n", "a\r\nc\r\n", as: "n")
        let history = try scene.json("log", "n")
        #expect((history[1]["hash"] as? String)?.hasPrefix("58055bdcc73787eb") == true)
        #expect(history[1]["size"] as? Int == 6)
        let diff = try scene.stet("diff", "n", exits: 1)
        #expect(diff.text == "--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n")
        #expect(try scene.stet("show", "n", "--lines", "1").text == "a\r\n")
        #expect(try scene.stet("show", "n", "--last", "1").text == "c\r\n")
        try scene.stet("restore", "n@1")
        #expect(try scene.shown("n") == "a\r\nb\r\n")
        try scene.stet("restore", "n@2", "--to", "file")
        #expect(FileManager.default.contents(atPath: scene.folder + "/file") == Data("a\r\nc\r\n".utf8))
        try scene.expectSound()
    }
}
