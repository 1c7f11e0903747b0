/// A note with what a list shows of it.
public struct NoteSummary: Equatable, Sendable {
    /// The note.
    public let note: Note
    /// The version that it shows.
    public let head: Version
    /// How many versions it has.
    public let versions: Int
    /// Greater where the newest version was made later, in the order of operations and whatever the clock says.
    public let lastChange: Int
}

/// How much a store holds.
public struct StoreCounts: Equatable, Sendable {
    /// Notes that live.
    public let liveNotes: Int
    /// Notes that were deleted.
    public let deletedNotes: Int
    /// Versions of all notes.
    public let versions: Int
}

extension NoteStore {
    /// The live or the deleted notes with what a list shows of them, in the order of their names.
    public func summaries(deleted: Bool = false) throws -> [NoteSummary] {
        try read { index in
            try index.notes(deleted: deleted).map { note in
                let newest = try index.newestNumber(note.ordinal)
                return NoteSummary(
                    note: note, head: try index.version(.head, of: note), versions: newest,
                    lastChange: try index.version(.number(newest), of: note).operation)
            }
        }
    }

    /// How much the store holds.
    public func counts() throws -> StoreCounts {
        try read { index in
            let live = try index.notes(deleted: false).count
            return StoreCounts(
                liveNotes: live, deletedNotes: try index.noteCount() - live, versions: try index.counts().versions)
        }
    }
}
