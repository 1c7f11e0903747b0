import Foundation
import Stet

// Measurements over the library and the command. `tools/bench` and `tools/replay` call it; see there.

let usage =
    "usage: stet-bench replay BUNDLE [--limit N] [--manifest FILE] | durable-save STET | recovery | crowd | loop COUNT STORE | process STET | vault STET | scale STET"
let words = Array(CommandLine.arguments.dropFirst())

do {
    switch words.first {
    case "replay": try Replay(words.dropFirst()).run()
    case "durable-save" where words.count == 2: try DurableBench(stet: words[1]).run()
    case "recovery": try RecoveryBench().run()
    case "crowd": try CrowdBench().run()
    case "saves" where words.count == 5:
        try CrowdBench.saves(words[1], words[2], words[3], Int(words[4]) ?? 200)
    case "loop" where words.count == 3: try SaveLoop.run(count: Int(words[1]) ?? 100, store: words[2])
    case "process" where words.count == 2: try ProcessBench(stet: words[1]).run()
    case "vault" where words.count == 2: try VaultBench(stet: words[1]).run()
    case "scale" where words.count == 2: try ScaleBench(stet: words[1]).run()
    default:
        FileHandle.standardError.write(Data((usage + "\n").utf8))
        exit(2)
    }
} catch {
    FileHandle.standardError.write(Data("stet-bench: \(error)\n".utf8))
    exit(1)
}
