import Foundation
import Stet
import Testing
import TestSupport

/// Syncs that the system fails: nothing is said to be saved that may be lost, and nothing to be lost that may be there.
struct FailedSyncTests {
    /// Runs `stet save n -` with calls of the system failing as `faults` say.
    private func save(_ text: String, _ scene: Scene, _ faults: String..., exits: Int32) throws -> CommandRun {
        let injected = faults.map { "-e inject=\($0)" }.joined(separator: " ")
        let calls = faults.map { $0.prefix { $0 != ":" } }.joined(separator: ",")
        try scene.write(text, to: "text")
        let trace = "strace -f -qq -o /dev/null -e trace=\(calls) \(injected)"
        return try scene.shell("\(trace) \(CommandRun.stet) save n - < text", exits: exits)
    }

    private func lock(_ scene: Scene) throws -> [UInt8] { try Files.bytes(at: scene.store + "/lock") }

    // The first sync of the log fails; what it was for is written again and synced, and counts.
    @Test func saveCountsAfterItsPagesWereWrittenAgain() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        let run = try save("v2\n", scene, "fdatasync:error=EIO:when=1", exits: 0)
        #expect(run.text == "n@2\n")
        #expect(try scene.shown("n") == "v2\n")
        #expect(try !lock(scene).contains(UInt8(ascii: "c")))
        try scene.save("v3\n", as: "n")
        #expect(try scene.json("history", "n").count == 3)
        try scene.expectSound()
    }

    // While somebody reads, the commit is not seen any more. It is not saved then, and does not come back later.
    @Test func saveThatFailedDoesNotComeBack() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        let reader = try NoteStore.open(at: scene.store, access: .readOnly, clock: .system)
        let run = try save("v2\n", scene, "fdatasync:error=EIO:when=1", exits: 6)
        #expect(run.errorLines.count == 1 && !run.errors.contains("not known"), "\(run.errors)")
        try reader.close()
        #expect(try scene.shown("n") == "v1\n")
        try scene.save("v3\n", as: "n")
        #expect(try scene.json("history", "n").count == 2)
        try scene.expectSound()
    }

    // Wherever making a store fails, making it again gives one that is like any other.
    @Test(arguments: 1...6)
    func storeWhoseMakingFailedIsMadeAgain(_ call: Int) throws {
        let scene = try Scene(hasStore: false)
        let trace = "strace -f -qq -o /dev/null -e trace=fdatasync -e inject=fdatasync:error=EIO:when=\(call)"
        let run = try scene.shell("\(trace) \(CommandRun.stet) init --bare", exits: nil)
        if run.status != 0 {
            #expect(run.status == 6 && run.errorLines.count == 1, "\(run.errors)")
            try scene.stet("init", "--bare")
        }
        // https://www.sqlite.org/fileformat.html: 2 for a write-ahead log.
        #expect(try Files.bytes(at: scene.store + "/index.sqlite")[18] == 2)
        try scene.save("v1\n", as: "n")
        try scene.expectSound()
    }

    // Every sync fails: it is not known, and said so. The next writer first writes anew what may be lost.
    @Test(arguments: ["EIO", "ENOSPC", "EDQUOT", "EROFS"])
    func saveWhoseSyncsAllFailIsUnknown(_ error: String) throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        let run = try save("v2\n", scene, "fdatasync:error=\(error)", "fsync:error=\(error)", exits: 6)
        #expect(run.errorLines.count == 1 && run.errors.contains("it is not known whether this was saved"))
        #expect(run.text == "" && !run.errors.contains("not saved"))
        #expect(try lock(scene).first == UInt8(ascii: "c"))
        // It is seen while it is there, and nothing can follow it while it is in doubt.
        _ = try save("v3\n", scene, "fsync:error=\(error)", exits: 6)
        #expect(try lock(scene).first == UInt8(ascii: "c"))
        let versions = try scene.json("history", "n").count
        try scene.save("v4\n", as: "n")
        #expect(try lock(scene).first == 0)
        #expect(try scene.json("history", "n").count == versions + 1)
        #expect(try scene.shown("n") == "v4\n")
        try scene.expectSound()
    }

    // A large text is synced before anything is committed: then it is known that nothing was saved.
    @Test func largeTextThatCannotBeSyncedIsNotSaved() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        for fault in ["fsync:error=EIO:when=1", "fsync:error=EIO:when=2", "fsync:error=EIO:when=3"] {
            let text = String(repeating: "long ", count: 30_000)
            let run = try save(text, scene, fault, exits: 6)
            #expect(run.errorLines.count == 1 && run.errors.contains("cannot sync"), "\(run.errors)")
            #expect(try scene.json("history", "n").count == 1)
            try scene.expectSound()
        }
        #expect(try scene.json("save", "n", "-", input: String(repeating: "long ", count: 30_000)).count == 1)
        try scene.expectSound()
    }

    // The log tells of no text that is not there: where the file of a text cannot be put in place, the next save writes both.
    @Test func textIsWrittenBeforeItsRecord() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        #expect(try save("v2\n", scene, "rename:error=EIO", exits: 0).text == "n@2\n")
        let object = scene.path(ofObject: try #require(try scene.json("history", "n")[0]["hash"] as? String))
        #expect(!Files.exists(object))
        try scene.save("v3\n", as: "n")
        #expect(Files.exists(object))
        try scene.expectSound()
    }

    @Test func fileThatIsGivenOutIsSynced() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        let trace = "strace -f -qq -o /dev/null -e trace=fsync -e inject=fsync:error=EIO"
        let run = try scene.shell("\(trace) \(CommandRun.stet) restore n@1 --to out", exits: 6)
        #expect(run.errors.contains("cannot sync"))
        #expect(!Files.exists(scene.folder + "/out"))
        try scene.stet("restore", "n@1", "--to", "out")
        #expect(scene.file("out") == "v1\n")
    }

    // A flush whose sync fails drops nothing; the next one believes nothing and writes everything again.
    @Test func flushWhoseSyncFailsDropsNothing() throws {
        let scene = try Scene()
        let large = String(repeating: "x", count: 60_000)
        for number in 0..<69 { try scene.save("\(number) \(large)", as: "n") }
        // The last one makes a flush due, which is done at the end of the command.
        let run = try save("last \(large)", scene, "syncfs:error=EIO", exits: 0)
        #expect(run.text == "n@70\n")
        #expect(run.errors.contains("upkeep of the store failed and will be tried again"))
        let object = try #require(try scene.json("history", "n")[0]["hash"] as? String)
        func inode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: scene.path(ofObject: object))[.systemFileNumber] as? Int
        }
        let before = try inode()
        try scene.save("after\n", as: "n")
        #expect(try inode() != before)
        #expect(try scene.json("history", "n").count == 71)
        try scene.expectSound()
    }

    // After power loss only the last segment of a backup's log can be missing: each lasts before the next one is there.
    @Test func segmentsOfABackupLastOneAfterTheOther() throws {
        let scene = try Scene()
        let store = try NoteStore.open(at: scene.store, clock: .system)
        let label = String(repeating: "long ", count: 199)
        for batch in 1...3 {
            _ = try store.save(
                (1...900).map { .init(bytes("\(batch) \($0)"), as: try NoteName("n\($0)"), label: label) })
        }
        try store.close()
        let trace = "strace -f -qq -y -o calls -e trace=rename,fsync"
        try scene.shell("\(trace) \(CommandRun.stet) backup copy")
        let calls = scene.file("calls")?.split(separator: "\n").filter { $0.contains("copy/oplog") } ?? []
        let kinds = calls.map { $0.contains("rename(") ? "rename" : $0.contains(".new>") ? "file" : "folder" }
        #expect(kinds.count { $0 == "rename" } > 2)
        for (position, kind) in kinds.enumerated() where kind == "rename" {
            #expect(kinds[position - 1] == "file" && kinds[position + 1] == "folder", "\(kinds)")
        }
    }

    // What a backup wrote before a sync that failed is not taken for synced by the next one. (The first fsync is that of the
    // folder above, before anything is written.)
    @Test(arguments: ["syncfs:error=EIO", "fsync:error=EIO:when=2+", "fdatasync:error=EIO"])
    func backupWhoseSyncFailedIsWrittenAnew(_ fault: String) throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        try scene.stet("backup", "copy")
        try scene.save("v2\n", as: "n")
        let trace = "strace -f -qq -o /dev/null -e trace=\(fault.prefix { $0 != ":" }) -e inject=\(fault)"
        try scene.shell("\(trace) \(CommandRun.stet) backup copy", exits: 6)
        let copy = scene.folder + "/copy"
        #expect(try Files.bytes(at: copy + "/lock") == [0, UInt8(ascii: "f")])
        let object = try #require(try scene.json("history", "n")[0]["hash"] as? String)
        let path = copy + "/caches/objects/\(object.prefix(2))/\(object.dropFirst(2))"
        func inode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
        }
        let before = try inode()
        try scene.stet("backup", "copy")
        #expect(try inode() != before)
        #expect(try Files.bytes(at: copy + "/lock") == [0, 0])
        let after = try inode()
        try scene.stet("backup", "copy")
        #expect(try inode() == after)
        #expect(try scene.stet("verify", "--store", "copy").text.contains("all whole"))
    }
}
