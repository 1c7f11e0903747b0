import Glibc
import Stet

let saveCommand = Command(
    name: "save", usage: "NOTE - [-m LABEL]",
    summary: "save a text as a note's newest version",
    details: """
        Reads the text from standard input and says the version that has it. A text
        that the note shows already makes no new version; a label is still put on
        that one.
        """,
    options: [Option(name: "label", letter: "m", value: "LABEL", help: "put these words on the version")],
    operands: 1...2,
    examples: [
        ("echo 'buy milk' | stet save todo.md -", "save one line as todo.md"),
        ("stet save letter.txt - -m 'as sent' < letter.txt", "save a file with a label"),
    ]
) { invocation in
    guard invocation.arguments.operands.count == 2, invocation.arguments.operands[1].elementsEqual("-".utf8) else {
        throw invocation.usage("this store takes its text from standard input: stet save NOTE -")
    }
    let store = try invocation.store(.readWrite)
    let change = try store.save(
        as: try name(invocation.arguments.operands[0], in: store), label: invocation.arguments.value("label"),
        reading: readStandardInput)
    try invocation.answer(change)
    let isLabelled = invocation.arguments.has("label")
    if !change.isNew {
        invocation.output.note("unchanged: no new version" + (isLabelled ? "; the label is on this one" : ""))
    }
    return .done
}

/// The name to save under: that of the note where an id or a bookmark is given.
private func name(_ operand: [UInt8], in store: NoteStore) throws -> NoteName {
    let reference = try Operand.note(operand)
    if case .name(let name) = reference { return name }
    return try store.find(reference, for: .changing).name
}

private func readStandardInput(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
        let count = read(STDIN_FILENO, buffer.baseAddress, buffer.count)
        if count >= 0 { return count }
        if errno != EINTR { throw SystemError(errno, "read", "standard input") }
    }
}
