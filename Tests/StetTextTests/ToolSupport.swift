import Foundation

/// A folder that exists while `body` runs.
func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stet-text-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

/// Runs a tool found on the path, and returns its status and what it wrote to standard output.
func run(_ arguments: [String], in folder: URL) throws -> (status: Int32, output: [UInt8]) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    var environment = ProcessInfo.processInfo.environment
    // Neither the user's git configuration nor a repository around the folder may have a say.
    environment["GIT_CONFIG_GLOBAL"] = "/dev/null"
    environment["GIT_CONFIG_NOSYSTEM"] = "1"
    environment["GIT_CEILING_DIRECTORIES"] = folder.deletingLastPathComponent().path
    environment["LC_ALL"] = "C"
    process.environment = environment
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, Array(output))
}

func write(_ content: [UInt8], _ name: String, in folder: URL) throws {
    try Data(content).write(to: folder.appendingPathComponent(name))
}

func read(_ name: String, in folder: URL) throws -> [UInt8] {
    try Array(Data(contentsOf: folder.appendingPathComponent(name)))
}
