import Foundation
import Stet
import Testing
import TestSupport

/// `stet backup`: what it says, who it waits for, and what is left where it does not come to its end.
struct BackupTests {
    /// The backup at `folder` says what the store says, to the command and to the independent reader.
    private func expectEqual(
        _ folder: String, _ scene: Scene, toReader: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for call in ["list --json", "list --deleted --json", "history", "verify", "log n --json", "show n"] {
            let copied = try scene.shell("stet --store \(Scene.quoted(folder)) \(call)", sourceLocation: sourceLocation)
            let own = try scene.shell("stet \(call)", sourceLocation: sourceLocation)
            #expect(copied.text == own.text, "\(call)", sourceLocation: sourceLocation)
        }
        for options in toReader ? [[], ["--no-index"]] : [] {
            let check = try IndependentReader.run(["check"], on: folder, options: options)
            #expect(check.status == 0, "\(check.errors)", sourceLocation: sourceLocation)
            let copied = try IndependentReader.run(["list"], on: folder, options: options)
            let own = try IndependentReader.run(["list"], on: scene.store)
            #expect(copied.text == own.text, sourceLocation: sourceLocation)
        }
    }

    private func preparedScene(asOrdinaryUser: Bool = false) throws -> Scene {
        let scene = try Scene(asOrdinaryUser: asOrdinaryUser)
        try scene.save("v1\n", "v2\n", "v3\n", as: "n")
        try scene.stet("undo", "n")
        try scene.save("gone\n", as: "gone")
        try scene.stet("rm", "gone")
        try scene.shell("seq 1 300000 | stet save large -; stet rename large 'a b'; stet label n@1 'first words'")
        return scene
    }

