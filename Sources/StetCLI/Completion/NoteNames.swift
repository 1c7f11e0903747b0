import Stet

/// The names of a store's notes as they are typed: in a vault relative to the working folder.
struct NoteNames {
    private static let slash = UInt8(ascii: "/")

    private let store: NoteStore
    /// The vault's folder and the working folder, as the components of their absolute paths; nil where notes live in the
    /// store alone.
    private let vault: (root: [[UInt8]], working: [[UInt8]])?

    init(in store: NoteStore, _ vault: Vault?) throws {
        self.store = store
        self.vault = try vault.map {
            (Self.components(Array($0.folder.utf8)), Self.components(Array(try FileSystem.realPath(".").utf8)))
        }
    }

    /// What `typed` can go on to: names, and folders that notes lie in, which end in a slash.
    func completions(of typed: [UInt8], deleted: Bool) throws -> [[UInt8]] {
        let folderEnd = typed.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0
        let (folder, beginning) = (Array(typed[..<folderEnd]), Array(typed[folderEnd...]))
        // As `NotePaths` understands an operand.
        for place in [placeFromWorkingFolder(folder), Self.withoutDot(folder)].compactMap({ $0 }) {
            let names = try store.names(beginningWith: place + beginning, deleted: deleted)
            let completions = Self.components(of: names, after: place.count).map { folder + $0 }
            if !completions.isEmpty { return completions.map(Self.asOperand) }
        }
        return []
    }

    /// The parts of names from `start` to the next slash, each once.
    private static func components(of names: [NoteName], after start: Int) -> [ArraySlice<UInt8>] {
        var components: [ArraySlice<UInt8>] = []
        // What stands in the index need not have come from Stet.
        for name in names where (try? NoteName(bytes: name.bytes)) != nil {
            let rest = name.bytes[start...]
            let component = rest.firstIndex(of: slash).map { rest[...$0] } ?? rest
            if component != components.last { components.append(component) }
        }
        return components
    }

    /// The folder in the vault that `folder` means as a path: with a slash at its end, or empty for all of the vault.
    private func placeFromWorkingFolder(_ folder: [UInt8]) -> [UInt8]? {
        guard let vault else { return nil }
        var path = folder.first == Self.slash ? [] : vault.working
        for component in Self.components(folder) where component != Array(".".utf8) {
            if component == Array("..".utf8) { _ = path.popLast() } else { path.append(component) }
        }
        guard path.starts(with: vault.root) else { return nil }
        return path[vault.root.count...].flatMap { $0 + [Self.slash] }
    }

    private static func withoutDot(_ folder: [UInt8]) -> [UInt8] {
        var rest = folder[...]
        while rest.starts(with: "./".utf8) { rest = rest.dropFirst(2) }
        return Array(rest)
    }

    private static func components(_ path: [UInt8]) -> [[UInt8]] { path.split(separator: slash).map(Array.init) }

    /// A name that would be taken for something else is told as a path.
    private static func asOperand(_ name: [UInt8]) -> [UInt8] {
        let first = name.first.map { UnicodeScalar($0) }
        let isPlain = first != "-" && first != "@" && first != "~" && !name.starts(with: Bookmark.scheme.utf8)
        return isPlain ? name : Array("./".utf8) + name
    }
}
