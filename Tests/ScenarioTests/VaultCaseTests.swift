import Foundation
import Testing
import TestSupport

/// Cases of losing text, in a vault: what a person edited in a file is never gone.
struct VaultCaseTests {
    private let hashes = [
        "v1\n": "2d27fbdf4e8ca207", "v2\n": "81db67b6a5702b9b", "v3\n": "1875add404b2a01d",
        "content A\n": "ae95b3147662a625", "content B\n": "17654af92a21f923",
    ]

    private func vault(_ texts: String..., note: String = "n.md") throws -> Scene {
        let scene = try Scene(isVault: true)
        for text in texts {
            try scene.write(text, to: note)
            try scene.stet("save")
        }
        return scene
    }

    private func history(_ scene: Scene, _ note: String = "n.md") throws -> [String] {
        try scene.versions(note).map { String($0.hash.prefix(16)) }
    }

    // B57: undo records what was edited outside before anything is written over it, and redo gives it back.
    @Test func undoKeepsWhatWasEditedOutside() throws {
        let scene = try vault("v1\n", "v2\n")
        try scene.write("v3\n", to: "n.md")
        let undo = try scene.stet("undo", "n.md")
        #expect(undo.text.hasPrefix("n.md@2: undid @3 (capture of "))
        #expect(scene.file("n.md") == "v2\n")
        #expect(try history(scene) == ["v3\n", "v2\n", "v1\n"].map { hashes[$0] })
        try scene.stet("redo", "n.md")
        #expect(scene.file("n.md") == "v3\n")
        try scene.expectVaultSound()
    }

    // B57: redo has no place for an unrecorded text and is refused.
    @Test func redoOverAnUnrecordedTextIsRefusedAndChangesNothing() throws {
        let scene = try vault("v1\n", "v2\n")
        try scene.stet("undo", "n.md")
        try scene.write("v3\n", to: "n.md")
        let redo = try scene.stet("redo", "n.md", exits: 4)
        #expect(redo.errorLines.count == 1 && redo.errors.contains("not saved"))
        #expect(scene.file("n.md") == "v3\n")
        #expect(try history(scene).count == 2)
        try scene.expectVaultSound()
    }

    // B58: a save after undo begins a branch; what was ahead stays listed, and redo does not guess.
    @Test func editAfterUndoBeginsABranchAndKeepsTheOther() throws {
        let scene = try vault("v1\n", "v2\n", "v3\n")
        try scene.stet("undo", "n.md", "-n", "2")
        #expect(scene.file("n.md") == "v1\n")
        try scene.write("content A\n", to: "n.md")
        try scene.stet("save")
        let redo = try scene.stet("redo", "n.md", exits: 1)
        #expect(redo.errors.contains("nothing to redo"))
        #expect(scene.file("n.md") == "content A\n")
        #expect(try history(scene) == ["content A\n", "v3\n", "v2\n", "v1\n"].map { hashes[$0] })
        try scene.stet("restore", "n.md@3")
        #expect(scene.file("n.md") == "v3\n")
        try scene.expectVaultSound()
    }

    // B60: each undo goes further back, across processes, and other notes between them change nothing.
    @Test func undoGoesFurtherBackEachTime() throws {
        let scene = try vault("v1\n", "v2\n", "v3\n")
        var seen: [String?] = []
        for (step, command) in ["undo", "undo", "redo", "redo"].enumerated() {
            try scene.write("other \(step)\n", to: "other.md")
            try scene.stet("save", "other.md")
            try scene.stet(command, "n.md")
            seen.append(scene.file("n.md"))
        }
        #expect(seen == ["v2\n", "v1\n", "v2\n", "v3\n"])
        #expect(scene.file("other.md") == "other 3\n")
        try scene.expectVaultSound()
    }

    // B61: restore records the present text first, and drops no newer version.
    @Test func restoreKeepsThePresentText() throws {
        let scene = try vault("v1\n", "v2\n")
        try scene.write("content B\n", to: "n.md")
        #expect(try scene.stet("restore", "n.md@1").text == "n.md@4\n")
        #expect(scene.file("n.md") == "v1\n")
        #expect(try history(scene) == ["v1\n", "content B\n", "v2\n", "v1\n"].map { hashes[$0] })
        try scene.stet("undo", "n.md")
        #expect(scene.file("n.md") == "content B\n")
        try scene.expectVaultSound()
    }

    // B61: "head" is what was the head when it was typed, not the text that was recorded on the way.
    @Test func restoreOfTheHeadTakesAnUnsavedEditBack() throws {
        let scene = try vault("v1\n", "v2\n")
        try scene.write("content B\n", to: "n.md")
        try scene.stet("restore", "n.md@head")
        #expect(scene.file("n.md") == "v2\n")
        #expect(try scene.versions("n.md").map(\.kind) == ["restore", "capture", "save", "save"])
        try scene.expectVaultSound()
    }

