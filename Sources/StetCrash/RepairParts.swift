import Stet
import StetIndex
import StetObjects

/// Parts of repairs. All that was promised can be brought back, by this repair or, past a power cut, by another.
extension Scenario {
    private static let garbled = Text.make("garbled", 400)
    private static let mark = "nobody's"

    /// The log has lost a device whose records the index holds, and the index says what no operation tells of.
    static let repairLog = Scenario(
        name: "repair-log", isRepair: true,
        prepare: { stage in
            try fourNotes(stage)
            try stage.open(on: Array("another machine".utf8))
            let texts = (1...3).map { Text.make("in the index alone \($0)", 500 * $0) }
            for text in texts { try stage.store.save(text, as: NoteName("held.md")) }
            try stage.mark("ack")
            try stage.close()
            let devices = try StoreIndex.openForReading(stage.index).devices()
            let log = "\(stage.storeFolder)/oplog/\(devices[1].id)"
            try FileSystem.remove(log + "/00000001.log")
            FileSystem.removeEmptyFolder(log)
            let objects = LooseObjects(caches: stage.storeFolder + "/caches")
            for text in texts { try FileSystem.remove(objects.path(ObjectID(of: text))) }
            try misplace(Text.make("note 1, 1", 400), in: objects, puttingInItsPlace: garbled)
            try misplace(Text.make("note 2, 1", 800), in: objects)
            try contradict(stage)
        },
        act: { stage in
            stage.step { try stage.repair() }
            stage.quietly { try stage.open() }
            stage.save("notes/1.md", Text.make("after the repair", 700))
            stage.step { try stage.store.flush() }
            stage.quietly { try stage.close() }
        })

    /// What the new index is made from, or what only the old one holds for good, was not synced.
    static let repairUnsynced = Scenario(
        name: "repair-unsynced", isRepair: true, prepare: fourNotes,
        act: { stage in
            stage.quietly { try stage.open(on: Array("another machine".utf8)) }
            stage.quietly { try stage.store.save(Text.make("not flushed", 600), as: NoteName("notes/1.md")) }
            stage.quietly { try stage.store.rename(.name(NoteName("notes/2.md")), to: NoteName("notes/5.md")) }
            stage.quietly { try stage.close() }
            stage.quietly { try contradict(stage) }
            stage.quietly { try stage.repair { if case .indexRebuilt = $0 { true } else { false } } }
            stage.quietly { try stage.open() }
            stage.save("notes/1.md", Text.make("after the repair", 700))
            stage.quietly { try stage.close() }
        })

    /// A repair is stopped when it has told that it brought texts back: from then on they are there.
    static let repairText = Scenario(
        name: "repair-text", isPromisedLate: true,
        prepare: { stage in
            try makeFourNotes(stage)
            try stage.store.flush()
            try stage.close()
            let objects = LooseObjects(caches: stage.storeFolder + "/caches")
            try misplace(Text.make("note 1, 1", 400), in: objects, puttingInItsPlace: garbled)
            try misplace(Text.make("note 2, 1", 800), in: objects)
        },
        act: { stage in
            var count = 0
            stage.quietly {
                try stage.repair { step in
                    if case .textRestored = step { count += 1 }
                    return count == 2
                }
            }
            stage.quietly { try stage.open() }
            stage.save("notes/3.md", Text.make("after the repair", 700))
            stage.quietly { try stage.close() }
        })

    /// A repair is stopped when it has told that it made a note of a text that nobody synced.
    static let repairStray = Scenario(
        name: "repair-stray", isPromisedLate: true,
        prepare: { stage in
            try makeFourNotes(stage)
            try stage.store.flush()
            try stage.close()
        },
        act: { stage in
            stage.quietly {
                let stray = Text.make("a text that no version has", 1_100)
                try LooseObjects(caches: stage.storeFolder + "/caches").write(stray, as: ObjectID(of: stray))
                try stage.repair { if case .noteMade = $0 { true } else { false } }
            }
            stage.step { try stage.open() }
            stage.quietly { try stage.close() }
        })

    /// Whether a file of the store has what a repair finds to be of no use. It may be moved, and must not be lost.
    static func isKept(in bytes: [UInt8]) -> (text: Bool, index: Bool) {
        (bytes == garbled, bytes.count > 4_000 && String(decoding: bytes, as: UTF8.self).contains(mark))
    }

    /// Gives the file of a text a name that it is not found by.
    private static func misplace(
        _ text: [UInt8], in objects: LooseObjects, puttingInItsPlace other: [UInt8]? = nil
    ) throws {
        let path = objects.path(ObjectID(of: text))
        try FileSystem.rename(path, to: path + " (copy)")
        guard let other else { return }
        try FileSystem.write(FileSystem.createExclusively(path, mode: 0o400), at: 0, other)
    }

    /// Puts something into the index that no operation tells of.
    private static func contradict(_ stage: Stage) throws {
        let lock = try StoreLock(stage.storeFolder + "/lock")
        try lock.take()
        defer { lock.give() }
        let index = try StoreIndex.openForWriting(stage.index)
        try index.write {
            let next = (try index.newestRecord()?.operation ?? 0) + 1
            let label = Operation.label(note: 1, number: 1, text: mark)
            try index.apply(.init(number: next, time: Timestamp(milliseconds: 0), operation: label))
        }
    }
}

extension Stage {
    /// What a repair found to be of no use is somewhere.
    func expectKept() throws {
        var isTextKept = false
        var isIndexKept = false
        try forEachFile(in: storeFolder) { path in
            guard try FileSystem.status(path)?.isRegularFile == true else { return }
            let file = try FileSystem.openForReading(path)
            let (text, index) = Scenario.isKept(in: try FileSystem.read(file, at: 0, count: 1 << 20))
            isTextKept = isTextKept || text
            isIndexKept = isIndexKept || index
        }
        guard isTextKept else { throw Fault(.lost, "the damaged file that was set aside") }
        guard isIndexKept else { throw Fault(.lost, "the index that was set aside") }
    }

    /// Every file and folder below `folder`, by its path.
    func forEachFile(in folder: String, _ body: (String) throws -> Void) throws {
        for name in try FileSystem.list(folder) {
            try body(folder + "/" + name)
            if try FileSystem.status(folder + "/" + name)?.isFolder == true {
                try forEachFile(in: folder + "/" + name, body)
            }
        }
    }
}
