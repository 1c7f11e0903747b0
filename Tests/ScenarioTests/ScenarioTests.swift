import Testing
import TestSupport

@Test func versionIsPrinted() throws {
    let folder = try TemporaryFolder()
    let run = try CommandRun.run(CommandRun.stet, ["version"], in: folder.path)
    #expect(run.status == 0)
    #expect(run.text.hasPrefix("stet "))
}
