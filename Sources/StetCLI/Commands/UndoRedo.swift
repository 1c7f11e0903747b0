import Stet

private let steps = Option(name: "steps", letter: "n", value: "N", help: "so many steps")

let undoCommand = Command(
    name: "undo", usage: "NOTE [-n N]",
    summary: "go back to the version before",
    details: """
        Undo works across restarts and as far back as the note's first version.
        Nothing is lost: redo goes forward. In a vault the file follows; text in it
        that was not saved is recorded first, and is then the first to be undone.
        """,
    options: [steps],
    operands: 0...1,
    examples: [("stet undo todo.md", "take the newest save back"), ("stet undo todo.md -n 3", "the newest three")]
) { invocation in
    try move(invocation, "undid") { try $0.undo($1, steps: $2) }
}

let redoCommand = Command(
    name: "redo", usage: "NOTE [-n N]",
    summary: "go forward to what undo left",
    details: """
        In a vault the file follows. Text in it that was not saved is not written
        over: redo is refused then.
        """,
    options: [steps],
    operands: 0...1,
    examples: [("stet redo todo.md", "take an undo back")]
) { invocation in
    try move(invocation, "redid") { try $0.redo($1, steps: $2) }
}

private func move(
    _ invocation: Invocation, _ word: String,
    _ step: (any NoteChanging, NoteReference, Int) throws -> NoteStore.HeadMove
) throws -> ExitCode {
    let notes = try invocation.notes()
    guard let operand = invocation.arguments.operands.first else {
        try suggest(invocation, invocation.store())
        return .usage
    }
    let count = try invocation.arguments.number("steps", minimum: 1) ?? 1
    let move = try step(notes, invocation.note(operand), count)
    try invocation.answer(move.change, ": " + words(word, move))
    if move.left.count < count {
        invocation.output.note("only \(move.left.count) of \(count) steps: there are no more")
    }
    return .done
}

/// What was undone or redone: the versions that were left, or reached.
private func words(_ word: String, _ move: NoteStore.HeadMove) -> String {
    let numbers =
        word == "undid"
        ? move.left.map(\.number)
        : move.left.dropFirst().map(\.number) + [move.change.version.number]
    let versions = numbers.map { "@\($0)" }.joined(separator: ", ")
    guard word == "undid", move.left.count == 1, let left = move.left.first else { return "\(word) \(versions)" }
    let time = TimeText.local(left.saved)
    return "\(word) \(versions) (\(left.kind.name) of \(time))"
}

/// Without a note: the recently changed ones, as lines to paste.
private func suggest(_ invocation: Invocation, _ store: NoteStore) throws {
    let newest = try store.summaries(deleted: false).sorted { $0.lastChange > $1.lastChange }
    if newest.isEmpty { throw invocation.usage("which note? The store has none yet") }
    invocation.output.complain("which note? The ones changed last:")
    for row in newest.prefix(5) {
        invocation.output.complain(line: "  stet \(invocation.command.name) \(Shell.quoted(row.note.name.bytes))")
    }
}
