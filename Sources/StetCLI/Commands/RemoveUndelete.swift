import Stet

let removeCommand = Command(
    name: "rm", usage: "NOTE…",
    summary: "delete notes or folders of notes; all versions are kept",
    operands: 1...Int.max,
    examples: [("stet rm old.md", "delete a note"), ("stet undelete old.md", "and bring it back")]
) { invocation in
    let store = try invocation.store(.readWrite)
    return invocation.forEachOperand { operand in
        let notes = try NotesOrFolder(operand, in: store).notes
        for change in try store.delete(notes.map { .id($0.id) }) {
            if invocation.isJSON {
                try invocation.answer(change)
            } else {
                let count = change.version.number
                try invocation.output.line("deleted \(change.note.name.shown), which showed @\(count)")
            }
        }
    }
}

let undeleteCommand = Command(
    name: "undelete", usage: "NOTE… [--as NAME]",
    summary: "bring deleted notes back, with all their versions",
    details: "Takes the names of notes, not of folders; \"stet list --deleted\" has them.",
    options: [Option(name: "as", value: "NAME", help: "under another name, where the old one is taken")],
    operands: 1...Int.max,
    examples: [("stet list --deleted", "what can be brought back"), ("stet undelete old.md", "bring it back")]
) { invocation in
    let store = try invocation.store(.readWrite)
    let name = try invocation.arguments.value("as").map { try Operand.name(Array($0.utf8)) }
    if name != nil, invocation.arguments.operands.count > 1 {
        throw invocation.usage("--as names one note: undelete the others by themselves")
    }
    return invocation.forEachOperand { operand in
        try invocation.answer(try store.undelete(Operand.note(operand), as: name))
    }
}
