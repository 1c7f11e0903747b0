import Stet

/// How an operand becomes the name of a note.
///
/// In a vault it is a path from the working folder, or an absolute one; where nothing has that name, it is tried as a name
/// from the vault's folder, which is what Stet prints. Where notes live in the store alone it is the name.
struct NotePaths {
    private let store: NoteStore
    private let vault: Vault?

    init(_ store: NoteStore, _ vault: Vault?) {
        self.store = store
        self.vault = vault
    }

    /// The name that `operand` means.
    func name(_ operand: [UInt8]) throws -> NoteName {
        if vault == nil || (operand.count > 1 && operand.last == UInt8(ascii: "/")) {
            return try NoteName(bytes: Self.withoutDot(operand))
        }
        guard let name = try folder(operand) else { throw NameError.ofFolder(operand) }
        return name
    }

    /// The name of the note or folder that `operand` means; nil for the whole vault or store.
    func folder(_ operand: [UInt8]) throws -> NoteName? {
        guard let vault else {
            let rest = Self.withoutSlash(operand)
            return rest.isEmpty && !operand.isEmpty ? nil : try NoteName(bytes: rest)
        }
        if operand.isEmpty { return try NoteName(bytes: operand) }
        guard let path = Self.normalised(operand, from: try FileSystem.realPath(".")) else {
            throw OutsideVault(operand: operand, folder: vault.folder)
        }
        if path.elementsEqual(vault.folder.utf8) { return nil }
        let found = try vault.name(at: path)
        if let found, isKnown(found, vault) { return found }
        // As Stet prints it: from the vault's own folder.
        if let name = try? NoteName(bytes: Self.withoutSlash(operand)), isKnown(name, vault) { return name }
        if let found { return found }
        throw OutsideVault(operand: operand, folder: vault.folder)
    }

    private func isKnown(_ name: NoteName, _ vault: Vault) -> Bool {
        if (try? store.find(.name(name), for: .changing)) != nil { return true }
        return vault.hasFile(name) || vault.isFolder(name)
    }

    /// Without "./" before it, which makes any operand a path.
    private static func withoutDot(_ operand: [UInt8]) -> [UInt8] {
        var rest = operand[...]
        while rest.starts(with: "./".utf8) { rest = rest.dropFirst(2) }
        return Array(rest)
    }

    /// Without "./" before and "/" after it.
    private static func withoutSlash(_ operand: [UInt8]) -> [UInt8] {
        var rest = withoutDot(operand)[...]
        if rest.elementsEqual(".".utf8) { rest = [] }
        while rest.count > 1, rest.last == UInt8(ascii: "/") { rest = rest.dropLast() }
        return Array(rest)
    }

    /// The absolute path of `operand` without "." and ".."; nil where it would lead above the root.
    private static func normalised(_ operand: [UInt8], from folder: String) -> [UInt8]? {
        let slash = UInt8(ascii: "/")
        let whole = operand.first == slash ? operand : Array(folder.utf8) + [slash] + operand
        var components: [ArraySlice<UInt8>] = []
        for component in whole.split(separator: slash) where !component.elementsEqual(".".utf8) {
            if component.elementsEqual("..".utf8) {
                if components.popLast() == nil { return nil }
            } else {
                components.append(component)
            }
        }
        return [slash] + components.joined(separator: [slash])
    }
}

/// An operand that names something outside the vault.
struct OutsideVault: Error, CustomStringConvertible {
    let operand: [UInt8]
    let folder: String

    var description: String {
        "\(TerminalText.escape(operand)) lies outside the vault \(TerminalText.escape(folder))"
    }
}

extension NameError {
    /// For an operand that names the vault's own folder where a note is wanted.
    fileprivate static func ofFolder(_ operand: [UInt8]) -> any Error {
        UsageError("\"\(TerminalText.escape(operand))\" is the folder of all notes: name one of them")
    }
}
