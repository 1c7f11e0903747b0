import Foundation
import TestSupport

/// A folder that exists while `body` runs.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = try TemporaryFolder()
    return try withExtendedLifetime(folder) { try body(folder.path) }
}

/// Runs a tool found on the path.
func run(_ arguments: [String], in folder: String) throws -> CommandRun {
    // Neither the user's git configuration nor a repository around the folder may have a say.
    let environment = [
        "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
        "GIT_CEILING_DIRECTORIES": URL(fileURLWithPath: folder).deletingLastPathComponent().path,
    ]
    return try CommandRun.run("/usr/bin/env", arguments, in: folder, environment: environment)
}
