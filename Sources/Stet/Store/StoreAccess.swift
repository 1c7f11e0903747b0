/// What in a store's folder, by its owner, mode or kind, will sooner or later keep its user from reading or writing, or let
/// others write.
struct StoreAccess {
    /// What is wrong with one file or folder.
    enum Fault: Equatable, Sendable {
        case foreign
        case writableByOthers
        /// A folder that its owner cannot list, enter or change.
        case closedFolder
        case unreadable
        case unwritable
        /// A link, pipe, socket or device.
        case noFile

        /// What is said of it.
        var words: String {
            switch self {
            case .foreign: "belongs to another user"
            case .writableByOthers: "can be written by others"
            case .closedFolder: "is a folder that its owner cannot list, enter or change"
            case .unreadable: "cannot be read by its owner"
            case .unwritable: "cannot be written by its owner"
            case .noFile: "is no file but a link, pipe, socket or device"
            }
        }
    }

    /// A file or folder and what is wrong with it.
    struct Finding: Sendable {
        /// Its path in the store, with no slash at the end; empty for the store's folder.
        var path: String
        var fault: Fault
        /// The permission bits that the format gives it.
        var mode: UInt32
    }

    private var findings: [Finding] = []
    /// Whether the store's folder may not be written, and so nothing in it need be: somebody keeps the store so.
    private let isKeptReadOnly: Bool

    private init(isKeptReadOnly: Bool) { self.isKeptReadOnly = isKeptReadOnly }

    /// All that is wrong below `folder`, in the order of the paths. What was set aside is nobody's concern any more.
    static func findings(in folder: String) throws -> [Finding] {
        guard let status = try FileSystem.status(folder) else { return [] }
        var access = StoreAccess(isKeptReadOnly: status.mode & 0o200 == 0)
        access.check("", status)
        try access.look(into: FileSystem.openFolder(folder), path: "")
        return access.findings.sorted { $0.path < $1.path }
    }

    private mutating func look(into folder: FileDescriptor, path: String) throws {
        var folders: [String] = []
        try FileSystem.forEachEntry(in: folder) { name, length, _ in
            // One that is gone in the meantime is none.
            guard let status = FileSystem.status(name, in: folder) else { return }
            let text = String(
                decoding: UnsafeRawBufferPointer(start: name, count: length), as: UTF8.self)
            let place = path.isEmpty ? text : path + "/" + text
            if place == StoreLayout.setAside, status.isFolder { return }
            check(place, status)
            if status.isFolder { folders.append(text) }
        }
        for name in folders {
            // Where it cannot be opened, its mode has been told already.
            guard let inner = try? FileSystem.openFolder(FilePlace(folder, name)) else { continue }
            try look(into: inner, path: path.isEmpty ? name : path + "/" + name)
        }
    }

    private mutating func check(_ path: String, _ status: FileStatus) {
        let mode: UInt32 = status.isFolder ? 0o700 : path.hasPrefix("caches/objects/") ? 0o400 : 0o600
        func add(_ fault: Fault, to findings: inout [Finding]) {
            findings.append(Finding(path: path, fault: fault, mode: mode))
        }
        if status.owner != FileSystem.effectiveUser { add(.foreign, to: &findings) }
        guard status.isFolder || status.isRegularFile else {
            // Under a text's name it is told as the damage that it is to that text.
            let isInShard = path.hasPrefix("caches/objects/") && path.split(separator: "/").count > 3
            if !isInShard { add(.noFile, to: &findings) }
            return
        }
        if status.mode & 0o022 != 0 { add(.writableByOthers, to: &findings) }
        if status.isFolder {
            let needed: UInt32 = isKeptReadOnly ? 0o500 : 0o700
            if status.mode & needed != needed { add(.closedFolder, to: &findings) }
        } else if status.mode & 0o400 == 0 {
            add(.unreadable, to: &findings)
        } else if status.mode & 0o200 == 0, Self.isWritten(path), !isKeptReadOnly {
            add(.unwritable, to: &findings)
        }
    }

    /// Whether a writer opens the file for writing, and does not put another one in its place.
    private static func isWritten(_ path: String) -> Bool {
        path == "lock" || path.hasPrefix("index.sqlite") || path.hasPrefix("oplog/")
    }
}
