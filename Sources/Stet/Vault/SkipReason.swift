/// Why a file is not taken for a note. One that is named is taken all the same, where it is a regular file.
public enum SkipReason: Hashable, Sendable, CustomStringConvertible {
    /// Its name, or that of a folder above it, begins with a dot.
    case hidden
    /// An editor or a sync tool made it for a while.
    case temporary
    /// A symbolic link.
    case link
    /// A pipe, a socket or a device.
    case special
    /// It has a NUL byte near its beginning, and no mark of UTF-16.
    case notText
    /// It is larger than the vault's limit.
    case tooLarge
    /// Another file system is mounted there.
    case otherFileSystem
    /// Its name cannot be that of a note.
    case name(NameError.Problem)
    /// The system does not let it be read.
    case unreadable

    /// A few words.
    public var description: String {
        switch self {
        case .hidden: "hidden"
        case .temporary: "a temporary file"
        case .link: "a symbolic link"
        case .special: "not a regular file"
        case .notText: "not text"
        case .tooLarge: "too large"
        case .otherFileSystem: "another file system"
        case .name(.notUTF8): "its name is not UTF-8"
        case .name(.controlCharacter): "its name holds a control character"
        case .name: "its name cannot be a note's"
        case .unreadable: "it cannot be read"
        }
    }

    /// Whether everybody expects it, so that it need not be told by itself.
    public var isExpected: Bool { self == .hidden || self == .temporary }
}

/// Which names and texts are those of notes.
enum NoteRules {
    /// Whether the name of a file or folder, of `length` bytes, is a hidden one.
    static func isHidden(_ name: UnsafePointer<CChar>) -> Bool { name[0] == 0x2E }

    private static let temporaryEndings: [[UInt8]] = [
        // Emacs, gedit and many others; vim; browsers; LibreOffice and Kate hide theirs.
        "~", ".swp", ".swo", ".swx", ".tmp", ".temp", ".part", ".partial", ".crdownload", ".download",
        // Nextcloud, ownCloud, Resilio.
        ".!sync", ".!ut", ".sb-tmp",
    ].map { Array($0.utf8) }

    private static let temporaryBeginnings: [[UInt8]] = [
        // Microsoft Office; Syncthing on some systems; Emacs.
        "~$", "~syncthing~", "#",
    ].map { Array($0.utf8) }

    /// Whether `name` is one that editors and sync tools give to files that they need for a while. Conflict copies are
    /// the user's own texts and not among them.
    static func isTemporary(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        // vim tries with this name whether it may write in the folder.
        if name.elementsEqual("4913".utf8) { return true }
        if temporaryEndings.contains(where: { name.count > $0.count && name.suffix($0.count).elementsEqual($0) }) {
            return true
        }
        return temporaryBeginnings.contains { beginning in
            guard name.count > beginning.count, name.starts(with: beginning) else { return false }
            // Emacs ends its autosaves as it begins them; "#1 idea.md" is somebody's note.
            return beginning != [0x23] || name.last == 0x23
        }
    }

    /// How much of a file is looked at to tell whether it is text.
    static let probeLength = 8 << 10

    /// Whether a file that begins with `bytes` is text: no NUL, unless it is marked as UTF-16.
    static func isText(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || !bytes.contains(0)
    }
}
