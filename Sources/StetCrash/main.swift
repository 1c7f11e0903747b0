import Glibc
import Stet

// What `tools/crash` runs: scenarios under a recorder, and the check of what a power cut may have left of them.

let usage = "usage: stet-crash list | prepare SCENARIO FOLDER | act SCENARIO FOLDER | recover SCENARIO FOLDER | check"

func say(_ line: String, to descriptor: Int32) {
    // One write for each line: the recorder takes it for one moment.
    let bytes = Array((line + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
}

func run(_ words: [String]) throws -> Bool {
    if words == ["list"] {
        for scenario in Scenario.all { say(scenario.name, to: STDOUT_FILENO) }
        return true
    }
    if words == ["check"] {
        let checker = Checker()
        while let line = readLine() { say(checker.answer(line), to: STDOUT_FILENO) }
        return true
    }
    guard words.count == 3, let scenario = Scenario.all.first(where: { $0.name == words[1] }) else {
        say(usage, to: STDERR_FILENO)
        return false
    }
    let stage = Stage(folder: words[2], isVault: scenario.isVault, isRecorded: words[0] != "prepare")
    switch words[0] {
    case "prepare": try scenario.prepare(stage)
    case "act": try scenario.act(stage)
    case "recover": try stage.recover(scenario)
    default: say(usage, to: STDERR_FILENO)
    }
    return stage.failures == 0
}

do {
    exit(try run(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
} catch {
    say("stet-crash: \(error)", to: STDERR_FILENO)
    exit(1)
}
