import Stet

/// An operand that means a note, or a note's version: `NOTE` or `NOTE@V`.
///
/// `NOTE` is a path or name, or `stet:` and the digits of an id, or a whole bookmark; `./` before it makes anything a path.
/// It splits at its last `@`, unless a live note bears the whole text as its name.
struct Operand {
    let note: NoteReference
    /// What stands after `@`, or nil where nothing does.
    let version: VersionReference?
    /// What stands after `@` as it was given, for messages.
    let versionText: String?

    /// An operand that may name a version.
    init(_ bytes: [UInt8], in store: NoteStore, _ paths: NotePaths, now: Timestamp) throws {
        if let bookmark = Self.bookmark(String(decoding: bytes, as: UTF8.self)) {
            (note, version) = bookmark
            versionText = nil
            return
        }
        guard let mark = bytes.lastIndex(of: UInt8(ascii: "@")), try !Self.isLiveName(bytes, in: store, paths) else {
            (note, version, versionText) = (try Self.note(bytes, paths), nil, nil)
            return
        }
        let after = String(decoding: bytes[(mark + 1)...], as: UTF8.self)
        note = try Self.note(Array(bytes[..<mark]), paths)
        version = try Self.version(after, now: now)
        versionText = after
    }

    /// An operand that means a note as a whole.
    static func note(_ bytes: [UInt8], _ paths: NotePaths) throws -> NoteReference {
        let text = String(decoding: bytes, as: UTF8.self)
        if let bookmark = bookmark(text) { return bookmark.0 }
        if text.hasPrefix(Bookmark.scheme) {
            let digits = String(text.dropFirst(Bookmark.scheme.utf8.count))
            guard digits.utf8.count >= NoteReference.shortestPrefix, digits.utf8.allSatisfy({ Hex.value($0) != nil })
            else {
                throw UsageError(
                    "\"\(text)\" is no bookmark: \"stet:\" and at least \(NoteReference.shortestPrefix) digits of an id"
                )
            }
            return .idPrefix(digits)
        }
        return .name(try paths.name(bytes))
    }

    private static func bookmark(_ text: String) -> (NoteReference, VersionReference?)? {
        guard let bookmark = Bookmark(text) else { return nil }
        return (.id(bookmark.note), bookmark.version.map(VersionReference.id))
    }

    private static func isLiveName(_ bytes: [UInt8], in store: NoteStore, _ paths: NotePaths) throws -> Bool {
        guard let name = try? paths.name(bytes) else { return false }
        do {
            _ = try store.find(.name(name), for: .changing)
            return true
        } catch is StoreError {
            return false
        }
    }

    /// What stands after `@`.
    static func version(_ text: String, now: Timestamp) throws -> VersionReference {
        if text == "head" { return .head }
        if !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = Int(text)
        {
            return .number(number)
        }
        if let id = VersionID(text) { return .id(id) }
        if text.hasPrefix("sha:") {
            let digits = String(text.dropFirst(4))
            if digits.utf8.count >= VersionReference.shortestPrefix, digits.utf8.allSatisfy({ Hex.value($0) != nil }) {
                return .hashPrefix(digits)
            }
            throw UsageError("\"\(text)\" needs at least \(VersionReference.shortestPrefix) hexadecimal digits")
        }
        if let time = TimeText.parse(text, now: now) { return .time(time) }
        throw UsageError(
            "\"@\(text)\" names no version: it is a number, \"head\", \"sha:\" and digits, or a time such as \"2 hours ago\""
        )
    }
}
