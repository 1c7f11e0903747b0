import Foundation
import Testing
import TestSupport

/// A store that is not whole: nothing wrong is shown, nothing is made worse, and a save heals what it can.
struct DamageTests {
    /// Texts that go through the journal, and ones that are too large for it.
    private static let sizes = [10, 200_000]

    private func text(_ letter: String, _ size: Int) -> String {
        size == 10 ? "content \(letter)\n" : String(repeating: "content \(letter)\n", count: size / 10)
    }

    private func overwrite(_ path: String, with data: Data) throws {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        try data.write(to: URL(fileURLWithPath: path))
    }

    private func hash(_ operand: String, _ scene: Scene) throws -> String {
        try #require(try scene.json("log", operand)[0]["hash"] as? String)
    }

    @Test func textInTheJournalIsCheckedAgainstItsHash() throws {
        let scene = try Scene()
        try scene.save("content A\n", as: "n")
        try scene.sqlite("UPDATE journal SET bytes = CAST('content B' || char(10) AS BLOB)")
        #expect(try scene.shown("n") == "content A\n")
        try FileManager.default.removeItem(atPath: scene.path(ofObject: try hash("n", scene)))
        #expect(try scene.stet("show", "n", exits: 5).text == "")
        try scene.stet("verify", exits: 1)
    }

    // B65: a text that is missing, cut or garbled is written again by a save that brings the same bytes.
    @Test(arguments: sizes, ["remove", "truncate", "garble"])
    func aSaveOfTheSameTextHealsItsObject(_ size: Int, _ damage: String) throws {
        let scene = try Scene()
        let text = text("A", size)
        try scene.save(text, as: "n")
        let path = scene.path(ofObject: try hash("n", scene))
        // What is in the journal needs no file: the row is taken away as a flush would.
        try scene.sqlite("DELETE FROM journal")
        var garbled = Data(text.utf8)
        garbled[5] ^= 1
        switch damage {
        case "remove": try FileManager.default.removeItem(atPath: path)
        case "truncate": try overwrite(path, with: Data())
        default: try overwrite(path, with: garbled)
        }
        let refused = try scene.stet("show", "n", exits: 5)
        #expect((refused.text, refused.errorLines.count) == ("", 1))
        let found = try scene.stet("verify", exits: 1)
        #expect(found.lines.last?.contains(damage == "remove" ? "1 missing" : "1 damaged") == true)
        #expect(found.lines[0].contains("(n@1)"), "\(found.lines[0])")
        let summary = try scene.objects(of: scene.stet(bytes: ["verify", "--json"].map { Array($0.utf8) }, exits: 1))
        #expect(
            (summary.last?["missing"] as? Int, summary.last?["damaged"] as? Int)
                == (damage == "remove" ? (1, 0) : (0, 1)))
        #expect(try scene.json("log", "n")[0]["missing"] as? Bool == (damage == "remove"))
        // The log still tells of it, and the text comes back with the next save, under whatever name.
        try scene.stet("save", "m", "-", input: text)
        for name in ["n", "m"] { #expect(try scene.shown(name) == text) }
        try scene.expectSound()
    }

    // B68: bytes that lie under another text's hash are never shown as that text.
    @Test(arguments: sizes)
    func bytesUnderTheWrongHashAreNoticed(_ size: Int) throws {
        let scene = try Scene()
        let other = try Scene()
        try other.save(text("B", size), as: "k")
        let path = scene.path(ofObject: try hash("k", other))
        try overwrite(path, with: Data(text("A", size).utf8))
        #expect(try scene.stet("verify").text.contains("1 file that no version has"))
        try scene.save(text("B", size), as: "k")
        #expect(try scene.shown("k") == text("B", size))
        try scene.expectSound()
        try scene.sqlite("DELETE FROM journal")
        try overwrite(path, with: Data(text("A", size).utf8))
        let run = try scene.stet("show", "k", exits: 5)
        #expect(run.text == "")
        try scene.stet("diff", "k", exits: 5)
        try scene.stet("restore", "k@1", "--to", "file", exits: 5)
        #expect(!FileManager.default.fileExists(atPath: scene.folder + "/file"))
        try scene.stet("verify", exits: 1)
        try scene.stet("verify", "--quick")
    }

