internal import StetObjects

/// The name of a note: a relative path such as `work/todo.md`, as the bytes it has.
///
/// Two names are equal where their bytes are. Swift's `String` would take the composed and the decomposed spelling of
/// `é` for one name, and file systems and SQLite would not.
public struct NoteName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// UTF-8, checked.
    public let bytes: [UInt8]

    /// The longest name in bytes; Linux takes no longer path.
    public static let maximumLength = 4095
    /// The longest component in bytes; Linux file systems take no longer file name.
    public static let maximumComponentLength = 255

    /// The name with these bytes.
    ///
    /// - Throws: `NameError` where they cannot be a note's name on every file system that Stet runs on.
    public init(bytes: [UInt8]) throws(NameError) {
        self.bytes = bytes
        if let problem = Self.problem(of: bytes) { throw NameError(name: bytes, problem: problem) }
    }

    /// The name `text`.
    ///
    /// - Throws: `NameError` where it cannot be a note's name.
    public init(_ text: String) throws(NameError) { try self.init(bytes: Array(text.utf8)) }

    /// For names that were checked when they were stored, and are only ever shown again.
    package init(stored bytes: [UInt8]) { self.bytes = bytes }

    private static func problem(of bytes: [UInt8]) -> NameError.Problem? {
        if bytes.isEmpty { return .empty }
        if bytes.count > maximumLength { return .tooLong }
        guard let text = String(validating: bytes, as: UTF8.self) else { return .notUTF8 }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return .controlCharacter
        }
        if bytes.first == UInt8(ascii: "/") { return .absolute }
        for component in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if component.isEmpty { return .emptyComponent }
            if component.elementsEqual(".".utf8) || component.elementsEqual("..".utf8) { return .dots }
            if component.count > maximumComponentLength { return .componentTooLong }
        }
        return nil
    }

    /// The folders that the name lies in, outermost first: `a` and `a/b` for `a/b/c`.
    public var folders: [NoteName] {
        bytes.indices.filter { bytes[$0] == UInt8(ascii: "/") }.map { NoteName(stored: Array(bytes[..<$0])) }
    }

    /// The last component.
    public var fileName: NoteName {
        NoteName(stored: Array(bytes.split(separator: UInt8(ascii: "/")).last ?? []))
    }

    /// The name of `other` inside the folder of this name.
    public func appending(_ other: NoteName) throws(NameError) -> NoteName {
        try NoteName(bytes: bytes + [UInt8(ascii: "/")] + other.bytes)
    }

    /// What of the name comes after `folder` and a slash, or nil where it does not lie in that folder.
    public func relative(to folder: NoteName) -> NoteName? {
        let start = folder.bytes + [UInt8(ascii: "/")]
        guard bytes.starts(with: start) else { return nil }
        return NoteName(stored: Array(bytes.dropFirst(start.count)))
    }

    /// The name as text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether `left` comes first in the order of the bytes.
    public static func < (left: NoteName, right: NoteName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// A text that cannot be the name of a note.
public struct NameError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong with it.
    public enum Problem: Sendable {
        /// It has no bytes.
        case empty
        /// It begins with a slash.
        case absolute
        /// A component is `.` or `..`.
        case dots
        /// Two slashes meet, or it ends in one.
        case emptyComponent
        /// It holds a control character (NUL, escape, line feed, …).
        case controlCharacter
        /// Its bytes are not UTF-8.
        case notUTF8
        /// A component has more than 255 bytes.
        case componentTooLong
        /// The whole has more than 4,095 bytes.
        case tooLong
    }

    /// The bytes that were to be a name.
    public let name: [UInt8]
    /// What is wrong with them.
    public let problem: Problem

    /// As much of the name as a message has room for, cut between two characters.
    private var beginning: [UInt8] {
        guard name.count > 80 else { return name }
        var end = 80
        while end > 77, name[end] & 0xC0 == 0x80 { end -= 1 }
        return Array(name[..<end]) + Array("…".utf8)
    }

    /// One line: the name, escaped, and what is wrong with it.
    public var description: String {
        let reason =
            switch problem {
            case .empty: "it is empty"
            case .absolute: "it begins with \"/\", and names are relative"
            case .dots: "\".\" and \"..\" cannot be part of a name"
            case .emptyComponent: "it ends in \"/\" or has two in a row"
            case .controlCharacter: "it holds a control character"
            case .notUTF8: "its bytes are not UTF-8"
            case .componentTooLong: "a part of it has more than \(NoteName.maximumComponentLength) bytes"
            case .tooLong: "it has more than \(NoteName.maximumLength) bytes"
            }
        return "\"\(TerminalText.escape(beginning))\" cannot be the name of a note: \(reason)"
    }
}
