import Migrations
import Stet
import StetObjects

/// Something that is done to a store while the power may go: what is there before, durable, and then what is done.
struct Scenario: Sendable {
    let name: String
    var isVault = false
    /// Whether the store has to be repaired before it can be used.
    var isRepair = false
    /// Whether what is left before the first promise need not be whole.
    var isPromisedLate = false
    /// Whether it makes backups.
    var isBackup: Bool { [Self.backup.name, Self.backupAgain.name].contains(name) }
    let prepare: @Sendable (Stage) throws -> Void
    let act: @Sendable (Stage) throws -> Void

    static let all =
        [create, save, dedupe, large, vault, rename, delete, flush, checkpoint, backup, batch, repair]
        + [initialise, again, settings, replay, folders, logBegun, logGone, device, backupAgain]
        + [repairLog, repairUnsynced, repairText, repairStray]
        + (1..<Migrations.all.count).map(migration)

    /// A store of four notes with two versions each, flushed.
    @Sendable static func fourNotes(_ stage: Stage) throws {
        try makeFourNotes(stage)
        try stage.finishPreparing()
    }

    static func makeFourNotes(_ stage: Stage) throws {
        try stage.create()
        for round in 1...2 {
            for note in 1...4 {
                try stage.store.save(Text.make("note \(note), \(round)", 400 * note), as: NoteName("notes/\(note).md"))
            }
        }
    }

    static let create = Scenario(
        name: "create", prepare: { _ in },
        act: { stage in
            stage.step { try stage.create() }
            stage.save("first.md", Text.make("first", 900))
            stage.save("second.md", Text.make("second", 5_000))
            stage.save("first.md", Text.make("first again", 950))
            stage.quietly { try stage.close() }
        })

    static let save = Scenario(
        name: "save", prepare: fourNotes,
        act: { stage in
            stage.quietly { try stage.open() }
            for round in 1...3 {
                for note in [1, 5, 2, 6] {
                    stage.save(
                        "notes/\(note).md", Text.make("note \(note), saved \(round)", 300 * note * round),
                        label: round == 2 ? "label \(note)" : nil)
                }
            }
            stage.quietly { try stage.close() }
            stage.quietly { try stage.open() }
            stage.save("notes/1.md", Text.make("after it was opened again", 2_000))
            stage.step { try stage.store.undo(.name(NoteName("notes/1.md"))) }
            stage.save("notes/1.md", Text.make("a branch", 4_500))
            stage.quietly { try stage.close() }
        })

    /// A text that is there already: as the head, as another note's, as a file that no version has, synced or not.
    static let dedupe = Scenario(
        name: "dedupe",
        prepare: { stage in
            try fourNotes(stage)
            let stray = Text.make("a file that no version has", 1_500)
            try LooseObjects(caches: stage.storeFolder + "/caches").write(stray, as: ObjectID(of: stray))
        },
        act: { stage in
            stage.quietly { try stage.open() }
            stage.save("notes/1.md", Text.make("note 1, 2", 400))
            stage.save("notes/1.md", Text.make("note 1, 2", 400), label: "the same")
            stage.save("copy.md", Text.make("note 2, 1", 800))
            stage.save("stray.md", Text.make("a file that no version has", 1_500))
            for number in 1...3 {
                let text = Text.make("a file that is not durable \(number)", 1_000 * number)
                stage.quietly {
                    try LooseObjects(caches: stage.storeFolder + "/caches").write(text, as: ObjectID(of: text))
                }
                stage.save("stray \(number).md", text)
                stage.save("stray again.md", text)
            }
            stage.save("notes/3.md", Text.make("note 4, 2", 1_600))
            stage.step { try stage.store.flush() }
            stage.save("after.md", Text.make("a file that is not durable 1", 1_000))
            stage.quietly { try stage.close() }
        })

