import Stet

let repairCommand = Command(
    name: "repair", usage: "",
    summary: "bring back what can be brought back of a damaged store",
    details: """
        Makes a lost or damaged index again from the operation log, mends the log,
        and looks for copies of damaged and missing texts: in the index, in the
        store's own folders, among the files of the vault. Texts that no version has
        become notes, recovered/…. Nothing is deleted: what is in the way is moved
        into the store's folder set-aside. It says each thing that it did, can be
        stopped and run again, and ends with a check of everything: exit code 0 where
        all is whole then, else 1.
        """,
    operands: 0...0,
    examples: [("stet repair", "mend the store of this folder, or say that it is whole")]
) { invocation in
    let output = invocation.output
    let folder = try Surroundings.storeFolder(invocation.arguments.value("store"))
    let report = try NoteStore.repair(
        at: folder, isNamed: invocation.isStoreNamed, clock: invocation.clock, machine: Surroundings.machineID(),
        tell: { step in
            output.endProgress()
            if invocation.isJSON {
                var line = JSONLine()
                line.set("did", step.description)
                try line.write(to: output)
            } else {
                try output.line(step.description)
            }
            // Who stops it wants to know what was done by then.
            try output.flush()
        },
        progress: { done, total, what in
            if done.isMultiple(of: 64) { output.progress(done, of: total, what) }
        })
    output.endProgress()
    guard let check = report.check else {
        output.complain("the store still cannot be opened")
        return .no
    }
    try check.write(to: output, asJSON: invocation.isJSON)
    return report.isWhole ? .done : .no
}
