import Stet

let referenceCommand = Command(
    name: "ref", usage: "NOTE[@V]",
    summary: "print a lasting bookmark of a note or version",
    details: """
        The bookmark is one word that survives renames. That of a version is
        recorded, so that the version is kept until "stet unref"; that of a note is
        not.
        """,
    operands: 1...1,
    examples: [("stet ref todo.md", "a bookmark of the note"), ("stet ref todo.md@2", "a bookmark of one version")]
) { invocation in
    let store = try invocation.store(.readWrite)
    let operand = try invocation.operand()
    let bookmark = try store.bookmark(operand.note, operand.version)
    if invocation.isJSON {
        var line = JSONLine()
        line.set("bookmark", bookmark.description)
        try line.write(to: invocation.output)
    } else {
        try invocation.output.line(bookmark.description)
    }
    return .done
}

let unreferenceCommand = Command(
    name: "unref", usage: "BOOKMARK",
    summary: "give up the recorded bookmark of a version",
    operands: 1...1,
    examples: [("stet unref \"$(stet ref todo.md@2)\"", "record a bookmark and give it up")]
) { invocation in
    let bookmark = try bookmark(invocation)
    let store = try invocation.store(.readWrite)
    guard bookmark.version != nil else {
        invocation.output.note("the bookmark of a note is not recorded: there is nothing to give up")
        return .no
    }
    guard try store.release(bookmark) else {
        invocation.output.note("no bookmark of that version is recorded")
        return .no
    }
    return .done
}

let resolveCommand = Command(
    name: "resolve", usage: "BOOKMARK",
    summary: "find what a bookmark means now",
    details: """
        Says the note and version. Where the bookmark is stale, a second line says
        why and a third is a fresh bookmark to keep. Reasons: deleted, likeness (the
        note is gone, another is like it), renamed, moved-on (the version was the
        head and is not any more).
        """,
    operands: 1...1,
    examples: [("stet resolve \"$(stet ref todo.md)\"", "what the bookmark of todo.md means")]
) { invocation in
    let resolution = try invocation.store().resolve(try bookmark(invocation))
    if invocation.isJSON {
        try jsonLine(resolution).write(to: invocation.output)
        return .done
    }
    try invocation.output.line(invocation.shown(resolution.note, resolution.version))
    if resolution.isStale {
        let reasons = resolution.reasons.map(\.rawValue).joined(separator: ", ")
        try invocation.output.line("stale: \(reasons)")
        try invocation.output.line(resolution.fresh.description)
    }
    return .done
}

private func jsonLine(_ resolution: Resolution) -> JSONLine {
    var line = JSONLine(resolution.note, resolution.version)
    line.set("stale", resolution.isStale)
    line.set("reason", optional: resolution.reasons.first?.rawValue)
    line.set("reasons", resolution.reasons.map(\.rawValue))
    line.set("bookmark", resolution.fresh.description)
    return line
}

/// The operand as a bookmark; a prefix of an id is enough for a note's.
private func bookmark(_ invocation: Invocation) throws -> Bookmark {
    let text = String(decoding: invocation.arguments.operands[0], as: UTF8.self)
    if let bookmark = Bookmark(text) { return bookmark }
    guard text.hasPrefix(Bookmark.scheme) else {
        throw invocation.usage("\"\(TerminalText.escape(text))\" is no bookmark: they begin with \"stet:\"")
    }
    let note = try invocation.store().find(invocation.note(invocation.arguments.operands[0]))
    guard let bookmark = Bookmark(Bookmark.scheme + note.id.description) else { throw StoreError.noNote(text) }
    return bookmark
}