    // B40: deleting records the newest edit first.
    @Test func deletingKeepsTheNewestEdit() throws {
        let scene = try vault("v1\n")
        try scene.write("v2\n", to: "n.md")
        try scene.stet("rm", "n.md")
        #expect(try scene.names() == [])
        #expect(try history(scene) == ["v2\n", "v1\n"].map { hashes[$0] })
        try scene.stet("undelete", "n.md")
        #expect(scene.file("n.md") == "v2\n")
        try scene.expectVaultSound()
    }

    // B40: a file that somebody removed is told of, and nothing is recorded as deleted or empty.
    @Test func goneFileIsToldAndNotTakenForDeleted() throws {
        let scene = try vault("v1\n", "v2\n")
        try Files.remove(scene.folder + "/n.md")
        #expect(try scene.states() == ["n.md": "gone"])
        let save = try scene.stet("save")
        #expect(save.text == "" && save.errorLines.count == 1 && save.errors.contains("is gone"))
        try scene.stet("save", "n.md", exits: 3)
        #expect(try history(scene).count == 2)
        try scene.stet("restore", "n.md@head")
        #expect(scene.file("n.md") == "v2\n")
        try scene.expectVaultSound()
    }

    // B42: bookmarks are of the note, whatever its file is called and whoever has its old name.
    @Test func bookmarkFollowsTheNoteAndNotItsName() throws {
        let scene = try vault("v1\n", "v2\n", note: "A")
        let bookmark = try #require(try scene.stet("ref", "A@2").lines.first)
        try scene.stet("rename", "A", "A OLD")
        try scene.write("content A\n", to: "A")
        try scene.stet("save")
        try FileManager.default.makeFolder(scene.folder + "/sub")
        try FileManager.default.moveItem(atPath: scene.folder + "/A OLD", toPath: scene.folder + "/sub/A OLD")
        try scene.stet("rename", "A OLD", "sub/A OLD")
        let line = try #require(try scene.json("resolve", bookmark).first)
        #expect(line["name"] as? String == "sub/A OLD" && line["version"] as? Int == 2)
        try scene.expectVaultSound()
    }

    // B37: names exchanged by renaming: each note keeps its history, and the files follow.
    @Test func namesAndFilesAreExchanged() throws {
        let scene = try vault("v1\n", "content A\n", note: "A")
        try scene.write("content B\n", to: "B")
        try scene.stet("save")
        for (old, new) in [("A", "t"), ("B", "A"), ("t", "B")] { try scene.stet("rename", old, new) }
        #expect(scene.file("A") == "content B\n" && scene.file("B") == "content A\n")
        #expect(try history(scene, "B") == ["content A\n", "v1\n"].map { hashes[$0] })
        #expect(try history(scene, "A") == ["content B\n"].map { hashes[$0] })
        try scene.expectVaultSound()
    }

    // B08: a clock that was set back changes no order.
    @Test func filesOfAnyDateAreSavedInTheOrderOfSaving() throws {
        let scene = try vault("v1\n")
        for (text, year) in [("v2\n", 2035), ("v3\n", 1999)] {
            try scene.write(text, to: "n.md")
            let date = try #require(DateComponents(calendar: .init(identifier: .gregorian), year: year).date)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: scene.folder + "/n.md")
            try scene.stet("save")
        }
        #expect(try history(scene) == ["v3\n", "v2\n", "v1\n"].map { hashes[$0] })
        try scene.stet("undo", "n.md")
        #expect(scene.file("n.md") == "v2\n")
        try scene.expectVaultSound()
    }

    // An edit that keeps size and time is seen: the time of the last change of any kind cannot be set.
    @Test func editThatKeepsSizeAndTimeIsSeen() throws {
        let scene = try vault("content A\n")
        let path = scene.folder + "/n.md"
        let date = try #require(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
        try scene.write("content B\n", to: "n.md")
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        #expect(try scene.states() == ["n.md": "changed"])
        try scene.stet("save")
        #expect(try history(scene).first == hashes["content B\n"])
        try scene.expectVaultSound()
    }

