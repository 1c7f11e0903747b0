import Stet
import StetIndex
import StetObjects

/// Scenarios that begin with what a killed process, or somebody who put files back, has left. None of that was synced.
extension Scenario {
    /// A store is made where one was only begun.
    static let again = Scenario(
        name: "again", prepare: { _ in },
        act: { stage in
            stage.quietly {
                try FileSystem.makeFolder(stage.storeFolder)
                try beginIndex(stage)
            }
            stage.step { try stage.create() }
            stage.save("first.md", Text.make("first", 900))
            stage.quietly { try stage.close() }
        })

    /// Settings are changed, between saves.
    static let settings = Scenario(
        name: "settings",
        prepare: { stage in
            try stage.create()
            stage.setAndSave("notes/1.md", Text.make("note 1", 400))
            try stage.finishPreparing()
        },
        act: { stage in
            stage.quietly { try stage.open() }
            for round in 1...4 { stage.setAndSave("notes/1.md", Text.make("note 1, round \(round)", 500)) }
            stage.quietly { try stage.close() }
        })

    /// The index was put back: it is made new from the log, of which nothing was synced since. Until that is done nothing is
    /// promised, for the records that were lost with the index may be lost in the log as well.
    static let replay = Scenario(
        name: "replay", isPromisedLate: true,
        prepare: { stage in
            try makeFourNotes(stage)
            try stage.store.flush()
            try stage.close()
            let index = try FileSystem.openForReading(stage.index)
            let old = try FileSystem.read(index, at: 0, count: FileSystem.status(index).size)
            try FileSystem.writeNewFile(stage.folder + "/old") { write in try old.withUnsafeBytes(write) }
        },
        act: { stage in
            stage.quietly { try stage.open(on: Array("another machine, and so another log".utf8)) }
            for round in 1...3 {
                stage.quietly {
                    try stage.store.rename(
                        .name(NoteName(round == 1 ? "notes/1.md" : "renamed \(round - 1).md")),
                        to: NoteName("renamed \(round).md"))
                }
            }
            stage.quietly { try stage.close() }
            stage.quietly {
                let lock = try StoreLock(stage.storeFolder + "/lock")
                try lock.take()
                defer { lock.give() }
                for suffix in ["-wal", "-shm"] { try FileSystem.remove(stage.index + suffix) }
                try FileSystem.rename(stage.folder + "/old", to: stage.index)
                try FileSystem.syncFolder(stage.storeFolder)
            }
            stage.quietly { try stage.open() }
            for round in 1...3 {
                stage.save("after.md", Text.make("after the index was put back \(round)", 700 * round))
            }
            stage.quietly { try stage.close() }
        })

    /// Somebody took the folder `caches` away.
    static let folders = Scenario(
        name: "folders",
        prepare: { stage in
            try stage.create()
            try stage.finishPreparing()
            let caches = stage.storeFolder + "/caches"
            try FileSystem.remove(caches + "/README.txt")
            for folder in ["/objects", "/incoming", ""] { FileSystem.removeEmptyFolder(caches + folder) }
            // With an empty one SQLite would sync the folder.
            try beginLog(in: stage.storeFolder)
        },
        act: { stage in
            stage.quietly { try stage.open() }
            stage.save("large.txt", Text.make("large", 70_000))
            stage.save("small.md", Text.make("small", 700))
            stage.step { try stage.store.flush() }
            stage.save("small.md", Text.make("small again", 800))
            stage.quietly { try stage.close() }
        })

    /// The store has no write-ahead log; one is begun by a process that is killed before its first commit.
    static let logBegun = Scenario(
        name: "log-begun",
        prepare: { stage in
            try fourNotes(stage)
            for suffix in ["-wal", "-shm"] { try FileSystem.remove(stage.index + suffix) }
        },
        act: { stage in
            stage.quietly { _ = try StoreIndex.openForReading(stage.index).newestRecord() }
            stage.quietly { try stage.open() }
            stage.save("notes/1.md", Text.make("after the log was begun", 500))
            stage.quietly { try stage.close() }
        })

    /// The store has no write-ahead log; one is made by a process that is killed when it has written the log's first bytes.
    static let logGone = Scenario(
        name: "log-gone",
        prepare: { stage in
            try fourNotes(stage)
            for suffix in ["-wal", "-shm"] { try FileSystem.remove(stage.index + suffix) }
        },
        act: { stage in
            stage.quietly { try stage.open() }
            stage.quietly { try stage.close() }
            stage.quietly { try beginLog(in: stage.storeFolder) }
            stage.quietly { try stage.open() }
            stage.save("notes/1.md", Text.make("after the log was gone", 500))
            stage.quietly { try stage.close() }
        })

    /// The first operations of a device, and a flush of them.
    static let device = Scenario(
        name: "device", prepare: fourNotes,
        act: { stage in
            stage.quietly { try stage.open(on: Array("another machine".utf8)) }
            for round in 1...3 { stage.save("notes/1.md", Text.make("elsewhere \(round)", 400 * round)) }
            stage.step { try stage.store.flush() }
            stage.save("notes/2.md", Text.make("after the flush", 300))
            stage.quietly { try stage.close() }
        })

    /// Backups go on with one of which only the folder was made, and with one that was killed when it had begun a write-ahead
    /// log.
    static let backupAgain = Scenario(
        name: "backup-again", prepare: fourNotes,
        act: { stage in
            stage.quietly { try FileSystem.makeFolder(stage.backup) }
            stage.quietly { try stage.open() }
            stage.backUp()
            stage.save("notes/1.md", Text.make("after the first backup", 800))
            stage.quietly { try beginLog(in: stage.backup, anew: true) }
            for round in 2...3 {
                // A reader keeps the write-ahead log from being folded in.
                stage.quietly {
                    let reader = try StoreIndex.openForReading(stage.backup + "/index.sqlite")
                    try reader.read {
                        _ = try reader.newestRecord()
                        stage.backUp()
                    }
                }
                stage.save("notes/2.md", Text.make("after backup \(round)", 900))
            }
            stage.quietly { try stage.close() }
        })

    /// Writes what a process that is killed leaves of a write-ahead log: its length, and nothing that counts.
    private static func beginLog(in folder: String, anew: Bool = false) throws {
        let lock = try StoreLock(folder + "/lock")
        try lock.take()
        defer { lock.give() }
        let path = folder + "/index.sqlite-wal"
        // One that holds something is not gone in any crash.
        guard try FileSystem.status(path)?.size ?? 0 == 0 else { return }
        if anew {
            try FileSystem.remove(path)
            try FileSystem.syncFolder(folder)
        }
        try FileSystem.write(FileSystem.openForAppending(path), at: 0, [UInt8](repeating: 0, count: 32))
    }

    /// Puts an index without a record into the store's folder, whose names have not reached the disk.
    private static func beginIndex(_ stage: Stage) throws {
        let folder = stage.storeFolder
        let elsewhere = stage.folder + "/begun"
        try FileSystem.makeFolder(elsewhere)
        let locks = try [elsewhere, folder].map { try StoreLock($0 + "/lock") }
        for lock in locks { try lock.take() }
        defer { for lock in locks { lock.give() } }
        _ = try StoreIndex.create(elsewhere + "/index.sqlite")
        for name in ["/index.sqlite", "/index.sqlite-wal"] {
            try FileSystem.rename(elsewhere + name, to: folder + name)
        }
    }
}
