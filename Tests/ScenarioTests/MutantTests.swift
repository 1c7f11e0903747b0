import Testing
import TestSupport

/// What `tools/mutants` breaks on purpose is there to be broken. It builds a copy and takes an hour, so it is run by hand.
struct MutantTests {
    @Test func everyPlaceThatIsToBeBrokenIsThere() throws {
        let run = try CommandRun.run(Files.project + "/tools/mutants", ["--check"], in: Files.project)
        #expect(run.status == 0, "\(run.errors)")
    }
}
