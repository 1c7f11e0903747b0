import CSQLite
import Foundation
import Migrations
import StetIndex
import StetObjects
import Testing
import TestSupport

private let pageSize = 4096

/// An index with a few hundred notes, all of it in its file.
private func filledIndex(_ path: String, _ index: StoreIndex) throws {
    try index.write {
        let begin = Operation.Begin(device: .random(), store: randomBytes(16), previous: nil)
        try index.apply(TimedOperation(number: 1, time: Timestamp(milliseconds: 0), operation: .begin(begin)))
        for note in 1...300 {
            let save = Operation.Save(
                note: note, number: 1, parents: [], kind: .save, object: ObjectID(of: bytes("\(note)")), size: 4,
                created: .init(id: .random(), name: try NoteName("note \(note)")), label: nil)
            let time = Timestamp(milliseconds: Int64(note))
            try index.apply(TimedOperation(number: note + 1, time: time, operation: .save(save)))
        }
    }
    try index.checkpoint(emptying: true)
    #expect(try Files.bytes(at: path + "-wal").isEmpty)
}

/// Reads every page.
private func readAll(_ path: String) throws { _ = try StoreIndex.openForReading(path).snapshot() }

private func isDamage(_ error: any Error) -> Bool { (error as? DatabaseError)?.isDamage ?? (error is LayoutError) }

// Values from another implementation (python-xxhash 3).
@Test(
    arguments: [
        (32, 0, 0xba7b_afd4_7342_62dd), (504, 1, 0x667f_8799_dbee_d400), (4088, 1, 0x7dba_ed2d_728d_29af),
        (4088, 1 << 33, 0x97ca_4e02_a8b0_0d27), (40, 7, 0x2380_445d_d5ac_f46c),
    ] as [(Int, UInt64, UInt64)])
func checksumIsTheHashThatOthersCallXXH64(count: Int, seed: UInt64, hash: UInt64) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) }
    #expect(bytes.withUnsafeBytes { XXH64.hash($0, seed: seed) } == hash)
}

@Test func everyPageOfANewIndexHasItsChecksum() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.appending("index.sqlite")
    try filledIndex(path, StoreIndex.create(path))
    let file = try Files.bytes(at: path)
    #expect(file.count > 20 * pageSize && file[20] == 8)
    for start in stride(from: 0, to: file.count, by: pageSize) {
        let page = file[start..<start + pageSize - 8]
        let hash = Array(page).withUnsafeBytes { XXH64.hash($0, seed: UInt64(start / pageSize + 1)) }
        #expect(
            Array(file[start + pageSize - 8..<start + pageSize]) == withUnsafeBytes(of: hash.littleEndian, Array.init))
    }
    try readAll(path)
}

// B63, B66: no bit of it can change unnoticed, those that tell of the checksums included.
@Test func everyFlippedBitOfAnIndexIsDamage() throws {
    var random = SplitMix64.forTest()
    let temporary = try TemporaryFolder()
    let path = temporary.appending("index.sqlite")
    try filledIndex(path, StoreIndex.create(path))
    let size = try Files.bytes(at: path).count
    let pages = stride(from: 0, to: size, by: pageSize).flatMap { [$0, $0 + pageSize / 2, $0 + pageSize - 1] }
    let others = (0..<100).map { _ in Int.random(in: 0..<size, using: &random) }
    for offset in Array(0..<100) + pages + others {
        let bits = offset == 20 ? Array(0..<8) : [Int.random(in: 0..<8, using: &random)]
        for bit in bits {
            let flip: (inout [UInt8]) -> Void = { $0[offset] ^= 1 << bit }
            try Files.modify(path, flip)
            #expect("byte \(offset), bit \(bit)") { try readAll(path) } throws: { isDamage($0) }
            try Files.modify(path, flip)
        }
    }
    try readAll(path)
}

@Test(arguments: ["exchanged", "cut", "zeros", "other size"])
func pagesThatAreNotWhereTheyBelongAreDamage(kind: String) throws {
    let temporary = try TemporaryFolder()
    let path = temporary.appending("index.sqlite")
    try filledIndex(path, StoreIndex.create(path))
    try Files.modify(path) { file in
        let second = file[2 * pageSize..<3 * pageSize]
        switch kind {
        case "exchanged":
            file.replaceSubrange(2 * pageSize..<3 * pageSize, with: file[3 * pageSize..<4 * pageSize])
            file.replaceSubrange(3 * pageSize..<4 * pageSize, with: second)
        case "cut": file.removeLast(100)
        case "zeros": for offset in pageSize..<pageSize + 4000 { file[offset] = 0 }
        default: file[16] = 0x20
        }
    }
    #expect { try readAll(path) } throws: { isDamage($0) }
}

// The log that other programs fold in has no checksums, and what they put there is no damage.
@Test func otherProgramsReadAnIndexAndFoldItsLogIn() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.appending("index.sqlite")
    try filledIndex(path, StoreIndex.create(path))
    let index = try StoreIndex.openForWriting(path)
    // Pages that are read and changed, new ones, and ones that are freed again.
    try index.write { for note in 1...300 { try index.apply(label(note, "words \(note)")) } }
    try index.write { for note in 1...299 { try index.apply(label(note, "")) } }
    let fold = """
        import sqlite3, sys
        connection = sqlite3.connect(sys.argv[1])
        print(connection.execute("SELECT text FROM label").fetchall(), connection.execute("PRAGMA integrity_check").fetchone(),
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        """
    let run = try CommandRun.run("/usr/bin/env", ["python3", "-c", fold, path], in: temporary.path)
    #expect(run.text == "[('words 300',)] ('ok',) 0\n", "\(run.errors)")
    #expect(try Files.bytes(at: path + "-wal").isEmpty)
    try readAll(path)
    // What is written here afterwards has one again.
    try index.write { for note in 1...300 { try index.apply(label(note, "other words \(note)")) } }
    try index.checkpoint(emptying: true)
    try readAll(path)
}

private func label(_ note: Int, _ text: String) -> TimedOperation {
    TimedOperation(
        number: 1000, time: Timestamp(milliseconds: 0), operation: .label(note: note, number: 1, text: text))
}

@Test func indexFromBeforeChecksumsGoesOnWithoutThem() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.appending("index.sqlite")
    var handle: OpaquePointer?
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    let steps = Migrations.all.map { String(decoding: $0.sql, as: UTF8.self) }
    let rest = "PRAGMA application_id = 0x73746574; PRAGMA user_version = \(steps.count); PRAGMA journal_mode = WAL"
    for sql in steps + [rest] { try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK) }
    try #require(sqlite3_close(handle) == SQLITE_OK)
    let index = try StoreIndex.openForWriting(path)
    try filledIndex(path, index)
    #expect(try Files.bytes(at: path)[20] == 0)
    try readAll(path)
    // Nor does what such an index is copied to begin to look for them, or the other way round.
    for (source, number) in [(index, 1), (try StoreIndex.create(temporary.appending("new")), 2)] {
        let copy = temporary.appending("copy \(number)")
        let target = try StoreIndex.create(copy)
        try source.snapshot().replace(target)
        try target.checkpoint(emptying: true)
        #expect(try Files.bytes(at: copy)[20] == (number == 1 ? 0 : 8))
        try readAll(copy)
    }
}
