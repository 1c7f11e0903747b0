import Stet

let showCommand = Command(
    name: "show", aliases: ["cat"], usage: "NOTE[@V] [--lines N | --last N]",
    summary: "print a version's text",
    details: """
        Prints the exact bytes into a pipe or file; on a terminal, control
        characters are spelled out. V is a number, "head", "sha:" and at least 4
        digits of the text's hash, a time, or an id as --json prints it. A time
        means what the note showed then: "2 hours ago", yesterday,
        "2026-11-30 14:05", 2026-11-30 (the end of that day).
        """,
    options: [
        Option(name: "lines", value: "N", help: "only the first N lines"),
        Option(name: "last", value: "N", help: "only the last N lines"),
    ],
    operands: 1...1,
    examples: [
        ("stet show todo.md", "what the note shows now"), ("stet show todo.md@2", "its second version"),
        ("stet show 'todo.md@2 hours ago'", "what it showed two hours ago"),
        ("stet show logs/garden.log --last 5", "its last five lines"),
    ]
) { invocation in
    let lines = try invocation.arguments.number("lines", minimum: 0)
    let last = try invocation.arguments.number("last", minimum: 0)
    if lines != nil, last != nil { throw invocation.usage("--lines and --last exclude each other") }
    let (_, version) = try invocation.version(invocation.operand())
    let store = try invocation.store()
    if let lines {
        try store.readFirstLines(lines, of: version, invocation.output.text)
    } else if let last {
        try store.readLastLines(last, of: version, invocation.output.text)
    } else {
        try store.readText(of: version, invocation.output.text)
    }
    return .done
}
