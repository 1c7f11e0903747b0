import Foundation
import Stet
import Testing
import TestSupport

/// Undo, redo, renaming, deleting and bookmarks, each step in a process of its own.
struct HistoryCaseTests {
    /// The id of each live note by its name.
    private func ids(_ scene: Scene) throws -> [String: String] {
        var ids: [String: String] = [:]
        for note in try scene.json("list") {
            ids[try #require(note["name"] as? String)] = try #require(note["note"] as? String)
        }
        return ids
    }

    // B08: a clock that was set back changes what is displayed and nothing else.
    @Test func aClockSetBackChangesOnlyWhatIsDisplayed() throws {
        let scene = try Scene(hasStore: false)
        let clock = ManualClock()
        let store = try NoteStore.create(at: scene.store, clock: clock.clock)
        for (moment, text) in [(1_893_456_000_000, "v1\n"), (1_704_067_200_000, "v2\n"), (1_704_067_200_000, "v3\n")] {
            clock.set(Int64(moment))
            try store.save(bytes(text), as: NoteName("n"))
        }
        try store.close()
        let log = try scene.stet("log", "n").lines.dropFirst()
        #expect(
            log.map { $0 } == [
                "* @3  2024-01-01 00:00:00 +0000  3 B  <- head", "* @2  2024-01-01 00:00:00 +0000  3 B",
                "* @1  2030-01-01 00:00:00 +0000  3 B",
            ])
        #expect(try scene.json("log", "n").map { $0["version"] as? Int } == [3, 2, 1])
        #expect(try scene.json("log", "n").last?["saved"] as? String == "2030-01-01T00:00:00.000Z")
        for (step, text) in [("undo", "v2\n"), ("undo", "v1\n"), ("redo", "v2\n"), ("redo", "v3\n")] {
            try scene.stet(step, "n")
            #expect(try scene.shown("n") == text)
        }
        // At a moment the head is told by the order of operations among those made by then.
        #expect(try scene.shown("n@2024-01-01") == "v3\n")
        try scene.expectSound()
    }

    // B37: names exchanged, and sent round in a circle, by stet rename.
    @Test func exchangedNamesTakeTheirHistoryAlong() throws {
        let scene = try Scene()
        try scene.save("v1\n", "content A\n", as: "A")
        try scene.save("content B\n", as: "B")
        try scene.save("content C\n", as: "C")
        let before = try ids(scene)
        let bookmark = try scene.stet("ref", "A@1").lines[0]
        for (old, new) in [("A", "t"), ("B", "A"), ("t", "B")] { try scene.stet("rename", old, new) }
        var after = try ids(scene)
        #expect((after["A"], after["B"]) == (before["B"], before["A"]))
        #expect(try scene.shown("A") == "content B\n")
        #expect(try scene.shown("B") == "content A\n")
        #expect(try scene.json("log", "B").count == 2)
        #expect(try scene.json("resolve", bookmark)[0]["name"] as? String == "B")
        for (old, new) in [("A", "t"), ("B", "A"), ("C", "B"), ("t", "C")] { try scene.stet("rename", old, new) }
        after = try ids(scene)
        #expect((after["A"], after["B"], after["C"]) == (before["A"], before["C"], before["B"]))
        #expect(try scene.json("list").map { $0["versions"] as? Int } == [2, 1, 1])
        try scene.expectSound()
    }

