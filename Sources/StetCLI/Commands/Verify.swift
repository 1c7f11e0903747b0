import Stet

let verifyCommand = Command(
    name: "verify", usage: "[--quick]",
    summary: "check the whole store by reading it",
    details: """
        Reads every text and compares it with its hash, checks the index by itself
        and against a replay of the operation log, and who may read and write what in
        the store. A text whose file is damaged while the index still holds it is
        written again; nothing else is changed. Exit code 1 where something is wrong:
        "stet repair" then brings back what can be brought back.
        """,
    options: [Option(name: "quick", help: "check the structure only, and that each text has a file")],
    operands: 0...0,
    examples: [("stet verify", "check everything")]
) { invocation in
    let isQuick = invocation.arguments.has("quick")
    func check(_ store: NoteStore) throws -> VerifyReport {
        try store.verify(reading: !isQuick) { done, total in
            if done.isMultiple(of: 64) { invocation.output.progress(done, of: total, "checking texts") }
        }
    }
    var report = try check(invocation.store())
    // Nobody waits for a writer but where there is something to heal.
    if !isQuick, !report.waiting.isEmpty, let store = try invocation.storeForHealing() {
        report = try check(store)
        try store.close()
    }
    invocation.output.endProgress()
    try report.write(to: invocation.output, asJSON: invocation.isJSON)
    return report.isClean ? .done : .no
}

extension VerifyReport {
    /// Writes what was healed, what is wrong, and a line about all of it.
    func write(to output: Output, asJSON isJSON: Bool) throws {
        for object in healed {
            guard isJSON else {
                try output.line("healed: \(object) from the journal")
                continue
            }
            var line = JSONLine()
            line.set("healed", object.description)
            line.set("from", "journal")
            try line.write(to: output)
        }
        for problem in problems {
            guard isJSON else {
                try output.line(problem.description)
                continue
            }
            var line = JSONLine()
            line.set("problem", problem.description)
            try line.write(to: output)
        }
        if isJSON { try summaryLine.write(to: output) } else { try output.line(summary) }
    }

    /// All of it in one line.
    private var summary: String {
        let counts = [Count.of(notes, "note"), Count.of(versions, "version"), Count.of(objects, "text")]
        let others = problems.count - damaged - missing
        let otherProblems = others == 0 ? "" : ", \(Count.of(others, "other problem"))"
        var state = isClean ? "all whole" : "\(damaged) damaged, \(missing) missing\(otherProblems)"
        if !waiting.isEmpty {
            state += "; \(Count.of(waiting.count, "text")) in the journal only, until the next flush"
        }
        if unreferenced > 0 { state += "; \(Count.of(unreferenced, "file")) that no version has" }
        return counts.joined(separator: ", ") + ": " + state
    }

    /// The same for programs.
    private var summaryLine: JSONLine {
        var line = JSONLine()
        line.set("summary", true)
        line.set("notes", notes)
        line.set("versions", versions)
        line.set("objects", objects)
        line.set("damaged", damaged)
        line.set("missing", missing)
        line.set("unreferenced", unreferenced)
        line.set("healed", healed.count)
        line.set("problems", problems.count)
        return line
    }
}