    @Test func whatItSays() throws {
        let scene = try preparedScene()
        let copy = scene.folder + "/copy"
        let first = try scene.stet("backup", "copy")
        #expect(first.text == "backed up 3 notes, 5 versions to \(copy): 5 texts copied (1.9 MB), 0 there already\n")
        #expect(first.errors == "")
        try expectEqual(copy, scene)
        try scene.save("v4\n", as: "n")
        let second = try scene.stet("backup", copy)
        #expect(second.text == "backed up 3 notes, 6 versions to \(copy): 1 text copied (3 B), 5 there already\n")
        try expectEqual(copy, scene)
        try scene.save("v5\n", as: "n")
        let run = try scene.stet("backup", "--json", "copy")
        #expect(
            run.text
                == "{\"backup\":\"\(copy)\",\"notes\":3,\"versions\":7,\"copied\":1,\"bytes\":3,\"there\":6,"
                + "\"damaged\":0,\"missing\":0}\n")
        try expectEqual(copy, scene)
        // A backup is a store like any other, and no longer a backup once it was written to.
        try scene.shell("echo own | stet --store copy save n -; stet --store copy verify")
        let refused = try scene.stet("backup", "copy", exits: 4)
        #expect((refused.text, refused.errorLines.count) == ("", 1))
        #expect(refused.errors.contains("has changes that this store does not have"))
        try scene.expectSound()
    }

    @Test func whatIsInTheWayIsRefused() throws {
        let scene = try preparedScene()
        try scene.shell("mkdir mine; echo x > mine/file; stet init --bare other; ln -s \"$XDG_DATA_HOME\" link")
        let before = try scene.contents()
        for folder in ["mine", "mine/file", "other", "link", "link/stet", "link/stet/caches", "link/stet/copy", "/"] {
            let run = try scene.stet("backup", folder, exits: 4)
            #expect((run.text, run.errorLines.count) == ("", 1), "\(folder): \(run.errors)")
        }
        #expect(try scene.shell("ls mine; cat mine/file").text == "file\nx\n")
        #expect(try scene.contents() == before)
        try scene.stet("backup", exits: 2)
        try scene.stet("backup", "", exits: 2)
        try scene.stet("backup", "one", "two", exits: 2)
        try scene.stet("backup", "missing/copy", exits: 6)
        try scene.expectSound()
    }

    // A vault's texts are what its store has; of files and settings the backup knows nothing, and it can be put back.
    @Test func theBackupOfAVaultCanBePutBack() throws {
        let scene = try Scene(isVault: true)
        for number in 1...3 {
            try scene.write("v\(number)\n", to: "n")
            try scene.write("w\(number)\n", to: "work/m")
            try scene.stet("save")
        }
        try scene.stet("undo", "n")
        try scene.stet("config", "set", "color", "never")
        let among = try scene.stet("backup", "copy", exits: 4)
        #expect(among.errors.contains("lies in the vault"))
        try scene.stet("backup", "work/copy", exits: 4)
        try scene.stet("backup", "../copy")
        let copy = scene.temporary.appending("copy")
        try expectEqual(copy, scene)
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy).allSatisfy { !$0.hasPrefix("config") })
        let count =
            "SELECT (SELECT count(*) FROM file) + (SELECT count(*) FROM file_step) + (SELECT count(*) FROM made_folder)"
        let rows = try scene.shell(
            "python3 -c 'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone())'"
                + " ../copy/index.sqlite '\(count)'")
        #expect(rows.text == "0\n")
        try scene.shell("rm -r .stet; cp -a ../copy .stet; stet init")
        #expect(try scene.json("status").allSatisfy { $0["state"] as? String != "changed" })
        try scene.stet("redo", "n")
        #expect(try scene.shell("cat n work/m").text == "v3\nw3\n")
        try scene.expectSound()
        // It goes on from what it was put back from.
        #expect(try scene.stet("backup", "../copy").text.contains("0 texts copied"))
    }

    @Test func damagedTextsAreToldOfAndAllOthersCopied() throws {
        let scene = try preparedScene()
        let hash = try #require(try scene.json("log", "n")[0]["hash"] as? String)
        let missing = try #require(try scene.json("log", "a b")[0]["hash"] as? String)
        try scene.sqlite("DELETE FROM journal")
        try Files.modify(scene.path(ofObject: hash)) { $0[0] ^= 1 }
        try Files.remove(scene.path(ofObject: missing))
        let run = try scene.stet("backup", "copy", exits: 5)
        #expect(run.text.hasSuffix("3 texts copied (11 B), 0 there already\n"))
        #expect(
            run.errors == "stet: not copied, damaged: \(hash) (n@3)\nstet: not copied, missing: \(missing) (a b@1)\n")
        let json = try scene.stet(bytes: ["backup", "copy", "--json"].map { Array($0.utf8) }, exits: 5)
        #expect(json.text.hasSuffix("\"copied\":0,\"bytes\":0,\"there\":3,\"damaged\":1,\"missing\":1}\n"))
        #expect(try scene.shell("stet --store copy show n").text == "v2\n")
        try scene.shell("stet --store copy show n@3", exits: 5)
        try scene.shell("echo v3 | stet save n -; seq 1 300000 | stet save 'a b' -; stet backup copy")
        try expectEqual(scene.folder + "/copy", scene)
        try scene.expectSound()
    }

    // Neither side is kept waiting: a writer that holds the store's lock does not stop a backup.
    @Test func itWaitsForWritersOfTheBackupOnly() throws {
        let scene = try preparedScene()
        let lock = Scene.quoted(scene.store + "/lock")
        try scene.shell("flock \(lock) timeout 30 stet backup copy")
        try scene.save("v4\n", as: "n")
        // 124 is how timeout says that it ended a wait.
        try scene.shell("flock copy/lock timeout 0.5 stet backup copy", exits: 124)
        #expect(try scene.shell("stet --store copy show n").text == "v2\n")
        try scene.shell("flock \(lock) timeout 30 stet backup copy")
        try expectEqual(scene.folder + "/copy", scene)
    }

    @Test func aStoreThatIsWrittenToIsBackedUpAllTheSame() throws {
        let scene = try preparedScene()
        let run = try scene.shell(
            """
            work() {
                for number in $(seq 25); do
                    echo "$1 $number" | stet save "$1" - && stet undo "$1" && stet redo "$1" || exit
                    stet rename "$1" "$1.x" && stet rename "$1.x" "$1" || exit
                done
            }
            echo start | stet save one - ; echo start | stet save two -
            work one >/dev/null & first=$!
            work two >/dev/null & second=$!
            while kill -0 $first 2>/dev/null || kill -0 $second 2>/dev/null; do
                stet backup copy && stet --store copy verify || exit
            done
            wait $first || exit
            wait $second || exit
            stet backup copy
            """)
        #expect(run.errors == "")
        try expectEqual(scene.folder + "/copy", scene)
        try scene.expectSound()
    }

    @Test func aStoreThatCannotBeWrittenIsBackedUp() throws {
        // The reader runs as root here, and refuses what belongs to somebody else.
        let scene = try preparedScene(asOrdinaryUser: true)
        for hasSideFiles in [true, false] {
            if !hasSideFiles { try scene.foldLog() }
            try scene.shell("chmod -R a-w \"$XDG_DATA_HOME/stet\"; stet backup copy\(hasSideFiles)")
            // That it cannot be written is all that a check would find.
            try scene.shell("chmod -R u+w \"$XDG_DATA_HOME/stet\"")
            try expectEqual(scene.folder + "/copy\(hasSideFiles)", scene, toReader: false)
        }
        try scene.save("v4\n", as: "n")
        try scene.stet("backup", "copyfalse")
        try expectEqual(scene.folder + "/copyfalse", scene, toReader: false)
    }

    // MARK: Ends before the end

    private func backup(_ fixture: StoreFixture) throws -> RunningCommand {
        let words = ["--store", fixture.folder, "backup", fixture.temporary.appending("copy")]
        return try RunningCommand(CommandRun.stet, words.map { Array($0.utf8) }, in: fixture.temporary.path)
    }

    @Test func aKillAtAnyMomentLeavesTheEarlierBackup() throws {
        var random = SplitMix64.forTest()
        let fixture = try StoreFixture()
        let copy = fixture.temporary.appending("copy")
        func save(_ round: Int) throws {
            _ = try fixture.store.save(
                (0..<10).map { SaveRequest(bytes("\(round) \($0)\n"), as: try NoteName("n\($0)")) })
            if round.isMultiple(of: 10) { try fixture.store.flush() }
        }
        try save(0)
        let start = ContinuousClock.now
        #expect(try backup(fixture).wait().status == 0)
        var usual = (ContinuousClock.now - start) / .microseconds(1)
        try Files.remove(copy)
        var (before, finished) = (0, 0)
        for round in 1...100 {
            try save(round)
            let running = try backup(fixture)
            // The moment of the kill is what is tried here; nothing waits for it.
            usleep(UInt32.random(in: 0...UInt32(usual * 1.2), using: &random))
            running.kill()
            let isFinished = try running.wait().status == 0
            if isFinished { finished += 1 }
            // However busy the machine is, some are to be killed near their end.
            usual *= isFinished ? 0.9 : 1.05
            guard let store = try? NoteStore.open(at: copy, access: .readOnly, clock: fixture.clock.clock) else {
                #expect(before == 0)
                continue
            }
            let report = try store.verify()
            let now = try fixture.store.counts().versions
            #expect(report.problems == [])
            #expect([before, now].contains(report.versions))
            before = report.versions
        }
        print("finished \(finished) of 100")
        #expect(try backup(fixture).wait().status == 0)
        let store = try NoteStore.open(at: copy, access: .readOnly, clock: fixture.clock.clock)
        #expect(try store.verify().isClean)
        #expect(try IndependentReader.expected(store) == IndependentReader.expected(fixture.store))
        #expect(try IndependentReader.run(["check"], on: copy).status == 0)
        #expect(try Files.list(copy + "/caches/incoming").isEmpty)
    }

    // The log goes on after the index, with a device that the index does not know.
    @Test func anEndBeforeTheIndexIsWholeToTheReader() throws {
        let scene = try preparedScene()
        try scene.shell("stet backup copy; cp -a copy old; mv \"$XDG_DATA_HOME/stet/lock\" .")
        try scene.save("v4\n", as: "n")
        try scene.shell("stet backup copy; cp -a old/index* copy; stet --store copy verify")
        #expect(try scene.shell("stet --store copy show n").text == "v4\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.folder + "/copy/oplog").count == 2)
        let check = try IndependentReader.run(["check"], on: scene.folder + "/copy")
        #expect(check.status == 0, "\(check.errors)")
        try scene.stet("backup", "copy")
        try expectEqual(scene.folder + "/copy", scene)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount a small disk"))
    func aFullDiskLeavesTheEarlierBackup() throws {
        let scene = try preparedScene()
        let disk = scene.folder + "/disk"
        try FileManager.default.makeFolder(disk)
        let mount = try CommandRun.run("/bin/mount", ["-t", "tmpfs", "-o", "size=1m", "none", disk], in: "/")
        // A container may forbid it even to root.
        guard mount.status == 0 else { return }
        defer { _ = try? CommandRun.run("/bin/umount", [disk], in: "/") }
        let full = try scene.stet("backup", "disk/copy", exits: 6)
        #expect((full.text, full.errorLines.count) == ("", 1))
        #expect(full.errors.contains("space"))
        try scene.shell("mount -o remount,size=8m disk; stet backup disk/copy")
        try expectEqual(disk + "/copy", scene)

        // What it tells is the earlier state, or a later one as far as the log has come: each version it has is whole.
        let texts = try [scene.shown("n")] + (1...20).map { "new \($0)\n" }
        for number in 1...20 { try scene.save("new \(number)\n", as: "n") }
        var failures = 0
        while failures < 200 {
            // A page more each time, so that it ends at every step once.
            try scene.shell(
                "used=$(df --output=used -k disk | tail -1); mount -o remount,size=$((used + \(4 + failures % 2 * 8)))k disk"
            )
            let run = try scene.stet(bytes: ["backup", "disk/copy"].map { Array($0.utf8) }, exits: nil)
            if run.status == 0 { break }
            failures += 1
            #expect((run.status, run.text, run.errorLines.count) == (6, "", 1), "\(run.errors)")
            #expect(try texts.contains(scene.shell("stet --store disk/copy show n").text))
            #expect(try scene.shell("stet --store disk/copy verify").text.contains("all whole"))
        }
        #expect((1..<200).contains(failures))
        try expectEqual(disk + "/copy", scene)
    }
}
