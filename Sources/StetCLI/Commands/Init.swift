import Stet

let initCommand = Command(
    name: "init", usage: "[DIR] [--bare]",
    summary: "keep the history of a folder of notes",
    details: """
        Makes the vault DIR, by default this folder: its text files are the notes,
        and the store of their history is DIR/.stet, or the one that --store names.
        No file is changed.

        With --bare notes live in the store only, and DIR, which must be missing or
        empty, is the store itself. Without DIR it is then the one that --store or
        STET_STORE names, or else your own: $XDG_DATA_HOME/stet, by default
        ~/.local/share/stet. Other commands look there too, but use the nearest
        folder .stet before your own, if one stands in this folder or above it.
        """,
    options: [Option(name: "bare", help: "DIR is the store itself; there is no vault")],
    operands: 0...1,
    examples: [
        ("stet init", "a vault of this folder"), ("stet init notes && cd notes && stet save", "of another one"),
        ("stet init --bare notes.stet", "a store alone, in the folder notes.stet"),
    ]
) { invocation in
    guard invocation.arguments.has("bare") else { return try makeVault(invocation) }
    let store = try makeStore(at: storeToMake(invocation), invocation)
    try store.close()
    try answer(store, nil, invocation)
    return .done
}

private func answer(_ store: NoteStore, _ vault: Vault?, _ invocation: Invocation) throws {
    if invocation.isJSON {
        var line = JSONLine()
        line.set("store", store.folder)
        line.set("vault", optional: vault?.folder)
        return try line.write(to: invocation.output)
    }
    if let vault {
        try invocation.output.line("made the vault \(TerminalText.escape(vault.folder))")
        let new = try vault.status().filter { $0.difference == .new }.count
        if new > 0 { invocation.output.note("\(Count.of(new, "file")) can be saved: type \"stet save\"") }
    } else {
        try invocation.output.line("made the store \(TerminalText.escape(store.folder))")
    }
}

private func makeStore(at folder: String, _ invocation: Invocation) throws -> NoteStore {
    try NoteStore.create(at: folder, clock: invocation.clock, machine: Surroundings.machineID())
}

private func folderOperand(_ invocation: Invocation) throws -> String? {
    guard let operand = invocation.arguments.operands.first else { return nil }
    guard let folder = String(validating: operand, as: UTF8.self), !folder.isEmpty else {
        throw invocation.usage("the folder needs a name in UTF-8")
    }
    return folder
}

// MARK: A vault

private func makeVault(_ invocation: Invocation) throws -> ExitCode {
    let folder = try folderOperand(invocation) ?? "."
    guard try FileSystem.status(folder)?.isFolder == true else {
        throw invocation.usage("there is no folder \(TerminalText.escape(folder)): make it first")
    }
    // Before a store is made for a vault that cannot be.
    try Vault.checkFolder(folder)
    let store = try storeOfVault(folder, invocation)
    let vault = try Vault.make(folder, of: store)
    try answer(store, vault, invocation)
    warnOfSyncTools(vault, store, invocation)
    try store.close()
    return .done
}

/// A new store for the vault, or one that is there and has no vault yet: an earlier attempt, or a backup put back.
private func storeOfVault(_ folder: String, _ invocation: Invocation) throws -> NoteStore {
    let path = invocation.arguments.value("store") ?? folder + "/" + Vault.storeName
    do {
        return try makeStore(at: path, invocation)
    } catch StoreError.alreadyThere {
        let store = try NoteStore.open(at: path, clock: invocation.clock, machine: Surroundings.machineID())
        guard try store.settings().vault == nil else { throw StoreError.alreadyThere(store.folder) }
        return store
    }
}

/// Warns where a sync tool would carry the store to another machine, piece by piece.
private func warnOfSyncTools(_ vault: Vault, _ store: NoteStore, _ invocation: Invocation) {
    guard store.folder.hasPrefix(vault.folder + "/"), let tool = SyncTools.covering(vault.folder) else { return }
    invocation.output.note(
        "\(tool) seems to sync this folder: keep \(Vault.storeName) out of it, since two machines must not write to one store"
    )
}

/// The sync tools that leave a mark in the folders they cover.
private enum SyncTools {
    private static let marks = [
        (".stfolder", "Syncthing"), (".dropbox", "Dropbox"), (".dropbox.cache", "Dropbox"), (".sync", "Resilio Sync"),
        (".owncloudsync.log", "ownCloud"), (".nextcloudsync.log", "Nextcloud"), (".seafile-data", "Seafile"),
        (".849C9593-D756-4E56-8D6E-42412F2A707B", "OneDrive"), (".tresorit", "Tresorit"),
    ]

    /// The tool that covers `folder` or a folder above it.
    static func covering(_ folder: String) -> String? {
        var folder = folder
        while true {
            for (mark, tool) in marks where (try? FileSystem.status(folder + "/" + mark)) ?? nil != nil { return tool }
            guard let slash = folder.lastIndex(of: "/"), !folder.isEmpty else { return nil }
            folder = String(folder[..<slash])
        }
    }
}

// MARK: A store alone

private func storeToMake(_ invocation: Invocation) throws -> String {
    if let folder = try folderOperand(invocation) { return folder }
    if let folder = invocation.arguments.value("store") ?? Surroundings.variable("STET_STORE") { return folder }
    let folder = try Surroundings.defaultStore()
    // The folders above the user's own store belong to nobody in particular and may be missing on a fresh account.
    var made = ""
    for part in folder.split(separator: "/").dropLast() {
        made += "/" + part
        try FileSystem.makeFolder(made)
    }
    return folder
}
