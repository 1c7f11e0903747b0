import Stet

let removeCommand = Command(
    name: "rm", usage: "NOTE…",
    summary: "delete notes or folders of notes; all versions are kept",
    details: """
        In a vault the files go too; text in them that was not saved is recorded
        first. What else is in a folder stays.
        """,
    operands: 1...Int.max,
    examples: [("stet rm old.md", "delete a note"), ("stet undelete old.md", "and bring it back")]
) { invocation in
    let keeper = try invocation.notes()
    return invocation.forEachOperand { operand in
        let notes = try NotesOrFolder(operand, invocation).notes
        for change in try keeper.delete(notes.map { .id($0.id) }) {
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
    let keeper = try invocation.notes()
    let name = try invocation.arguments.value("as").map { try invocation.paths().name(Array($0.utf8)) }
    if name != nil, invocation.arguments.operands.count > 1 {
        throw invocation.usage("--as names one note: undelete the others by themselves")
    }
    return invocation.forEachOperand { operand in
        try invocation.answer(try keeper.undelete(invocation.note(operand), as: name))
    }
}
