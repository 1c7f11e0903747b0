import Stet

let initCommand = Command(
    name: "init", usage: "--bare [DIR]",
    summary: "make a store",
    details: """
        Makes a store in DIR, which must be missing or empty. Without DIR it is the
        one that --store or STET_STORE names, or else your own: $XDG_DATA_HOME/stet,
        by default ~/.local/share/stet. Other commands look there too, but use the
        nearest folder .stet before your own, if one stands in this folder or above
        it. Notes live in the store only.
        """,
    options: [Option(name: "bare", help: "DIR is the store itself")],
    operands: 0...1,
    examples: [
        ("stet init --bare", "a store of your own, used wherever none is nearer"),
        ("stet init --bare notes.stet", "a store in the folder notes.stet"),
    ]
) { invocation in
    guard invocation.arguments.has("bare") else {
        throw invocation.usage("this version keeps notes in the store itself: stet init --bare")
    }
    let folder = try storeToMake(invocation)
    let store = try NoteStore.create(at: folder, clock: invocation.clock, machine: Surroundings.machineID())
    try store.close()
    if invocation.isJSON {
        var line = JSONLine()
        line.set("store", store.folder)
        try line.write(to: invocation.output)
    } else {
        try invocation.output.line("made the store \(TerminalText.escape(store.folder))")
    }
    return .done
}

private func storeToMake(_ invocation: Invocation) throws -> String {
    if let operand = invocation.arguments.operands.first {
        guard let folder = String(validating: operand, as: UTF8.self), !folder.isEmpty else {
            throw invocation.usage("the store's folder needs a name in UTF-8")
        }
        return folder
    }
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
