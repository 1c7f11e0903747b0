import Glibc

/// The one writer lock of a store: flock on its `lock` file.
///
/// It vanishes with the process that held it, however that ended, so there is no stale lock to break.
package struct StoreLock: Sendable {
    private let file: FileDescriptor
    private let device: UInt64
    private let inode: UInt64

    /// How long a writer waits for another one before it gives up, in seconds.
    package static let patience = 30.0

    /// The lock file at `path`, made where it is missing.
    package init(_ path: String) throws(SystemError) {
        file = try FileSystem.openForAppending(path)
        let status = try FileSystem.status(file)
        device = status.device
        inode = status.inode
    }

    /// Opens the lock file at `path`, made where it is missing, and takes the lock. Where a repair has put another file in its
    /// place meanwhile, that one's.
    ///
    /// - Throws: as `take` does; `SystemError`.
    package static func taken(_ path: String) throws -> StoreLock {
        while true {
            let lock = try StoreLock(path)
            try lock.take()
            if try lock.isInPlace() { return lock }
        }
    }

    /// Takes the lock, waiting for at most `patience` seconds.
    package func take(patience: Double = StoreLock.patience) throws {
        guard try Self.take(file, patience: patience) else {
            throw LockTimeout(path: file.path, holder: LockHolders.ofFlock(inode: inode).first)
        }
    }

    /// Takes the lock (flock) on an open file or folder, which goes with the last reference to it. Returns false where
    /// somebody else kept it for longer than `patience` seconds.
    package static func take(_ file: FileDescriptor, patience: Double) throws(SystemError) -> Bool {
        if try FileSystem.tryLock(file) { return true }
        var waited = 0.0
        var pause = 0.000_2
        while waited < patience {
            usleep(UInt32(pause * 1_000_000))
            waited += pause
            if try FileSystem.tryLock(file) { return true }
            pause = min(pause * 1.5, 0.02)
        }
        return false
    }

    /// Gives the lock back.
    package func give() { FileSystem.unlock(file) }

    /// Whether the lock file still stands where it was opened. Where it does not, the store was moved away or replaced, or
    /// its disk taken out, and what is open here is of another store than what the paths lead to.
    package func isInPlace() throws(SystemError) -> Bool {
        guard let status = try FileSystem.status(file.path) else { return false }
        return status.inode == inode && status.device == device
    }

    // MARK: Failed syncs

    /// What a sync that failed may have lost although memory still shows it, until it was written anew.
    package enum Doubt: UInt8 {
        /// Commits, in the index's write-ahead log.
        case commits = 0x63
        /// What a run of a backup brought to its folder.
        case copies = 0x66

        fileprivate var offset: Int { self == .commits ? 0 : 1 }
    }

    // A byte for each in the lock file. It is seen by every process for as long as the pages in doubt can be, for both
    // live in the same memory; whether it reaches the disk does not matter.

    /// Whether somebody's sync failed and nobody has written anew what it was for. Call under the lock.
    package func isInDoubt(_ doubt: Doubt) throws(SystemError) -> Bool {
        try FileSystem.read(file, at: doubt.offset, count: 1) == [doubt.rawValue]
    }

    /// Runs `body`, which syncs something; where it fails, that is remembered. Call under the lock.
    package func watching(_ doubt: Doubt, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            try set(doubt, true)
            throw error
        }
    }

    /// Remembers that a sync failed, or that what it was for was written anew.
    package func set(_ doubt: Doubt, _ isInDoubt: Bool) throws(SystemError) {
        try FileSystem.write(file, at: doubt.offset, [isInDoubt ? doubt.rawValue : 0])
    }
}

/// Who holds a lock on a file, from the kernel's own list.
package enum LockHolders {
    /// The holders of a whole-file lock (flock), each as `name (process N)`.
    package static func ofFlock(inode: UInt64) -> [String] {
        list { $0[1] == "FLOCK" && $0[5].hasSuffix(":\(inode)") }
    }

    /// The holders of a lock on some of the bytes in `range` (fcntl), each as `name (process N)`.
    package static func ofBytes(_ range: ClosedRange<Int>, inode: UInt64) -> [String] {
        list { fields in
            guard fields[1] == "POSIX" || fields[1] == "OFDLCK", fields[5].hasSuffix(":\(inode)"), fields.count > 7,
                let first = Int(fields[6])
            else { return false }
            return first <= range.upperBound && Int(fields[7]) ?? .max >= range.lowerBound
        }
    }

    private static func list(_ isMeant: ([Substring]) -> Bool) -> [String] {
        guard let list = try? FileSystem.openForReading("/proc/locks"),
            let bytes = try? FileSystem.read(list, at: 0, count: 1 << 20)
        else { return [] }
        var holders: [String] = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            // "1: FLOCK ADVISORY WRITE 1234 fe:00:5678 0 EOF"; lines with "->" are of processes that wait.
            let fields = line.split(separator: " ")
            guard fields.count > 5, isMeant(fields) else { continue }
            let holder = name(ofProcess: String(fields[4]))
            if !holders.contains(holder) { holders.append(holder) }
        }
        return holders
    }

    private static func name(ofProcess process: String) -> String {
        guard let name = try? FileSystem.openForReading("/proc/\(process)/comm"),
            let bytes = try? FileSystem.read(name, at: 0, count: 64)
        else { return "process \(process)" }
        let text = String(decoding: bytes.prefix { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
        return "\(text) (process \(process))"
    }
}

/// Another process kept the lock for longer than a writer waits.
public struct LockTimeout: Error, Equatable, Sendable, CustomStringConvertible {
    /// The lock file.
    public let path: String
    /// Who has it, where the system says.
    public let holder: String?

    package init(path: String, holder: String?) {
        self.path = path
        self.holder = holder
    }

    /// One line: who holds what, and what to do.
    public var description: String {
        "another writer, \(holder ?? "which the system does not name"), keeps \(path) locked: wait for it to end, then try again"
    }
}
