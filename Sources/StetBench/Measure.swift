import Foundation
import Stet

/// Times in seconds, and what can be said of them.
struct Samples {
    private var seconds: [Double] = []

    mutating func measure<Value>(_ body: () throws -> Value) rethrows -> Value {
        let start = Measure.now()
        defer { seconds.append(Measure.now() - start) }
        return try body()
    }

    /// The time that the share `part` of all samples stays below, in milliseconds.
    func percentile(_ part: Double) -> Double {
        let sorted = seconds.sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))] * 1000
    }

    var median: Double { percentile(0.5) }
}

enum Measure {
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// One JSON object on one line; numbers with three digits.
    static func report(_ pairs: KeyValuePairs<String, Any>) {
        let fields = pairs.map { key, value in
            let text =
                switch value {
                case let number as Double: String(format: "%.3f", number)
                case let text as String: "\"\(text)\""
                default: "\(value)"
                }
            return "\"\(key)\":\(text)"
        }
        print("{" + fields.joined(separator: ",") + "}")
    }

    /// A folder for one measurement, removed afterwards: below BENCH_FOLDER, or else /var/tmp, which is on a disk; in
    /// memory a sync would cost nothing.
    static func inTemporaryFolder(_ body: (String) throws -> Void) throws {
        let parent = ProcessInfo.processInfo.environment["BENCH_FOLDER"] ?? "/var/tmp"
        var template = Array("\(parent)/stet-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    /// 2 KB of words that differ with `number`.
    static func text(_ number: Int) -> [UInt8] {
        let words = ["lamp", "river", "letter", "stone", "garden", "boat", "winter", "bread"]
        var text = "note \(number)\n"
        var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
        while text.utf8.count < 2048 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            text += words[Int(state >> 60) % words.count] + ((state >> 40) % 9 == 0 ? "\n" : " ")
        }
        return Array(text.utf8.prefix(2047)) + [UInt8(ascii: "\n")]
    }

    /// Makes a git repository of the files in `folder`, all of them committed and packed.
    static func makeRepository(_ folder: String) throws {
        for arguments in [
            ["init", "-q"], ["config", "user.name", "bench"], ["config", "user.email", "bench@localhost"],
            // Without the upkeep that it would begin in the background, and that `gc` would collide with.
            ["add", "."], ["-c", "maintenance.auto=false", "commit", "-qm", "all"], ["gc", "-q"],
        ] {
            guard try spawn(["git", "-C", folder] + arguments) == 0 else { throw CocoaError(.executableLoad) }
        }
    }

    /// Runs a program without a shell and waits for it, with as little around it as there can be.
    @discardableResult
    static func spawn(
        _ arguments: [String], input: String = "/dev/null",
        environment: [String: String] = [:]
    ) throws -> Int32 {
        wait(try begin(arguments, input: input, environment: environment))
    }

    /// Starts a program without a shell.
    static func begin(
        _ arguments: [String], input: String = "/dev/null", environment: [String: String] = [:]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var words = arguments.map { strdup($0) } + [nil]
        var variables = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
        defer {
            for word in words + variables { free(word) }
        }
        var process = pid_t()
        let failure = posix_spawnp(&process, arguments[0], &actions, nil, &words, &variables)
        guard failure == 0 else { throw SystemError(failure, "start", arguments[0]) }
        return process
    }

    /// Waits for a program to end; its status, 0 where it did all that was asked.
    static func wait(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return status
    }
}
