/// A folder of the user's own text files that a store keeps the history of.
///
/// Nouns: the *file* of a note stands at the note's name in the vault's folder; a text is *recorded* where some version of
/// its note has it. The folder belongs to its user: Stet reads everything there that can be a note and writes only what it
/// is told to, by `VaultFiles` and `FileStep` alone.
public final class Vault: Sendable {
    /// The vault's folder, absolute, with symbolic links resolved.
    public let folder: String
    /// The store of its history.
    public let store: NoteStore
    let files: VaultFiles
    /// The largest file, in bytes, that a scan takes for a note.
    let sizeLimit: Int

    private init(_ store: NoteStore, _ folder: String, _ settings: Settings) throws {
        let real: String
        let root: FileDescriptor
        do throws(SystemError) {
            real = try FileSystem.realPath(folder)
            root = try FileSystem.openFolder(real)
        } catch {
            throw VaultError.folderGone(folder, error)
        }
        self.folder = real
        self.store = store
        sizeLimit = settings.sizeLimit
        guard let status = try FileSystem.status(store.folder) else { throw StoreError.noStore(store.folder) }
        files = VaultFiles(root: root, store: status)
        if (real + "/").hasPrefix(store.folder + "/") { throw VaultError.insideStore(real) }
    }

    /// The name of a vault's store in its folder.
    public static let storeName = ".stet"

    /// The vault of `store`.
    ///
    /// - Parameters:
    ///   - settings: those of the store.
    ///   - byName: whether the store was named by its user. One that was only found in a folder keeps the history of
    ///     that folder or of none: what it says of another is not believed.
    /// - Returns: nil where notes live in the store alone.
    /// - Throws: `VaultError.folderGone`, `.insideStore`.
    public static func of(_ store: NoteStore, _ settings: Settings, byName: Bool) throws -> Vault? {
        guard let setting = settings.vault else { return nil }
        if setting == ".." { return try Vault(store, store.folder + "/..", settings) }
        return byName ? try Vault(store, setting, settings) : nil
    }

    /// Refuses a folder that lies in some store's own folder.
    ///
    /// - Throws: `VaultError.insideStore`, `.folderGone`.
    public static func checkFolder(_ folder: String) throws {
        var path: String
        do throws(SystemError) { path = try FileSystem.realPath(folder) } catch {
            throw VaultError.folderGone(folder, error)
        }
        while let slash = path.lastIndex(of: "/") {
            if NoteStore.isStore(path) { throw VaultError.insideStore(folder) }
            path = String(path[..<slash])
        }
    }

    /// Makes `folder` a vault of `store`.
    ///
    /// - Throws: `VaultError.insideStore`, `.folderGone`; as `NoteStore.setVault` does.
    public static func make(_ folder: String, of store: NoteStore) throws -> Vault {
        let vault = try Vault(store, folder, store.settings())
        // A vault that is moved with the store in it stays one.
        try store.setVault(store.folder == vault.folder + "/" + storeName ? ".." : vault.folder)
        return vault
    }

    /// The name that a note at `path`, which is absolute, would have; nil where it does not lie in the vault.
    ///
    /// Symbolic links among its folders are resolved; its last part may be anything, or nothing.
    public func name(at path: [UInt8]) throws -> NoteName? {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let parent = Array(path[..<slash])
        let last = path[(slash + 1)...]
        var inside = parent[...]
        // What is there is resolved; what is not, such as the folder of a note that is gone, stays as it is spelled.
        if let text = String(validating: parent, as: UTF8.self), let real = try? FileSystem.realPath(text + "/") {
            inside = Array(real.utf8)[...]
        }
        let whole = (inside == [UInt8(ascii: "/")] ? [] : inside) + [UInt8(ascii: "/")] + last
        let start = Array((folder == "/" ? "" : folder).utf8) + [UInt8(ascii: "/")]
        guard whole.starts(with: start) else { return nil }
        return try NoteName(bytes: Array(whole.dropFirst(start.count)))
    }

    /// Whether a file of that name is there, of whatever kind.
    public func hasFile(_ name: NoteName) -> Bool {
        guard let place = try? files.place(name), let status = try? FileSystem.status(place) else { return false }
        return !status.isFolder
    }

    /// Whether a folder of that name is there.
    ///
    /// - Parameter other: a folder that is to get the name: on a file system that does not tell case apart it is found there
    ///   and is not meant.
    public func isFolder(_ name: NoteName, besides other: NoteName? = nil) -> Bool {
        guard (try? files.folder(name)) ?? nil != nil else { return false }
        guard let other, let place = try? files.place(name) else { return true }
        return (try? files.isAlias(place, of: other, name)) != true
    }
}
