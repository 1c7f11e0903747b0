import Glibc

/// A system call that failed: what was tried, on what, and the system's own reason.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The system's error number (`errno`).
    public let number: Int32
    /// What was being done, as a verb: `open`, `write`, `sync`.
    public let action: String
    /// The file or folder it was done to.
    public let path: String

    /// The failure `number` of `action` on `path`.
    package init(_ number: Int32, _ action: String, _ path: String) {
        self.number = number
        self.action = action
        self.path = path
    }

    /// Whether what was asked for does not exist.
    public var isMissing: Bool { number == ENOENT || number == ENOTDIR }

    /// Whether something stands already where something new was to be.
    public var isThere: Bool { number == EEXIST }

    /// Whether a folder stands where a file belongs.
    public var isFolder: Bool { number == EISDIR }

    /// Whether a symbolic link or a socket stands where a file of Stet's own belongs: those are never followed.
    public var isNoFile: Bool { number == ELOOP || number == ENXIO }

    /// Whether the disk did not give the bytes.
    public var isUnreadable: Bool { number == EIO }

    /// Whether the disk, the quota or the media is full.
    public var isOutOfSpace: Bool { number == ENOSPC || number == EDQUOT }

    /// Whether writing is forbidden here.
    public var isReadOnly: Bool { number == EACCES || number == EPERM || number == EROFS }

    /// One line: what could not be done, to what, and why.
    public var description: String {
        "cannot \(action) \(TerminalText.escape(path)): \(String(cString: strerror(number)))"
    }
}
