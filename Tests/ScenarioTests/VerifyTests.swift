import Foundation
import Testing
import TestSupport

/// What `verify` finds, heals and leaves alone.
struct VerifyTests {
    // MARK: The journal

    // B66: the file is looked at although the journal holds its text, and is written again.
    @Test(arguments: ["rm -f", "truncate -s 0", "garble"])
    func aTextThatTheJournalHoldsIsWrittenToItsFileAgain(_ harm: String) throws {
        let scene = try Scene()
        try scene.save("content A\n", as: "n")
        let hash = try #require(try scene.json("log", "n")[0]["hash"] as? String)
        let path = scene.path(ofObject: hash)
        func damage() throws {
            if harm == "garble" { return try Files.flipBit(path, at: 3) }
            try scene.shell("chmod u+w \(path); \(harm) \(path)")
        }
        try damage()
        let quick = try scene.stet("verify", "--quick")
        #expect(quick.text.contains("healed") == false)
        let run = try scene.stet("verify")
        #expect(run.lines.first == "healed: \(hash) from the journal")
        #expect(run.lines.last?.contains("all whole") == true)
        #expect(try Files.bytes(at: path) == bytes("content A\n"))
        #expect(try scene.stet("verify").lines.count == 1)
        try damage()
        let lines = try scene.json("verify")
        #expect(lines[0]["healed"] as? String == hash && lines[0]["from"] as? String == "journal")
        #expect(lines.last?["healed"] as? Int == 1 && lines.last?["damaged"] as? Int == 0)
        try scene.sqlite("DELETE FROM journal")
        try scene.expectSound()
    }

    @Test func aStoreThatCannotBeWrittenIsCheckedAndNotHealed() throws {
        let scene = try Scene(asOrdinaryUser: true)
        try scene.save("content A\n", as: "n")
        let path = scene.path(ofObject: try #require(try scene.json("log", "n")[0]["hash"] as? String))
        try scene.shell("rm -f \(path); chmod a-w \(scene.store)/caches/objects/*; chmod a-w \(scene.store)/lock")
        let run = try scene.stet("verify", exits: 1)
        #expect(run.lines.last?.contains("1 text in the journal only, until the next flush") == true)
        #expect(!run.text.contains("healed") && !Files.exists(path))
        try scene.shell("chmod u+w \(scene.store)/lock \(scene.store)/caches/objects/*")
        #expect(try scene.stet("verify").text.contains("healed"))
    }

    // MARK: The index and the log

    // With such a row the next save would be refused: to call the store whole would be false.
    @Test(arguments: [
        "start = start + 1", "segment = segment + 1", "operation = operation + 1",
        "bytes = CAST(substr(bytes, 1, 30) || x'00' || substr(bytes, 32) AS BLOB)",
    ])
    func aHeldRecordThatIsNotWhatTheLogHasIsFound(_ change: String) throws {
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", as: "n")
        try scene.sqlite("DELETE FROM record WHERE operation < (SELECT max(operation) FROM record)")
        try scene.expectSound()
        try scene.sqlite("UPDATE record SET \(change)")
        try scene.stet("verify", exits: 1)
        try scene.stet("verify", "--quick", exits: 1)
    }

    // MARK: Owners and modes

    @Test(arguments: [
        ("chmod g+w oplog", "oplog can be written by others"),
        ("chmod o+w caches/objects/*/*", "can be written by others"),
        ("chmod g+w caches/README.txt", "caches/README.txt can be written by others"),
        ("chmod a-w index.sqlite", "index.sqlite cannot be written by its owner"),
        ("chmod a-w index.sqlite-wal", "index.sqlite-wal cannot be written by its owner"),
        ("chmod a-w oplog/*/*", "00000001.log cannot be written by its owner"),
        ("chmod a-w lock", "lock cannot be written by its owner"),
        ("chmod a-r caches/README.txt", "caches/README.txt cannot be read by its owner"),
        ("chmod a-w caches/objects", "caches/objects is a folder that its owner cannot list, enter or change"),
        ("chmod a-r caches/incoming", "caches/incoming is a folder that its owner cannot list, enter or change"),
        ("chmod a-r caches/objects/*/*", "cannot be read by its owner"),
        ("ln -s nowhere oplog/link", "oplog/link is no file but a link, pipe, socket or device"),
        ("mkfifo caches/pipe", "caches/pipe is no file but a link, pipe, socket or device"),
    ])
    func aModeOrKindThatWillDoHarmIsTold(_ harm: String, _ words: String) throws {
        let scene = try Scene(asOrdinaryUser: true)
        try scene.save("v1\n", as: "n")
        try scene.expectSound()
        try scene.shell("cd \"$XDG_DATA_HOME/stet\" && \(harm)")
        let run = try scene.stet("verify", exits: 1)
        #expect(run.lines.contains { $0.hasPrefix("access: ") && $0.hasSuffix(words) }, "\(run.text)")
        #expect(try scene.stet("verify", "--quick", exits: 1).text.contains(words))
        #expect(try scene.stet("verify", "--json", exits: 1).text.contains(words))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can hand a file to another user"))
    func aFileOfAnotherUserIsTold() throws {
        let scene = try Scene(asOrdinaryUser: true)
        try scene.save("v1\n", as: "n")
        for (path, mode) in [("oplog", "755"), ("caches/README.txt", "644")] {
            let whole = scene.store + "/" + path
            _ = try CommandRun.run("/bin/chown", ["0:0", whole], in: "/")
            _ = try CommandRun.run("/bin/chmod", [mode, whole], in: "/")
            #expect(try scene.stet("verify", exits: 1).text.contains("access: \(path) belongs to another user"))
            try scene.giveToOrdinaryUser()
        }
        try scene.expectSound()
    }

    // MARK: Stopping it

    @Test func anInterruptedCheckEndsWith130AndChangesNothing() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        // There is something to heal, and it waits for the lock, so that the signal finds it at work.
        let hash = try #require(try scene.json("log", "n")[0]["hash"] as? String)
        try Files.flipBit(scene.path(ofObject: hash), at: 1)
        let before = try scene.contents()
        let script = """
            import fcntl, signal, subprocess, sys
            lock = open(sys.argv[1], "r+")
            fcntl.flock(lock, fcntl.LOCK_EX)
            check = subprocess.Popen([sys.argv[2], "verify"], stdout=subprocess.DEVNULL)
            check.send_signal(signal.SIGINT)
            sys.exit(128 - check.wait())
            """
        let run = try scene.start(
            "/usr/bin/env", ["python3", "-c", script, scene.store + "/lock", scene.command].map { Array($0.utf8) },
            input: []
        ).wait()
        #expect(run.status == 130, "\(run.errors)")
        #expect(try scene.contents() == before)
        #expect(try scene.stet("verify").text.contains("healed: "))
    }
}
