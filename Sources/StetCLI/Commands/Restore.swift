import Stet

let restoreCommand = Command(
    name: "restore", usage: "NOTE@V [--to FILE]",
    summary: "bring an older version back",
    details: """
        Makes a new version with the text of the old one; nothing is taken away, and
        undo goes back. In a vault the file gets the text too, and text in it that
        was not saved is recorded first. FOLDER/@TIME brings all notes in a folder
        back to what they were, also those that were deleted since; ./@TIME does so
        for all in this folder. With --to the text is written to FILE instead, which
        must not exist, and the note stays as it is. "stet help show" says what V
        can be.
        """,
    options: [Option(name: "to", value: "FILE", help: "write the text to a new file")],
    operands: 1...1,
    examples: [
        ("stet restore todo.md@1", "make the first version the newest"),
        ("stet restore todo.md@1 --to old-todo.md", "write it to a file"),
        ("stet restore work/@'2 hours ago'", "a whole folder as it was"),
    ]
) { invocation in
    if let file = invocation.arguments.value("to") { return try restore(to: file, invocation) }
    let notes = try invocation.notes()
    if let (folder, time) = try folderAndTime(invocation) { return try restore(folder, time, notes, invocation) }
    let operand = try invocation.operand()
    guard let reference = operand.version else {
        throw invocation.usage("say which version: stet restore NOTE@V")
    }
    let before = try invocation.store().find(operand.note, for: .changing)
    let hadFile = try invocation.vault()?.hasFile(before.name) ?? true
    let change = try invocation.retelling(operand) { try notes.restore(reference, of: operand.note) }
    try invocation.answer(change, hadFile ? "" : ": its file is there again")
    if !change.isNew, hadFile { invocation.output.note("unchanged: the note shows that text already") }
    return .done
}

private func restore(to file: String, _ invocation: Invocation) throws -> ExitCode {
    let store = try invocation.store()
    let operand = try invocation.operand()
    guard operand.version != nil else { throw invocation.usage("say which version: stet restore NOTE@V --to FILE") }
    let (note, version) = try invocation.version(operand)
    do {
        try FileSystem.writeNewFile(file) { write in try store.readText(of: version) { try write($0) } }
    } catch let error as SystemError where error.isThere {
        throw FileInTheWay(path: file)
    }
    try invocation.answer(note, version, isNew: false, " -> \(TerminalText.escape(file))")
    return .done
}

// MARK: A folder as of a time

/// The folder and time of `FOLDER/@TIME`; nil for any other operand.
private func folderAndTime(_ invocation: Invocation) throws -> (folder: NoteName?, time: Timestamp)? {
    let operand = invocation.arguments.operands[0]
    guard let mark = operand.lastIndex(of: UInt8(ascii: "@")), mark > 0, operand[mark - 1] == UInt8(ascii: "/") else {
        return nil
    }
    let text = String(decoding: operand[(mark + 1)...], as: UTF8.self)
    guard case .time(let time) = try Operand.version(text, now: invocation.now) else {
        throw invocation.usage("a folder is restored as of a time, and \"\(TerminalText.escape(text))\" is none")
    }
    return (try invocation.paths().folder(Array(operand[..<mark])), time)
}

private func restore(
    _ folder: NoteName?, _ time: Timestamp, _ notes: any NoteChanging, _ invocation: Invocation
) throws -> ExitCode {
    let past = try invocation.store().notes(in: folder, at: time)
    if past.isEmpty {
        invocation.output.note("no note was in \(folder?.shown ?? "the store") at \(TimeText.local(time))")
        return .no
    }
    var worst = ExitCode.done
    for (position, one) in past.enumerated() {
        do {
            if one.note.isDeleted { _ = try notes.undelete(.id(one.note.id), as: nil) }
            let change = try notes.restore(.number(one.version.number), of: .id(one.note.id))
            if change.isNew || one.note.isDeleted { try invocation.answer(change) }
        } catch {
            worst = max(worst, invocation.output.report(error))
        }
        if !invocation.output.isTerminal { invocation.output.progress(position + 1, of: past.count, "restored") }
    }
    invocation.output.endProgress()
    return worst
}

/// A file that is there already and was not made by this command. Exit code 4.
struct FileInTheWay: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(TerminalText.escape(path)) is there already and was left as it is: name a new file" }
}
