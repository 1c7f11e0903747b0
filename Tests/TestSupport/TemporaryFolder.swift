import Foundation

/// A folder of a test's own, removed with everything in it when the test lets go of it.
package final class TemporaryFolder: Sendable {
    /// Its path, with symbolic links resolved.
    package let path: String

    /// Makes a folder.
    ///
    /// - Parameter inMemory: whether to make it where a sync costs nothing, if the system has such a place: for tests
    ///   that write very much and cut no power.
    package init(inMemory: Bool = false) throws {
        let memory = "/dev/shm"
        let parent = inMemory && access(memory, W_OK | X_OK) == 0 ? memory : NSTemporaryDirectory()
        var template = Array((parent + "/stet-test-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        defer { free(resolved) }
        path = String(cString: resolved)
    }

    deinit {
        // Objects are read-only and their folders may have been made so by a test.
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "chmod -R u+rwX -- \"$0\" && rm -rf -- \"$0\"", path]
        try? process.run()
        process.waitUntilExit()
    }

    /// A path inside.
    package func appending(_ name: String) -> String { path + "/" + name }
}

/// The bytes of `text`.
package func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
