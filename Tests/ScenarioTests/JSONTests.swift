import Foundation
import Testing
import TestSupport

/// The keys that section 8 of the design promises to programs. More may come, none may go.
struct JSONTests {
    private static let change: Set = ["note", "name", "version", "id", "hash", "new"]

    private func keys(_ objects: [[String: Any]]) -> [Set<String>] { objects.map { Set($0.keys) } }

    @Test func everyChangeHasTheSameKeys() throws {
        let scene = try Scene()
        #expect(keys(try scene.json("save", "n", "-", input: "v1\n")) == [Self.change])
        try scene.save("v2\n", as: "n")
        let restored = try scene.json("restore", "n@1")
        #expect(keys(restored) == [Self.change])
        #expect(restored[0]["version"] as? Int == 3)
        #expect(restored[0]["new"] as? Bool == true)
        let calls: [[String]] = [
            ["undo", "n"], ["redo", "n"], ["rename", "n", "m"], ["rm", "m"], ["undelete", "m"], ["label", "m@1", "x"],
            ["pin", "m@1"], ["unpin", "m@1"], ["restore", "m@1"], ["restore", "m@1", "--to", "file"],
        ]
        for call in calls {
            let run = try scene.stet(bytes: (call + ["--json"]).map { Array($0.utf8) })
            let objects = try scene.objects(of: run)
            #expect(keys(objects) == [Self.change], "\(call)")
            #expect(objects[0]["new"] as? Bool == false, "\(call)")
        }
        let unchanged = try scene.json("save", "m", "-", input: "v1\n")
        #expect(unchanged[0]["new"] as? Bool == false)
        #expect(unchanged[0]["hash"] as? String == restored[0]["hash"] as? String)
        try scene.expectSound()
    }

    @Test func listTellsOfNotes() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", as: "n")
        try scene.save("x", as: "gone")
        try scene.stet("rm", "gone")
        let live = try scene.json("list")
        #expect(keys(live) == [["note", "name", "head", "versions", "size", "saved", "deleted"]])
        #expect(live[0]["head"] as? Int == 2)
        #expect(live[0]["versions"] as? Int == 2)
        #expect(live[0]["size"] as? Int == 3)
        #expect(live[0]["deleted"] as? Bool == false)
        #expect((live[0]["note"] as? String)?.count == 32)
        let saved = try #require(live[0]["saved"] as? String)
        #expect(
            saved.range(of: #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"#, options: .regularExpression) != nil)
        let deleted = try scene.json("list", "--deleted")
        #expect(deleted.map { $0["name"] as? String } == ["gone"])
        #expect(deleted.map { $0["deleted"] as? Bool } == [true])
        #expect(try scene.stet("status", "--json").text == "")
        try scene.expectSound()
    }

    @Test func historyTellsOfVersions() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", as: "n")
        try scene.stet("restore", "n@1")
        let history = try scene.json("history", "n")
        let wanted: Set = [
            "note", "name", "version", "id", "parent", "parents", "hash", "size", "saved", "kind", "label", "pinned",
            "head", "missing",
        ]
        #expect(keys(history) == [wanted, wanted, wanted])
        #expect(history.map { $0["version"] as? Int } == [3, 2, 1])
        #expect(history.map { $0["parent"] as? Int } == [2, 1, nil])
        #expect(history.map { $0["parents"] as? [Int] } == [[2], [1], []])
        #expect(history[2]["parent"] is NSNull)
        #expect(history[2]["label"] is NSNull)
        #expect(history.map { $0["kind"] as? String } == ["restore", "save", "save"])
        #expect(history.map { $0["head"] as? Bool } == [true, false, false])
        #expect(history.map { $0["missing"] as? Bool } == [false, false, false])
        #expect(history.map { ($0["hash"] as? String)?.prefix(8) } == ["2d27fbdf", "81db67b6", "2d27fbdf"])
        #expect(Set(history.compactMap { $0["id"] as? String }).count == 3)
        try scene.expectSound()
    }

    @Test func resolveAndVerifyHaveTheirKeys() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        let reference = try #require(try scene.json("ref", "n@1")[0]["bookmark"] as? String)
        let wanted: Set = ["note", "name", "version", "id", "hash", "stale", "reason", "reasons", "bookmark"]
        let fresh = try scene.json("resolve", reference)
        #expect(keys(fresh) == [wanted])
        #expect(fresh[0]["stale"] as? Bool == false)
        #expect(fresh[0]["reason"] is NSNull)
        try scene.stet("rename", "n", "m")
        try scene.stet("rm", "m")
        let stale = try scene.json("resolve", reference)
        #expect(stale[0]["stale"] as? Bool == true)
        #expect(stale[0]["reason"] as? String == "deleted")
        #expect(stale[0]["reasons"] as? [String] == ["deleted", "renamed"])
        #expect((stale[0]["bookmark"] as? String)?.contains("name=m&") == true)
        let summary = try scene.json("verify")
        let counts: Set = [
            "summary", "notes", "versions", "objects", "damaged", "missing", "unreferenced", "healed", "problems",
        ]
        #expect(keys(summary) == [counts])
        #expect(summary[0]["summary"] as? Bool == true)
        #expect(summary[0]["versions"] as? Int == 1)
    }

    @Test func strangeNamesAndLabelsComeThroughJSONWhole() throws {
        let scene = try Scene()
        let name = "a\"b\\c\u{202E}d é 漢 👨‍👩‍👧.md"
        let label = "l\"\\\u{2066}é"
        let run = try scene.stet("save", name, "-", "-m", label, "--json", input: "x")
        #expect(!run.text.unicodeScalars.contains("\u{202E}"))
        #expect(try scene.objects(of: run)[0]["name"] as? String == name)
        #expect(try scene.json("history", name)[0]["label"] as? String == label)
        try scene.expectSound()
    }
}
