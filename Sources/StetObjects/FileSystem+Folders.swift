import CLinux
import Glibc

// Calls that name a file by an open folder and a name in it. The user's own files are reached by these alone, one
// component after the other and never through a symbolic link, so that nothing is ever written outside the vault.

/// A file by the open folder that it is in and its name there; it need not exist.
package struct FilePlace: Sendable {
    package let folder: FileDescriptor
    package let name: String

    package init(_ folder: FileDescriptor, _ name: String) {
        self.folder = folder
        self.name = name
    }

    /// Its path, for messages.
    package var path: String { folder.path + "/" + name }

    /// Another file in the same folder.
    package func beside(_ name: String) -> FilePlace { FilePlace(folder, name) }
}

/// What kind of thing a folder's entry is, as far as the folder itself says.
package enum EntryKind: Sendable {
    case file
    case folder
    case link
    case other
    /// The file system does not say.
    case unknown
}

extension FileSystem {
    // MARK: Opening

    /// Opens the folder at `place`; a symbolic link is refused.
    package static func openFolder(_ place: FilePlace) throws(SystemError) -> FileDescriptor {
        try open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }

    /// Opens the file at `place` for reading.
    ///
    /// - Parameter followingLinks: whether a symbolic link is followed; otherwise it is refused.
    package static func openForReading(
        _ place: FilePlace, followingLinks: Bool = false
    ) throws(SystemError) -> FileDescriptor {
        try open(place, O_RDONLY | O_NONBLOCK | O_NOCTTY | (followingLinks ? 0 : O_NOFOLLOW))
    }

