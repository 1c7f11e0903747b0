import CLinux
import Glibc

// Every system call of Stet that touches a file stands here and in FileSystem+Folders.swift, so that durability can be
// read in one place and faults can be injected in one place. Calls interrupted by a signal are made again; a short write
// goes on where it stopped.
// A failed sync is never repeated: the kernel may have dropped the pages, so the caller has to treat it as unknown.

/// An open file or folder, closed when the last reference goes.
package final class FileDescriptor: Sendable {
    package let number: Int32
    /// The path it was opened by, for messages.
    package let path: String

    package init(number: Int32, path: String) {
        self.number = number
        self.path = path
    }

    deinit { close(number) }
}

/// What the system says of a file.
package struct FileStatus: Sendable {
    /// Length in bytes.
    package let size: Int
    /// Permission bits, without the type.
    package let mode: UInt32
    private let type: UInt32
    /// The owner's user id.
    package let owner: UInt32
    /// The inode number.
    package let inode: UInt64
    /// The number of links; 0 once it was removed.
    package let links: Int
    /// The file system it is on.
    package let device: UInt64
    /// When its bytes were last changed, in nanoseconds since 1970.
    package let modified: Int64
    /// When it was last changed in any way, in nanoseconds since 1970. No program can set it.
    package let changed: Int64

    init(_ status: stat) {
        size = Int(status.st_size)
        mode = status.st_mode & 0o7777
        type = status.st_mode & S_IFMT
        owner = status.st_uid
        inode = UInt64(status.st_ino)
        links = Int(status.st_nlink)
        device = UInt64(status.st_dev)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
    }

    /// A file can bear any time at all; one past the year 2262 is taken for the last moment there is.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return time.tv_sec < 0 ? .min : .max }
        let (sum, isTooLate) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
        return isTooLate ? .max : sum
    }

    /// Whether it is a folder.
    package var isFolder: Bool { type == S_IFDIR }
    /// Whether it is a regular file.
    package var isRegularFile: Bool { type == S_IFREG }
    /// Whether it is a symbolic link.
    package var isLink: Bool { type == S_IFLNK }
}

