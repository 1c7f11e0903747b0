import Stet

let listCommand = Command(
    name: "list", usage: "[--deleted]",
    summary: "list the notes",
    options: [Option(name: "deleted", help: "list the deleted notes, which can be brought back")],
    operands: 0...0,
    examples: [("stet list", "every note with its newest version"), ("stet list --deleted", "what can be undeleted")]
) { invocation in
    let store = try invocation.store()
    let rows = try store.summaries(deleted: invocation.arguments.has("deleted"))
    let width = min(40, rows.map { TerminalText.columns($0.note.name.shown) }.max() ?? 0)
    for row in rows {
        if invocation.isJSON {
            try jsonLine(row).write(to: invocation.output)
        } else {
            try invocation.output.line(textLine(row, width, invocation.output))
        }
    }
    return .done
}

private func jsonLine(_ row: NoteSummary) -> JSONLine {
    var line = JSONLine()
    line.set("note", row.note.id.description)
    line.set("name", utf8: row.note.name.bytes)
    line.set("head", row.note.head)
    line.set("versions", row.versions)
    line.set("size", row.head.size)
    line.set("saved", TimeText.utc(row.head.saved))
    line.set("deleted", row.note.isDeleted)
    return line
}

private func textLine(_ row: NoteSummary, _ width: Int, _ output: Output) -> String {
    let name = row.note.name.shown
    let padding = String(repeating: " ", count: max(0, width - TerminalText.columns(name)))
    let version = "@\(row.note.head)"
    let versionPadding = String(repeating: " ", count: max(0, 6 - version.count))
    let saved = TimeText.local(row.head.saved)
    return name + padding + "  " + Style.version.apply(version, output) + versionPadding + "  "
        + Style.faint.apply("\(saved)  \(SizeText.short(row.head.size))", output)
}
