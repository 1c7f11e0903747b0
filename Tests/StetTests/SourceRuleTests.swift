import Foundation
import Testing
import TestSupport

// B72: on Linux replaceItemAt loses the new file, and an atomic write of Foundation widens modes and replaces links.
@Test func sourcesNeverUseTheUnsafeWritesOfFoundation() throws {
    let sources = Files.project + "/Sources"
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".swift") }
    #expect(files.count > 30)
    let forbidden = [
        "replaceItem", "atomically", ".atomic)", ".atomic,", "Data.write", ".write(toFile:", "createFile(atPath:",
    ]
    // The measurements write scratch files of their own, and no note.
    for file in files where !file.hasPrefix("StetBench/") {
        let text = try String(contentsOfFile: sources + "/" + file, encoding: .utf8)
        // Without it none of them can be called, however it is spelled.
        #expect(!text.contains("import Foundation"), "\(file) imports Foundation")
        for call in forbidden where text.contains(call) { Issue.record("\(file) has \(call)") }
    }
}

// Invariant 8: the library prints nothing and reads no environment.
@Test func libraryNeitherPrintsNorReadsTheEnvironment() throws {
    for module in ["Stet", "StetIndex", "StetObjects", "StetText"] {
        let folder = Files.project + "/Sources/" + module
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
        #expect(!files.isEmpty)
        for file in files {
            let text = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
            for call in ["print(", "getenv(", "ProcessInfo", "CommandLine.", "stderr", "stdout"] {
                #expect(!text.contains(call), "\(module)/\(file) has \(call)")
            }
        }
    }
}
