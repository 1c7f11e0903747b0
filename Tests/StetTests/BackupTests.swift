import Foundation
import Stet
import StetIndex
import Synchronization
import Testing
import TestSupport

// A backup is a store of its own with all that the store had at one moment.

extension StoreFixture {
    /// Where backups of the store go.
    var copy: String { temporary.appending("copy") }

    /// The backup, opened.
    func openCopy(_ access: NoteStore.Access = .readOnly) throws -> NoteStore {
        try NoteStore.open(at: copy, access: access, clock: clock.clock)
    }

    /// The backup is whole and says what the store says.
    func expectCopyIsEqual(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let copied = try openCopy()
        #expect(try copied.verify().problems == [], sourceLocation: sourceLocation)
        #expect(try copied.state() == store.state(), sourceLocation: sourceLocation)
    }
}

/// All that a store says of one note.
struct NoteState: Equatable {
    var note: Note
    var versions: [Version]
    var texts: [[UInt8]]
    var names: [FormerName]
}

extension NoteStore {
    /// All that the store says of its notes.
    func state() throws -> [NoteState] {
        try (notes() + notes(deleted: true)).map { note in
            let versions = try history(of: note)
            return NoteState(
                note: note, versions: versions, texts: try versions.map { try text(of: $0) },
                names: try formerNames(of: note))
        }
    }

    /// Some of everything.
    func makeHistory() throws {
        for number in 1...3 { try put("v\(number)\n", "n", label: "label \(number)") }
        try undo(.called("n"), steps: 2)
        try put("branch\n", "n")
        _ = try save([SaveRequest(bytes("merged\n"), as: NoteName("n"), mergedFrom: [3])])
        try put("gone\n", "gone")
        try delete([.called("gone")])
        try put("", "empty")
        try put("same\n", "work/a")
        try put("same\n", "work/b")
        try rename([
            Renaming(.called("work/a"), to: NoteName("work/b")), Renaming(.called("work/b"), to: NoteName("x")),
        ])
        try save(patterned(100_000), as: NoteName("large"))
        try save(patterned(2_500_000), as: NoteName("larger"))
        try pin(.number(1), of: .called("n"))
        _ = try bookmark(.called("n"), .number(2))
    }
}

@Test(arguments: [false, true])
func backupIsAStoreWithAllThatTheStoreHas(flushed: Bool) throws {
    let fixture = try StoreFixture()
    try fixture.store.makeHistory()
    if flushed { try fixture.store.flush() }
    let report = try fixture.store.backup(to: fixture.copy)
    #expect(report.folder == fixture.copy)
    #expect((report.notes, report.versions) == (7, 11))
    #expect((report.copied, report.alreadyThere, report.problems) == (10, 0, []))
    #expect(report.copiedBytes == 2_600_033)
    try fixture.expectCopyIsEqual()
    for folder in ["", "/caches", "/oplog", "/caches/objects"] {
        #expect(try Files.permissions(of: fixture.copy + folder) == 0o700)
    }
    #expect(try Files.list(fixture.copy + "/caches/incoming").isEmpty)
    // Each text is a file, as it is in the store.
    let texts = try Files.tree(fixture.copy + "/caches/objects")
    #expect(try texts == Files.tree(fixture.folder + "/caches/objects"))
    #expect(try Files.tree(fixture.copy + "/oplog") == Files.tree(fixture.folder + "/oplog"))
    try fixture.expectSound()
}

@Test func textThatOnlyTheJournalHasIsInTheBackup() throws {
    let fixture = try StoreFixture()
    let object = try fixture.store.put("in the journal\n", "n").version.object
    try Files.remove(fixture.path(of: object))
    #expect(try fixture.store.backup(to: fixture.copy).copied == 1)
    try fixture.expectCopyIsEqual()
    #expect(Files.exists(fixture.copy + "/caches/objects/" + object.description.prefix(2)))
}

