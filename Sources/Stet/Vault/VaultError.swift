/// Why a vault did not do what it was asked. No file and no note was changed, save where `unfinished` says so.
public enum VaultError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Vault and store cannot lie in each other that way.
    case insideStore(String)
    /// The vault's folder is not there, or cannot be listed: its notes are not taken for gone.
    case folderGone(String, SystemError?)
    /// No file of that name is there to be saved.
    case noFile(NoteName)
    /// A pipe, socket, device or folder has the name.
    case notAFile(NoteName, String)
    /// A file or folder that is not the note's has the name.
    case inTheWay(NoteName)
    /// A symbolic link has the name, or that of a folder above it.
    case link(NoteName)
    /// The file has other names, which would keep the old text.
    case severalLinks(NoteName, Int)
    /// The file is marked read-only.
    case readOnlyFile(NoteName)
    /// Nothing can be put into the file's folder, or taken out of it.
    case readOnlyFolder(NoteName)
    /// The file is another user's, and would become this one's.
    case foreignFile(NoteName)
    /// Another program has the file open for writing.
    case openElsewhere(NoteName)
    /// The file has text that no version has, and redo would have no place for it.
    case unrecorded(NoteName)
    /// The file was changed again and again while it was read.
    case keepsChanging(NoteName)
    /// The system did not let a file or folder be moved or removed; the note is as it was.
    case notMoved(NoteName, String)
    /// A step that was under way could not be finished.
    case unfinished(NoteName, String)

    /// One line: what happened, to what, and what to do.
    public var description: String {
        switch self {
        case .insideStore(let path):
            "\(TerminalText.escape(path)) lies in the folder of a store, where no notes are kept"
        case .folderGone(let path, let why):
            "the vault \(TerminalText.escape(path)) is not there or cannot be read, so nothing is said of its notes"
                + (why.map { " (\($0))" } ?? "")
        case .noFile(let name): "there is no file \(name.shown)"
        case .notAFile(let name, let kind): "\(name.shown) is \(kind) and no file: Stet keeps files only"
        case .inTheWay(let name):
            "\(name.shown) is there already and was left as it is: move it away, or choose another name"
        case .link(let name):
            "\(name.shown) is a symbolic link, and Stet writes through none: name the file or folder that it leads to"
        case .severalLinks(let name, let count):
            "\(name.shown) has \(count) names (hard links), and the others would keep the old text: make it a file of its own first"
        case .readOnlyFile(let name): "\(name.shown) is read-only: allow writing with chmod u+w, then try again"
        case .readOnlyFolder(let name):
            "the folder of \(name.shown) is read-only: allow writing with chmod u+w, then try again"
        case .foreignFile(let name): "\(name.shown) belongs to another user, and would not any more: copy it first"
        case .openElsewhere(let name):
            "another program has \(name.shown) open for writing: close it there, then try again"
        case .unrecorded(let name):
            "\(name.shown) has text that was not saved, and redo would write over it: save it first, which ends what can be redone"
        case .keepsChanging(let name): "\(name.shown) changes again and again: try again when it is at rest"
        case .notMoved(let name, let why): "\(name.shown) stays where it is: \(why)"
        case .unfinished(let name, let why):
            "the change is recorded, but the file \(name.shown) could not be written, which the next change tries again: \(why)"
        }
    }
}
