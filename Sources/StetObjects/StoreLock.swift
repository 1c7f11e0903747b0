import Glibc

/// The one writer lock of a store: flock on its `lock` file.
///
/// It vanishes with the process that held it, however that ended, so there is no stale lock to break.
package struct StoreLock: Sendable {
    private let file: FileDescriptor
    /// The inode of the lock file; another one means that the store was copied.
    package let inode: UInt64

    /// How long a writer waits for another one before it gives up, in seconds.
    package static let patience = 30.0

    /// The lock file at `path`, made where it is missing.
    package init(_ path: String) throws(SystemError) {
        file = try FileSystem.openForAppending(path)
        inode = try FileSystem.status(file).inode
    }

    /// Takes the lock, waiting for at most `patience` seconds.
    package func take(patience: Double = StoreLock.patience) throws {
        if try FileSystem.tryLock(file) { return }
        var waited = 0.0
        var pause = 0.000_2
        while waited < patience {
            usleep(UInt32(pause * 1_000_000))
            waited += pause
            if try FileSystem.tryLock(file) { return }
            pause = min(pause * 1.5, 0.02)
        }
        throw LockTimeout(path: file.path, holder: holder())
    }

    /// Gives the lock back.
    package func give() { FileSystem.unlock(file) }

    /// The process that has the lock, from the kernel's own list, as `name (pid)`.
    private func holder() -> String? {
        guard let list = try? FileSystem.openForReading("/proc/locks"),
            let bytes = try? FileSystem.read(list, at: 0, count: 1 << 20)
        else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            // "1: FLOCK ADVISORY WRITE 1234 fe:00:5678 0 EOF"; lines with "->" are of processes that wait.
            let fields = line.split(separator: " ")
            guard fields.count > 5, fields[1] == "FLOCK", fields[5].hasSuffix(":\(inode)") else { continue }
            let process = String(fields[4])
            guard let name = try? FileSystem.openForReading("/proc/\(process)/comm"),
                let bytes = try? FileSystem.read(name, at: 0, count: 64)
            else { return "process \(process)" }
            let text = String(decoding: bytes.prefix { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
            return "\(text) (process \(process))"
        }
        return nil
    }
}

/// Another process kept the lock for longer than a writer waits.
public struct LockTimeout: Error, Equatable, Sendable, CustomStringConvertible {
    /// The lock file.
    public let path: String
    /// Who has it, where the system says.
    public let holder: String?

    /// One line: who holds what, and what to do.
    public var description: String {
        "another writer, \(holder ?? "which the system does not name"), keeps \(path) locked: wait for it to end, then try again"
    }
}
