import Stet

let statusCommand = Command(
    name: "status", usage: "",
    summary: "say what differs from what is saved",
    details: """
        Lists the files of the vault that are new, changed, gone, or skipped since
        they are not taken for notes. A file that is named is always taken.
        """,
    operands: 0...0,
    examples: [("stet status", "what differs"), ("stet", "the same")]
) { invocation in
    let store = try invocation.store()
    let vault = try invocation.vault()
    let states = try vault?.status() ?? []
    if invocation.isJSON {
        for state in states { try jsonLine(state).write(to: invocation.output) }
        return .done
    }
    try printHeading(store, vault, states, invocation.output)
    try printStates(states, invocation.output)
    return .done
}

private func printHeading(
    _ store: NoteStore, _ vault: Vault?, _ states: [FileState], _ output: Output
) throws {
    let counts = try store.counts()
    let place = vault.map { "vault \(TerminalText.escape($0.folder))" } ?? "store \(TerminalText.escape(store.folder))"
    let deleted = counts.deletedNotes == 0 ? "" : ", and \(counts.deletedNotes) deleted"
    let differing = states.filter { $0.difference != .skipped }.count
    let saved = vault == nil ? "" : differing == 0 ? "; all saved" : "; \(Count.of(differing, "difference"))"
    try output.line(Style.strong.apply(place, output))
    let notes = Count.of(counts.liveNotes, "note")
    try output.line("\(notes)\(deleted); \(Count.of(counts.versions, "version"))\(saved)")
}

/// How many skipped files are named before the rest is only counted.
private let namedSkips = 10

private func printStates(_ states: [FileState], _ output: Output) throws {
    for state in states where state.difference != .skipped { try output.line(textLine(state, output)) }
    let skipped = states.filter { $0.difference == .skipped }
    let unexpected = skipped.filter { $0.reason?.isExpected == false }
    for state in unexpected.prefix(namedSkips) { try output.line(textLine(state, output)) }
    let others = skipped.count - min(namedSkips, unexpected.count)
    if others == 0 { return }
    let counts = Dictionary(grouping: skipped) { $0.reason?.description ?? "" }.mapValues(\.count)
    let words = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    try output.line(Style.faint.apply("skipped  \(skipped.count) in all: \(words)", output))
}

private func textLine(_ state: FileState, _ output: Output) -> String {
    let style: Style =
        switch state.difference {
        case .new: .added
        case .changed: .version
        case .gone: .removed
        case .skipped: .faint
        }
    let word = state.difference.rawValue
    let padding = String(repeating: " ", count: 9 - word.count)
    let reason = state.reason.map { "  " + Style.faint.apply($0.description, output) } ?? ""
    return style.apply(word, output) + padding + TerminalText.escape(state.name) + reason
}

private func jsonLine(_ state: FileState) -> JSONLine {
    var line = JSONLine()
    line.set("name", utf8: state.name)
    line.set("note", optional: state.note?.id.description)
    line.set("state", state.difference.rawValue)
    line.set("reason", optional: state.reason?.description)
    return line
}
