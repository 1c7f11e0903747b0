import Stet

let diffCommand = Command(
    name: "diff", usage: "[NOTE[@V] [[NOTE]@V]]",
    summary: "show how two versions differ",
    details: """
        In a vault: without operands all files that differ from their notes' heads;
        one operand is compared with the text in its file. Where notes live in the
        store alone: a note's head with the version it was made from, or version V
        with the head. Two operands: the first with the second; "@V" alone is a
        version of the same note. The output is a unified diff, which patch and git
        apply take. Exit code 1 where they differ. "stet help show" says what V can
        be.
        """,
    operands: 0...2,
    examples: [
        ("stet diff", "everything that is not saved"), ("stet diff todo.md", "what is not saved of todo.md"),
        ("stet diff todo.md@1 @3", "between two versions"), ("stet diff todo.md@1", "from the first version to now"),
    ]
) { invocation in
    if invocation.arguments.operands.isEmpty { return try showAllDifferences(invocation) }
    let (old, new) = try sides(invocation)
    return try show(old, new, invocation) ? .no : .done
}

/// One of the two texts that are compared: whose it is, and how it is had. One that does not exist is nil.
private struct Side {
    var name: NoteName
    /// The version, where it is one.
    var version: Version?
    /// Reads the text; nil where there is none.
    var text: () throws -> [UInt8]?
}

/// Prints how two texts differ. Returns whether they do.
private func show(_ old: Side, _ new: Side, _ invocation: Invocation) throws -> Bool {
    if let left = old.version, let right = new.version, left.object == right.object { return false }
    let oldText = try old.text()
    let newText = try new.text()
    let diff = UnifiedDiff(old: oldText ?? [], new: newText ?? [])
    guard !diff.isEmpty else { return false }
    let nothing = Array("/dev/null".utf8)
    let oldLabel = oldText == nil ? nothing : Array("a/".utf8) + old.name.bytes
    let newLabel = newText == nil ? nothing : Array("b/".utf8) + new.name.bytes
    if invocation.output.isTerminal || invocation.output.isColoured {
        try DiffPrinter(invocation.output).print(diff, oldLabel, newLabel)
    } else {
        try invocation.output.write(diff.bytes(oldLabel: oldLabel, newLabel: newLabel))
    }
    return true
}

private func side(_ note: Note, _ version: Version, _ invocation: Invocation) throws -> Side {
    let store = try invocation.store()
    return Side(name: note.name, version: version) { try store.text(of: version) }
}

private func workingSide(_ name: NoteName, _ vault: Vault) -> Side {
    Side(name: name) { try vault.workingText(name) }
}

private func nothing(_ name: NoteName) -> Side { Side(name: name) { nil } }

/// Every file that is new, changed or gone, against its note's head.
private func showAllDifferences(_ invocation: Invocation) throws -> ExitCode {
    guard let vault = try invocation.vault() else {
        throw invocation.usage("this store has no files to compare with: stet diff NOTE")
    }
    var differs = false
    for state in try vault.status() {
        guard state.difference != .skipped else { continue }
        let name = try NoteName(bytes: state.name)
        let old = try state.note.map { try side($0, invocation.store().version(.head, of: $0), invocation) }
        // Where a file is gone a folder may have its name.
        let new = state.difference == .gone ? nothing(name) : workingSide(name, vault)
        if try show(old ?? nothing(name), new, invocation) { differs = true }
    }
    return differs ? .no : .done
}

/// The two texts that the operands name.
private func sides(_ invocation: Invocation) throws -> (old: Side, new: Side) {
    let first = try invocation.operand()
    if invocation.arguments.operands.count == 2 {
        let (note, version) = try invocation.version(first)
        let old = try side(note, version, invocation)
        let second = invocation.arguments.operands[1]
        if second.first == UInt8(ascii: "@"), second.count > 1 {
            let reference = try Operand.version(
                String(decoding: second.dropFirst(), as: UTF8.self), now: invocation.now)
            return (old, try side(note, invocation.store().version(reference, of: note), invocation))
        }
        let (other, newer) = try invocation.version(invocation.operand(1))
        return (old, try side(other, newer, invocation))
    }
    let vault = try invocation.vault()
    if let vault, case .name(let name) = first.note, first.version == nil,
        try vault.hasFile(name) && !invocation.isLive(name)
    {
        return (nothing(name), workingSide(name, vault))
    }
    let (note, version) = try invocation.version(first)
    let one = try side(note, version, invocation)
    if let vault, !note.isDeleted { return (one, workingSide(note.name, vault)) }
    let store = try invocation.store()
    if first.version != nil { return (one, try side(note, store.version(.head, of: note), invocation)) }
    guard let parent = version.parents.first else { return (nothing(note.name), one) }
    return (try side(note, store.version(.number(parent), of: note), invocation), one)
}

/// Prints a diff for people: coloured, and harmless for a terminal.
struct DiffPrinter {
    private let output: Output

    init(_ output: Output) { self.output = output }

    func print(_ diff: UnifiedDiff, _ oldLabel: [UInt8], _ newLabel: [UInt8]) throws {
        try output.line(Style.strong.apply("--- " + TerminalText.escape(oldLabel), output))
        try output.line(Style.strong.apply("+++ " + TerminalText.escape(newLabel), output))
        for hunk in diff.hunks {
            try output.line(Style.place.apply(String(decoding: hunk.header, as: UTF8.self), output))
            for line in hunk.lines { try print(line, of: diff) }
        }
    }

    private func print(_ line: UnifiedDiff.Line, of diff: UnifiedDiff) throws {
        let bytes = diff.bytes(of: line)
        let text = TerminalText.escape(line.hasLineFeed ? bytes.dropLast() : bytes, keeping: [UInt8(ascii: "\t")])
        let whole = String(UnicodeScalar(line.kind.sign)) + text
        switch line.kind {
        case .added: try output.line(Style.added.apply(whole, output))
        case .removed: try output.line(Style.removed.apply(whole, output))
        case .context: try output.line(whole)
        }
        if !line.hasLineFeed { try output.line("\\ No newline at end of file") }
    }
}
