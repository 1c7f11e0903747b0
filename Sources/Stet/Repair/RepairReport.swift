/// What a repair did, and what is left.
public struct RepairReport: Sendable {
    /// Something that was done, or could not be; each was durable before it was told.
    public enum Step: Equatable, Sendable, CustomStringConvertible {
        /// The index was made again from the operation log; why.
        case indexRebuilt(operations: Int, why: String)
        /// A file or folder was put out of the way, and not removed: its new path in the store.
        case setAside(String, as: String)
        /// A damaged record of the log was mended, at this byte of the file.
        case recordMended(path: String, offset: Int)
        /// So many records that the log had lost were written again from the index.
        case recordsRestored(Int)
        /// So many records were made up from the index, which the log now replays to again.
        case recordsMadeUp(Int, isExact: Bool)
        /// Nothing is known any more of what came after this operation.
        case logEnds(after: Int)
        /// The log and the index are left as they were; why.
        case leftAlone(String)
        /// A text has its file again; where it was found.
        case textRestored(ObjectID, from: String)
        /// Text that no version had became a note.
        case noteMade(NoteName)
        /// A file or folder has the mode again that it should have.
        case modeMended(String)

        /// One line.
        public var description: String {
            switch self {
            case .indexRebuilt(let operations, let why):
                "index: made again from \(operations) operations of the log, since \(TerminalText.escape(why))"
            case .setAside(let path, let place):
                "set aside: \(TerminalText.escape(path)) as \(TerminalText.escape(place))"
            case .recordMended(let path, let offset):
                "log: mended the record at byte \(offset) of \(TerminalText.escape(path))"
            case .recordsRestored(let count): "log: wrote records again that the index held: \(count)"
            case .recordsMadeUp(let count, let isExact):
                "log: wrote records again from what the index knows: \(count)"
                    + (isExact ? ", proved by the records after them" : "")
            case .logEnds(let operation): "log: ends after operation \(operation); what came later cannot be read"
            case .leftAlone(let why): "not repaired: \(TerminalText.escape(why))"
            case .textRestored(let object, let place):
                "text: \(object) from \(TerminalText.escape(place))"
            case .noteMade(let name): "note: \(name.shown), a text that no version had"
            case .modeMended(let path): "access: \(TerminalText.escape(path)) has its mode again"
            }
        }
    }

    /// What was done, in this order.
    public internal(set) var steps: [Step] = []
    /// A check of everything afterwards; nil where the store still cannot be opened.
    public internal(set) var check: VerifyReport?
    /// Whether all is whole now.
    public var isWhole: Bool { check?.isClean == true }
}
