internal import CSQLite
internal import Glibc
internal import StetObjects
internal import Synchronization

/// SQLite's own file layer with two differences.
///
/// The shared memory of a write-ahead log is given its room on the disk before it is touched. SQLite writes one byte in
/// every 4 KiB of it, which leaves holes where blocks are smaller, and on a full disk a hole ends the process.
///
/// A write-ahead log that exists and is not empty is opened without the CREATE flag.
///
/// With the flag, SQLite takes the log for a new one and syncs its folder at the first commit of every process, which
/// would double the cost of a short `stet save`. An empty log keeps the flag: its name may not have reached the disk.
enum StetVFS {
    static let name = "stet"

    /// Makes the layer known to SQLite, once in a process.
    static func register() { _ = registered }

    private static let registered: Bool = {
        guard let system = sqlite3_vfs_find(nil) else { return false }
        // SQLite keeps the pointer for as long as the process lives, so it is never freed.
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: system.pointee)
        layer.pointee.zName = UnsafePointer(strdup(name))
        layer.pointee.pNext = nil
        layer.pointee.xOpen = { layer, path, file, flags, outFlags in
            guard let system = sqlite3_vfs_find(nil), let open = system.pointee.xOpen else { return SQLITE_ERROR }
            var flags = flags
            if flags & SQLITE_OPEN_WAL != 0, let path, isFilled(String(cString: path)) {
                flags &= ~SQLITE_OPEN_CREATE
            }
            let result = open(system, path, file, flags, outFlags)
            if result == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let file { makeRoomWhenMapped(file) }
            return result
        }
        return sqlite3_vfs_register(layer, 0) == SQLITE_OK
    }()

    private static func isFilled(_ path: String) -> Bool {
        guard let status = try? FileSystem.status(path) else { return false }
        return status.size > 0
    }

    /// SQLite's own methods by the address of those that stand in for them.
    private static let methods = Mutex<[UInt: UInt]>([:])

    /// Puts `mapShared` in the place of the file's own method. SQLite has few sets of methods, each kept for as long as the
    /// process lives, so the copies are few as well.
    private static func makeRoomWhenMapped(_ file: UnsafeMutablePointer<sqlite3_file>) {
        guard let own = file.pointee.pMethods, own.pointee.iVersion >= 2, own.pointee.xShmMap != nil else { return }
        methods.withLock { methods in
            let address = UInt(bitPattern: own)
            if let copy = methods.first(where: { $0.value == address })?.key {
                file.pointee.pMethods = UnsafePointer(bitPattern: copy)
                return
            }
            let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            copy.initialize(to: own.pointee)
            copy.pointee.xShmMap = mapShared
            methods[UInt(bitPattern: copy)] = address
            file.pointee.pMethods = UnsafePointer(copy)
        }
    }

    private static let mapShared:
        @convention(c) (
            UnsafeMutablePointer<sqlite3_file>?, Int32, Int32, Int32,
            UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        ) -> Int32 = { file, region, size, extend, pages in
            let copy = UInt(bitPattern: file?.pointee.pMethods)
            let own = methods.withLock { $0[copy] }.flatMap { UnsafePointer<sqlite3_io_methods>(bitPattern: $0) }
            guard let map = own?.pointee.xShmMap else { return SQLITE_ERROR }
            let result = map(file, region, size, extend, pages)
            guard result == SQLITE_OK, extend != 0, let start = pages?.pointee else { return result }
            return FileSystem.makeRoom(for: start, count: Int(size)) ? SQLITE_OK : SQLITE_FULL
        }
}
