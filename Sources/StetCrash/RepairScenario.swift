import Stet
import StetObjects

/// A store whose index and one of whose texts are damaged, and that has a text that no version has, is repaired.
extension Scenario {
    /// The operations of the store before it is damaged: until the repair is done, it need not be usable without one.
    static let operationsBeforeRepair = 9

    static let repair = Scenario(
        name: "repair",
        prepare: { stage in
            try fourNotes(stage)
            try damage(stage.storeFolder + "/index.sqlite", at: 8_192, [UInt8](repeating: 0x5A, count: 4_096))
            let objects = LooseObjects(caches: stage.storeFolder + "/caches")
            let text = Text.make("note 3, 1", 1_200)
            let path = objects.path(ObjectID(of: text))
            try FileSystem.remove(path)
            // One bit is another.
            try damage(path, at: 0, [text[0] ^ 0x10] + text.dropFirst())
            let stray = Text.make("a text that no version has", 1_500)
            try objects.write(stray, as: ObjectID(of: stray))
        },
        act: { stage in
            stage.step { try stage.repair() }
            stage.step { try stage.open() }
            for note in 1...3 { stage.save("notes/\(note).md", Text.make("note \(note), repaired", 700 * note)) }
            stage.step { try stage.store.undo(.name(NoteName("notes/3.md"))) }
            stage.quietly { try stage.close() }
        })

    private static func damage(_ path: String, at offset: Int, _ bytes: [UInt8]) throws {
        try FileSystem.write(FileSystem.openForAppending(path), at: offset, bytes)
    }
}

extension Stage {
    struct NotWhole: Error { var report: RepairReport }

    /// Repairs the store; what cannot be brought back is a failure.
    ///
    /// - Parameter isEnough: whether the repair is stopped when it has told this step, as it is when it is killed there.
    func repair(until isEnough: @escaping (RepairReport.Step) -> Bool = { _ in false }) throws {
        struct Stopped: Error {}
        let report: RepairReport
        note("repair")
        do {
            report = try NoteStore.repair(
                at: storeFolder, isNamed: true, clock: Self.clock, machine: Self.machine,
                tell: { step in
                    switch step {
                    case .indexRebuilt: self.note("rebuilt")
                    // The index holds what the log and the tree may lose.
                    case .noteMade: break
                    default: self.note("told")
                    }
                    if isEnough(step) { throw Stopped() }
                })
        } catch is Stopped {
            return
        }
        guard report.isWhole else { throw NotWhole(report: report) }
    }
}
