import Foundation

/// A run of a program and what came of it.
package struct CommandRun: Sendable {
    /// The exit code, or 128 and the signal's number as a shell has it.
    package let status: Int32
    package let output: [UInt8]
    package let errorBytes: [UInt8]

    /// Standard output as text.
    package var text: String { String(decoding: output, as: UTF8.self) }
    /// Standard error as text.
    package var errors: String { String(decoding: errorBytes, as: UTF8.self) }
    /// Standard output as lines.
    package var lines: [String] { text.split(separator: "\n").map(String.init) }
    /// Standard error as lines.
    package var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    /// The built `stet` command: beside the test bundle.
    package static let stet: String = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("stet").path
    }()

    /// Runs a program in its own environment and waits for its end.
    ///
    /// - Parameter environment: all of it; nothing is inherited but PATH.
    package static func run(
        _ program: String, _ arguments: [String], input: [UInt8] = [], in folder: String,
        environment: [String: String] = [:]
    ) throws -> CommandRun {
        try run(program, arguments.map { Array($0.utf8) }, input: input, in: folder, environment: environment)
    }

    /// Runs a program with arguments that need not be UTF-8.
    package static func run(
        _ program: String, _ arguments: [[UInt8]], input: [UInt8] = [], in folder: String,
        environment: [String: String] = [:]
    ) throws -> CommandRun {
        try RunningCommand(program, arguments, input: input, in: folder, environment: environment).wait()
    }
}

/// A program that runs.
package final class RunningCommand {
    private let process: pid_t
    private let streams: TemporaryFolder

    /// Starts a program with arguments as bytes, in its own environment.
    ///
    /// - Parameter environment: all of it; nothing is inherited but PATH.
    package init(
        _ program: String, _ arguments: [[UInt8]], input: [UInt8] = [], in folder: String,
        environment: [String: String] = [:]
    ) throws {
        // Files instead of pipes: neither side can ever wait for the other.
        streams = try TemporaryFolder()
        try Data(input).write(to: URL(fileURLWithPath: streams.appending("in")))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, streams.appending("in"), O_RDONLY, 0)
        for (descriptor, name) in [(STDOUT_FILENO, "out"), (STDERR_FILENO, "err")] {
            posix_spawn_file_actions_addopen(
                &actions, descriptor, streams.appending(name), O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        // The threads that tests run on block signals, and a shell whose SIGCHLD is blocked waits for ever.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let variables = ["PATH": path].merging(environment) { $1 }.map { Array("\($0)=\($1)".utf8) }
        // env changes the folder, which glibc's Swift module has no spawn action for, and becomes the program.
        let words = ["env", "-C", folder, program].map { Array($0.utf8) } + arguments
        process = try withVectors(words, variables) { words, environment in
            var process = pid_t()
            let problem = posix_spawn(&process, "/usr/bin/env", &actions, &attributes, words, environment)
            guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EINVAL) }
            return process
        }
    }

    /// Ends it with SIGKILL.
    package func kill() { Foundation.kill(process, SIGKILL) }

    /// Waits for its end. Call once.
    package func wait() throws -> CommandRun {
        var result: Int32 = 0
        while waitpid(process, &result, 0) == -1 {
            guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECHILD) }
        }
        let signal = result & 0x7F
        return CommandRun(
            status: signal == 0 ? result >> 8 & 0xFF : 128 + signal,
            output: Array(try Data(contentsOf: URL(fileURLWithPath: streams.appending("out")))),
            errorBytes: Array(try Data(contentsOf: URL(fileURLWithPath: streams.appending("err")))))
    }
}

/// Lends both lists as the C vectors that `posix_spawn` takes.
private func withVectors<Value>(
    _ first: [[UInt8]], _ second: [[UInt8]],
    _ body: ([UnsafeMutablePointer<CChar>?], [UnsafeMutablePointer<CChar>?]) throws -> Value
) rethrows -> Value {
    func copies(_ words: [[UInt8]]) -> [UnsafeMutablePointer<CChar>?] {
        words.map { word in (word.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer { copy($0) } }
    }
    func copy(_ word: UnsafeBufferPointer<CChar>) -> UnsafeMutablePointer<CChar>? {
        word.baseAddress.flatMap { strdup($0) }
    }
    let vectors = (copies(first), copies(second))
    defer { for pointer in vectors.0 + vectors.1 { free(pointer) } }
    return try body(vectors.0 + [nil], vectors.1 + [nil])
}