@Test func nextBackupCopiesOnlyWhatIsNew() throws {
    let fixture = try StoreFixture()
    try fixture.store.makeHistory()
    _ = try fixture.store.backup(to: fixture.copy)
    func files() throws -> [String: UInt64] {
        let objects = fixture.copy + "/caches/objects/"
        return try Dictionary(
            uniqueKeysWithValues: Files.tree(objects).keys.map { name in
                (name, try #require(try FileSystem.status(objects + name)).inode)
            })
    }
    let before = try files()
    for number in 1...3 {
        try fixture.store.put("new \(number)\n", "n")
        try fixture.store.undo(.called("n"))
        let report = try fixture.store.backup(to: fixture.copy)
        #expect((report.copied, report.copiedBytes, report.alreadyThere) == (1, 6, 9 + number))
        try fixture.expectCopyIsEqual()
        let nothing = try fixture.store.backup(to: fixture.copy)
        #expect((nothing.copied, nothing.copiedBytes, nothing.alreadyThere) == (0, 0, 10 + number))
        if number == 2 { try fixture.store.flush() }
    }
    #expect(try files().filter { before[$0.key] != nil } == before)
    try fixture.expectCopyIsEqual()
}

// Records go into several segments, and into the logs of several devices.
@Test(arguments: [false, true])
func backupHasEverySegmentAndDevice(stepwise: Bool) throws {
    let fixture = try StoreFixture()
    let label = String(repeating: "x", count: 990)
    for device in 1...3 {
        let store = try NoteStore.open(at: fixture.folder, clock: fixture.clock.clock, machine: [UInt8(device)])
        for number in 1...1_200 {
            try store.put("v\(number % 3)\n", "n\(number % 3)", label: label + "\(device).\(number)")
            if stepwise, number.isMultiple(of: 400) { _ = try store.backup(to: fixture.copy) }
        }
        try store.close()
    }
    _ = try fixture.store.backup(to: fixture.copy)
    #expect(try Files.list(fixture.copy + "/oplog").count == 3)
    #expect(try Files.tree(fixture.copy + "/oplog").keys.filter { $0.hasSuffix("00000002.log") }.count == 3)
    #expect(try Files.tree(fixture.copy + "/oplog") == Files.tree(fixture.folder + "/oplog"))
    try fixture.expectCopyIsEqual()
}

@Test func backupThatIsWrittenToGoesOnAsANewDevice() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    _ = try fixture.store.backup(to: fixture.copy)
    // On another file system the lock can have the same inode, so a backup does not say where it was written.
    #expect(try StoreIndex.openForReading(fixture.copy + "/index.sqlite").place() == nil)
    let devices = try Files.list(fixture.copy + "/oplog")
    let copy = try fixture.openCopy(.readWrite)
    let change = try copy.put("v2\n", "n")
    #expect(!devices.contains(change.version.id.device.description))
    try copy.close()
    #expect(try fixture.openCopy().verify().isClean)
    #expect(throws: BackupRefusal.diverged(fixture.copy)) { try fixture.store.backup(to: fixture.copy) }
    #expect(try fixture.openCopy().shown("n") == "v2\n")
    // What was not written to is a backup whoever opened it, and a backup can be backed up.
    let second = fixture.temporary.appending("second")
    _ = try fixture.openCopy().backup(to: second)
    try NoteStore.open(at: second, clock: fixture.clock.clock).close()
    _ = try fixture.openCopy().backup(to: second)
    #expect(try NoteStore.open(at: second, access: .readOnly, clock: fixture.clock.clock).verify().isClean)
}

// One moment: two notes that always change together are never seen apart.
@Test func backupOfAStoreInUseIsOfOneMoment() throws {
    let fixture = try StoreFixture()
    let names = try [NoteName("a"), NoteName("b")]
    @Sendable func save(_ number: Int, _ store: NoteStore) throws {
        let text = bytes("text \(number)\n") + patterned(number.isMultiple(of: 5) ? 70_000 : 0)
        _ = try store.save(names.map { SaveRequest(text, as: $0) })
    }
    try save(0, fixture.store)
    let writer = try NoteStore.open(at: fixture.folder, clock: fixture.clock.clock)
    let isDone = Atomic(false)
    let (source, target, clock) = (fixture.store, fixture.copy, fixture.clock.clock)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
        do {
            if thread == 0 {
                defer { isDone.store(true, ordering: .relaxed) }
                for number in 1...400 {
                    try save(number, writer)
                    if number % 7 == 3 { for name in names { try writer.undo(.name(name)) } }
                    if number % 7 == 5 {
                        try writer.rename([
                            Renaming(.called("a"), to: NoteName("b")), Renaming(.called("b"), to: NoteName("a")),
                        ])
                    }
                    if number % 50 == 49 { try writer.flush() }
                }
            } else {
                var round = 0
                while !isDone.load(ordering: .relaxed) || round < 3 {
                    let report = try source.backup(to: target)
                    let copy = try NoteStore.open(at: target, access: .readOnly, clock: clock)
                    let problems = try copy.verify().problems
                    if !problems.isEmpty { throw StoreError.damaged("\(problems)") }
                    let counts = try copy.notes().map { try copy.history(of: $0).count }
                    if Set(counts).count != 1 || counts.reduce(0, +) != report.versions {
                        throw StoreError.damaged("\(counts)")
                    }
                    round += 1
                }
            }
        } catch {
            failures.withLock { $0.append("\(thread): \(error)") }
            isDone.store(true, ordering: .relaxed)
        }
    }
    #expect(failures.withLock { $0 } == [])
    try writer.close()
    _ = try fixture.store.backup(to: fixture.copy)
    try fixture.expectCopyIsEqual()
    try fixture.expectSound()
}

// A reader of the backup keeps what it sees, and the next one sees the new state.
@Test func openBackupIsReadWhileItIsBroughtUpToDate() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    _ = try fixture.store.backup(to: fixture.copy)
    let reader = try fixture.openCopy()
    #expect(try reader.shown("n") == "v1\n")
    try fixture.store.put("v2\n", "n")
    _ = try fixture.store.backup(to: fixture.copy)
    #expect(try reader.shown("n") == "v2\n")
    #expect(try reader.verify().isClean)
    // Whoever has it open for writing, too.
    let writer = try fixture.openCopy(.readWrite)
    try fixture.store.put("v3\n", "n")
    _ = try fixture.store.backup(to: fixture.copy)
    try writer.put("own\n", "n")
    #expect(try reader.texts(.called("n")) == ["v1\n", "v2\n", "v3\n", "own\n"])
    #expect(try reader.verify().isClean)
}