    // A file that was only touched, or replaced by a copy of itself, is no change.
    @Test func touchedFileIsNoChange() throws {
        let scene = try vault("v1\n")
        try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: scene.folder + "/n.md")
        #expect(try scene.states().isEmpty)
        try Files.copy(scene.folder + "/n.md", to: scene.folder + "/copy")
        try FileManager.default.removeItem(atPath: scene.folder + "/n.md")
        try FileManager.default.moveItem(atPath: scene.folder + "/copy", toPath: scene.folder + "/n.md")
        #expect(try scene.states().isEmpty)
        #expect(try scene.stet("save").text == "")
        #expect(try history(scene).count == 1)
        try scene.expectVaultSound()
    }

    // B65 and B68: a text whose object is gone, cut or another's is written anew when its file is saved.
    @Test(arguments: ["gone", "cut", "another text"])
    func savingAFileMendsItsObject(_ damage: String) throws {
        let scene = try vault("content A\n")
        try scene.stet("undo", "n.md", exits: 1)
        let hash = try #require(try scene.versions("n.md").first?.hash)
        try scene.sqlite("DELETE FROM journal")
        let path = scene.path(ofObject: hash)
        switch damage {
        case "gone": try Files.remove(path)
        case "cut": try Files.overwrite(path, with: [])
        default: try Files.overwrite(path, with: bytes("content B\n"))
        }
        try scene.stet("show", "n.md", exits: 5)
        try scene.stet("save", "n.md")
        #expect(try scene.shown("n.md") == "content A\n")
        try scene.expectVaultSound()
    }

    // B65 and B73: a file that is the last whole copy of its note's text is not replaced or taken away before the store
    // has the text again.
    @Test(arguments: ["rm n.md", "undo n.md", "restore n.md@1", "save n.md -"])
    func lastWholeCopyOfATextIsTakenIntoTheStoreFirst(_ call: String) throws {
        let scene = try vault("v1\n", "content A\n")
        try scene.stet("save")
        let hash = try #require(try scene.versions("n.md").first?.hash)
        for damage in ["rm -f", "truncate -s 3"] {
            try scene.sqlite("DELETE FROM journal")
            try scene.shell("chmod u+w \(scene.path(ofObject: hash)); \(damage) \(scene.path(ofObject: hash))")
            try scene.shell("echo new | stet \(call)")
            #expect(try scene.shown("n.md@2") == "content A\n", "\(damage)")
            try scene.shell(
                "stet undelete n.md 2>/dev/null; stet restore n.md@2; rm n.md; stet restore n.md@2", exits: nil)
            #expect(scene.file("n.md") == "content A\n")
        }
        try scene.expectVaultSound()
    }

    // A version whose text is lost or damaged is not put into a file, and the file stays as it is.
    @Test func damagedTextIsNotPutIntoAFile() throws {
        let scene = try vault("content A\n", "content B\n")
        let hash = try #require(try scene.versions("n.md").last?.hash)
        try scene.sqlite("DELETE FROM journal")
        try Files.flipBit(scene.path(ofObject: hash), at: 3)
        for call in [["undo", "n.md"], ["restore", "n.md@1"]] {
            try scene.stet(bytes: call.map { Array($0.utf8) }, exits: 5)
            #expect(scene.file("n.md") == "content B\n")
        }
        #expect(try scene.names() == ["n.md"])
    }

    // Standard input goes into the note and its file, and what was in the file is recorded.
    @Test func savingFromStandardInputWritesTheFileToo() throws {
        let scene = try vault("v1\n")
        try scene.write("v2\n", to: "n.md")
        #expect(try scene.stet("save", "n.md", "-", input: "v3\n").text == "n.md@3\n")
        #expect(scene.file("n.md") == "v3\n")
        #expect(try scene.versions("n.md").map(\.kind) == ["save", "capture", "save"])
        try scene.stet("save", "new/folder/x.md", "-", input: "v1\n")
        #expect(scene.file("new/folder/x.md") == "v1\n")
        try scene.write("content A\n", to: "untold.md")
        try scene.stet("save", "untold.md", "-", input: "content B\n")
        #expect(try history(scene, "untold.md") == ["content B\n", "content A\n"].map { hashes[$0] })
        try scene.expectVaultSound()
    }

    @Test func folderIsRestoredAsOfATime() throws {
        let scene = try vault("v1\n", note: "work/a.md")
        for name in ["work/b.md", "home/c.md"] { try scene.write("v1\n", to: name) }
        try scene.stet("save")
        let then = try #require(try scene.json("history", "work/b.md").first?["saved"] as? String)
        for name in ["work/a.md", "home/c.md", "work/later.md"] { try scene.write("v2\n", to: name) }
        try scene.stet("save")
        try scene.stet("rm", "work/b.md")
        try scene.write("v3\n", to: "work/a.md")
        // The times of two saves differ by milliseconds.
        try scene.stet("restore", "work/@\(then)")
        #expect(scene.file("work/a.md") == "v1\n" && scene.file("work/b.md") == "v1\n")
        #expect(scene.file("home/c.md") == "v2\n" && scene.file("work/later.md") == "v2\n")
        #expect(try history(scene, "work/a.md") == ["v1\n", "v3\n", "v2\n", "v1\n"].map { hashes[$0] })
        try scene.stet("restore", "./@\(then)")
        #expect(scene.file("home/c.md") == "v1\n")
        try scene.stet("restore", "work/@1999-01-01", exits: 1)
        try scene.stet("restore", "work/@3", exits: 2)
        try scene.expectVaultSound()
    }
}
