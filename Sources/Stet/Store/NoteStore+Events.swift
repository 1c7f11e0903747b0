/// Something that happened in a store, as a person would say it.
public struct StoreEvent: Equatable, Sendable, CustomStringConvertible {
    /// When, by the clock of that moment.
    public let time: Timestamp
    /// One line, with names escaped: `saved todo.md@4`.
    public let description: String
}

extension NoteStore {
    /// The newest `limit` changes to the store, newest first, from the operation log.
    ///
    /// Notes are told by the names they have now.
    public func events(newest limit: Int) throws -> [StoreEvent] {
        guard limit > 0 else { return [] }
        return try read { index in
            let history = OperationHistory(index, oplog: operationLog)
            return try history.newest(limit).map { timed in
                StoreEvent(time: timed.time, description: try index.words(for: timed))
            }
        }
    }
}

extension StoreIndex {
    fileprivate func words(for timed: TimedOperation) throws -> String {
        func name(_ note: Int) throws -> String { try self.note(ordinal: note)?.name.shown ?? "a note" }
        func names(_ notes: [Int]) throws -> String {
            let shown = try notes.prefix(3).map(name).joined(separator: ", ")
            return notes.count > 3 ? "\(shown) and \(notes.count - 3) more" : shown
        }
        switch timed.operation {
        case .begin(let begin) where begin.previous == nil: return "the store was made"
        case .begin(let begin): return "device \(begin.device) began"
        case .save(let save):
            return "\(save.kind.past) \(try name(save.note))@\(save.number)"
                + (save.label.map { "  \"\(TerminalText.escape($0))\"" } ?? "")
        case .undo(let note, let from, let to): return "undid \(try name(note))@\(from), back to @\(to)"
        case .redo(let note, let from, let to): return "redid \(try name(note))@\(to), from @\(from)"
        case .rename(let moves):
            let shown = try moves.prefix(3).map { move in
                let before = try formerNames(move.note).first { $0.operation == timed.number }?.name
                return "\(before?.shown ?? "a note") to \(move.name.shown)"
            }
            return "renamed " + shown.joined(separator: ", ") + (moves.count > 3 ? " and \(moves.count - 3) more" : "")
        case .delete(let notes): return "deleted \(try names(notes))"
        case .undelete(let move): return "brought back \(move.name.shown)"
        case .label(let note, let number, let text):
            return text.isEmpty
                ? "took the label of \(try name(note))@\(number) away"
                : "labelled \(try name(note))@\(number)  \"\(TerminalText.escape(text))\""
        case .pin(let note, let number): return "pinned \(try name(note))@\(number)"
        case .unpin(let note, let number): return "unpinned \(try name(note))@\(number)"
        case .ref(let note, let number): return "bookmarked \(try name(note))@\(number)"
        case .unref(let note, let number): return "gave up the bookmark of \(try name(note))@\(number)"
        }
    }
}

extension VersionKind {
    /// What was done to make such a version.
    fileprivate var past: String {
        switch self {
        case .save: "saved"
        case .capture: "captured"
        case .restore: "restored"
        case .import: "imported"
        case .merge: "merged"
        }
    }
}
