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

    // MARK: Texts on their way in

    /// A text that is hashed, and durable already where it is too large for the journal.
    private enum PreparedText {
        case small(ObjectID, [UInt8])
        case large(ObjectID, IncomingObject)

        var object: ObjectID {
            switch self {
            case .small(let object, _), .large(let object, _): object
            }
        }

        var size: Int {
            switch self {
            case .small(_, let bytes): bytes.count
            case .large(_, let file): file.size
            }
        }

        /// How much of it goes through the journal.
        var journaledSize: Int {
            if case .small(_, let bytes) = self { return bytes.count }
            return 0
        }
    }

    private struct PreparedSave {
        var name: NoteName
        var label: String?
        var mergedFrom: [Int]
        var text: PreparedText
    }

    private func prepare(_ bytes: [UInt8]) throws -> PreparedText {
        if bytes.count <= Writer.journalLimit { return .small(ObjectID(of: bytes), bytes) }
        return try large { file in try bytes.withUnsafeBytes { try file.append($0) } }
    }

    private func large(_ fill: (IncomingObject) throws -> Void) throws -> PreparedText {
        try requireWritable()
        let file = try objects.startIncoming()
        do {
            try fill(file)
            // Outside the lock: this is the part that takes time.
            try file.sync()
        } catch {
            file.discard()
            throw error
        }
        return .large(file.object, file)
    }

    private func prepare(reading read: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> PreparedText {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Outline.blockSize, alignment: 64)
        defer { buffer.deallocate() }
        func piece(after filled: Int) throws -> Int {
            try read(UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
        }
        var filled = 0
        while filled <= Writer.journalLimit {
            let count = try piece(after: filled)
            if count == 0 { return try prepare(Array(buffer[..<filled])) }
            filled += count
        }
        return try large { file in
            while filled > 0 {
                try file.append(UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
                filled = try piece(after: 0)
            }
        }
    }

    // MARK: The transaction

    private func save(prepared: [PreparedSave]) throws -> [Change] {
        defer {
            // What was put in place is gone from there, and what was not is wanted no more.
            for case .large(_, let file) in prepared.map(\.text) { file.discard() }
        }
        return try write { transaction in try prepared.map { try save($0, in: &transaction) } }
    }

    private func save(_ save: PreparedSave, in transaction: inout Writer.Transaction) throws -> Change {
        let note = try transaction.index.liveNote(save.name)
        let isMissing = try isMissing(save.text, in: transaction.index)
        if let note, save.mergedFrom.isEmpty {
            let head = try transaction.index.version(.head, of: note)
            if head.object == save.text.object {
                if isMissing { try keep(save.text, operation: transaction.nextOperation, in: &transaction) }
                return try transaction.relabel(note, head, save.label)
            }
        }
        let operation = try transaction.newVersion(
            of: note, name: save.name, object: save.text.object, size: save.text.size,
            kind: save.mergedFrom.isEmpty ? .save : .merge, mergedFrom: save.mergedFrom, label: save.label,
            journaled: isMissing ? save.text.journaledSize : 0)
        if isMissing { try keep(save.text, operation: operation, in: &transaction) }
        return try transaction.change(to: note?.ordinal ?? transaction.index.noteCount(), isNew: true)
    }

    /// Whether the text has to be written: always, but where some version has it and its file gives its hash. A copy
    /// is never trusted for its name alone (invariant 2), nor for being there by chance: a file that
    /// no version has may not be durable.
    private func isMissing(_ text: PreparedText, in index: StoreIndex) throws -> Bool {
        guard try index.contains(text.object) else { return true }
        return try !objects.isWhole(text.object, size: text.size)
    }

    private func keep(_ text: PreparedText, operation: Int, in transaction: inout Writer.Transaction) throws {
        switch text {
        case .small(let object, let bytes): try transaction.keep(bytes, as: object, operation: operation)
        // Placed before the commit, so that no durable version ever lacks its text; replaces a damaged copy.
        case .large(let object, let file):
            try objects.placeDurably(file, as: object)
            if file.size > Outline.blockSize { try transaction.index.setOutline(file.outline, of: object) }
        }
    }

    private func requireWritable() throws {
        if isReadOnly { throw StoreError.readOnly(folder) }
    }
}
