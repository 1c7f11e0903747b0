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
    name: "undelete", usage: "NOTE…",
    summary: "bring deleted notes back, with all their versions",
    details: "Takes the names of notes, not of folders; \"stet list --deleted\" has them.",
    operands: 1...Int.max,
    examples: [("stet list --deleted", "what can be brought back"), ("stet undelete old.md", "bring it back")]
) { invocation in
    let store = try invocation.store(.readWrite)
    return invocation.forEachOperand { operand in
        try invocation.answer(try store.undelete(Operand.note(operand)))
    }
}
