import Stet

let renameCommand = Command(
    name: "rename", aliases: ["mv"], usage: "OLD NEW",
    summary: "rename a note or a folder of notes",
    details: """
        The note stays the same note: its versions and bookmarks go with it. NEW may
        be a folder that has notes, or end in a slash: then the note moves into it.
        OLD may be a folder: all notes in it move. A name that another note bears is
        refused.
        """,
    operands: 2...2,
    examples: [
        ("stet rename todo.md work/todo.md", "rename a note"), ("stet rename work archive/2026", "rename a folder"),
    ]
) { invocation in
    let store = try invocation.store(.readWrite)
    let renamings = try renamings(invocation, store)
    let before = try renamings.map { try store.find($0.note, for: .changing).name }
    let changes = try store.rename(renamings)
    for (old, change) in zip(before, changes) {
        if invocation.isJSON {
            try invocation.answer(change)
        } else {
            try invocation.output.line("\(old.shown) -> \(change.note.name.shown)")
        }
    }
    return .done
}

private func renamings(_ invocation: Invocation, _ store: NoteStore) throws -> [Renaming] {
    let old = try NotesOrFolder(invocation.arguments.operands[0], in: store)
    var target = invocation.arguments.operands[1]
    let endsInSlash = target.count > 1 && target.last == UInt8(ascii: "/")
    if endsInSlash { target.removeLast() }
    var new = try Operand.name(target)
    // A folder that only holds what is to leave it is none: "a/b" may become "a".
    let moving = Set(old.notes.map(\.id))
    let isFolder = try endsInSlash || store.notes(in: new).contains { !moving.contains($0.id) }
    switch old {
    case .note(let note):
        if isFolder { new = try new.appending(note.name.fileName) }
        return [Renaming(.id(note.id), to: new)]
    case .folder(let folder, let notes):
        // As mv does: into a folder that is there, and to a name that is not.
        if isFolder, new != folder { new = try new.appending(folder.fileName) }
        return try notes.map { note in
            guard let inside = note.name.relative(to: folder) else { throw StoreError.noNote(note.name.description) }
            return Renaming(.id(note.id), to: try new.appending(inside))
        }
    }
}

/// An operand that means a live note, or else a folder of live notes.
enum NotesOrFolder {
    case note(Note)
    case folder(NoteName, [Note])

    init(_ operand: [UInt8], in store: NoteStore) throws {
        var operand = operand
        if operand.count > 1, operand.last == UInt8(ascii: "/") { operand.removeLast() }
        let reference = try Operand.note(operand)
        do {
            self = .note(try store.find(reference, for: .changing))
        } catch let error as StoreError {
            guard case .name(let name) = reference else { throw error }
            let notes = try store.notes(in: name)
            if notes.isEmpty { throw error }
            self = .folder(name, notes)
        }
    }

    var notes: [Note] {
        switch self {
        case .note(let note): [note]
        case .folder(_, let notes): notes
        }
    }
}
