import Stet

let renameCommand = Command(
    name: "rename", aliases: ["mv"], usage: "OLD NEW",
    summary: "rename a note or a folder of notes",
    details: """
        The note stays the same note: its versions and bookmarks go with it. NEW may
        be a folder that has notes, or end in a slash: then the note moves into it.
        OLD may be a folder: all notes in it move. A name that another note bears is
        refused. In a vault the files move too, and a move that was made there
        already is accepted.
        """,
    operands: 2...2,
    examples: [
        ("stet rename todo.md work/todo.md", "rename a note"), ("stet rename work archive/2026", "rename a folder"),
    ]
) { invocation in
    let keeper = try invocation.notes()
    let old = try NotesOrFolder(invocation.arguments.operands[0], invocation)
    let new = try destination(of: old, invocation)
    let changes =
        switch old {
        case .note(let note): [try keeper.rename(.id(note.id), to: new)]
        case .folder(let folder, _): try keeper.renameFolder(folder, to: new)
        }
    for (before, change) in zip(old.notes, changes) {
        if invocation.isJSON {
            try invocation.answer(change)
        } else {
            try invocation.output.line("\(before.name.shown) -> \(change.note.name.shown)")
        }
    }
    return .done
}

/// The new name, as mv has it: inside a folder that is there, and else the name that is given.
private func destination(of old: NotesOrFolder, _ invocation: Invocation) throws -> NoteName {
    var target = invocation.arguments.operands[1]
    let endsInSlash = target.count > 1 && target.last == UInt8(ascii: "/")
    if endsInSlash { target.removeLast() }
    guard let vault = try invocation.vault() else {
        let new = try invocation.paths().name(target)
        // A folder that only holds what is to leave it is none: "a/b" may become "a".
        let moving = Set(old.notes.map(\.id))
        let isFolder = try endsInSlash || invocation.store().notes(in: new).contains { !moving.contains($0.id) }
        return isFolder && new != old.name ? try new.appending(old.name.fileName) : new
    }
    guard let new = try invocation.paths().folder(target) else {
        if old.name.folders.isEmpty { throw invocation.usage("\(old.name.shown) is in that folder already") }
        return old.name.fileName
    }
    let inside = try new.appending(old.name.fileName)
    if endsInSlash { return inside }
    guard vault.isFolder(new, besides: old.name), new != old.name else { return new }
    // A folder that was moved on the disk already is there under its new name, and has not gone into itself.
    if case .folder(let folder, _) = old, !vault.isFolder(folder), !vault.isFolder(inside) { return new }
    return inside
}

/// An operand that means a live note, or else a folder of live notes.
enum NotesOrFolder {
    case note(Note)
    case folder(NoteName, [Note])

    init(_ operand: [UInt8], _ invocation: Invocation) throws {
        let store = try invocation.store()
        var operand = operand
        if operand.count > 1, operand.last == UInt8(ascii: "/") { operand.removeLast() }
        let reference = try invocation.note(operand)
        do {
            self = .note(try store.find(reference, for: .changing))
        } catch let error as StoreError {
            guard case .name(let name) = reference else { throw error }
            let notes = try store.notes(in: name)
            if notes.isEmpty { throw error }
            self = .folder(name, notes)
        }
    }

    /// The name of the note or folder.
    var name: NoteName {
        switch self {
        case .note(let note): note.name
        case .folder(let name, _): name
        }
    }

    var notes: [Note] {
        switch self {
        case .note(let note): [note]
        case .folder(_, let notes): notes
        }
    }
}
