import Stet

let verifyCommand = Command(
    name: "verify", usage: "[--quick]",
    summary: "check the whole store by reading it",
    details: """
        Reads every text and compares it with its hash, checks the index by itself and against a replay of the operation
        log. Exit code 1 where something is wrong.
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
        let unreferenced = report.unreferenced == 0 ? "" : "; \(report.unreferenced) files that no version has"
        try invocation.output.line(
            "\(report.notes) notes, \(report.versions) versions, \(report.objects) texts: "
                + (report.isClean ? "all whole" : "\(report.damaged) damaged, \(report.missing) missing") + unreferenced
        )
    }
    return report.isClean ? .done : .no
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
