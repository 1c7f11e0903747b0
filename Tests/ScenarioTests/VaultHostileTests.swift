import Foundation
import Testing
import TestSupport

/// A vault that came from somebody else: its index, its settings and its files may say anything.
struct VaultHostileTests {
    private func vault() throws -> Scene {
        let scene = try Scene(isVault: true)
        try scene.write("v1\n", to: "n.md")
        try scene.stet("save")
        try scene.write("private\n", to: "diary.md")
        return scene
    }

    // A name in the index leads nowhere outside the vault.
    @Test(arguments: ["../outside", "/etc/hostname", "sub/../../outside", "..", "."])
    func nameInTheIndexDoesNotLeadOutOfTheVault(_ name: String) throws {
        let scene = try vault()
        let outside = scene.temporary.appending("outside")
        try Files.overwrite(outside, with: bytes("theirs\n"))
        let id = try #require(try scene.json("list").first?["note"] as? String)
        try scene.sqlite("UPDATE note SET name = CAST('\(name)' AS BLOB)")
        for call in [
            ["undo", "stet:\(id)"], ["save"], ["restore", "stet:\(id)@1"], ["rm", "stet:\(id)"], ["status"],
        ] {
            let run = try scene.stet(bytes: call.map { Array($0.utf8) }, exits: nil)
            #expect(run.status <= 6, "\(call): \(run.status)")
        }
        #expect(try Files.bytes(at: outside) == bytes("theirs\n"))
        #expect(scene.file("diary.md") == "private\n")
        // Nothing of the other file came into the store.
        #expect(try scene.stet("list").text.contains("theirs") == false)
    }

    // A step that Stet would not have made takes away no file.
    @Test(arguments: [
        "4, NULL, 'a.md', 'diary.md', NULL", "4, NULL, 'a.md', '../n.md', NULL", "4, NULL, '../x', 'y', NULL",
        "3, NULL, 'diary.md', '.stet-0123456789abcdef.tmp', @", "3, 999, 'diary.md', '.stet-0123456789abcdef.tmp', @",
        "3, 1, 'diary.md', '.stet-0123456789abcdef.tmp', @", "1, 1, 'diary.md', '.stet-0123456789abcdef.tmp', @",
    ])
    func stepInTheIndexTakesNoFileAway(_ row: String) throws {
        let scene = try vault()
        let values = row.replacingOccurrences(
            of: "@", with: "X'\(try scene.shell("sha256sum < diary.md").text.prefix(64))'")
        let parts = values.components(separatedBy: ", ").enumerated().map {
            $0 == 2 || $0 == 3 ? "CAST(\($1) AS BLOB)" : $1
        }
        try scene.sqlite(
            "INSERT INTO file_step (kind, note, name, spare, old_hash) VALUES (\(parts.joined(separator: ", ")))")
        let run = try scene.stet(bytes: [Array("save".utf8), Array("n.md".utf8)], exits: nil)
        #expect([0, 5].contains(run.status), "\(run.errors)")
        let hidden = try scene.shell("cat .stet-*.tmp 2>/dev/null", exits: nil).text
        let kept = scene.file("diary.md") == "private\n" || hidden == "private\n"
        let isRecorded = try scene.json("history", "n.md").contains { $0["kind"] as? String == "capture" }
        #expect(kept || isRecorded)
    }

    // Nothing in a store's folder is a note, neither in this one's nor in that of a vault inside.
    @Test func storesAreNoNotes() throws {
        let scene = try vault()
        try scene.write("x\n", to: "sub/n.md")
        try scene.shell("stet init sub")
        for name in [".stet/config", "sub/.stet/config"] {
            let before = scene.file(name)
            try scene.stet("save", name, exits: 4)
            try scene.stet("save", name, "-", input: "junk", exits: 4)
            #expect(scene.file(name) == before)
        }
        try scene.stet("rename", "n.md", ".stet/x.md", exits: 4)
        try scene.stet("rename", ".stet", "foo", exits: 3)
        try scene.stet("save", ".stet", exits: 4)
        try scene.stet("save")
        try scene.expectVaultSound()
    }

    // A time that no counting in nanoseconds reaches.
    @Test(arguments: ["2300-01-01", "1600-01-01", "9999-12-31"]) func fileOfAnyTimeIsSaved(_ date: String) throws {
        let scene = try vault()
        try scene.shell("touch -d \(date) diary.md n.md")
        #expect(try scene.stet("save").text == "diary.md@1\n")
        #expect(try scene.states().isEmpty)
        try scene.write("v2\n", to: "n.md")
        try scene.shell("touch -d \(date) n.md")
        try scene.stet("undo", "n.md")
        try scene.expectVaultSound()
    }

    // As many folders as a process may have files open, and more.
    @Test func changesInMoreFoldersThanFilesMayBeOpenAreSaved() throws {
        let scene = try Scene(isVault: true)
        try scene.shell("for i in $(seq 400); do mkdir d$i; echo a > d$i/n.md; done; stet -q save > /dev/null")
        let save = try scene.shell(
            "for i in $(seq 400); do echo bb > d$i/n.md; done; ulimit -n 200; stet status --json | wc -l; stet save | wc -l"
        )
        #expect(save.lines.map { $0.trimmingCharacters(in: .whitespaces) } == ["400", "400"])
    }
}
