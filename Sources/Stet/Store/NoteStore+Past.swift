/// What a note showed at some moment.
public struct PastNote: Sendable {
    /// The note as it is now.
    public let note: Note
    /// The version that it showed then.
    public let version: Version
}

extension NoteStore {
    /// The notes that lived at `time` and lie, or when they were deleted lay, in `folder`, with what they showed then; in the
    /// order of their names. By the order of operations: that of the last one made then or before.
    ///
    /// - Parameter folder: nil for all notes.
    public func notes(in folder: NoteName?, at time: Timestamp) throws -> [PastNote] {
        try read { index in
            let deletedSince = try deletions(after: time, in: index)
            let all =
                try index.notes(deleted: false)
                + index.notes(deleted: true).filter { deletedSince.contains($0.ordinal) }
            return try all.sorted { $0.name < $1.name }.compactMap { note in
                if let folder, note.name.relative(to: folder) == nil { return nil }
                let head = try index.head(of: note, at: time)
                guard head > 0 else { return nil }
                return PastNote(note: note, version: try index.version(.number(head), of: note))
            }
        }
    }

    /// The ordinals of notes that were deleted after the last operation of `time` or before.
    private func deletions(after time: Timestamp, in index: StoreIndex) throws -> Set<Int> {
        let history = OperationHistory(index, oplog: operationLog)
        var limit = 1_000
        while true {
            let newest = try history.newest(limit)
            let later = newest.prefix { $0.time > time }
            if later.count < newest.count || newest.count < limit {
                return Set(
                    later.flatMap { timed -> [Int] in if case .delete(let notes) = timed.operation { notes } else { [] }
                    })
            }
            limit *= 4
        }
    }
}
