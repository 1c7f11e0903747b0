import CSQLite
import Foundation
import Migrations
import StetIndex
import Testing
import TestSupport

/// Runs `sql` on the database at `path`, past everything of Stet's.
private func run(_ sql: String, _ path: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
}

@Test func migrationsAreTheFilesOnDiskInOrder() throws {
    let folder = Files.project + "/Migrations"
    let files = try Files.list(folder).filter { $0.hasSuffix(".sql") }
    #expect(!files.isEmpty)
    #expect(Migrations.all.map { $0.name + ".sql" } == files)
    for (step, file) in zip(Migrations.all, files) {
        #expect(try Files.bytes(at: folder + "/" + file) == step.sql)
    }
    // Numbered without gaps, so that user_version counts them.
    #expect(files.enumerated().allSatisfy { $1.hasPrefix(String(format: "%04d_", $0 + 1)) })
}

@Test func newIndexIsOpenedAgainAndBelongsToItsOwnerAlone() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.appending("index.sqlite")
    #expect(try StoreIndex.create(path).newestRecord() == nil)
    #expect(try Files.permissions(of: path) == 0o600)
    #expect(try StoreIndex.openForWriting(path).noteCount() == 0)
    #expect(try StoreIndex.openForReading(path).noteCount() == 0)
    #expect(try StoreIndex.create(path).noteCount() == 0)
}

@Test func indexOfANewerLayoutIsRefusedAndNotChanged() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.appending("index.sqlite")
    _ = try StoreIndex.create(path)
    try run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA user_version = \(Migrations.all.count + 1)", path)
    try run("PRAGMA wal_checkpoint(TRUNCATE)", path)
    let before = try Files.bytes(at: path)
    #expect(throws: LayoutError.tooNew(path)) { try StoreIndex.openForWriting(path) }
    #expect(throws: LayoutError.tooNew(path)) { try StoreIndex.openForReading(path) }
    #expect(throws: LayoutError.tooNew(path)) { try StoreIndex.create(path) }
    #expect(try Files.bytes(at: path) == before)
    let log = path + "-wal"
    #expect(try !Files.exists(log) || Files.bytes(at: log).isEmpty)
}

@Test func databaseOfSomethingElseIsRefusedAndNotChanged() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.appending("index.sqlite")
    for sql in [
        "CREATE TABLE theirs (x)", "CREATE TABLE theirs (x); PRAGMA user_version = 1", "PRAGMA application_id = 7",
    ] {
        try? Files.remove(path)
        try run(sql, path)
        let before = try Files.bytes(at: path)
        #expect(throws: LayoutError.notAnIndex(path)) { try StoreIndex.openForWriting(path) }
        #expect(throws: LayoutError.notAnIndex(path)) { try StoreIndex.openForReading(path) }
        #expect(throws: LayoutError.notAnIndex(path)) { try StoreIndex.create(path) }
        #expect(try Files.bytes(at: path) == before)
    }
}

// B63: a file that is no database, or an empty one, is never taken for an index nor made one on opening.
@Test func fileThatIsNoIndexIsRefusedAndNotChanged() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.appending("index.sqlite")
    for text in [[], bytes("garbage\n"), [UInt8](repeating: 0, count: 8_192), [UInt8](repeating: 0x41, count: 8_192)] {
        try Files.overwrite(path, with: text)
        #expect(throws: (any Error).self) { try StoreIndex.openForWriting(path) }
        #expect(throws: (any Error).self) { try StoreIndex.openForReading(path) }
        #expect(try Files.bytes(at: path) == text)
    }
    try Files.remove(path)
    #expect(throws: DatabaseError.self) { try StoreIndex.openForWriting(path) }
    #expect(throws: DatabaseError.self) { try StoreIndex.openForReading(path) }
    #expect(!Files.exists(path))
}

@Test(arguments: ["a?b", "a#b", "a%41b", "a b", "é", "a&mode=memory"])
func indexStandsInAFolderOfAnyName(name: String) throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.appending(name)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    _ = try StoreIndex.create(folder + "/index.sqlite")
    #expect(Files.exists(folder + "/index.sqlite"))
    #expect(try StoreIndex.openForReading(folder + "/index.sqlite").noteCount() == 0)
    #expect(try Files.list(temporary.path) == [name])
}
