import Foundation
import Testing
import TestSupport

// B63, B66: single bits that flip, in every kind of file of a store: a sample of what `tools/flips` does in full.
struct BitFlipTests {
    @Test func everyFlippedBitIsNoticedOrChangesNoAnswer() throws {
        let seed = SplitMix64.seedForTest()
        let run = try CommandRun.run(
            Files.project + "/tools/flips", [CommandRun.stet, "--flips", "40", "--seed", "\(seed)", "--jobs", "1"],
            in: Files.project)
        #expect(run.status == 0, "\(run.text)\(run.errors)")
        print(run.lines.last ?? "")
    }

    // The log is whole: what the index lost with the end of its write-ahead log is told from there.
    @Test func aDamagedWriteAheadLogTakesNothingFromWhoReads() throws {
        let scene = try Scene()
        for number in 1...5 { try scene.save("v\(number)\n", as: "n") }
        try scene.stet("undo", "n")
        try scene.stet("rename", "n", "m")
        try scene.stet("label", "m@2", "the second")
        let answers = {
            try ["history --json m", "history", "show m", "show m@5", "list"].map {
                try scene.shell("stet \($0)").text
            }
        }
        let before = try answers()
        let log = scene.store + "/index.sqlite-wal"
        let size = try Files.bytes(at: log).count
        for offset in [0, 33, size / 3, size / 2, size - 5000, size - 1] {
            try Files.flipBit(log, at: offset)
            #expect(try answers() == before, "byte \(offset)")
            #expect(try scene.stet("verify").text.contains("all whole"))
            try Files.flipBit(log, at: offset)
        }
        // The next write makes the index whole again.
        try Files.flipBit(log, at: 33)
        try scene.save("v6\n", as: "m")
        #expect(try scene.json("history", "m").count == 6)
        try scene.expectSound()
    }
}