    /// Makes a file that must not exist yet, for writing.
    package static func createExclusively(_ place: FilePlace, mode: UInt32) throws(SystemError) -> FileDescriptor {
        try open(place, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
    }

    private static func open(_ place: FilePlace, _ flags: Int32, _ mode: UInt32 = 0) throws(SystemError)
        -> FileDescriptor
    {
        let number = try retrying("open", place.path) {
            stet_openat(place.folder.number, place.name, flags | O_CLOEXEC, mode)
        }
        return FileDescriptor(number: number, path: place.path)
    }

    // MARK: Looking

    /// What is at `place`, or nil where nothing is.
    package static func status(_ place: FilePlace, followingLinks: Bool = false) throws(SystemError) -> FileStatus? {
        var result = stat()
        if fstatat(place.folder.number, place.name, &result, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0 {
            return FileStatus(result)
        }
        let failure = SystemError(errno, "look at", place.path)
        if failure.isMissing { return nil }
        throw failure
    }

    /// What is at `name`, which ends in a NUL, in the open `folder`; nil where it cannot be looked at.
    package static func status(_ name: UnsafePointer<CChar>, in folder: FileDescriptor) -> FileStatus? {
        var result = stat()
        guard fstatat(folder.number, name, &result, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return FileStatus(result)
    }

    /// Whether this process may write to the file at `place`; false as well where the file cannot be changed at all.
    package static func isWritable(_ place: FilePlace) -> Bool {
        faccessat(place.folder.number, place.name, W_OK, AT_EACCESS) == 0
    }

    /// Whether somebody has the open `file` open for writing; nil where the file system cannot say.
    package static func hasWriter(_ file: FileDescriptor) -> Bool? {
        switch stet_has_no_writer(file.number) {
        case 1: false
        case 0: true
        default: nil
        }
    }

    /// Calls `body` with each name in an open folder, which ends in a NUL, and its length, in no order and without `.` and `..`.
    package static func forEachEntry(
        in folder: FileDescriptor,
        _ body: (_ name: UnsafePointer<CChar>, _ length: Int, _ kind: EntryKind) throws -> Void
    ) throws {
        // The stream closes its descriptor, and this one is still needed.
        let copy = dup(folder.number)
        guard copy >= 0, let stream = fdopendir(copy) else {
            let failure = SystemError(errno, "list", folder.path)
            if copy >= 0 { close(copy) }
            throw failure
        }
        defer { closedir(stream) }
        rewinddir(stream)
        errno = 0
        while let entry = readdir(stream) {
            try withUnsafePointer(to: &entry.pointee.d_name) { field in
                try field.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    let length = strlen(name)
                    let isDots = name[0] == 0x2E && (length == 1 || (length == 2 && name[1] == 0x2E))
                    if !isDots { try body(name, length, kind(entry.pointee.d_type)) }
                }
            }
            errno = 0
        }
        guard errno == 0 else { throw SystemError(errno, "list", folder.path) }
    }

    private static func kind(_ type: UInt8) -> EntryKind {
        switch Int(type) {
        case Int(DT_REG): .file
        case Int(DT_DIR): .folder
        case Int(DT_LNK): .link
        case Int(DT_UNKNOWN): .unknown
        default: .other
        }
    }

    // MARK: Names

    /// How a file came to its new name.
    package enum Exchange: Sendable {
        /// Both files have each other's name.
        case done
        /// The file system cannot exchange names.
        case unsupported
    }

    /// Lets two files, both of which exist, exchange their names in one step.
    package static func exchange(_ first: FilePlace, _ second: FilePlace) throws(SystemError) -> Exchange {
        do throws(SystemError) {
            _ = try retrying("put in place", second.path) {
                // RENAME_EXCHANGE
                stet_renameat2(first.folder.number, first.name, second.folder.number, second.name, 2)
            }
            return .done
        } catch {
            if error.number == EINVAL || error.number == ENOSYS { return .unsupported }
            throw error
        }
    }

    /// Moves `source` to `target`, which must not exist (`EEXIST`).
    package static func moveToNewName(_ source: FilePlace, to target: FilePlace) throws(SystemError) {
        do throws(SystemError) {
            _ = try retrying("move", target.path) {
                // RENAME_NOREPLACE
                stet_renameat2(source.folder.number, source.name, target.folder.number, target.name, 1)
            }
        } catch {
            guard error.number == EINVAL || error.number == ENOSYS else { throw error }
            try moveByLinking(source, to: target)
        }
    }

    /// For file systems that cannot refuse an existing name in a rename: a link can, and where there are no links, or
    /// `source` is a folder, nothing better is left than to look first.
    private static func moveByLinking(_ source: FilePlace, to target: FilePlace) throws(SystemError) {
        if linkat(source.folder.number, source.name, target.folder.number, target.name, 0) == 0 {
            return try remove(source)
        }
        if errno == EEXIST { throw SystemError(EEXIST, "move", target.path) }
        if try status(target) != nil { throw SystemError(EEXIST, "move", target.path) }
        _ = try retrying("move", target.path) {
            renameat(source.folder.number, source.name, target.folder.number, target.name)
        }
    }

    /// Removes a file; one that is already gone is no error.
    package static func remove(_ place: FilePlace) throws(SystemError) {
        guard unlinkat(place.folder.number, place.name, 0) != 0, errno != ENOENT else { return }
        throw SystemError(errno, "remove", place.path)
    }

    /// Makes a folder of the user's own (mode 0777 less the umask). Returns false where something of that name is there.
    package static func makeFolder(_ place: FilePlace) throws(SystemError) -> Bool {
        if mkdirat(place.folder.number, place.name, 0o777) == 0 { return true }
        if errno == EEXIST { return false }
        throw SystemError(errno, "make the folder", place.path)
    }

    /// Makes the entries of an open folder of the user's survive power loss, where its file system can do that.
    package static func syncEntries(of folder: FileDescriptor) throws(SystemError) {
        do throws(SystemError) { try sync(folder) } catch { if error.number != EINVAL { throw error } }
    }

    /// Removes a folder if it is empty. Returns whether it did.
    package static func removeEmptyFolder(_ place: FilePlace) -> Bool {
        unlinkat(place.folder.number, place.name, AT_REMOVEDIR) == 0
    }

    // MARK: What belongs to a file besides its bytes

    /// Gives `target` the owner, mode and extended attributes (and so the access list) of `source`.
    package static func copyAttributes(from source: FileDescriptor, to target: FileDescriptor) throws(SystemError) {
        var from = stat()
        var to = stat()
        guard fstat(source.number, &from) == 0, fstat(target.number, &to) == 0 else {
            throw SystemError(errno, "look at", source.path)
        }
        if from.st_uid != to.st_uid || from.st_gid != to.st_gid {
            _ = try retrying("keep the owner of", source.path) { fchown(target.number, from.st_uid, from.st_gid) }
        }
        try copyExtendedAttributes(from: source, to: target)
        // After the owner, whose change takes the set-user bit away.
        _ = try retrying("keep the mode of", source.path) { fchmod(target.number, from.st_mode & 0o7777) }
    }

    private static func copyExtendedAttributes(
        from source: FileDescriptor, to target: FileDescriptor
    ) throws(SystemError) {
        var list = [CChar](repeating: 0, count: 64 << 10)
        let length = flistxattr(source.number, &list, list.count)
        if length < 0 {
            if errno == ENOTSUP { return }
            throw SystemError(errno, "read the attributes of", source.path)
        }
        var value = [UInt8](repeating: 0, count: 64 << 10)
        for name in list[..<length].split(separator: 0) {
            let name = Array(name) + [0]
            let size = fgetxattr(source.number, name, &value, value.count)
            if size >= 0, fsetxattr(target.number, name, &value, size, 0) == 0 { continue }
            // Labels that the system gives every file by its own rules are not the user's.
            let isSystems =
                !name.starts(with: "user.".utf8CString.dropLast())
                && !name.starts(with: "system.".utf8CString.dropLast())
            if isSystems && (errno == EPERM || errno == ENOTSUP) || errno == ENODATA { continue }
            throw SystemError(errno, "keep the attributes of", source.path)
        }
    }

    /// Sets the permission bits of a file or folder of Stet's own.
    package static func setMode(of path: String, to mode: UInt32) throws(SystemError) {
        _ = try retrying("set the mode of", path) { chmod(path, mode) }
    }

    /// The present moment in nanoseconds since 1970, by the clock that files get their times from.
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