    // B73: somebody took caches for a cache. What is lost is counted, and what comes has its place again.
    @Test(arguments: sizes, ["caches", "caches/objects", "caches/incoming"])
    func aStoreWithoutItsCachesTellsWhatIsMissingAndSaves(_ size: Int, _ folder: String) throws {
        let scene = try Scene()
        try scene.save(text("A", size), text("B", size), as: "n")
        try scene.save(text("C", size), as: "m")
        try scene.stet("rm", "m")
        try scene.sqlite("DELETE FROM journal")
        try FileManager.default.removeItem(atPath: scene.store + "/" + folder)
        let lost = folder != "caches/incoming"
        #expect(try scene.json("log", "n").map { $0["missing"] as? Bool } == [lost, lost])
        let summary = try scene.objects(
            of: scene.stet(bytes: ["verify", "--json"].map { Array($0.utf8) }, exits: lost ? 1 : 0))
        #expect(summary.last?["missing"] as? Int == (lost ? 3 : 0))
        try scene.save(text("D", size), as: "n")
        #expect(try scene.shown("n") == text("D", size))
        #expect(FileManager.default.fileExists(atPath: scene.store + "/caches/README.txt"))
        for letter in ["A", "B", "C"] { try scene.stet("save", letter, "-", input: text(letter, size)) }
        try scene.expectSound()
    }

    @Test func aLostLogIsDamageAndNotARefusalOfTheSystem() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        try scene.sqlite("DELETE FROM record WHERE operation < (SELECT max(operation) FROM record)")
        try FileManager.default.removeItem(atPath: scene.store + "/oplog")
        try scene.stet("verify", exits: 1)
        try scene.stet("save", "n", "-", input: "v2\n", exits: 5)
        #expect(try scene.shown("n") == "v1\n")
    }

    @Test func aMissingIndexIsDamageAndNoNewOneIsMade() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", as: "n")
        try scene.foldLog()
        try FileManager.default.removeItem(atPath: scene.store + "/index.sqlite")
        let before = try scene.contents()
        try expectRefused(scene)
        #expect(try scene.contents() == before)
        try scene.stet("init", "--bare", exits: 5)
        #expect(try scene.contents() == before)
    }

    @Test(arguments: ["empty", "text", "another database", "garbage within"])
    func aFileThatIsNoIndexIsDamage(_ kind: String) throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        try scene.foldLog()
        let path = scene.store + "/index.sqlite"
        switch kind {
        case "empty": try overwrite(path, with: Data())
        case "text": try overwrite(path, with: Data("not a database, but longer than its header would be\n".utf8))
        case "another database":
            try FileManager.default.removeItem(atPath: path)
            try scene.sqlite("CREATE TABLE mine (word)")
        default:
            var data = try Data(contentsOf: URL(fileURLWithPath: path))
            for position in 512..<data.count { data[position] = 0xA5 }
            try overwrite(path, with: data)
        }
        let before = try scene.contents()["index.sqlite"]
        try expectRefused(scene)
        #expect(try scene.contents()["index.sqlite"] == before)
    }

    @Test func aStoreOfANewerStetIsLeftAsItIs() throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", as: "n")
        try scene.sqlite("PRAGMA user_version = 99")
        let before = try scene.contents()
        let run = try expectRefused(scene)
        #expect(run.errors.contains("was written by a newer Stet"))
        // Reading may leave an empty write-ahead log; what was there is untouched.
        let after = try scene.contents()
        #expect(after.filter { before[$0.key] != nil } == before)
        #expect(after.filter { before[$0.key] == nil }.allSatisfy { $0.key.hasSuffix("-wal") && $0.value.isEmpty })
        try scene.sqlite("PRAGMA user_version = 1")
        try scene.expectSound()
    }

    /// Every command says in one line that the store is damaged or too new. Returns the last of them.
    @discardableResult
    private func expectRefused(_ scene: Scene) throws -> CommandRun {
        var last: CommandRun?
        for call in [
            "list", "status", "history", "history n", "show n", "diff n", "verify", "rm n", "undo n", "undo", "redo n",
            "ref n@1", "rename n m", "pin n@1", "label n@1 x", "restore n@1", "undelete n", "resolve stet:123456",
        ] {
            let run = try scene.shell("stet \(call)", exits: 5)
            #expect((run.text, run.errorLines.count) == ("", 1), "\(call): \(run.errors)")
            #expect(run.errors.contains("newer Stet") != run.errors.contains("type \"stet repair\""), "\(run.errors)")
            last = run
        }
        for size in [10, 200_000] { try scene.stet("save", "n", "-", input: text("C", size), exits: 5) }
        return try #require(last)
    }
}
