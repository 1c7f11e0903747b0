/// The names inside a store's folder. docs/format.md tells what each is.
struct StoreLayout: Sendable {
    let folder: String

    var index: String { folder + "/index.sqlite" }
    var writeAheadLog: String { index + "-wal" }
    /// Where `repair` makes a new index.
    var newIndex: String { index + ".new" }
    var lock: String { folder + "/lock" }
    var settings: String { folder + "/config" }
    var newSettings: String { settings + ".new" }
    var operationLog: String { folder + "/oplog" }
    var caches: String { folder + "/caches" }
    /// The name of the folder that `repair` puts things into that were in the way.
    static let setAside = "set-aside"
    private var cachesNotice: String { caches + "/README.txt" }

    private static let notice = """
        This folder holds the history of your notes. It is not a cache: do not delete it.

        Each file below objects/ is one text that was saved, as it was, named by its SHA-256.

        """

    /// The path inside the store of what stands at `path`, below its folder.
    func inStore(_ path: String) -> String { String(Substring(path.utf8.dropFirst(folder.utf8.count + 1))) }

    /// Makes the folders of a new store, in a folder that is empty or not there yet.
    func makeFolders() throws {
        try FileSystem.makeFolder(folder)
        try FileSystem.makeFolder(operationLog)
        try FileSystem.makeFolder(caches)
        try LooseObjects(caches: caches).makeFolders()
        guard try FileSystem.status(cachesNotice) == nil else { return }
        let file = try FileSystem.createExclusively(cachesNotice, mode: 0o600)
        try FileSystem.write(file, at: 0, Array(Self.notice.utf8))
    }

    /// What is said where there is a store without its index.
    var indexIsGone: StoreError {
        .damaged("\(TerminalText.escape(index)) is gone or empty; nothing was put in its place")
    }

    /// Makes folders again that somebody took away, such as `caches` for a cache: what was in them is lost or
    /// damaged, and is told of, and what comes needs its place.
    func completeFolders() throws {
        if try LooseObjects(caches: caches).hasFolders(), try FileSystem.status(operationLog) != nil { return }
        try makeFolders()
        try FileSystem.syncFolder(caches)
        try FileSystem.syncFolder(folder)
    }

    /// Refuses a folder that somebody else could write into, or that is somebody else's.
    func checkOwner() throws {
        guard let status = try FileSystem.status(folder), status.isFolder else { throw StoreError.noStore(folder) }
        guard status.owner == FileSystem.effectiveUser else { throw StoreError.foreignOwner(folder) }
        guard status.mode & 0o022 == 0 else { throw StoreError.writableByOthers(folder) }
    }
}
