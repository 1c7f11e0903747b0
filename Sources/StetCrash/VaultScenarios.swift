import Stet

/// Scenarios in a folder of the user's own files.
extension Scenario {
    /// A text in the file of a note that no version has. It must never be lost.
    static func edit(_ name: String) -> [UInt8] { Text.make("an edit of \(name) that was not saved", 1_200) }

    /// The notes with an edit when a scenario begins.
    static let edited = ["b.md", "work/two.md"]

    private static let names = ["a.md", "b.md", "c.md", "work/one.md", "work/two.md", "work/deep/three.md"]

    @Sendable static func vaultOfSix(_ stage: Stage) throws {
        try stage.create()
        for folder in ["work", "work/deep"] { try FileSystem.makeFolder(stage.notes + "/" + folder) }
        for round in 1...3 {
            for name in names { try stage.edit(name, Text.make("\(name), \(round)", 300 + 400 * round)) }
            _ = try stage.vault.saveAll { if case .failed(_, let error) = $0 { throw error } }
        }
        for name in edited { try stage.edit(name, edit(name)) }
        try stage.finishPreparing()
    }

    private static func note(_ name: String) throws -> NoteReference { .name(try NoteName(name)) }

    /// A vault is made of a folder in which files are.
    static let initialise = Scenario(
        name: "init", isVault: true,
        prepare: { stage in
            for folder in ["", "/work"] { try FileSystem.makeFolder(stage.notes + folder) }
            for name in edited { try stage.edit(name, edit(name)) }
        },
        act: { stage in
            stage.step { try stage.create() }
            stage.step { try stage.vault.save(NoteName("b.md")) }
            stage.step { _ = try stage.vault.saveAll { if case .failed(_, let error) = $0 { throw error } } }
            stage.quietly { try stage.close() }
        })

    static let vault = Scenario(
        name: "vault", isVault: true, prepare: vaultOfSix,
        act: { stage in
            stage.quietly { try stage.open() }
            stage.step { try stage.vault.undo(note("a.md")) }
            stage.step { try stage.vault.redo(note("a.md")) }
            stage.step { try stage.vault.undo(note("b.md")) }
            // Right after what is known of a file was written without a sync.
            stage.quietly { try stage.store.flush() }
            stage.step { try stage.vault.restore(.number(1), of: note("c.md")) }
            stage.step { try stage.vault.undo(note("work/one.md"), steps: 2) }
            stage.step { try stage.vault.restore(.number(2), of: note("work/two.md")) }
            stage.saveInPieces("new/from.md", Text.make("from elsewhere", 2_500))
            stage.step { try stage.vault.redo(note("work/one.md")) }
            stage.quietly { try stage.close() }
        })

    static let rename = Scenario(
        name: "rename", isVault: true, prepare: vaultOfSix,
        act: { stage in
            stage.quietly { try stage.open() }
            stage.step { try stage.vault.rename(note("a.md"), to: NoteName("x.md")) }
            stage.step { try stage.vault.rename(note("b.md"), to: NoteName("new/folder/b.md")) }
            stage.step { try stage.vault.renameFolder(NoteName("work"), to: NoteName("archive")) }
            stage.step { try stage.vault.rename(note("archive/two.md"), to: NoteName("two.md")) }
            stage.step { try stage.vault.undo(note("archive/one.md")) }
            stage.step { try stage.vault.renameFolder(NoteName("archive/deep"), to: NoteName("new/deep")) }
            stage.step { try stage.vault.rename(note("c.md"), to: NoteName("a.md")) }
            stage.quietly { try stage.close() }
        })

    static let delete = Scenario(
        name: "delete", isVault: true, prepare: vaultOfSix,
        act: { stage in
            stage.quietly { try stage.open() }
            stage.step { try stage.vault.delete([note("a.md")]) }
            stage.step { try stage.vault.delete([note("b.md")]) }
            stage.step { try stage.vault.undelete(note("a.md")) }
            stage.step { try stage.vault.delete([note("work/one.md"), note("work/two.md")]) }
            stage.step { try stage.vault.undelete(note("work/two.md"), as: NoteName("two.md")) }
            stage.step { try stage.vault.delete([note("a.md"), note("c.md")]) }
            stage.step { try stage.vault.undelete(note("b.md")) }
            stage.quietly { try stage.close() }
        })
}
