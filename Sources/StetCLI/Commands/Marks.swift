import Stet

let labelCommand = Command(
    name: "label", usage: "NOTE@V TEXT",
    summary: "put words on a version; an empty TEXT takes them away",
    operands: 2...2,
    examples: [("stet label letter.txt@3 'as sent'", "label the third version")]
) { invocation in
    guard let text = String(validating: invocation.arguments.operands[1], as: UTF8.self) else {
        throw invocation.usage("the label is not UTF-8")
    }
    return try mark(invocation) { try $0.label($1, of: $2, text) }
}

let pinCommand = Command(
    name: "pin", usage: "NOTE@V",
    summary: "mark a version as one to keep for good",
    details: "Nothing takes versions away yet; a pin says which ones nothing ever should.",
    operands: 1...1,
    examples: [("stet pin letter.txt@3", "keep the third version for good")]
) { invocation in
    try mark(invocation) { try $0.pin($1, of: $2) }
}

let unpinCommand = Command(
    name: "unpin", usage: "NOTE@V",
    summary: "take a pin away",
    operands: 1...1,
    examples: [("stet unpin letter.txt@3", "it is a version like any other again")]
) { invocation in
    try mark(invocation) { try $0.unpin($1, of: $2) }
}

private func mark(
    _ invocation: Invocation, _ change: (NoteStore, VersionReference, NoteReference) throws -> Version
) throws -> ExitCode {
    let store = try invocation.store(.readWrite)
    let operand = try invocation.operand()
    guard let reference = operand.version else {
        throw invocation.usage("say which version: stet \(invocation.command.name) \(invocation.command.usage)")
    }
    let version = try invocation.retelling(operand) { try change(store, reference, operand.note) }
    let note = try store.find(operand.note)
    let label = version.label.map { "  \"\(TerminalText.escape($0))\"" } ?? ""
    try invocation.answer(note, version, isNew: false, label + (version.isPinned ? "  pinned" : ""))
    return .done
}
