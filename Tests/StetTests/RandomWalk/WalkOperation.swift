import Stet

/// How a walk names a note.
enum NoteChoice {
    case name(NoteName)
    /// By the first digits of the id of the note with this place in the model.
    case note(Int, digits: Int)
    /// By an id that no note has.
    case nobody
}

/// How a walk names a version.
enum VersionChoice {
    case head
    case number(Int)
    /// By the identity of the operation with this sequence number, which need not have made a version.
    case operation(Int)
    /// By the hash of one of the walk's texts.
    case hash(text: Int, digits: Int)
    case time(Int64)
}

/// One text of a save.
struct WalkSave {
    var name: NoteName
    var text: Int
    var label: String?
    var mergedFrom: [Int] = []
}

/// One note and its new name.
struct WalkRenaming {
    var note: NoteChoice
    var name: NoteName
}

/// What a walk does in one step.
enum WalkOperation {
    case save([WalkSave])
    case stream(WalkSave)
    case undo(NoteChoice, steps: Int)
    case redo(NoteChoice, steps: Int)
    case restore(NoteChoice, VersionChoice)
    case rename([WalkRenaming])
    case delete([NoteChoice])
    case undelete(NoteChoice, as: NoteName?)
    case label(NoteChoice, VersionChoice, String)
    case pin(NoteChoice, VersionChoice)
    case unpin(NoteChoice, VersionChoice)
    case bookmark(NoteChoice, VersionChoice?)
    /// Gives up one of the bookmarks made before.
    case release(Int)
    case flush
    case reopen
}

// MARK: As text, for the report of a failed walk

/// `text` in ASCII: the spellings that these tests are about look alike otherwise.
func inASCII(_ text: String) -> String {
    let shown = text.count > 40 ? text.prefix(10) + "…(\(text.utf8.count) bytes)" : text[...]
    return "\"" + shown.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
}

func inASCII(_ name: NoteName) -> String { inASCII(name.description) }

extension NoteChoice: CustomStringConvertible {
    var description: String {
        switch self {
        case .name(let name): inASCII(name)
        case .note(let place, let digits): "note #\(place) by \(digits) digits"
        case .nobody: "an unknown id"
        }
    }
}

extension VersionChoice: CustomStringConvertible {
    var description: String {
        switch self {
        case .head: "head"
        case .number(let number): "@\(number)"
        case .operation(let sequence): "@device.\(sequence)"
        case .hash(let text, let digits): "@hash of text \(text) by \(digits) digits"
        case .time(let time): "@time \(time)"
        }
    }
}

extension WalkSave: CustomStringConvertible {
    var description: String {
        "\(inASCII(name)) = text \(text)" + (label.map { " label \(inASCII($0))" } ?? "")
            + (mergedFrom.isEmpty ? "" : " merged from \(mergedFrom)")
    }
}

extension WalkOperation: CustomStringConvertible {
    var description: String {
        switch self {
        case .save(let saves): "save " + saves.map(\.description).joined(separator: ", ")
        case .stream(let save): "save in pieces \(save)"
        case .undo(let note, let steps): "undo \(note) by \(steps)"
        case .redo(let note, let steps): "redo \(note) by \(steps)"
        case .restore(let note, let version): "restore \(note) \(version)"
        case .rename(let renamings):
            "rename " + renamings.map { "\($0.note) to \(inASCII($0.name))" }.joined(separator: ", ")
        case .delete(let notes): "delete " + notes.map(\.description).joined(separator: ", ")
        case .undelete(let note, let name): "undelete \(note)" + (name.map { " as \(inASCII($0))" } ?? "")
        case .label(let note, let version, let text): "label \(note) \(version) \(inASCII(text))"
        case .pin(let note, let version): "pin \(note) \(version)"
        case .unpin(let note, let version): "unpin \(note) \(version)"
        case .bookmark(let note, let version): "ref \(note)" + (version.map { " \($0)" } ?? "")
        case .release(let place): "unref bookmark \(place)"
        case .flush: "flush"
        case .reopen: "reopen"
        }
    }
}
