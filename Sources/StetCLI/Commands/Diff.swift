import Stet

let diffCommand = Command(
    name: "diff", usage: "NOTE[@V] [[NOTE]@V]",
    summary: "show how two versions differ",
    details: """
        One operand without V: the note's head against the version it was made from.
        With V: that version against the head. Two operands: the first against the
        second; "@V" alone is a version of the same note. The output is a unified
        diff, which patch and git apply take. Exit code 1 where they differ. "stet
        help show" says what V can be.
        """,
    operands: 1...2,
    examples: [
        ("stet diff todo.md", "what the newest save changed"), ("stet diff todo.md@1 @3", "between two versions"),
        ("stet diff todo.md@1", "from the first version to now"),
    ]
) { invocation in
    let (old, new) = try sides(invocation)
    let store = try invocation.store()
    if let old, old.version.object == new.version.object { return .done }
    let oldText = try old.map { try store.text(of: $0.version) } ?? []
    let newText = try store.text(of: new.version)
    let diff = UnifiedDiff(old: oldText, new: newText)
    guard !diff.isEmpty else { return .done }
    let oldLabel = old.map { Array("a/".utf8) + $0.note.name.bytes } ?? Array("/dev/null".utf8)
    let newLabel = Array("b/".utf8) + new.note.name.bytes
    if invocation.output.isTerminal || invocation.output.isColoured {
        try DiffPrinter(invocation.output).print(diff, oldLabel, newLabel)
    } else {
        try invocation.output.write(diff.bytes(oldLabel: oldLabel, newLabel: newLabel))
    }
    return .no
}

private typealias Side = (note: Note, version: Version)

/// The two versions to compare. The old one is nil where a first version is compared with nothing.
private func sides(_ invocation: Invocation) throws -> (old: Side?, new: Side) {
    let first = try invocation.operand()
    if invocation.arguments.operands.count == 2 {
        let old = try invocation.version(first)
        let second = invocation.arguments.operands[1]
        if second.first == UInt8(ascii: "@"), second.count > 1 {
            let version = try Operand.version(String(decoding: second.dropFirst(), as: UTF8.self), now: invocation.now)
            return (old, (old.note, try invocation.store().version(version, of: old.note)))
        }
        return (old, try invocation.version(invocation.operand(1)))
    }
    let (note, version) = try invocation.version(first)
    let store = try invocation.store()
    if first.version != nil { return ((note, version), (note, try store.version(.head, of: note))) }
    guard let parent = version.parents.first else { return (nil, (note, version)) }
    return ((note, try store.version(.number(parent), of: note)), (note, version))
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
