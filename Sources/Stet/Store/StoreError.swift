/// Why a store did not do what it was asked. Nothing was changed, save where `outcomeUnknown` says that it cannot be known.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No store is at this path.
    case noStore(String)
    /// A store, or something else, is at this path already.
    case alreadyThere(String)
    /// The store belongs to another user.
    case foreignOwner(String)
    /// Others may write into the store.
    case writableByOthers(String)
    /// The store lies where locks cannot be relied on.
    case onNetwork(String)
    /// The store was opened for reading only.
    case readOnly(String)
    /// The store was closed.
    case closed
    /// The store was moved away or replaced, or its disk taken out, while it was open.
    case replaced(String)
    /// The index's write-ahead log cannot be folded in, because these processes read an old state of it without end.
    case keptBack(String, by: [String])

    /// No note is meant by this.
    case noNote(String)
    /// The note is deleted, and this needs a live one.
    case deleted(NoteName)
    /// The note lives, and this needs a deleted one.
    case notDeleted(NoteName)
    /// The name belongs to a note that is now called otherwise.
    case renamed(from: NoteName, to: NoteName)
    /// Several notes are meant by this.
    case ambiguous(String, [Note])
    /// The note has no such version.
    case noVersion(NoteName, String)
    /// Several versions are meant by this.
    case ambiguousVersion(NoteName, String, [Version])

    /// A live note bears the name.
    case nameTaken(NoteName)
    /// One of the two names would lie inside the other.
    case nameInside(NoteName, other: NoteName)
    /// One note was to have two names.
    case noteTwice
    /// The note shows its first version.
    case nothingToUndo(NoteName, head: Int)
    /// Nothing was undone that could be redone from here.
    case nothingToRedo(NoteName, head: Int)
    /// A label that is too long or has control characters.
    case invalidLabel

    /// The store contradicts itself.
    case damaged(String)
    /// A sync failed: whether the change lasts is not known.
    case outcomeUnknown(String)

    /// One line: what happened, to what, and what to do.
    public var description: String {
        switch self {
        case .noStore(let path):
            "there is no store at \(TerminalText.escape(path))"
        case .alreadyThere(let path): "\(TerminalText.escape(path)) is there already and is not an empty folder"
        case .foreignOwner(let path):
            "\(TerminalText.escape(path)) belongs to another user: only its owner may use a store"
        case .writableByOthers(let path):
            "others may write into \(TerminalText.escape(path)): forbid it with chmod go-w, then try again"
        case .onNetwork(let path):
            "\(TerminalText.escape(path)) is on a network file system, where locks cannot be relied on: use a local disk"
        case .readOnly(let path): "the store \(TerminalText.escape(path)) was opened for reading only"
        case .closed: "the store was closed"
        case .replaced(let path):
            "the store \(TerminalText.escape(path)) was moved or replaced while it was open: open it again where it is now"
        case .keptBack(let path, let readers):
            "\(TerminalText.escape(path)) grows, because \(readers.isEmpty ? "another program" : readers.joined(separator: ", ")) keeps an old state of it open: end that program"
        case .noNote(let text): "no note is called \"\(TerminalText.escape(text))\""
        case .deleted(let name): "\(name.shown) is deleted, and can be brought back"
        case .notDeleted(let name): "\(name.shown) is not deleted"
        case .renamed(let old, let new): "no note is called \(old.shown) any more: it is now \(new.shown)"
        case .ambiguous(let text, let notes):
            "\"\(TerminalText.escape(text))\" can mean \(notes.count) notes: name one by its id"
        case .noVersion(let name, let text): "\(name.shown) has no version \"\(TerminalText.escape(text))\""
        case .ambiguousVersion(let name, let text, let versions):
            "\"\(TerminalText.escape(text))\" can mean \(versions.count) versions of \(name.shown): name one by its number"
        case .nameTaken(let name):
            "a note is called \(name.shown) already: choose another name, or rename that one first"
        case .nameInside(let name, let other):
            "\(name.shown) and \(other.shown) cannot both be notes: one would lie inside the other"
        case .noteTwice: "a note can have one name only, and two were given"
        case .nothingToUndo(let name, let head): "nothing to undo: \(name.shown)@\(head) is where it began"
        case .nothingToRedo(let name, let head): "nothing to redo: nothing was undone from \(name.shown)@\(head)"
        case .invalidLabel:
            "a label is one line of at most \(NoteStore.maximumLabelLength) bytes without control characters"
        case .damaged(let what): "the store is damaged: \(what)"
        case .outcomeUnknown(let why):
            "it is not known whether this was saved, because a sync failed (\(why)): look with stet history before you save it again, and check the disk"
        }
    }
}

extension NoteName {
    /// The name for a message or a terminal, with everything harmful spelled out.
    public var shown: String { TerminalText.escape(bytes) }
}
