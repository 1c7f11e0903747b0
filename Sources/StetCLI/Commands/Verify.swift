import Stet

let verifyCommand = Command(
    name: "verify", usage: "[--quick]",
    summary: "check the whole store by reading it",
    details: """
        Reads every text and compares it with its hash, checks the index by itself
        and against a replay of the operation log. Exit code 1 where something is
        wrong.
        """,
    options: [Option(name: "quick", help: "check the structure only, and that each text has a file")],
    operands: 0...0,
    examples: [("stet verify", "check everything")]
) { invocation in
    let store = try invocation.store()
    let report = try store.verify(reading: !invocation.arguments.has("quick")) { done, total in
        if done.isMultiple(of: 64) { invocation.output.progress(done, of: total, "checking texts") }
    }
    invocation.output.endProgress()
    if invocation.isJSON {
        for problem in report.problems {
            var line = JSONLine()
            line.set("problem", problem.description)
            try line.write(to: invocation.output)
        }
        try summary(report).write(to: invocation.output)
    } else {
        for problem in report.problems { try invocation.output.line(problem.description) }
        try invocation.output.line(words(report))
    }
    return report.isClean ? .done : .no
}

private func words(_ report: VerifyReport) -> String {
    let counts = [
        Count.of(report.notes, "note"), Count.of(report.versions, "version"), Count.of(report.objects, "text"),
    ]
    let others = report.problems.count - report.damaged - report.missing
    let otherProblems = others == 0 ? "" : ", \(Count.of(others, "other problem"))"
    let state =
        report.isClean ? "all whole" : "\(report.damaged) damaged, \(report.missing) missing\(otherProblems)"
    let unreferenced = report.unreferenced == 0 ? "" : "; \(Count.of(report.unreferenced, "file")) that no version has"
    return counts.joined(separator: ", ") + ": " + state + unreferenced
}

private func summary(_ report: VerifyReport) -> JSONLine {
    var line = JSONLine()
    line.set("summary", true)
    line.set("notes", report.notes)
    line.set("versions", report.versions)
    line.set("objects", report.objects)
    line.set("damaged", report.damaged)
    line.set("missing", report.missing)
    line.set("unreferenced", report.unreferenced)
    return line
}
