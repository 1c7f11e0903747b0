internal import CSQLite
internal import Glibc
internal import StetObjects
internal import Synchronization

/// SQLite's own file layer with three differences.
///
/// Pages of the database file get a checksum when they are written there, and it is verified when they are read: see
/// `PageCheck`. What goes through the write-ahead log has SQLite's own.
///
/// The shared memory of a write-ahead log is given its room on the disk before it is touched. SQLite writes one byte in
/// every 4 KiB of it, which leaves holes where blocks are smaller, and on a full disk a hole ends the process.
///
/// A write-ahead log that exists and is not empty is opened without the CREATE flag. With the flag, SQLite takes the log
/// for a new one and syncs its folder at the first commit of every process, which would double the cost of a short
/// `stet save`. An empty log keeps the flag: its name may not have reached the disk.
enum StetVFS {
    static let name = "stet"
    /// The same for files that are not locked: to read a file that nobody is writing to, where nothing can be written.
    static let unlockedName = "stet-unlocked"

    /// Makes the layers known to SQLite, once in a process.
    static func register() { _ = registered }

    private static let registered = register(name, over: nil) && register(unlockedName, over: "unix-none")

    private static func register(_ name: String, over system: String?) -> Bool {
        guard let system = sqlite3_vfs_find(system) else { return false }
        // SQLite keeps the pointer for as long as the process lives, so it is never freed.
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: system.pointee)
        layer.pointee.zName = UnsafePointer(strdup(name))
        layer.pointee.pNext = nil
        layer.pointee.szOsFile = Int32(stateOffset + MemoryLayout<FileState>.size)
        layer.pointee.xOpen = open
        return sqlite3_vfs_register(layer, 0) == SQLITE_OK
    }

    private static let open:
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_file>?, Int32,
            UnsafeMutablePointer<Int32>?
        ) -> Int32 = { layer, path, file, flags, outFlags in
            // What SQLite's own layers differ in, how files are locked, stands in the one that is passed.
            guard let open = sqlite3_vfs_find(nil)?.pointee.xOpen else { return SQLITE_ERROR }
            var flags = flags
            if flags & SQLITE_OPEN_WAL != 0, let path, isFilled(String(cString: path)) {
                flags &= ~SQLITE_OPEN_CREATE
            }
            let result = open(layer, path, file, flags, outFlags)
            if result == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let file { takeOver(file) }
            return result
        }

    private static func isFilled(_ path: String) -> Bool {
        guard let status = try? FileSystem.status(path) else { return false }
        return status.size > 0
    }

    // MARK: The database file

    /// What is known of an open database file. It stands behind what SQLite itself keeps of the file.
    private struct FileState {
        /// SQLite's own methods.
        var own: UnsafePointer<sqlite3_io_methods>
        /// Whether the file's pages have checksums, as its first page said when it was last seen.
        var hasChecks = false
    }

    private static let stateOffset: Int = {
        let size = Int(sqlite3_vfs_find(nil)?.pointee.szOsFile ?? 0)
        let alignment = MemoryLayout<FileState>.alignment
        return (size + alignment - 1) / alignment * alignment
    }()

    private static func state(of file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<FileState> {
        (UnsafeMutableRawPointer(file) + stateOffset).assumingMemoryBound(to: FileState.self)
    }

    /// Our methods by the address of SQLite's own, which are few sets, each kept for as long as the process lives.
    private static let methods = Mutex<[UInt: UInt]>([:])

    private static func takeOver(_ file: UnsafeMutablePointer<sqlite3_file>) {
        guard let own = file.pointee.pMethods else { return }
        state(of: file).initialize(to: FileState(own: own))
        let address = methods.withLock { methods in
            let known = methods[UInt(bitPattern: own)]
            let address = known ?? UInt(bitPattern: makeMethods(from: own.pointee))
            methods[UInt(bitPattern: own)] = address
            return address
        }
        file.pointee.pMethods = UnsafePointer(bitPattern: address)
    }

    private static func makeMethods(from own: sqlite3_io_methods) -> UnsafeMutablePointer<sqlite3_io_methods> {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: own)
        methods.pointee.xRead = read
        methods.pointee.xWrite = write
        if own.iVersion >= 2, own.xShmMap != nil { methods.pointee.xShmMap = mapShared }
        // Pages that SQLite maps into memory pass nobody.
        methods.pointee.iVersion = min(own.iVersion, 2)
        return methods
    }

    /// SQLITE_IOERR_SHORT_READ, which Swift does not see.
    private static let shortRead = SQLITE_IOERR | 2 << 8

    private static let read:
        @convention(c) (UnsafeMutablePointer<sqlite3_file>?, UnsafeMutableRawPointer?, Int32, sqlite3_int64) -> Int32 =
            { file, bytes, count, offset in
                guard let file, let bytes else { return SQLITE_ERROR }
                let state = state(of: file)
                let result = state.pointee.own.pointee.xRead?(file, bytes, count, offset) ?? SQLITE_ERROR
                guard result == SQLITE_OK || result == shortRead else { return result }
                let page = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
                if offset == 0 { state.pointee.hasChecks = PageCheck.isAnnounced(in: .init(page)) ?? false }
                guard PageCheck.isPage(page.count, at: Int(offset)) else { return result }
                guard state.pointee.hasChecks else {
                    return offset == 0 && PageCheck.hidesItself(page) ? SQLITE_CORRUPT : result
                }
                // A page is only asked for where one must be: SQLite would take what is missing of it for zeros.
                guard result == SQLITE_OK, PageCheck.fits(page, at: Int(offset)) else { return SQLITE_CORRUPT }
                PageCheck.clear(page)
                return SQLITE_OK
            }

    private static let write:
        @convention(c) (UnsafeMutablePointer<sqlite3_file>?, UnsafeRawPointer?, Int32, sqlite3_int64) -> Int32 = {
            file, bytes, count, offset in
            guard let file, let bytes else { return SQLITE_ERROR }
            let state = state(of: file)
            let write = state.pointee.own.pointee.xWrite
            // What is written are SQLite's own pages in memory, whose last bytes it does not use.
            let page = UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(mutating: bytes), count: Int(count))
            if offset == 0 { state.pointee.hasChecks = PageCheck.isAnnounced(in: .init(page)) ?? false }
            guard state.pointee.hasChecks, PageCheck.isPage(page.count, at: Int(offset)) else {
                return write?(file, bytes, count, offset) ?? SQLITE_ERROR
            }
            PageCheck.fill(page, at: Int(offset))
            defer { PageCheck.clear(page) }
            return write?(file, bytes, count, offset) ?? SQLITE_ERROR
        }

    private static let mapShared:
        @convention(c) (
            UnsafeMutablePointer<sqlite3_file>?, Int32, Int32, Int32,
            UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        ) -> Int32 = { file, region, size, extend, pages in
            guard let file, let map = state(of: file).pointee.own.pointee.xShmMap else { return SQLITE_ERROR }
            let result = map(file, region, size, extend, pages)
            guard result == SQLITE_OK, extend != 0, let start = pages?.pointee else { return result }
            return FileSystem.makeRoom(for: start, count: Int(size)) ? SQLITE_OK : SQLITE_FULL
        }
}