    static let large = Scenario(
        name: "large", prepare: fourNotes,
        act: { stage in
            stage.quietly { try stage.open() }
            stage.save("large/70.txt", Text.make("seventy", 70 << 10))
            stage.save("small.md", Text.make("small", 500))
            stage.save("large/1100.txt", Text.make("eleven hundred", 1_100 << 10))
            stage.save("large/70.txt", Text.make("seventy again", 71 << 10))
            stage.save("large/same.txt", Text.make("seventy", 70 << 10))
            stage.step { try stage.store.undo(.name(NoteName("large/70.txt"))) }
            // As a command reads a pipe.
            stage.saveInPieces("large/pieces.txt", Text.make("in pieces", 90_000))
            stage.step { try stage.store.flush() }
            stage.quietly { try stage.close() }
        })

    static let flush = Scenario(
        name: "flush", prepare: fourNotes,
        act: { stage in
            stage.quietly { try stage.open() }
            // Long enough for a log of several pages: what is appended to a page writes it anew.
            let label = String(repeating: "long ", count: 180)
            for round in 1...3 {
                for note in 1...(round * 2) {
                    stage.save("notes/\(note).md", Text.make("note \(note), round \(round)", 700 * note), label: label)
                }
                stage.step { try stage.store.flush() }
                // Where that one failed, nothing else has been written since.
                stage.step { try stage.store.flush() }
            }
            stage.save("notes/1.md", Text.make("after the last flush", 350))
            stage.quietly { try stage.close() }
        })

    /// The write-ahead log is emptied when the store is closed, and begun again.
    static let checkpoint = Scenario(
        name: "checkpoint", prepare: fourNotes,
        act: { stage in
            for round in 1...2 {
                stage.quietly { try stage.open() }
                for note in 1...(round == 1 ? 8 : 9) {
                    stage.save("notes/\(note).md", Text.make("note \(note), round \(round)", 40_000 + 500 * note))
                }
                stage.quietly { try stage.close() }
            }
            stage.quietly { try stage.open() }
            stage.save("notes/1.md", Text.make("after both", 600))
            stage.quietly { try stage.close() }
        })

    static let batch = Scenario(
        name: "batch", prepare: fourNotes,
        act: { stage in
            stage.quietly { try stage.open() }
            for round in 1...4 {
                stage.step {
                    var requests = try (1...(round * 3)).map { note in
                        SaveRequest(
                            Text.make("note \(note), batch \(round)", 250 * note), as: try NoteName("notes/\(note).md"),
                            label: note == 2 ? "batch \(round)" : nil)
                    }
                    if round == 3 {
                        requests.append(
                            SaveRequest(Text.make("large in a batch", 80_000), as: try NoteName("large.txt")))
                    }
                    _ = try stage.store.save(requests)
                }
            }
            stage.step {
                _ = try stage.store.rename([
                    Renaming(.name(NoteName("notes/1.md")), to: NoteName("notes/2.md")),
                    Renaming(.name(NoteName("notes/2.md")), to: NoteName("notes/1.md")),
                ])
            }
            stage.step { _ = try stage.store.delete([.name(NoteName("notes/1.md")), .name(NoteName("notes/3.md"))]) }
            stage.quietly { try stage.close() }
        })

    /// A first backup, and one that brings it up to date.
    static let backup = Scenario(
        name: "backup", prepare: fourNotes,
        act: { stage in
            stage.quietly { try stage.open() }
            stage.save("notes/1.md", Text.make("before the first backup", 800))
            for round in 1...3 {
                stage.backUp()
                for note in 1...2 {
                    // Two further devices, which one backup copies.
                    if round == 1 { stage.quietly { try stage.reopen(on: Array("machine \(note)".utf8)) } }
                    stage.save("notes/\(note + round).md", Text.make("\(note) after backup \(round)", 600 * round))
                }
                if round == 2 { stage.step { try stage.store.flush() } }
            }
            stage.save("large.txt", Text.make("large and not in a backup", 70_000))
            stage.backUp()
            stage.quietly { try stage.close() }
        })
}
