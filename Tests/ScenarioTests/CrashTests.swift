import Testing
import TestSupport

/// Power cuts and failing calls: a sample of what `tools/crash` does in full. A failure tells how to repeat it.
struct CrashTests {
    @Test func powerCutAtAnyMomentLosesNothingPromised() throws { try run("states", "--states", "15") }

    @Test func powerCutInsideARecoveryLosesNothingEither() throws {
        try run("inside", "--inside", "15", "--scenario", "save", "vault")
    }

    @Test func callThatFailsCostsNothingPromised() throws {
        try run("faults", "--every", "150", "--scenario", "save", "rename")
    }

    private func run(_ arguments: String..., name: String = #function) throws {
        let seed = SplitMix64.seedForTest(name)
        let run = try CommandRun.run(
            Files.project + "/tools/crash",
            arguments + ["--binary", CommandRun.stet + "-crash", "--seed", "\(seed)", "--jobs", "1"], in: Files.project)
        #expect(run.status == 0, "\(run.text)\(run.errors)")
        print("\(name) \(run.lines.last ?? "")")
    }
}