    // B40: a deleted note ends with its newest text, and comes back with it.
    @Test func deletingKeepsTheNewestText() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", as: "n")
        try scene.stet("rm", "n")
        #expect(try scene.json("list").isEmpty)
        #expect(try scene.stet("log", "n").lines[0].hasSuffix("deleted"))
        let history = try scene.json("log", "n")
        #expect(history.map { ($0["hash"] as? String)?.prefix(4) } == ["81db", "2d27"])
        try scene.stet("save", "n", "-", input: "other\n")
        try scene.stet("undelete", "n", exits: 4)
        try scene.stet("rename", "n", "m")
        try scene.stet("undelete", "n")
        #expect(try scene.shown("n") == "v2\n")
        try scene.expectSound()
    }

    // B42: a bookmark means the note and not its name.
    @Test func aBookmarkFollowsTheNoteAndNotTheName() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", "v3\n", as: "A")
        let note = try #require(try ids(scene)["A"])
        let (ofVersion, ofNote) = (try scene.stet("ref", "A@2").lines[0], try scene.stet("ref", "A").lines[0])
        try scene.stet("rename", "A", "A OLD")
        try scene.save("new\n", as: "A")
        try scene.stet("mv", "A OLD", "folder/")
        for (bookmark, version) in [(ofVersion, 2), (ofNote, 3)] {
            let found = try scene.json("resolve", bookmark)[0]
            #expect(found["note"] as? String == note)
            #expect(found["name"] as? String == "folder/A OLD")
            #expect(found["version"] as? Int == version)
            #expect(found["reason"] as? String == "renamed")
            // The fresh one is not stale, and works wherever a note is asked for.
            let fresh = try #require(found["bookmark"] as? String)
            #expect(try scene.json("resolve", fresh)[0]["stale"] as? Bool == false)
            #expect(try scene.shown(fresh) == "v\(version)\n")
        }
        #expect(try ids(scene)["A"] != note)
        // A bookmark of a note that this store never had finds its likeness.
        let other = try Scene()
        try other.save("v3\n", as: "copy")
        let like = try other.json("resolve", ofNote)[0]
        #expect(like["name"] as? String == "copy")
        #expect(like["reason"] as? String == "likeness")
        try other.stet("resolve", "stet:\(String(repeating: "0", count: 32))", exits: 3)
        try scene.expectSound()
    }

    // B58: a save after undo starts a branch, and what lay ahead stays.
    @Test func aSaveAfterUndoKeepsWhatLayAhead() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", "v3\n", as: "n")
        try scene.stet("undo", "n", "-n", "2")
        try scene.save("content A\n", as: "n")
        let redo = try scene.stet("redo", "n", exits: 1)
        #expect(redo.errors.hasPrefix("stet: nothing to redo"))
        #expect(try scene.shown("n") == "content A\n")
        #expect(try scene.json("log", "n").map { $0["version"] as? Int } == [4, 3, 2, 1])
        #expect(try scene.json("log", "n").map { $0["parent"] as? Int } == [1, 2, 1, nil])
        #expect(try (scene.shown("n@2"), scene.shown("n@3")) == ("v2\n", "v3\n"))
        try scene.stet("restore", "n@3")
        #expect(try scene.shown("n") == "v3\n")
        try scene.stet("undo", "n")
        #expect(try scene.shown("n") == "content A\n")
        try scene.expectSound()
    }

    // B60: a second undo goes further back, and other notes do not matter.
    @Test func aSecondUndoGoesFurtherBack() throws {
        let scene = try Scene()
        for number in 1...3 {
            try scene.save("v\(number)\n", as: "n")
            try scene.save("other \(number)\n", as: "m")
        }
        for (step, number) in [("undo", 2), ("undo", 1), ("redo", 2), ("redo", 3)] {
            let run = try scene.stet(step, "n")
            #expect(run.text.hasPrefix("n@\(number): "))
            #expect(try scene.shown("n") == "v\(number)\n")
            try scene.save("other \(step) \(number)\n", as: "m")
        }
        try scene.stet("redo", "n", exits: 1)
        #expect(try scene.stet("undo", "n").text.contains("undid @3"))
        try scene.stet("undo", "n")
        let first = try scene.stet("undo", "n", exits: 1)
        #expect(first.errors == "stet: nothing to undo: n@1 is where it began\n")
        #expect(try scene.shown("n") == "v1\n")
        #expect(try scene.shown("m") == "other redo 3\n")
        try scene.expectSound()
    }
}
