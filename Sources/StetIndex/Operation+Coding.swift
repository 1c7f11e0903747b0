internal import StetObjects

// The payload of a log record: kind, time, fields. docs/format.md describes it for other readers; numbers are LEB128,
// texts and names a length and their bytes. A kind that is not known here refuses writing: a newer Stet made it.

private enum Kind: UInt8 {
    case begin = 1
    case save = 2
    case undo = 3
    case redo = 4
    case rename = 5
    case delete = 6
    case undelete = 7
    case label = 8
    case pin = 9
    case unpin = 10
    case ref = 11
    case unref = 12
}

/// What the flag byte of a save says.
private enum SaveFlag {
    static let created: UInt8 = 1
    static let labelled: UInt8 = 2
}

extension Operation {
    private var kind: Kind {
        switch self {
        case .begin: .begin
        case .save: .save
        case .undo: .undo
        case .redo: .redo
        case .rename: .rename
        case .delete: .delete
        case .undelete: .undelete
        case .label: .label
        case .pin: .pin
        case .unpin: .unpin
        case .ref: .ref
        case .unref: .unref
        }
    }

    /// The payload of this operation's record.
    package func encoded(at time: Timestamp) -> [UInt8] {
        var writer = PayloadWriter()
        writer.bytes.append(kind.rawValue)
        writer.signed(time.milliseconds)
        switch self {
        case .begin(let begin): writer.write(begin)
        case .save(let save): writer.write(save)
        case .undo(let note, let from, let to), .redo(let note, let from, let to):
            writer.numbers(note, from, to)
        case .rename(let moves):
            writer.numbers(moves.count)
            for move in moves { writer.write(move) }
        case .delete(let notes):
            writer.numbers(notes.count)
            for note in notes { writer.numbers(note) }
        case .undelete(let move): writer.write(move)
        case .label(let note, let number, let text):
            writer.numbers(note, number)
            writer.counted(Array(text.utf8))
        case .pin(let note, let number), .unpin(let note, let number), .ref(let note, let number),
            .unref(let note, let number):
            writer.numbers(note, number)
        }
        return writer.bytes
    }

    /// The operation and its time in `payload`.
    ///
    /// - Throws: `PayloadError` where it is cut short, holds a kind of a newer format, or goes on after its end.
    package static func decode(_ payload: [UInt8], device: DeviceID) throws(PayloadError) -> (Operation, Timestamp) {
        var reader = PayloadReader(payload)
        guard let kind = Kind(rawValue: try reader.byte()) else { throw .unknownKind(payload[0]) }
        let time = Timestamp(milliseconds: try reader.signed())
        let operation: Operation =
            switch kind {
            case .begin: .begin(try reader.begin(device))
            case .save: .save(try reader.save())
            case .undo: .undo(note: try reader.number(), from: try reader.number(), to: try reader.number())
            case .redo: .redo(note: try reader.number(), from: try reader.number(), to: try reader.number())
            case .rename: .rename(try reader.list { reader throws(PayloadError) in try reader.move() })
            case .delete: .delete(try reader.list { reader throws(PayloadError) in try reader.number() })
            case .undelete: .undelete(try reader.move())
            case .label: .label(note: try reader.number(), number: try reader.number(), text: try reader.text())
            case .pin: .pin(note: try reader.number(), number: try reader.number())
            case .unpin: .unpin(note: try reader.number(), number: try reader.number())
            case .ref: .ref(note: try reader.number(), number: try reader.number())
            case .unref: .unref(note: try reader.number(), number: try reader.number())
            }
        guard reader.isAtEnd else { throw .malformed }
        return (operation, time)
    }
}

/// A record's payload that cannot be understood.
package enum PayloadError: Error, Equatable {
    case malformed
    case unknownKind(UInt8)
}

private struct PayloadWriter {
    var bytes: [UInt8] = []

    mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Zigzag: small numbers of either sign stay short.
    mutating func signed(_ value: Int64) { unsigned(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

    mutating func numbers(_ values: Int...) {
        for value in values { unsigned(UInt64(value)) }
    }

    mutating func counted(_ value: [UInt8]) {
        numbers(value.count)
        bytes += value
    }

    mutating func write(_ begin: Operation.Begin) {
        bytes += begin.store
        bytes += begin.previous?.device.bytes ?? [UInt8](repeating: 0, count: DeviceID.byteCount)
        numbers(begin.previous?.sequence ?? 0)
        bytes += begin.previous?.check ?? [UInt8](repeating: 0, count: RecordFrame.checkLength)
    }

    mutating func write(_ save: Operation.Save) {
        let flags = (save.created == nil ? 0 : SaveFlag.created) | (save.label == nil ? 0 : SaveFlag.labelled)
        bytes.append(flags)
        bytes.append(UInt8(save.kind.rawValue))
        numbers(save.note, save.number, save.parents.count)
        for parent in save.parents { numbers(parent) }
        bytes += save.object.bytes
        numbers(save.size)
        if let created = save.created {
            bytes += created.id.bytes
            counted(created.name.bytes)
        }
        if let label = save.label { counted(Array(label.utf8)) }
    }

    mutating func write(_ move: Operation.Move) {
        numbers(move.note)
        counted(move.name.bytes)
    }
}

private struct PayloadReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws(PayloadError) -> UInt8 { try take(1)[0] }

    mutating func take(_ count: Int) throws(PayloadError) -> [UInt8] {
        guard count >= 0, count <= bytes.count - position else { throw .malformed }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func unsigned() throws(PayloadError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let next = UInt64(try byte())
            if shift == 63, next > 1 { throw .malformed }
            value |= (next & 0x7F) << shift
            if next & 0x80 == 0 { return value }
        }
        throw .malformed
    }

    mutating func signed() throws(PayloadError) -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func number() throws(PayloadError) -> Int {
        guard let value = Int(exactly: try unsigned()) else { throw .malformed }
        return value
    }

    mutating func counted() throws(PayloadError) -> [UInt8] { try take(try number()) }

    mutating func text() throws(PayloadError) -> String {
        guard let text = String(validating: try counted(), as: UTF8.self) else { throw .malformed }
        return text
    }

    mutating func name() throws(PayloadError) -> NoteName {
        guard let name = try? NoteName(bytes: try counted()) else { throw .malformed }
        return name
    }

    mutating func list<Element>(
        _ element: (inout PayloadReader) throws(PayloadError) -> Element
    ) throws(PayloadError) -> [Element] {
        let count = try number()
        // Every element takes a byte at least; a count that cannot be true must not reserve memory.
        guard count <= bytes.count - position else { throw .malformed }
        var result: [Element] = []
        for _ in 0..<count { result.append(try element(&self)) }
        return result
    }

    mutating func begin(_ device: DeviceID) throws(PayloadError) -> Operation.Begin {
        let store = try take(NoteID.byteCount)
        let previous = try take(DeviceID.byteCount)
        let sequence = try number()
        let check = try take(RecordFrame.checkLength)
        guard sequence > 0, let before = DeviceID(bytes: previous) else {
            return Operation.Begin(device: device, store: store, previous: nil)
        }
        return Operation.Begin(
            device: device, store: store, previous: .init(device: before, sequence: sequence, check: check))
    }

    mutating func save() throws(PayloadError) -> Operation.Save {
        let flags = try byte()
        guard flags & ~(SaveFlag.created | SaveFlag.labelled) == 0, let kind = VersionKind(rawValue: Int(try byte()))
        else { throw .malformed }
        let note = try number()
        let number = try number()
        let parents = try list { reader throws(PayloadError) in try reader.number() }
        guard let object = ObjectID(bytes: try take(ObjectID.byteCount)) else { throw .malformed }
        var save = Operation.Save(
            note: note, number: number, parents: parents, kind: kind, object: object, size: try self.number(),
            created: nil, label: nil)
        if flags & SaveFlag.created != 0 {
            guard let id = NoteID(bytes: try take(NoteID.byteCount)) else { throw .malformed }
            save.created = .init(id: id, name: try name())
        }
        if flags & SaveFlag.labelled != 0 { save.label = try text() }
        return save
    }

    mutating func move() throws(PayloadError) -> Operation.Move {
        Operation.Move(note: try number(), name: try name())
    }
}
