import Foundation
import Stet
import Testing
import TestSupport

/// A lost or damaged index or log, and what `repair` makes of it.
struct RepairTests {
    /// What befalls an index.
    static let harms = ["gone", "overwritten in its middle", "empty"]

    /// A store or vault with 20 notes of 3 versions each; flushed or with all texts and records in the index too.
    static func scene(isVault: Bool, flushed: Bool, asOrdinaryUser: Bool = false) throws -> Scene {
        let scene = try Scene(isVault: isVault, asOrdinaryUser: asOrdinaryUser)
        let texts = (1...3).map { version in (1...20).map { ("n\($0)", "note \($0) version \(version)\n") } }
        if isVault {
            for version in texts {
                for (name, text) in version { try Files.overwrite(scene.folder + "/" + name, with: bytes(text)) }
                try scene.giveToOrdinaryUser()
                try scene.stet("-q", "save")
            }
        } else {
            try Files.remove(scene.store)
            let store = try NoteStore.create(at: scene.store, clock: .system)
            for version in texts {
                _ = try store.save(version.map { SaveRequest(bytes($1), as: try NoteName($0)) })
            }
            try store.close()
            try scene.giveToOrdinaryUser()
        }
        if flushed { try flush(scene) }
        return scene
    }

    /// Leaves the index as a flush does: it holds the newest record only, and no text.
    static func flush(_ scene: Scene) throws {
        try scene.sqlite(
            """
            DELETE FROM journal; DELETE FROM record WHERE operation < (SELECT max(operation) FROM record);
            PRAGMA wal_checkpoint(TRUNCATE)
            """)
    }

    static func harm(_ kind: String, _ scene: Scene) throws {
        let path = scene.store + "/index.sqlite"
        switch kind {
        case "gone": try Files.remove(path)
        case "empty": try Files.overwrite(path, with: [])
        default:
            // What stands in the write-ahead log as well is not read from here.
            try scene.foldLog()
            try Files.modify(path) { bytes in
                let start = bytes.count / 2 / 4096 * 4096
                for offset in start..<start + 4096 { bytes[offset] = UInt8(truncatingIfNeeded: offset &* 167 ^ 0x5A) }
            }
        }
        try scene.giveToOrdinaryUser()
    }

    /// Every version of every note has its text: three notes' are shown by the command, all of them read by the library.
    static func expectAllSixty(_ scene: Scene, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let shown = try scene.shell(
            "for n in 1 11 20; do for v in 1 2 3; do stet show n$n@$v; done; done", sourceLocation: sourceLocation)
        let three = [1, 11, 20].flatMap { note in (1...3).map { "note \(note) version \($0)" } }
        #expect(shown.lines == three, sourceLocation: sourceLocation)
        // A copy, which belongs to whoever runs the tests.
        let copy = scene.temporary.appending("copy-\(UUID())")
        let copied = try CommandRun.run("/bin/cp", ["-R", scene.store, copy], in: scene.folder)
        #expect(copied.status == 0, sourceLocation: sourceLocation)
        let store = try NoteStore.open(at: copy, access: .readOnly, clock: .system)
        for note in 1...20 {
            let history = try store.history(of: store.find(.name(NoteName("n\(note)"))))
            let texts = try history.map { String(decoding: try store.text(of: $0), as: UTF8.self) }
            #expect(texts == (1...3).reversed().map { "note \(note) version \($0)\n" }, sourceLocation: sourceLocation)
        }
        try store.close()
    }

    // Letters of several bytes each on the way to the store: nothing counts the ones and cuts the others.
    @Test func whatIsSetAsideKeepsItsPathWhereverTheStoreIs() throws {
        let scene = try Self.scene(isVault: false, flushed: true)
        try Self.harm("overwritten in its middle", scene)
        let folder = scene.temporary.appending("données ノート")
        try FileManager.default.moveItem(atPath: scene.store, toPath: folder)
        let run = try scene.stet("--store", folder, "repair")
        #expect(run.text.contains("index.sqlite") && run.text.contains("set-aside/1/index.sqlite"), "\(run.text)")
        #expect(Files.exists(folder + "/set-aside/1/index.sqlite"))
        try scene.stet("--store", folder, "verify")
    }

