import Stet

let backupCommand = Command(
    name: "backup", usage: "DIR",
    summary: "copy the store into DIR, or bring the copy there up to date",
    details: """
        Makes DIR a store with all that this one has at the moment, also while others
        save into it. DIR is missing, empty, or an earlier backup of this store; then
        only what is new is copied. An interrupted backup leaves the earlier one as it
        was, and the next goes on with it. Look into a backup with --store DIR. Each
        text is checked as it is copied; exit code 5 where some are damaged or
        missing: all others are copied.
        """,
    operands: 1...1,
    examples: [
        ("stet backup ../notes.backup", "a copy beside this folder"),
        ("stet verify --store ../notes.backup", "check that copy"),
    ]
) { invocation in
    guard let folder = String(validating: invocation.arguments.operands[0], as: UTF8.self), !folder.isEmpty else {
        throw invocation.usage("the backup's folder needs a name in UTF-8")
    }
    let report = try invocation.store().backup(to: folder) { done, total in
        if done.isMultiple(of: 64) { invocation.output.progress(done, of: total, "copying texts") }
    }
    invocation.output.endProgress()
    if invocation.isJSON {
        try summary(report).write(to: invocation.output)
    } else {
        try invocation.output.line(words(report))
    }
    for problem in report.problems { invocation.output.complain("not copied, \(problem)") }
    return report.problems.isEmpty ? .done : .damaged
}

private func words(_ report: BackupReport) -> String {
    let counts = "\(Count.of(report.notes, "note")), \(Count.of(report.versions, "version"))"
    let copied = "\(Count.of(report.copied, "text")) copied (\(SizeText.short(report.copiedBytes)))"
    return "backed up \(counts) to \(TerminalText.escape(report.folder)): "
        + "\(copied), \(report.alreadyThere) there already"
}

private func summary(_ report: BackupReport) -> JSONLine {
    var line = JSONLine()
    line.set("backup", report.folder)
    line.set("notes", report.notes)
    line.set("versions", report.versions)
    line.set("copied", report.copied)
    line.set("bytes", report.copiedBytes)
    line.set("there", report.alreadyThere)
    line.set("damaged", report.damaged)
    line.set("missing", report.missing)
    return line
}
