import Foundation
import Testing
import TestSupport

/// Killed, crowded, huge and senseless calls.
struct LoadTests {
    @Test func everyAcknowledgedVersionSurvivesAKill() throws {
        var random = SplitMix64.forTest()
        let scene = try Scene()
        let start = ContinuousClock.now
        try scene.save("0\n", as: "n")
        let usual = (ContinuousClock.now - start) / .microseconds(1)
        var acknowledged = ["n@1": "0\n"]
        for round in 1...40 {
            // Small texts go through the journal, large ones do not.
            let text = String(repeating: "\(round)\n", count: round.isMultiple(of: 4) ? 60_000 : 1)
            let save = try scene.start("save", "n", "-", input: text)
            // The moment of the kill is what is tried here; nothing waits for it.
            usleep(UInt32.random(in: 0...UInt32(usual * 1.2), using: &random))
            save.kill()
            let run = try save.wait()
            if let answer = run.lines.first { acknowledged[answer] = text }
            try scene.expectSound()
        }
        for (operand, text) in acknowledged { #expect(try scene.shown(operand) == text, "\(operand)") }
        // One that was not acknowledged is there whole, or not at all.
        let versions = try scene.json("log", "n")
        #expect(versions.count >= acknowledged.count)
        #expect(versions.compactMap { $0["version"] as? Int } == Array((1...versions.count).reversed()))
        print("acknowledged \(acknowledged.count) of 41, recorded \(versions.count)")
        try scene.save("last\n", as: "n")
        let leftOver = try FileManager.default.subpathsOfDirectory(atPath: scene.store).filter {
            $0.contains("incoming")
        }
        #expect(leftOver.count <= 1)
        try scene.expectSound()
    }

    // B12: nobody is told that something is locked, those who read meanwhile included.
    @Test(arguments: [true, false])
    func writersAtOnceWaitForEachOtherAndReadersForNobody(_ toOneNote: Bool) throws {
        let scene = try Scene()
        let (writers, saves) = (8, 12)
        let script = """
            for number in $(seq \(saves)); do echo "$0 $number" | stet save "$1" - || exit; done
            """
        let notes = (1...writers).map { toOneNote ? "n" : "n\($0)" }
        let calls = zip(1...writers, notes).map { "sh -c \(Scene.quoted(script)) \($0) \($1) & p\($0)=$!" }
        let reader = """
            (until [ -e ../done ]; do stet list && stet history --limit 5 && stet status || echo failed; done) >../read & reader=$!
            """
        let waits = (1...writers).map { "wait $p\($0) || exit" }
        let run = try scene.shell((calls + [reader] + waits + ["touch ../done; wait $reader"]).joined(separator: "\n"))
        #expect(run.errors == "")
        #expect(Set(run.lines).count == writers * saves)
        #expect(try scene.shell("grep -q . ../read && ! grep failed ../read").text == "")
        let expected = (1...writers).flatMap { writer in (1...saves).map { "\(writer) \($0)\n" } }
        var found: [String] = []
        for note in Set(notes) {
            for version in try scene.json("log", note).compactMap({ $0["version"] as? Int }) {
                found.append(try scene.shown("\(note)@\(version)"))
            }
        }
        #expect(found.sorted() == expected.sorted())
        try scene.expectSound()
    }

    @Test func aWriterWaitsForTheLockAndAReaderDoesNot() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        let lock = Scene.quoted(scene.store + "/lock")
        // A shared lock keeps out those who want it for themselves, and 124 is how timeout says that it ended a wait.
        for call in ["stet rm n", "sh -c 'echo v2 | stet save n -'", "stet label n@1 x"] {
            let run = try scene.shell("flock -s \(lock) timeout 0.3 \(call)", exits: 124)
            #expect(run.text == "")
        }
        #expect(try scene.json("log", "n").map { $0["label"] is NSNull } == [true])
        for call in ["list", "show n", "log n", "verify", "status"] {
            try scene.shell("flock \(lock) timeout 30 stet \(call)")
        }
        try scene.save("v2\n", as: "n")
        try scene.expectSound()
    }

    @Test func twoHundredMegabytesPassInBoundedMemory() throws {
        let scene = try Scene()
        try scene.shell("seq 1 30000000 | head -c 200000000 > big")
        // The peak of all children, in KiB, of a process that is small itself.
        let script = """
            import resource, subprocess, sys
            code = subprocess.run(sys.argv[1:]).returncode
            sys.stderr.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
            sys.exit(code)
            """
        try script.write(toFile: scene.folder + "/measure.py", atomically: true, encoding: .utf8)
        for call in [
            "save big - <big", "show big >copy", "restore big@1 --to restored", "save big - <big",
            "show big --last 1 >tail",
            "verify",
        ] {
            let run = try scene.shell("python3 measure.py \"$(command -v stet)\" \(call)")
            let peak = try #require(run.errors.split(separator: "\n").last.flatMap { Int($0) })
            #expect(peak < 64 << 10, "stet \(call): \(peak) KiB")
        }
        let sums = try scene.shell("sha256sum big copy restored | cut -c 1-64")
        #expect(Set(sums.lines).count == 1)
        #expect(try scene.json("log", "big")[0]["hash"] as? String == sums.lines[0])
        #expect(try scene.shell("cmp tail - <<E\n$(tail -n 1 big)\nE", exits: nil).status <= 1)
        try scene.expectSound()
    }

    @Test func senselessCallsNeverCrash() throws {
        var random = SplitMix64.forTest()
        let scene = try Scene()
        try scene.save("v1\n", "v2\n", as: "n")
        let words = [
            "init", "save", "list", "status", "history", "show", "diff", "restore", "undo", "redo", "rename", "rm",
            "undelete", "ref", "unref", "resolve", "label", "pin", "unpin", "verify", "help", "version", "--", "-",
            "-n",
            "-m", "-q", "--json", "--store", "--to", "--lines", "--last", "--limit=1", "--color=always", "n", "n@1",
            "@1", "n@", "n@sha:2d27", "n@-1", "stet:", "stet:ffffff", "1", "-1", "99999999999999999999", "", "./", "n/",
        ]
        for _ in 1...30 {
            let call = (0...Int.random(in: 0...5, using: &random)).map { _ -> [UInt8] in
                if Int.random(in: 0..<4, using: &random) > 0 {
                    return Array((words.randomElement(using: &random) ?? "").utf8)
                }
                // Any bytes but NUL, which no argument holds, and the slash, which could lead out of the scene.
                return (0...Int.random(in: 0...40, using: &random)).map { _ in
                    UInt8.random(in: 1...255, using: &random)
                }.filter { $0 != UInt8(ascii: "/") }
            }
            let run = try scene.stet(bytes: call, input: [0x78], exits: nil)
            #expect((0...6).contains(run.status), "\(call.map { String(decoding: $0, as: UTF8.self) }): \(run.status)")
            #expect(run.status == 0 || run.status == 1 || !run.errors.isEmpty)
        }
        try scene.expectSound()
    }
}
