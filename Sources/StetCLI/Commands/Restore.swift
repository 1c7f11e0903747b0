import Glibc
import Stet

let restoreCommand = Command(
    name: "restore", usage: "NOTE@V [--to FILE]",
    summary: "bring an older version back",
    details: """
        Makes a new version with the text of the old one; nothing is taken away, and
        undo goes back. With --to the text is written to FILE instead, which must
        not exist, and the note stays as it is. "stet help show" says what V can be.
        """,
    options: [Option(name: "to", value: "FILE", help: "write the text to a new file")],
    operands: 1...1,
    examples: [
        ("stet restore todo.md@1", "make the first version the newest"),
        ("stet restore todo.md@1 --to old-todo.md", "write it to a file"),
    ]
) { invocation in
    let file = invocation.arguments.value("to")
    let store = try invocation.store(file == nil ? .readWrite : .readOnly)
    let operand = try invocation.operand()
    guard let reference = operand.version else {
        throw invocation.usage("say which version: stet restore NOTE@V")
    }
    if let file {
        let (note, version) = try invocation.version(operand)
        do {
            try FileSystem.writeNewFile(file) { write in try store.readText(of: version) { try write($0) } }
        } catch let error as SystemError where error.number == EEXIST {
            throw FileInTheWay(path: file)
        }
        try invocation.answer(note, version, isNew: false, " -> \(TerminalText.escape(file))")
        return .done
    }
    let change = try invocation.retelling(operand) { try store.restore(reference, of: operand.note) }
    try invocation.answer(change)
    if !change.isNew { invocation.output.note("unchanged: the note shows that text already") }
    return .done
}

/// A file that is there already and was not made by this command. Exit code 4.
struct FileInTheWay: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(TerminalText.escape(path)) is there already and was left as it is: name a new file" }
}