    /// Repairs, and expects that a second repair finds nothing to do.
    @discardableResult
    static func repair(
        _ scene: Scene, exits code: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> CommandRun {
        let run = try scene.stet("repair", exits: code, sourceLocation: sourceLocation)
        let second = try scene.stet("repair", exits: code, sourceLocation: sourceLocation)
        let told = ["index:", "log:", "text:", "note:", "access: ", "set aside:"]
        #expect(
            !second.lines.contains { line in told.contains { line.hasPrefix($0) } } || code != 0, "\(second.text)",
            sourceLocation: sourceLocation)
        return run
    }

    // MARK: B63

    @Test(arguments: harms, [(true, true), (true, false), (false, true), (false, false)])
    func aDestroyedIndexIsMadeAgain(_ harm: String, _ kind: (isVault: Bool, flushed: Bool)) throws {
        let scene = try Self.scene(isVault: kind.isVault, flushed: kind.flushed, asOrdinaryUser: true)
        let history = try scene.json("history", "n7").map { "\($0["id"] ?? "")\($0["saved"] ?? "")\($0["hash"] ?? "")" }
        try Self.harm(harm, scene)
        let before = try scene.contents()
        if harm != "overwritten in its middle" {
            for call in ["list", "history n7", "show n7", "save n7 - </dev/null", "verify", "init --bare", "backup x"] {
                let run = try scene.shell(
                    "export STET_STORE='\(scene.store)'; stet \(call)", exits: 5)
                #expect((run.text, run.errorLines.count) == ("", 1), "\(call): \(run.errors)")
                #expect(run.errors.contains("stet repair"), "\(call): \(run.errors)")
            }
        } else {
            let status = try scene.stet(bytes: [Array("verify".utf8)], exits: nil).status
            #expect(status == 1 || status == 5)
        }
        #expect(try scene.contents()["index.sqlite"] == before["index.sqlite"])
        let run = try Self.repair(scene)
        #expect(run.text.contains("index: made again from 61 operations"))
        try Self.expectAllSixty(scene)
        let after = try scene.json("history", "n7").map { "\($0["id"] ?? "")\($0["saved"] ?? "")\($0["hash"] ?? "")" }
        #expect(after == history)
        try scene.expectSound()
        // What was there is set aside, and not removed.
        let index = FileManager.default.contents(atPath: scene.store + "/set-aside/1/index.sqlite")
        #expect(index == before["index.sqlite"])
        if let log = before["index.sqlite-wal"], !log.isEmpty {
            #expect(FileManager.default.contents(atPath: scene.store + "/set-aside/1/index.sqlite-wal") == log)
        }
        // It can be written again, by a new device, and stays whole.
        try scene.save("new\n", as: "m")
        #expect(try Files.list(scene.store + "/oplog").count == 2)
        if kind.isVault { try scene.expectVaultSound() } else { try scene.expectSound() }
    }