/// The system calls.
package enum FileSystem {
    static func retrying<Value: SignedInteger>(
        _ action: String, _ path: String, _ call: () -> Value
    ) throws(SystemError) -> Value {
        while true {
            let result = call()
            if result != -1 { return result }
            if errno != EINTR { throw SystemError(errno, action, path) }
        }
    }

    // MARK: Opening

    /// Opens a file for reading.
    package static func openForReading(_ path: String) throws(SystemError) -> FileDescriptor {
        // A pipe under such a name must not make the reader wait for a writer; to a file it makes no difference.
        try open(path, O_RDONLY | O_NONBLOCK)
    }

    /// Opens a file for reading and appending, making it (mode 0600) where it is missing.
    package static func openForAppending(_ path: String) throws(SystemError) -> FileDescriptor {
        while true {
            do throws(SystemError) {
                return try open(path, O_RDWR)
            } catch  where error.number == ENOENT {}
            do throws(SystemError) {
                return try createExclusively(path, mode: 0o600)
            } catch  where error.number == EEXIST {}
        }
    }

    /// Makes a file that must not exist yet, for reading and writing.
    package static func createExclusively(_ path: String, mode: UInt32) throws(SystemError) -> FileDescriptor {
        let file = try open(path, O_RDWR | O_CREAT | O_EXCL, mode)
        // The umask may have taken bits away, and the mode is part of the format.
        _ = try retrying("set the mode of", path) { fchmod(file.number, mode) }
        return file
    }

    /// Opens a folder, to list or to sync it.
    package static func openFolder(_ path: String) throws(SystemError) -> FileDescriptor {
        try open(path, O_RDONLY | O_DIRECTORY)
    }

    private static func open(_ path: String, _ flags: Int32, _ mode: UInt32 = 0) throws(SystemError) -> FileDescriptor {
        let number = try retrying("open", path) { stet_open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode) }
        return FileDescriptor(number: number, path: path)
    }

    // MARK: Reading and writing

    /// Reads into `buffer` from `offset`, as much as there is up to the buffer's size; less only at the end.
    package static func read(
        _ file: FileDescriptor, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try retrying("read", file.path) {
                pread(file.number, rest.baseAddress, rest.count, off_t(offset + done))
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Reads `count` bytes from `offset`, fewer only at the end of the file.
    package static func read(_ file: FileDescriptor, at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        // Typed throws do not pass through the array's initialiser: the failure is carried out by hand.
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(SystemError) {
                initialized = try read(file, at: offset, into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all of `bytes` at `offset`.
    package static func write(
        _ file: FileDescriptor, at offset: Int, _ bytes: UnsafeRawBufferPointer
    ) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            done += try retrying("write", file.path) {
                pwrite(file.number, rest.baseAddress, rest.count, off_t(offset + done))
            }
        }
    }

    /// Writes all of `bytes` at `offset`.
    package static func write(_ file: FileDescriptor, at offset: Int, _ bytes: [UInt8]) throws(SystemError) {
        // Typed throws do not pass through the array's closure: the failure is carried out by hand.
        var failure: SystemError?
        bytes.withUnsafeBytes { buffer in
            do throws(SystemError) { try write(file, at: offset, buffer) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Cuts the file to `size` bytes.
    package static func truncate(_ file: FileDescriptor, to size: Int) throws(SystemError) {
        _ = try retrying("truncate", file.path) { ftruncate(file.number, off_t(size)) }
    }

    /// Writes and syncs a file of the user's own (mode 0666 less the umask), which must not exist yet; where that fails,
    /// no half of it is left.
    ///
    /// - Parameter fill: calls its argument with one piece after the other.
    package static func writeNewFile(
        _ path: String, _ fill: (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        let file = try open(path, O_WRONLY | O_CREAT | O_EXCL, 0o666)
        do {
            var offset = 0
            try fill { piece in
                try write(file, at: offset, piece)
                offset += piece.count
            }
            try sync(file)
        } catch {
            try? remove(path)
            throw error
        }
    }

    // MARK: Durability

    /// Makes the file's bytes, or the folder's entries, survive power loss.
    package static func sync(_ file: FileDescriptor) throws(SystemError) {
        guard fsync(file.number) == 0 else { throw SystemError(errno, "sync", file.path) }
    }

    /// Writes the bytes of the file at `path` over themselves and syncs them: after a sync that failed, the system takes
    /// pages for written that never reached the disk, and only what is written anew is written at all.
    package static func renew(_ path: String) throws(SystemError) {
        let file = try open(path, O_RDWR)
        var offset = 0
        while case let bytes = try read(file, at: offset, count: 1 << 20), !bytes.isEmpty {
            try write(file, at: offset, bytes)
            offset += bytes.count
        }
        try sync(file)
    }

    /// Gives `count` bytes of a mapped file their room on the disk. Returns false where there is none: to touch them would
    /// then end the process (SIGBUS).
    package static func makeRoom(for start: UnsafeMutableRawPointer, count: Int) -> Bool {
        stet_populate(start, count) != 0
    }

    /// Makes the entries of the folder at `path` survive power loss.
    package static func syncFolder(_ path: String) throws(SystemError) {
        try sync(openFolder(path))
    }

    /// Makes everything written so far to the file system that holds `file` survive power loss.
    package static func syncFileSystem(_ file: FileDescriptor) throws(SystemError) {
        guard stet_syncfs(file.number) == 0 else { throw SystemError(errno, "sync", file.path) }
    }

    // MARK: Names

    /// Moves `source` to `target`, replacing a file that is there.
    package static func rename(_ source: String, to target: String) throws(SystemError) {
        _ = try retrying("put in place", target) { Glibc.rename(source, target) }
    }

    /// Removes a file; one that is already gone is no error.
    package static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw SystemError(errno, "remove", path)
    }

    /// Makes a folder with mode 0700 whatever the umask. Returns false where it was there already.
    @discardableResult
    package static func makeFolder(_ path: String) throws(SystemError) -> Bool {
        guard mkdir(path, 0o700) == 0 else {
            if errno == EEXIST { return false }
            throw SystemError(errno, "make the folder", path)
        }
        guard chmod(path, 0o700) == 0 else { throw SystemError(errno, "set the mode of", path) }
        return true
    }

    /// Removes a folder if it is empty.
    package static func removeEmptyFolder(_ path: String) { _ = rmdir(path) }

    /// What is at `path` (a symbolic link is followed), or nil where nothing is.
    package static func status(_ path: String) throws(SystemError) -> FileStatus? {
        var result = stat()
        if stat(path, &result) == 0 { return FileStatus(result) }
        let failure = SystemError(errno, "look at", path)
        if failure.isMissing { return nil }
        throw failure
    }

    /// Whether something is at `path`, which ends in a NUL, seen from the open `folder`.
    static func exists(_ path: UnsafeRawBufferPointer, in folder: FileDescriptor) -> Bool {
        guard let start = path.baseAddress else { return false }
        return faccessat(folder.number, start.assumingMemoryBound(to: CChar.self), F_OK, 0) == 0
    }

    /// What an open file is.
    package static func status(_ file: FileDescriptor) throws(SystemError) -> FileStatus {
        var result = stat()
        guard fstat(file.number, &result) == 0 else { throw SystemError(errno, "look at", file.path) }
        return FileStatus(result)
    }

    /// What a file is known by, for as long as it is not replaced by another one.
    package struct Identity: Equatable, Sendable {
        /// The inode number.
        package var inode: Int
        /// When it was made, in nanoseconds since 1970, which no program can set; nil where the file system does not say.
        package var birth: Int?

        package init(inode: Int, birth: Int?) {
            self.inode = inode
            self.birth = birth
        }
    }

    /// What the file at `path` is known by, or nil where there is none. It is not opened.
    package static func identity(_ path: String) throws(SystemError) -> Identity? {
        guard let status = try status(path) else { return nil }
        let birth = stet_birth(path)
        return Identity(inode: Int(truncatingIfNeeded: status.inode), birth: birth > 0 ? Int(birth) : nil)
    }

    /// The names in a folder in byte order, without `.` and `..`; what is not UTF-8 in a name is replaced, since Stet makes no such names.
    package static func list(_ path: String) throws(SystemError) -> [String] {
        guard let folder = opendir(path) else { throw SystemError(errno, "list", path) }
        defer { closedir(folder) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw SystemError(errno, "list", path) }
        return names.sorted()
    }

    /// The absolute path of what `path` names, with every symbolic link resolved.
    package static func realPath(_ path: String) throws(SystemError) -> String {
        guard let resolved = realpath(path, nil) else { throw SystemError(errno, "find", path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The user whose rights this process has.
    package static var effectiveUser: UInt32 { geteuid() }

    /// Whether `path` lies on a network file system (NFS or SMB), where locks and shared memory cannot be relied on.
    package static func isOnNetwork(_ path: String) throws(SystemError) -> Bool {
        var result = statfs()
        guard statfs(path, &result) == 0 else { throw SystemError(errno, "look at", path) }
        // From statfs(2): NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, CIFS_MAGIC_NUMBER, SMB2_MAGIC_NUMBER.
        let networks: [UInt32] = [0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42]
        return networks.contains(UInt32(truncatingIfNeeded: result.f_type))
    }

    // MARK: Locks

    /// Takes the exclusive lock (flock) on `file` if nobody has it. It goes with the process, however that ends.
    package static func tryLock(_ file: FileDescriptor) throws(SystemError) -> Bool {
        while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            if errno != EINTR { throw SystemError(errno, "lock", file.path) }
        }
        return true
    }

    /// Gives the lock on `file` back.
    package static func unlock(_ file: FileDescriptor) {
        _ = flock(file.number, LOCK_UN)
    }
}
