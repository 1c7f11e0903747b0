import Foundation
import Testing
import TestSupport

/// Damaged and missing texts, and where `repair` finds them again.
struct RepairTextTests {
    private static let text = "a text that is long enough to be worth it\n"

    /// A store with the text as `n@1`, flushed, and the path of its object.
    private func scene(isVault: Bool = false) throws -> (Scene, path: String) {
        let scene = try Scene(isVault: isVault, asOrdinaryUser: true)
        if isVault {
            try scene.write(Self.text, to: "n")
            try scene.stet("save")
        } else {
            try scene.save(Self.text, as: "n")
        }
        try RepairTests.flush(scene)
        let hash = try #require(try scene.json("history", "n")[0]["hash"] as? String)
        return (scene, scene.path(ofObject: hash))
    }

    private func expectBack(_ scene: Scene, _ path: String, from place: String) throws {
        try scene.giveToOrdinaryUser()
        try scene.stet("verify", exits: 1)
        let run = try RepairTests.repair(scene)
        #expect(run.lines.contains { $0.hasPrefix("text: ") && $0.hasSuffix("from \(place)") }, "\(run.text)")
        #expect(try Files.bytes(at: path) == bytes(Self.text))
        #expect(try Files.permissions(of: path) == 0o400)
        try scene.expectSound()
    }

    // MARK: B65, B66, B68: each source

    @Test(arguments: ["remove", "truncate", "garble", "another text's bytes", "folder", "link"])
    func aTextComesBackFromTheVaultsFile(_ harm: String) throws {
        let (scene, path) = try scene(isVault: true)
        // Under whatever name it is there now.
        try scene.shell("mkdir new; mv n new/other")
        try Files.remove(path)
        switch harm {
        case "truncate": try Files.overwrite(path, with: [])
        case "garble": try Files.overwrite(path, with: bytes(Self.text.uppercased()))
        case "another text's bytes": try Files.overwrite(path, with: bytes("content A\n"))
        case "folder": try FileManager.default.makeFolder(path + "/inside")
        case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/hostname")
        default: break
        }
        try expectBack(scene, path, from: "the file new/other")
        if harm == "truncate" || harm == "garble" {
            let kept = path.replacingOccurrences(of: scene.store, with: scene.store + "/set-aside/1")
            #expect(try Files.bytes(at: kept) == (harm == "garble" ? bytes(Self.text.uppercased()) : []))
        }
    }