    @Test func whatOnlyTheDamagedIndexHeldIsSaved() throws {
        let scene = try Self.scene(isVault: false, flushed: false)
        // As power loss can leave it: the last records and texts are in the index alone.
        let log = try #require(try FileManager.default.subpathsOfDirectory(atPath: scene.store + "/oplog").last)
        try Files.modify(scene.store + "/oplog/" + log) { $0.removeLast(400) }
        for folder in try Files.list(scene.store + "/caches/objects") {
            try Files.remove(scene.store + "/caches/objects/" + folder)
        }
        // The index contradicts itself where nothing of this stands.
        try scene.sqlite("UPDATE note SET head = 99 WHERE note = 3")
        let run = try Self.repair(scene)
        #expect(run.text.contains("log: wrote records again that the index held: "))
        #expect(
            run.lines.filter { $0.hasPrefix("text: ") && $0.hasSuffix("from the journal of the old index") }.count == 60
        )
        try Self.expectAllSixty(scene)
        try scene.expectSound()
    }

    @Test func anIndexThatIsNotWhatTheLogSaysGivesWay() throws {
        let scene = try Self.scene(isVault: false, flushed: true)
        try scene.sqlite("UPDATE version SET time = time + 1 WHERE note = 4 AND number = 2")
        try scene.stet("verify", exits: 1)
        let run = try Self.repair(scene)
        #expect(run.text.contains("its versions differ from what the log says"))
        try Self.expectAllSixty(scene)
    }

    @Test func anIndexThatIsOlderThanTheLogIsBroughtUpToDate() throws {
        let scene = try Self.scene(isVault: false, flushed: true)
        let old = scene.temporary.appending("old")
        try scene.foldLog()
        try Files.copy(scene.store + "/index.sqlite", to: old)
        for number in 1...5 { try scene.save("later \(number)\n", as: "later") }
        try scene.foldLog()
        try Files.remove(scene.store + "/index.sqlite")
        try Files.copy(old, to: scene.store + "/index.sqlite")
        try Self.repair(scene)
        #expect(try scene.shown("later") == "later 5\n")
        try scene.expectSound()
    }

    // MARK: Who has the store open

    // Who opened the old index must not go on with it.
    @Test func aWriterThatHasTheStoreOpenIsRefusedAfterwards() throws {
        let scene = try Self.scene(isVault: false, flushed: true)
        let store = try NoteStore.open(at: scene.store, clock: .system)
        try store.save(bytes("before\n"), as: NoteName("n1"))
        try Self.harm("gone", scene)
        try scene.stet("repair")
        #expect(throws: StoreError.self) { try store.save(bytes("after\n"), as: NoteName("n2")) }
        try scene.save("later\n", as: "n2")
        #expect(try scene.shown("n1") == "before\n")
        try scene.expectSound()
    }

    // MARK: Modes

    @Test func modesAreMended() throws {
        let scene = try Self.scene(isVault: false, flushed: true, asOrdinaryUser: true)
        try scene.shell(
            """
            cd "$XDG_DATA_HOME/stet"; ln -s nowhere oplog/link; ln -s "$HOME" set-aside; mkfifo caches/pipe; chmod 666 caches/README.txt
            chmod 000 oplog/*/*; chmod 400 index.sqlite; chmod 000 caches/objects/*/*; chmod 077 caches/objects/*; chmod 500 oplog
            chmod 000 lock; chmod 500 .
            """)
        try scene.stet("rm", "n1", exits: 6)
        try Self.repair(scene)
        try Self.expectAllSixty(scene)
        try scene.expectSound()
        let loose = try scene.shell(
            "cd \"$XDG_DATA_HOME/stet\"; find . -type d ! -perm 700; find . -type f ! -perm 600 ! -perm 400")
        #expect(loose.text == "")
        #expect(try Files.list(scene.temporary.appending("home")) == [])
    }

    // MARK: What is refused

    @Test func aStoreOfANewerStetIsNotRepaired() throws {
        let scene = try Self.scene(isVault: false, flushed: true)
        try scene.sqlite("PRAGMA user_version = 99")
        let before = try scene.contents()
        let run = try scene.stet("repair", exits: 5)
        #expect(run.errors.contains("newer Stet") && run.errorLines.count == 1)
        #expect(try scene.contents().filter { before[$0.key] != nil } == before)
    }

    @Test func aFolderThatIsNoStoreIsNotRepaired() throws {
        let scene = try Scene(hasStore: false)
        try scene.stet("repair", "--store", scene.folder, exits: 3)
        #expect(try scene.names() == [])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount"))
    func aReadOnlyMediumIsVerifiedAndNotRepaired() throws {
        let scene = try Self.scene(isVault: false, flushed: true)
        // A container may forbid it even to root.
        guard try scene.shell("unshare -m mount --bind . .", exits: nil).status == 0 else { return }
        func onReadOnlyMedium(_ call: String) throws -> CommandRun {
            try scene.shell(
                """
                exec unshare -m sh -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec \(scene.command) \(call)' \
                \(scene.store)
                """, exits: nil)
        }
        let verified = try onReadOnlyMedium("verify")
        #expect(verified.status == 0 && verified.text.contains("all whole"), "\(verified.errors)")
        try Self.harm("gone", scene)
        let run = try onReadOnlyMedium("repair")
        #expect((run.status, run.text, run.errorLines.count) == (6, "", 1), "\(run.errors)")
        try Self.repair(scene)
        try Self.expectAllSixty(scene)
    }

    @Test func aSoundStoreIsLeftAsItIs() throws {
        for (isVault, flushed) in [(true, true), (false, false)] {
            let scene = try Self.scene(isVault: isVault, flushed: flushed)
            let run = try scene.stet("repair")
            #expect(run.lines == ["20 notes, 60 versions, 60 texts: all whole"])
            let summary = try scene.json("repair")
            #expect(summary.count == 1 && summary[0]["problems"] as? Int == 0)
            #expect(!Files.exists(scene.store + "/set-aside"))
        }
    }
}
