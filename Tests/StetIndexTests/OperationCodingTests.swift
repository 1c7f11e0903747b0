import StetIndex
import StetObjects
import Testing
import TestSupport

/// Makes operations of every kind, with numbers and texts of every length.
struct OperationSource {
    var random: SplitMix64

    init(_ random: SplitMix64) { self.random = random }

    mutating func number() -> Int {
        // Every length of LEB128 is as likely as any other.
        Int(truncatingIfNeeded: random.next() >> UInt64.random(in: 1...63, using: &random))
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    mutating func text(_ longest: Int) -> String {
        let letters = ["a", "é", "e\u{301}", "漢", "👩‍👩‍👧‍👦", " ", "\\", "-", "."]
        return (0..<Int.random(in: 1...longest, using: &random)).map { _ in
            letters[Int.random(in: letters.indices, using: &random)]
        }.joined() + "x"
    }

    mutating func name() throws -> NoteName { try NoteName(text(5) + "/" + text(5)) }

    mutating func numbers(_ longest: Int) -> [Int] {
        (0..<Int.random(in: 0...longest, using: &random)).map { _ in number() }
    }

    mutating func device() throws -> DeviceID { try #require(DeviceID(bytes: bytes(DeviceID.byteCount))) }

    mutating func operation(kind: Int, device: DeviceID) throws -> Operation {
        switch kind {
        case 1:
            return .begin(
                .init(
                    device: device, store: bytes(16),
                    previous: Bool.random(using: &random)
                        ? nil : .init(device: try self.device(), sequence: max(1, number()), check: bytes(8))))
        case 2:
            let kind = try #require(VersionKind(rawValue: Int.random(in: 1...5, using: &random)))
            return .save(
                .init(
                    note: number(), number: number(), parents: numbers(4), kind: kind,
                    object: try #require(ObjectID(bytes: bytes(32))), size: number(),
                    created: Bool.random(using: &random)
                        ? nil : .init(id: try #require(NoteID(bytes: bytes(16))), name: try name()),
                    label: Bool.random(using: &random) ? nil : text(30)))
        case 3: return .undo(note: number(), from: number(), to: number())
        case 4: return .redo(note: number(), from: number(), to: number())
        case 5: return .rename(try numbers(20).map { .init(note: $0, name: try name()) })
        case 6: return .delete(numbers(20))
        case 7: return .undelete(.init(note: number(), name: try name()))
        case 8:
            return .label(note: number(), number: number(), text: Bool.random(using: &random) ? "" : text(100))
        case 9: return .pin(note: number(), number: number())
        case 10: return .unpin(note: number(), number: number())
        case 11: return .ref(note: number(), number: number())
        default: return .unref(note: number(), number: number())
        }
    }

    mutating func time() -> Timestamp {
        let edges: [Int64] = [0, 1, -1, .max, .min, 1_800_000_000_000, 63, 64, -64, -65]
        return Timestamp(milliseconds: edges.randomElement(using: &random) ?? 0)
    }
}

@Test func everyKindOfOperationIsReadBackAsItWas() throws {
    var source = OperationSource(SplitMix64.forTest())
    for round in 0..<4_000 {
        let device = try source.device()
        let operation = try source.operation(kind: round % 12 + 1, device: device)
        let time = source.time()
        let payload = operation.encoded(at: time)
        #expect(payload.first == UInt8(round % 12 + 1))
        let (decoded, decodedTime) = try Operation.decode(payload, device: device)
        #expect(decoded == operation)
        #expect(decodedTime == time)
    }
}

@Test func payloadThatIsCutShortOrGoesOnIsRefused() throws {
    var source = OperationSource(SplitMix64.forTest())
    for round in 0..<240 {
        let device = try source.device()
        let payload = try source.operation(kind: round % 12 + 1, device: device).encoded(at: source.time())
        for length in 0..<payload.count {
            #expect(throws: PayloadError.malformed) {
                try Operation.decode(Array(payload.prefix(length)), device: device)
            }
        }
        for byte in [UInt8(0), 1, 0x80, 0xFF] {
            #expect(throws: PayloadError.malformed) { try Operation.decode(payload + [byte], device: device) }
        }
    }
}

@Test func randomBytesAreAnOperationOrRefusedAndNeverACrash() throws {
    var source = OperationSource(SplitMix64.forTest())
    let device = try source.device()
    var accepted = 0
    for round in 0..<60_000 {
        var payload = source.bytes(Int.random(in: 0...40, using: &source.random))
        if !payload.isEmpty { payload[0] = UInt8(round % 14) }
        guard let (operation, time) = try? Operation.decode(payload, device: device) else { continue }
        accepted += 1
        // What was taken means one thing: written again it is read as the same.
        let (again, sameTime) = try Operation.decode(operation.encoded(at: time), device: device)
        #expect(again == operation)
        #expect(sameTime == time)
        #expect((try? Operation.decode(payload + [0], device: device)) == nil)
    }
    #expect(accepted > 0)
}

@Test func damagedOperationsAreRefusedOrReadAndNeverACrash() throws {
    var source = OperationSource(SplitMix64.forTest())
    let device = try source.device()
    for round in 0..<20_000 {
        var payload = try source.operation(kind: round % 12 + 1, device: device).encoded(at: source.time())
        for _ in 0..<Int.random(in: 1...3, using: &source.random) {
            payload[Int.random(in: payload.indices, using: &source.random)] ^= UInt8.random(
                in: 1...255, using: &source.random)
        }
        guard let (operation, time) = try? Operation.decode(payload, device: device) else { continue }
        #expect(try Operation.decode(operation.encoded(at: time), device: device).0 == operation)
    }
}

@Test func unknownKindIsToldFromDamage() throws {
    let device = try #require(DeviceID(bytes: [UInt8](repeating: 1, count: 8)))
    for kind in [UInt8(0)] + Array(13...255) {
        #expect(throws: PayloadError.unknownKind(kind)) { try Operation.decode([kind, 0, 1, 2], device: device) }
    }
    #expect(throws: PayloadError.malformed) { try Operation.decode([], device: device) }
}

// A count that cannot be true must not reserve memory for it, nor a length be added up past the largest number.
@Test(
    arguments: [
        [6, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
        [5, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1],
        [8, 0, 1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
        [8, 0, 1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        [9, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02, 1],
        [9, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 1],
    ] as [[UInt8]])
func numbersThatCannotBeTrueAreRefused(payload: [UInt8]) throws {
    let device = try #require(DeviceID(bytes: [UInt8](repeating: 1, count: 8)))
    #expect(throws: PayloadError.malformed) { try Operation.decode(payload, device: device) }
}

// B23: a log that was tampered with brings no name in that could not be saved.
@Test(arguments: ["../evil", "/abs", "a\0b", ""])
func namesOfALogAreCheckedLikeAnyOther(name: String) throws {
    let device = try #require(DeviceID(bytes: [UInt8](repeating: 1, count: 8)))
    let payload = [7, 0, 1, UInt8(name.utf8.count)] + bytes(name)
    #expect(throws: PayloadError.malformed) { try Operation.decode(payload, device: device) }
    #expect(throws: PayloadError.malformed) { try Operation.decode([8, 0, 1, 1, 1, 0xFF], device: device) }
}

// docs/format.md, written out by hand: what another reader would make of it.
@Test func payloadIsTheOneThatTheFormatDescribes() throws {
    let object = ObjectID(of: bytes("v1\n"))
    let save = Operation.save(
        .init(
            note: 300, number: 2, parents: [1, 7], kind: .merge, object: object, size: 3,
            created: .init(id: try #require(NoteID(bytes: Array(1...16))), name: try NoteName("é")), label: "ok"))
    let expected: [UInt8] =
        [2, 0x01, 3, 5, 0xAC, 0x02, 2, 2, 1, 7] + object.bytes + [3] + Array(1...16) + [2, 0xC3, 0xA9, 2, 0x6F, 0x6B]
    #expect(save.encoded(at: Timestamp(milliseconds: -1)) == expected)
    #expect(Operation.undo(note: 1, from: 3, to: 2).encoded(at: Timestamp(milliseconds: 1)) == [3, 2, 1, 3, 2])
}
