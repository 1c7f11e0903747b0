import Foundation
import Testing
import TestSupport

/// A damaged operation log, and what `repair` makes of it.
struct RepairLogTests {
    /// A store with operations of every kind.
    private func scene(flushed: Bool) throws -> (Scene, log: String) {
        let scene = try Scene()
        try scene.shell(
            """
            set -e
            for v in 1 2 3; do for n in 1 2 3 4 5 6; do echo "note $n version $v" | stet -q save n$n - -m "l$v"; done; done
            stet undo n1; stet undo n2 -n 2; stet redo n2; stet rename n3 m3; stet rm n4; stet undelete n4; stet rm n5
            stet pin n1@1; stet unpin n1@1; stet pin n2@2; stet label n2@1 first; stet ref n1@2; stet restore n1@1
            stet rename m3 n5; stet undo n6; echo branch | stet save n6 -
            """)
        if flushed { try RepairTests.flush(scene) }
        let name = try #require(
            try FileManager.default.subpathsOfDirectory(atPath: scene.store + "/oplog").first { $0.hasSuffix(".log") })
        return (scene, scene.store + "/oplog/" + name)
    }

    private func history(_ scene: Scene) throws -> String {
        let run = try CommandRun.run(
            Files.project + "/tools/read-store.py", [scene.store, "list"], in: scene.folder)
        #expect(run.status == 0, "\(run.errors)")
        return run.text
    }

    private func expectSound(_ scene: Scene, _ before: String) throws {
        try scene.expectSound()
        let run = try CommandRun.run(
            Files.project + "/tools/read-store.py", [scene.store, "check"], in: scene.folder)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try history(scene) == before)
        try scene.save("more\n", as: "more")
        try scene.expectSound()
    }

    // One byte anywhere: in a header, a length, a number, a check or a payload; with the index and without.
    @Test(arguments: [true, false])
    func aDamagedByteIsMended(_ hasIndex: Bool) throws {
        let (scene, log) = try scene(flushed: true)
        let before = try history(scene)
        let whole = try Files.bytes(at: log)
        if !hasIndex { try RepairTests.harm("gone", scene) }
        for offset in [0, 9, 16, 17, 20, 29, 40, 60] + stride(from: 61, to: whole.count, by: 197) {
            try Files.flipBit(log, at: offset)
            // The last record is held by the index, and the next flush writes it again.
            if hasIndex, offset < whole.count - 120 { try scene.stet("verify", exits: 1) }
            let run = try RepairTests.repair(scene)
            #expect(run.text.contains("log: mended the record at byte"), "\(offset): \(run.text)")
            #expect(try Files.bytes(at: log) == whole, "\(offset)")
        }
        try expectSound(scene, before)
    }

    @Test func aLastRecordWithADamagedByteIsNotCutOff() throws {
        let (scene, log) = try scene(flushed: true)
        let before = try history(scene)
        try Files.modify(log) { $0[$0.count - 3] ^= 1 }
        try RepairTests.harm("gone", scene)
        try RepairTests.repair(scene)
        try expectSound(scene, before)
    }

    // What the index still holds, and after a flush what it knows.
    @Test(arguments: [false, true], ["hole", "torn end", "lost end", "lost log", "emptied log", "lost beginning"])
    func aDamagedLogIsWrittenAgainFromTheIndex(_ flushed: Bool, _ harm: String) throws {
        let (scene, log) = try scene(flushed: flushed)
        let before = try history(scene)
        try Files.modify(log) { bytes in
            switch harm {
            case "hole": for offset in 700..<1100 { bytes[offset] = 0xEE }
            case "torn end": bytes.removeLast(20)
            case "lost end": bytes.removeLast(700)
            case "emptied log": bytes = []
            case "lost beginning": bytes.removeFirst(500)
            default: break
            }
        }
        if harm == "lost log" { try Files.remove(scene.store + "/oplog") }
        let run = try RepairTests.repair(scene)
        #expect(run.text.contains("log: wrote records again"), "\(run.text)")
        try expectSound(scene, before)
    }

    // Index and log are both damaged: what comes before the damage is whole, the rest is set aside, texts become notes.
    @Test func whereTheIndexIsGoneTooTheLogEndsAtTheDamage() throws {
        let (scene, log) = try scene(flushed: true)
        let whole = try Files.bytes(at: log)
        try Files.modify(log) { bytes in for offset in 1200..<1600 { bytes[offset] = 0xEE } }
        let damaged = try Files.bytes(at: log)
        try RepairTests.harm("gone", scene)
        let run = try RepairTests.repair(scene)
        #expect(run.text.contains("log: ends after operation"))
        #expect(run.lines.contains { $0.hasPrefix("note: recovered/") })
        let kept = log.replacingOccurrences(of: scene.store, with: scene.store + "/set-aside/1")
        #expect(try Files.bytes(at: kept) == damaged)
        let cut = try Files.bytes(at: log)
        #expect(cut.count <= 1200 && whole.starts(with: cut))
        // Nothing that is done from here on gets the name of what was lost.
        #expect(try Files.list(scene.store + "/oplog").count == 2)
        try scene.save("more\n", as: "more")
        try scene.expectSound()
    }

    // What the log lost was another history than any that the index could tell of.
    @Test func whatCannotBeProvedIsLeftAlone() throws {
        let scene = try Scene()
        try scene.shell(
            """
            set -e
            echo 1 | stet save a -; stet rm a; echo 2 | stet save a -; stet rename a b; stet undelete "$(stet list --deleted --json \
            | sed 's/.*"note":"\\([0-9a-f]*\\)".*/stet:\\1/')"; echo 3 | stet save c -; echo 4 | stet save d -
            """)
        try RepairTests.flush(scene)
        let name = try #require(
            try FileManager.default.subpathsOfDirectory(atPath: scene.store + "/oplog").first { $0.hasSuffix(".log") })
        let log = scene.store + "/oplog/" + name
        try Files.modify(log) { bytes in
            for offset in 70..<400 where offset < bytes.count - 100 { bytes[offset] = 0xEE }
        }
        let before = try scene.contents()
        let run = try RepairTests.repair(scene, exits: 1)
        #expect(run.text.contains("not repaired: "), "\(run.text)")
        #expect(try scene.contents()["oplog/" + name] == before["oplog/" + name])
        #expect(try scene.shown("c") == "3\n")
    }

    // An index that contradicts what is left of the log tells nothing of what is not.
    @Test func anIndexThatContradictsTheLogProvesNothing() throws {
        let (scene, log) = try scene(flushed: true)
        try scene.sqlite("UPDATE version SET time = time + 1 WHERE note = 1 AND number = 1")
        try Files.modify(log) { bytes in for offset in 1200..<1600 { bytes[offset] = 0xEE } }
        let before = try Files.bytes(at: log)
        #expect(try RepairTests.repair(scene, exits: 1).text.contains("not repaired: "))
        #expect(try Files.bytes(at: log) == before)
    }

    // Records of another device that follow nothing are put away.
    @Test func aStrangersLogIsSetAside() throws {
        let (scene, _) = try scene(flushed: true)
        let before = try history(scene)
        let other = try Scene()
        try other.save("other\n", as: "other")
        let stranger = try #require(try Files.list(other.store + "/oplog").first)
        try Files.copy(other.store + "/oplog/" + stranger, to: scene.store + "/oplog/" + stranger)
        let status = try scene.stet(bytes: [Array("verify".utf8)], exits: nil).status
        #expect(status == 1 || status == 5)
        let run = try RepairTests.repair(scene)
        #expect(run.text.contains("set aside: oplog/\(stranger) as set-aside/1/oplog/\(stranger)"))
        try expectSound(scene, before)
    }

    @Test func aKillAtAnyMomentIsGoneOnWith() throws {
        let seed = SplitMix64.seedForTest()
        let run = try CommandRun.run(
            Files.project + "/tools/kill-repair", [CommandRun.stet, "--every", "150", "--seed", "\(seed % (1 << 32))"],
            in: Files.project)
        #expect(run.status == 0, "\(run.text)\(run.errors)")
        print(run.lines.last ?? "")
    }
}
