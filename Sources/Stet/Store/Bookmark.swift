/// A lasting reference to a note, or to one version of it, that survives renames.
///
/// As text it is one token, `stet:<NoteID>` or `stet:<NoteID>@<VersionID>`, and then `?name=…&size=…&sha256=…`: hints
/// from the moment it was made, by which a note can be looked for that is not in the store any more.
public struct Bookmark: Hashable, Sendable, CustomStringConvertible {
    /// The note.
    public let note: NoteID
    /// The version, or nil for whatever the note shows.
    public let version: VersionID?
    /// The note's name when the bookmark was made.
    public let name: NoteName?
    /// The length of the text in bytes when the bookmark was made.
    public let size: Int?
    /// The text's hash when the bookmark was made.
    public let object: ObjectID?

    init(_ note: Note, _ version: Version, isVersion: Bool) {
        self.note = note.id
        self.version = isVersion ? version.id : nil
        name = note.name
        size = version.size
        object = version.object
    }

    /// The beginning of every bookmark.
    public static let scheme = "stet:"

    /// The bookmark written as `text`, with or without hints; nil where it is none.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.scheme) else { return nil }
        let parts = text.dropFirst(Self.scheme.count).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let identity = parts[0].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let note = NoteID(hex: identity[0]) else { return nil }
        self.note = note
        version = identity.count == 2 ? VersionID(identity[1]) : nil
        if identity.count == 2, version == nil { return nil }
        var hints: [Substring: Substring] = [:]
        for hint in parts.count == 2 ? parts[1].split(separator: "&") : [] {
            let pair = hint.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { hints[pair[0]] = pair[1] }
        }
        name = hints["name"].flatMap(Self.percentDecoded).flatMap { try? NoteName(bytes: $0) }
        // A token comes from outside: no length is negative, and sums with one could overflow.
        size = hints["size"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
        object = hints["sha256"].flatMap { ObjectID(hex: $0) }
    }

    /// The token.
    public var description: String {
        var text = Self.scheme + note.description
        if let version { text += "@\(version)" }
        var hints: [String] = []
        if let name { hints.append("name=" + Self.percentEncoded(name.bytes)) }
        if let size { hints.append("size=\(size)") }
        if let object { hints.append("sha256=\(object)") }
        return hints.isEmpty ? text : text + "?" + hints.joined(separator: "&")
    }

    /// RFC 3986: everything but the unreserved characters, and the slash, is written as `%` and two digits.
    private static func percentEncoded(_ bytes: [UInt8]) -> String {
        var text = ""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%" + Hex.encode([byte]).uppercased()
            }
        }
        return text
    }

    private static func percentDecoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hex.value), let low = rest.popFirst().flatMap(Hex.value) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

/// Why a bookmark is stale, heaviest first. A stale bookmark still resolves.
public enum StaleReason: String, CaseIterable, Comparable, Sendable {
    /// The note is deleted; it can be brought back.
    case deleted
    /// The note is not in the store; another was found that has the same text, or the same file name and nearly its size.
    case likeness
    /// The note has another name.
    case renamed
    /// The version was the note's head when it was bookmarked, and is not any more.
    case movedOn = "moved-on"

    private var weight: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Whether `left` is heavier.
    public static func < (left: StaleReason, right: StaleReason) -> Bool { left.weight < right.weight }
}

/// What a bookmark leads to.
public struct Resolution: Equatable, Sendable {
    /// The note, under its present name.
    public internal(set) var note: Note
    /// The version: the bookmarked one, or the note's head.
    public internal(set) var version: Version
    /// Why the bookmark is stale, heaviest first; empty where it is not.
    public internal(set) var reasons: [StaleReason]
    /// The same reference with hints of now, to be kept instead.
    public internal(set) var fresh: Bookmark

    /// Whether the bookmark should be replaced by the fresh one.
    public var isStale: Bool { !reasons.isEmpty }
}

extension NoteStore {
    /// What `bookmark` leads to now.
    ///
    /// - Throws: `StoreError.noNote` where neither the note nor one like it is there, `.noVersion`.
    public func resolve(_ bookmark: Bookmark) throws -> Resolution { try read { try $0.resolve(bookmark) } }
}

extension StoreIndex {
    /// Whether `version` was the head when its bookmark was recorded, and is not any more.
    func hasMovedOn(_ version: Version, of note: Note) throws -> Bool {
        guard note.head != version.number, let recorded = try bookmark(version.number, of: note) else { return false }
        return try head(of: note, after: recorded) == version.number
    }

    fileprivate func resolve(_ bookmark: Bookmark) throws -> Resolution {
        guard let note = try note(id: bookmark.note) else { return try resolveByLikeness(bookmark) }
        let version = try version(bookmark.version.map(VersionReference.id) ?? .head, of: note)
        var reasons: [StaleReason] = []
        if note.isDeleted { reasons.append(.deleted) }
        if let name = bookmark.name, name != note.name { reasons.append(.renamed) }
        if try bookmark.version != nil && hasMovedOn(version, of: note) { reasons.append(.movedOn) }
        return Resolution(
            note: note, version: version, reasons: reasons.sorted(),
            fresh: Bookmark(note, version, isVersion: bookmark.version != nil))
    }

    /// A live note with the text that the bookmark tells of, or else the only one with its file name and nearly its
    /// size.
    private func resolveByLikeness(_ bookmark: Bookmark) throws -> Resolution {
        let heads = try notes(deleted: false).map { (note: $0, version: try version(.head, of: $0)) }
        let sameText = heads.filter { $0.version.object == bookmark.object }
        let sameName = heads.filter { candidate in
            guard let name = bookmark.name, let size = bookmark.size else { return false }
            let difference = abs(candidate.version.size - size)
            return candidate.note.name.fileName == name.fileName && difference <= max(64, size / 4)
        }
        let candidates = sameText.isEmpty ? sameName : sameText
        guard let found = candidates.first else { throw StoreError.noNote(Bookmark.scheme + bookmark.note.description) }
        guard candidates.count == 1 else {
            throw StoreError.ambiguous(Bookmark.scheme + bookmark.note.description, candidates.map(\.note))
        }
        return Resolution(
            note: found.note, version: found.version, reasons: [.likeness],
            fresh: Bookmark(found.note, found.version, isVersion: bookmark.version != nil))
    }
}
