import Testing
import TestSupport

/// Editors and kills at any moment of a command, and random walks beside a model of a vault: a sample of what `tools/race`
/// and `tools/walk` do in full. A failure tells how to repeat it.
struct VaultRaceTests {
    @Test func editorAtAnyMomentLosesNoText() throws { try run("race", "--every", "300") }

    @Test func killAtAnyMomentIsMendedByTheNextCommand() throws { try run("race", "--kill", "--every", "600") }

    // Stet waited for the writer of a file that it had open itself.
    @Test func fileThatAppearsUnderTheNameOfANewOneIsKept() throws {
        try run("race", "--commands", "save-pipe-new", "--actions", "create")
    }

    @Test func noteThatIsRenamedTwiceAtOnceKeepsItsFile() throws {
        try run("race", "--commands", "rename-dirty", "--actions", "other-rename")
    }

    @Test func walksEndAsTheModelDoes() throws { try run("walk", "--walks", "15") }

    private func run(_ tool: String, _ arguments: String..., name: String = #function) throws {
        let seed = SplitMix64.seedForTest(name)
        let run = try CommandRun.run(
            Files.project + "/tools/" + tool, [CommandRun.stet] + arguments + ["--seed", "\(seed)", "--jobs", "1"],
            in: Files.project)
        #expect(run.status == 0, "\(run.text)\(run.errors)")
        print("\(name) \(run.lines.last ?? "")")
    }
}
