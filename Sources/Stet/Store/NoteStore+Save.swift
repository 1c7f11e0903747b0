/// What a change left behind: the note, and the version that it shows now.
public struct Change: Equatable, Sendable {
    /// The note after the change.
    public internal(set) var note: Note
    /// The version that it shows.
    public internal(set) var version: Version
    /// Whether the change made that version.
    public internal(set) var isNew: Bool
}

/// A text to be saved.
public struct SaveRequest: Sendable {
    /// The note's name; a new note is made where none bears it.
    public var name: NoteName
    /// The text, as bytes.
    public var bytes: [UInt8]
    /// Words to put on the version, or nil.
    public var label: String?
    /// Versions of the same note whose text was brought into this one, after the head.
    public var mergedFrom: [Int]

    /// A request to save `bytes` as `name`.
    public init(_ bytes: [UInt8], as name: NoteName, label: String? = nil, mergedFrom: [Int] = []) {
        self.name = name
        self.bytes = bytes
        self.label = label
        self.mergedFrom = mergedFrom
    }
}

extension NoteStore {
    /// Saves `bytes` as the newest version of the note `name`; durable when it returns.
    ///
    /// A text that the note shows already makes no version; a label is still put on the one that is there.
    ///
    /// - Throws: `StoreError.nameInside`, `.invalidLabel`, `.readOnly`, `.outcomeUnknown`; `SystemError`, `DatabaseError`
    ///   where the system refuses; `LockTimeout`.
    @discardableResult
    public func save(_ bytes: [UInt8], as name: NoteName, label: String? = nil) throws -> Change {
        let changes = try save([SaveRequest(bytes, as: name, label: label)])
        return changes[0]
    }

    /// Saves several texts in one transaction with one sync: all of them or none.
    public func save(_ requests: [SaveRequest]) throws -> [Change] {
        // All labels before the first text: a large one is written out as it is prepared.
        for request in requests { try Self.check(label: request.label) }
        return try save(
            prepared: requests.map { request in
                PreparedSave(
                    name: request.name, label: request.label, mergedFrom: request.mergedFrom,
                    text: try prepare(request.bytes))
            })
    }

    /// Saves what `read` gives, in bounded memory.
    ///
    /// - Parameter read: fills a buffer and returns how many bytes it put there; 0 at the end.
    @discardableResult
    public func save(
        as name: NoteName, label: String? = nil, reading read: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> Change {
        try Self.check(label: label)
        let text = try prepare(reading: read)
        let changes = try save(prepared: [PreparedSave(name: name, label: label, mergedFrom: [], text: text)])
        return changes[0]
    }

    static func check(label: String?) throws {
        guard let label else { return }
        let isPlain = !label.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard label.utf8.count <= maximumLabelLength, isPlain else { throw StoreError.invalidLabel }
    }

    private func save(prepared: [PreparedSave]) throws -> [Change] {
        defer { for save in prepared { save.text.discard() } }
        return try write { transaction in try prepared.map { try transaction.save($0) } }
    }
}
