import Stet

let historyCommand = Command(
    name: "history", aliases: ["log"], usage: "[NOTE]",
    summary: "list a note's versions, newest first",
    details: """
        Branches that undo left are drawn. Without NOTE: what happened last in the
        store. A note is also found by a name that it had before, and after it was
        deleted.
        """,
    options: [Option(name: "limit", letter: "n", value: "N", help: "the newest N only")],
    operands: 0...1,
    examples: [("stet history todo.md", "every version of todo.md"), ("stet history", "the newest changes")]
) { invocation in
    guard !invocation.arguments.operands.isEmpty else { return try showEvents(invocation) }
    let limit = try invocation.arguments.number("limit", minimum: 0) ?? .max
    let note = try invocation.version(invocation.operand()).note
    let store = try invocation.store()
    let missing = store.missingTexts()
    if invocation.isJSON {
        try forEach(limit, note, store) {
            try JSONLine.history(note, $0, isMissing: missing.contains($0)).write(to: invocation.output)
        }
        return .done
    }
    var printer = HistoryPrinter(note, invocation.output)
    try printer.printHeading(store.formerNames(of: note))
    try forEach(limit, note, store) { try printer.print($0, isMissing: missing.contains($0)) }
    return .done
}

/// Calls `body` with the newest `limit` versions of `note`.
private func forEach(_ limit: Int, _ note: Note, _ store: NoteStore, _ body: (Version) throws -> Void) throws {
    struct Enough: Error {}
    var left = limit
    do {
        try store.forEachVersion(of: note) { version in
            if left == 0 { throw Enough() }
            left -= 1
            try body(version)
        }
    } catch is Enough {}
}

private func showEvents(_ invocation: Invocation) throws -> ExitCode {
    let limit = try invocation.arguments.number("limit", minimum: 0) ?? 20
    // JSON has versions only, and they belong to a note.
    if invocation.isJSON { throw invocation.usage("--json lists the versions of a note: stet history NOTE --json") }
    for event in try invocation.store().events(newest: limit) {
        let time = TimeText.local(event.time)
        try invocation.output.line("\(Style.faint.apply(time, invocation.output))  \(event.description)")
    }
    return .done
}
