import Stet

let completionCommand = Command(
    name: "completion", usage: "bash|zsh|fish",
    summary: "print a script that completes words for a shell",
    details: """
        The shell then completes commands, options and the names of notes.
        tools/install puts the scripts where shells look for them. Without it: for
        bash, put the line eval "$(stet completion bash)" into ~/.bashrc; for zsh,
        write the script to a file _stet in a folder of your fpath; for fish, write
        it to ~/.config/fish/completions/stet.fish.
        """,
    operands: 1...1,
    examples: [
        ("stet completion fish > stet.fish", "for ~/.config/fish/completions"),
        ("stet completion zsh > _stet", "for a folder of zsh's fpath"),
    ]
) { invocation in
    let shell = String(decoding: invocation.arguments.operands[0], as: UTF8.self)
    switch shell {
    case "bash": try invocation.output.write(BashCompletion.script.utf8)
    case "zsh": try invocation.output.write(ZshCompletion.script.utf8)
    case "fish": try invocation.output.write(FishCompletion.script.utf8)
    default: throw invocation.usage("there is no completion for \"\(shell)\": it is bash, zsh or fish")
    }
    return .done
}

/// What the completion scripts ask for: names of notes that go on with what was typed, one a line.
let noteNamesCommand = Command(
    name: "note-names", usage: "COMMAND TYPED",
    summary: "print the names of notes that an operand can be completed with",
    operands: 2...2,
    examples: [("stet note-names show work/", "the notes in the folder work")]
) { invocation in
    let operands = invocation.arguments.operands
    // Somebody is in the middle of typing: whatever is wrong is told when the command is run.
    guard let names = try? NoteNames(in: invocation.store(), invocation.vault()) else { return .done }
    let isUndeletion = operands[0].elementsEqual(undeleteCommand.name.utf8)
    for name in (try? names.completions(of: operands[1], deleted: isUndeletion)) ?? [] {
        try invocation.output.write(name + [UInt8(ascii: "\n")])
    }
    return .done
}