    @Test(arguments: [
        "caches/incoming/0011223344556677", "set-aside/7/x", "trash/y", "caches/objects/misplaced",
        "caches/objects/00/11", "caches/wrong",
    ])
    func aTextComesBackFromAnotherFolderOfTheStore(_ place: String) throws {
        let (scene, path) = try scene()
        let target = scene.store + "/" + place
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: target).deletingLastPathComponent().path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try FileManager.default.moveItem(atPath: path, toPath: target)
        // A check opens the store, and whoever does that clears `incoming` of what nobody writes any more.
        if place.contains("incoming") {
            #expect(try RepairTests.repair(scene).text.contains("from \(place)"))
            try scene.expectSound()
        } else {
            try expectBack(scene, path, from: place)
        }
    }

    @Test func aTextComesBackFromTheJournal() throws {
        let scene = try Scene()
        try scene.save(Self.text, as: "n")
        let path = scene.path(ofObject: try #require(try scene.json("history", "n")[0]["hash"] as? String))
        try Files.remove(path)
        #expect(try RepairTests.repair(scene).text.contains("from the journal"))
        try scene.sqlite("DELETE FROM journal")
        try scene.expectSound()
    }

    @Test(arguments: [0, 20, 41])
    func aFlippedBitIsTurnedBack(_ offset: Int) throws {
        let (scene, path) = try scene()
        try Files.flipBit(path, at: offset)
        try expectBack(scene, path, from: "its own file, in which one bit had changed")
    }

    // B68: neither copy is lost by putting the other in its place.
    @Test func twoTextsUnderEachOthersNamesAreExchanged() throws {
        let scene = try Scene()
        try scene.save("content A\n", as: "a")
        try scene.save("content B\n", as: "b")
        try RepairTests.flush(scene)
        let paths = try ["a", "b"].map { name in
            scene.path(ofObject: try #require(try scene.json("history", name)[0]["hash"] as? String))
        }
        let texts = try paths.map { try Files.bytes(at: $0) }
        try Files.overwrite(paths[0], with: texts[1])
        try Files.overwrite(paths[1], with: texts[0])
        try scene.stet("show", "a", exits: 5)
        try RepairTests.repair(scene)
        #expect(try scene.shown("a") == "content A\n")
        #expect(try scene.shown("b") == "content B\n")
    }

    @Test func aTextThatIsNowhereStaysMissingAndNothingElseIsLost() throws {
        let (scene, path) = try scene()
        try scene.save("whole\n", as: "m")
        try Files.overwrite(path, with: bytes("something else\n"))
        let before = try scene.contents()
        let run = try RepairTests.repair(scene, exits: 1)
        #expect(run.text.contains("1 damaged, 0 missing"))
        #expect(try Files.bytes(at: path) == bytes("something else\n"))
        #expect(
            try scene.contents().filter { $0.key.hasPrefix("caches/objects") }
                == before.filter { $0.key.hasPrefix("caches/objects") })
        #expect(try scene.shown("m") == "whole\n")
        try scene.stet("show", "n", exits: 5)
        // The text comes again.
        try scene.save(Self.text, as: "k")
        try scene.expectSound()
    }

    // B01: the text of the case, and then a save of it.
    @Test func anEmptiedTextIsToldAndOthersAreShown() throws {
        let scene = try Scene()
        try scene.save("one\n", "two\n", as: "n")
        try RepairTests.flush(scene)
        let path = scene.path(ofObject: "27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a")
        try Files.overwrite(path, with: [])
        #expect(try scene.json("log", "n").count == 2)
        #expect(try scene.shown("n@1") == "one\n")
        #expect(try scene.stet("show", "n", exits: 5).output == [])
        #expect(try scene.stet("verify", exits: 1).text.contains("1 damaged, 0 missing"))
        #expect(try RepairTests.repair(scene, exits: 1).text.contains("1 damaged, 0 missing"))
        try scene.save("two\n", as: "n")
        try scene.expectSound()
    }

    // B73: the folder is gone, and with it what no file of the vault has.
    @Test func textsOfAVaultComeBackWhereSomebodyRemovedTheCaches() throws {
        let scene = try RepairTests.scene(isVault: true, flushed: true)
        try Files.remove(scene.store + "/caches")
        let run = try RepairTests.repair(scene, exits: 1)
        #expect(run.lines.filter { $0.hasPrefix("text: ") }.count == 20)
        #expect(run.text.contains("0 damaged, 40 missing"))
        for number in 1...20 { #expect(try scene.shown("n\(number)") == "note \(number) version 3\n") }
    }

    // MARK: What has bytes and no name

    // B02's second copy, and B63 where the log is gone as well.
    @Test(arguments: [false, true])
    func textsThatNoVersionHasBecomeNotesOnce(_ isVault: Bool) throws {
        let scene = try RepairTests.scene(isVault: isVault, flushed: true)
        try Files.remove(scene.store + "/index.sqlite")
        try Files.remove(scene.store + "/oplog")
        try Files.overwrite(scene.store + "/caches/objects/half", with: bytes("half a text"))
        try scene.stet("init", "--bare", "--store", scene.store, scene.store, exits: 5)
        let run = try RepairTests.repair(scene)
        #expect(run.lines.filter { $0.hasPrefix("note: recovered/") }.count == 60)
        let notes = try scene.json("list")
        #expect(notes.count == 60)
        var texts: [String] = []
        for note in notes { texts.append(try scene.shown("stet:" + (try #require(note["note"] as? String)))) }
        #expect(Set(texts) == Set((1...3).flatMap { v in (1...20).map { "note \($0) version \(v)\n" } }))
        let name = try #require(notes[0]["name"] as? String)
        let history = try scene.json("history", "./" + name)
        #expect(history[0]["kind"] as? String == "import")
        #expect(name == "recovered/" + (try #require(history[0]["hash"] as? String)).prefix(12))
        try scene.expectSound()
    }

    @Test func aTakenNameDoesNotKeepATextOut() throws {
        let scene = try Scene()
        try scene.save("a note\n", as: "recovered")
        let hash = "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7"
        let path = scene.path(ofObject: hash)
        try FileManager.default.makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        try Files.overwrite(path, with: bytes("a\n"))
        let run = try RepairTests.repair(scene)
        #expect(run.text.contains("note: recovered-texts/\(hash)"))
        #expect(try scene.shown("recovered-texts/" + hash) == "a\n")
        try scene.expectSound()
    }
}
