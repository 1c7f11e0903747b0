import Glibc
import Stet

let saveCommand = Command(
    name: "save", usage: "[NOTE…] [-m LABEL]",
    summary: "record the text of notes as their newest versions",
    details: """
        Without NOTE: all new and changed files of the vault. NOTE may be a folder.
        With "-" after one NOTE the text comes from standard input; in a vault the
        file is written too. Says the versions that have the texts. A text that the
        note shows already makes no new version; a label is still put on that one.
        Files that are gone are told and never taken for deleted.
        """,
    options: [Option(name: "label", letter: "m", value: "LABEL", help: "put these words on the version")],
    operands: 0...Int.max,
    examples: [
        ("stet save", "record everything that is new or changed"),
        ("stet save todo.md -m 'hinge done'", "with a label"),
        ("echo 'buy milk' | stet save todo.md -", "save one line as todo.md"),
    ]
) { invocation in
    let operands = invocation.arguments.operands
    if operands.count > 1, operands.contains(where: { $0.elementsEqual("-".utf8) }) {
        return try saveStandardInput(invocation)
    }
    // Where nothing differs nothing is written, and a store that cannot be written is no obstacle.
    guard let vault = try invocation.vault(.readWrite) else {
        throw invocation.usage("this store takes its text from standard input: stet save NOTE -")
    }
    if operands.isEmpty { return try saveAll(invocation, vault, in: nil) }
    return invocation.worstOfOperands { operand in
        let name = try invocation.paths().folder(operand)
        if let name, !vault.isFolder(name) {
            let reference = try invocation.note(operand)
            let change = try vault.save(
                savedName(reference, name, invocation), label: invocation.arguments.value("label"))
            try answer(change, invocation)
            return .done
        }
        return try saveAll(invocation, vault, in: name)
    }
}

/// The name to save under: that of the note where an id or a bookmark is given.
private func savedName(_ reference: NoteReference, _ name: NoteName, _ invocation: Invocation) throws -> NoteName {
    if case .name = reference { return name }
    return try invocation.store().find(reference, for: .changing).name
}

private func saveStandardInput(_ invocation: Invocation) throws -> ExitCode {
    let operands = invocation.arguments.operands
    guard operands.count == 2, operands[1].elementsEqual("-".utf8) else {
        throw invocation.usage("standard input is the text of one note: stet save NOTE -")
    }
    let notes = try invocation.notes()
    let reference = try invocation.note(operands[0])
    let name =
        if case .name(let name) = reference { name } else {
            try invocation.store().find(reference, for: .changing).name
        }
    let change = try notes.save(
        as: name, label: invocation.arguments.value("label"), reading: readStandardInput)
    try answer(change, invocation)
    return .done
}

private func answer(_ change: Change, _ invocation: Invocation) throws {
    try invocation.answer(change)
    let isLabelled = invocation.arguments.has("label")
    if !change.isNew {
        invocation.output.note("unchanged: no new version" + (isLabelled ? "; the label is on this one" : ""))
    }
}

private func saveAll(_ invocation: Invocation, _ vault: Vault, in scope: NoteName?) throws -> ExitCode {
    var worst = ExitCode.done
    var count = 0
    let others = try vault.saveAll(in: scope, label: invocation.arguments.value("label")) { saved in
        switch saved {
        case .saved(let change):
            if change.isNew { try invocation.answer(change) }
        case .failed(let name, let error):
            invocation.output.complain("\(name.shown) was not saved")
            worst = max(worst, invocation.output.report(error))
        }
        count += 1
        // On a terminal the lines tell how far it has come.
        if !invocation.output.isTerminal { invocation.output.progress(count, "saved") }
    }
    invocation.output.endProgress()
    report(others, invocation)
    return worst
}

/// Tells what somebody could believe to be saved and is not.
private func report(_ states: [FileState], _ invocation: Invocation) {
    let gone = states.filter { $0.difference == .gone }
    for state in gone.prefix(5) {
        let name = Shell.quoted(state.name)
        invocation.output.note(
            "the file of \(TerminalText.escape(state.name)) is gone; the note is kept: \"stet restore \(name)@head\" brings it back, \"stet rm \(name)\" deletes it"
        )
    }
    if gone.count > 5 { invocation.output.note("\(gone.count - 5) more files are gone: see \"stet status\"") }
    for state in states {
        switch state.reason {
        case .name?, .unreadable?:
            invocation.output.note("skipped \(TerminalText.escape(state.name)): \(state.reason?.description ?? "")")
        default: break
        }
    }
}

private func readStandardInput(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
        let count = read(STDIN_FILENO, buffer.baseAddress, buffer.count)
        if count >= 0 { return count }
        if errno != EINTR { throw SystemError(errno, "read", "standard input") }
    }
}
