/// A text on its way in: hashed, and durable already where it is too large for the journal.
enum PreparedText {
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

    /// Removes its temporary file, if there is one that was not put in place.
    func discard() {
        if case .large(_, let file) = self { file.discard() }
    }
}

/// A text that is to be saved as a note's newest version.
struct PreparedSave {
    var name: NoteName
    var label: String?
    var mergedFrom: [Int] = []
    var kind = VersionKind.save
    var text: PreparedText
}

extension NoteStore {
    func prepare(_ bytes: [UInt8]) throws -> PreparedText {
        if bytes.count <= Writer.journalLimit { return .small(ObjectID(of: bytes), bytes) }
        return try large { file in try bytes.withUnsafeBytes { try file.append($0) } }
    }

    private func large(_ fill: (IncomingObject) throws -> Void) throws -> PreparedText {
        if isReadOnly { throw StoreError.readOnly(folder) }
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

    /// - Parameter read: fills a buffer and returns how many bytes it put there; 0 at the end.
    func prepare(reading read: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> PreparedText {
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
}

extension Writer.Transaction {
    mutating func save(_ save: PreparedSave) throws -> Change {
        let note = try index.liveNote(save.name)
        let isMissing = try isMissing(save.text)
        if let note, save.mergedFrom.isEmpty {
            let head = try index.version(.head, of: note)
            if head.object == save.text.object {
                if isMissing { try keep(save.text, operation: nextOperation) }
                return try relabel(note, head, save.label)
            }
        }
        let operation = try newVersion(
            of: note, name: save.name, object: save.text.object, size: save.text.size,
            kind: save.mergedFrom.isEmpty ? save.kind : .merge, mergedFrom: save.mergedFrom, label: save.label,
            journaled: isMissing ? save.text.journaledSize : 0)
        if isMissing { try keep(save.text, operation: operation) }
        return try change(to: note?.ordinal ?? index.noteCount(), isNew: true)
    }

    /// Whether the text has to be written: always, but where some version has it and its file gives its hash. A copy
    /// is never trusted for its name alone (invariant 2), nor for being there by chance: a file that
    /// no version has may not be durable.
    func isMissing(_ text: PreparedText) throws -> Bool {
        guard try index.contains(text.object) else { return true }
        return try !objects.isWhole(text.object, size: text.size)
    }

    mutating func keep(_ text: PreparedText, operation: Int) throws {
        switch text {
        case .small(let object, let bytes): try keep(bytes, as: object, operation: operation)
        case .large(let object, let file):
            try place(file, as: object)
            if file.size > Outline.blockSize { try index.setOutline(file.outline, of: object) }
        }
    }
}
