import Foundation

/// A run of a program and what came of it.
package struct CommandRun: Sendable {
    package let status: Int32
    package let output: [UInt8]
    package let errors: String

    /// Standard output as text.
    package var text: String { String(decoding: output, as: UTF8.self) }
    /// Standard output as lines.
    package var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// The built `stet` command: beside the test bundle.
    package static let stet: String = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("stet").path
    }()

    /// Runs a program with arguments as bytes, in its own environment, and waits for its end.
    ///
    /// - Parameter environment: all of it; nothing is inherited but PATH.
    package static func run(
        _ program: String, _ arguments: [String], input: [UInt8] = [], in folder: String,
        environment: [String: String] = [:]
    ) throws -> CommandRun {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"].merging(
            environment
        ) { $1 }
        // Files instead of pipes: neither side can ever wait for the other.
        let temporary = try TemporaryFolder()
        let paths = ["in", "out", "err"].map { temporary.appending($0) }
        for path in paths { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        try Data(input).write(to: URL(fileURLWithPath: paths[0]))
        let files = try [
            FileHandle(forReadingFrom: URL(fileURLWithPath: paths[0])),
            FileHandle(forWritingTo: URL(fileURLWithPath: paths[1])),
            FileHandle(forWritingTo: URL(fileURLWithPath: paths[2])),
        ]
        process.standardInput = files[0]
        process.standardOutput = files[1]
        process.standardError = files[2]
        try process.run()
        process.waitUntilExit()
        return CommandRun(
            status: process.terminationStatus,
            output: Array(try Data(contentsOf: URL(fileURLWithPath: paths[1]))),
            errors: String(decoding: try Data(contentsOf: URL(fileURLWithPath: paths[2])), as: UTF8.self))
    }
}
