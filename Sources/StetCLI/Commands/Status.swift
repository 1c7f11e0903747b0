import Stet

let statusCommand = Command(
    name: "status", usage: "",
    summary: "say what the store holds",
    operands: 0...0,
    examples: [("stet status", "the store's folder, and how much is in it"), ("stet", "the same")]
) { invocation in
    let store = try invocation.store()
    let status = try store.counts()
    // JSON has a line for each file that differs from its note, and here no files stand beside the notes.
    if invocation.isJSON { return .done }
    try invocation.output.line("store \(TerminalText.escape(store.folder))")
    let deleted = status.deletedNotes == 0 ? "" : ", and \(status.deletedNotes) deleted"
    let notes = Count.of(status.liveNotes, "note")
    try invocation.output.line("\(notes)\(deleted); \(Count.of(status.versions, "version"))")
    return .done
}
