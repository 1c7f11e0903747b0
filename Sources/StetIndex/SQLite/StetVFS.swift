internal import CSQLite
internal import Glibc
internal import StetObjects

/// SQLite's own file layer with one difference: a write-ahead log that exists and is not empty is opened without the
/// CREATE flag.
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
            return open(system, path, file, flags, outFlags)
        }
        return sqlite3_vfs_register(layer, 0) == SQLITE_OK
    }()

    private static func isFilled(_ path: String) -> Bool {
        guard let status = try? FileSystem.status(path) else { return false }
        return status.size > 0
    }
}
