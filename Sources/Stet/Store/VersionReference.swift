/// A version of a note as somebody names it.
public enum VersionReference: Hashable, Sendable {
    /// The one that the note shows.
    case head
    /// By its number in this store.
    case number(Int)
    /// By its identity in every store.
    case id(VersionID)
    /// By the first hexadecimal digits of its object's name, four or more.
    case hashPrefix(String)
    /// The one that the note showed at that moment.
    case time(Timestamp)

    /// The fewest digits that name a version by its hash.
    public static let shortestPrefix = 4

    /// The reference as it is written after `@`, for messages.
    var text: String {
        switch self {
        case .head: "head"
        case .number(let number): String(number)
        case .id(let id): id.description
        case .hashPrefix(let prefix): "sha:" + prefix
        case .time: "that time"
        }
    }
}

extension NoteStore {
    /// The version of `note` that is meant.
    ///
    /// - Throws: `StoreError.noVersion` or `.ambiguousVersion`.
    public func version(_ reference: VersionReference, of note: Note) throws -> Version {
        try read { try $0.version(reference, of: note) }
    }
}

extension StoreIndex {
    func version(_ reference: VersionReference, of note: Note) throws -> Version {
        let found: Version? =
            switch reference {
            case .head: try version(note.head, of: note)
            case .number(let number): try version(number, of: note)
            case .id(let id): try operation(of: id).flatMap { try version(madeBy: $0, of: note) }
            case .hashPrefix(let prefix): try version(hashPrefix: prefix, of: note)
            case .time(let time): try version(head(of: note, at: time), of: note)
            }
        guard let found else { throw StoreError.noVersion(note.name, reference.text) }
        return found
    }

    private func version(hashPrefix prefix: String, of note: Note) throws -> Version? {
        guard prefix.utf8.count >= VersionReference.shortestPrefix else { return nil }
        let found = try versions(of: note, hashPrefix: prefix.lowercased())
        // The same bytes in several versions are one answer as good as another: the newest.
        guard Set(found.map(\.object)).count <= 1 else {
            throw StoreError.ambiguousVersion(note.name, "sha:" + prefix, found)
        }
        return found.first
    }
}
