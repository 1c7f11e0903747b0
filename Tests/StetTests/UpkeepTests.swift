import CSQLite
import Foundation
import Stet
import StetIndex
import StetObjects
import Synchronization
import Testing
import TestSupport

/// Waits until `body` is true; somebody else makes it so.
private func wait(for what: String, _ body: () throws -> Bool) throws {
    let deadline = Date.now + 60
    while try !body() {
        try #require(Date.now < deadline, "never: \(what)")
        usleep(2_000)
    }
}

/// A program of somebody else's that reads the index without end.
private final class ForeignReader {
    private let handle: OpaquePointer

    init(_ path: String) throws {
        var opened: OpaquePointer?
        try #require(sqlite3_open(path, &opened) == SQLITE_OK)
        handle = try #require(opened)
        try #require(sqlite3_exec(handle, "BEGIN; SELECT count(*) FROM note", nil, nil, nil) == SQLITE_OK)
    }

    deinit { sqlite3_close(handle) }
}

extension StoreFixture {
    fileprivate var logSize: Int {
        get throws { try Files.exists(index + "-wal") ? Files.bytes(at: index + "-wal").count : 0 }
    }
    fileprivate var index: String { folder + "/index.sqlite" }

    fileprivate func oldestRecord() throws -> Int {
        try StoreIndex.openForReading(index).oldestRecord()?.operation ?? 0
    }

    fileprivate func journalIsEmpty() throws -> Bool {
        try StoreIndex.openForReading(index).journalObjects().isEmpty
    }
}

struct UpkeepTests {
    @Test(arguments: [(1_100, 10), (100, 60_000)])
    func savesThatMakeAFlushDueAreFlushedBesideOthers(_ count: Int, _ size: Int) throws {
        let fixture = try StoreFixture()
        var generator = SplitMix64.forTest()
        for number in 0..<count {
            var text = patterned(size)
            text.replaceSubrange(0..<8, with: withUnsafeBytes(of: generator.next()) { Array($0) })
            try fixture.store.save(text, as: NoteName("n\(number % 7)"))
        }
        try wait(for: "a flush") { try fixture.oldestRecord() > 1 }
        #expect(fixture.store.upkeepFailure == nil)
        try fixture.expectSound()
        try fixture.store.flush()
        #expect(try fixture.journalIsEmpty())
        try fixture.store.close()
    }

    @Test func storeThatStaysOpenIsFoldedInWhenIdle() throws {
        let fixture = try StoreFixture()
        try fixture.store.put("v1\n", "n")
        try fixture.store.put("v2\n", "n")
        try wait(for: "an empty log") { try fixture.logSize == 0 }
        #expect(try fixture.journalIsEmpty())
        // Once more, after the first rest.
        try fixture.store.put("v3\n", "n")
        #expect(try fixture.logSize > 0)
        try wait(for: "an empty log") { try fixture.logSize == 0 }
        try fixture.expectSound()
    }

    // B12: however many read all the time, the log of changes stays short.
    @Test func logIsBoundedWhileManyRead() throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try store.put("v1\n", "n")
        let isOver = Mutex(false)
        let readers = DispatchGroup()
        for _ in 0..<3 {
            Thread.detachNewThread {
                readers.enter()
                defer { readers.leave() }
                while !isOver.withLock({ $0 }) { _ = try? store.history(of: store.find(.called("n"))) }
            }
        }
        for number in 0..<400 {
            try store.save(patterned(50_000 + number), as: NoteName("n"))
            #expect(try fixture.logSize < 64 << 20)
        }
        isOver.withLock { $0 = true }
        readers.wait()
        try store.flush()
        #expect(try fixture.logSize == 0)
        try fixture.expectSound()
    }

    @Test func foreignReaderThatKeepsTheLogLongIsNamed() throws {
        let fixture = try StoreFixture()
        try fixture.store.put("v1\n", "n")
        try fixture.store.flush()
        try fixture.store.put("v2\n", "n")
        var reader: ForeignReader? = try ForeignReader(fixture.index)
        withExtendedLifetime(reader) {}
        var number = 0
        while try fixture.logSize <= 65 << 20 {
            try fixture.store.save(patterned(60_000 + number), as: NoteName("n"))
            number += 1
        }
        let error = #expect(throws: StoreError.self) { try fixture.store.flush() }
        guard case .keptBack(fixture.index + "-wal", let holders)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(holders.contains { $0.hasSuffix("(process \(ProcessInfo.processInfo.processIdentifier))") })
        reader = nil
        try fixture.store.flush()
        #expect(try fixture.logSize == 0)
        try fixture.expectSound()
    }

    // Two at once: what the second one finds whole may not be synced yet by the first.
    @Test func flushIsTheOnlyOneOfItsStore() throws {
        let fixture = try StoreFixture()
        try fixture.store.put("v1\n", "n")
        let turn = try FileSystem.openFolder(fixture.folder + "/oplog")
        try #require(try FileSystem.tryLock(turn))
        // One that is only due leaves it to the other.
        for number in 0..<1_100 { try fixture.store.put("v\(number)\n", "n") }
        try fixture.store.close()
        #expect(try !fixture.journalIsEmpty())
        FileSystem.unlock(turn)
        try fixture.reopen()
        try fixture.store.flush()
        #expect(try fixture.journalIsEmpty())
        try fixture.expectSound()
    }

    // What memory shows of a file that somebody else wrote may be lost, if a sync failed that nobody told of.
    @Test func flushWritesAgainWhatAnotherWriterWrote() throws {
        let fixture = try StoreFixture()
        let object = try fixture.store.put("v1\n", "n").version.object
        try fixture.store.close()
        try fixture.reopen()
        let before = try FileSystem.status(fixture.path(of: object))?.inode
        let own = try fixture.store.put("v2\n", "n").version.object
        let ownBefore = try FileSystem.status(fixture.path(of: own))?.inode
        try fixture.store.flush()
        #expect(try FileSystem.status(fixture.path(of: object))?.inode != before)
        #expect(try FileSystem.status(fixture.path(of: own))?.inode == ownBefore)
        try fixture.expectSound()
    }

    // One that cannot be read, or holds something else, is written again too.
    @Test func flushWritesAgainWhatIsNotWhole() throws {
        let fixture = try StoreFixture()
        let object = try fixture.store.put("v1\n", "n").version.object
        try Files.overwrite(fixture.path(of: object), with: bytes("v9\n"))
        try fixture.store.flush()
        #expect(try Files.bytes(at: fixture.path(of: object)) == bytes("v1\n"))
        #expect(try fixture.journalIsEmpty())
        try fixture.expectSound()
    }
}

struct PlaceTests {
    // Another store where this one was: nothing is written into it.
    @Test func storeThatWasReplacedIsRefused() throws {
        let fixture = try StoreFixture()
        try fixture.store.put("v1\n", "n")
        let moved = fixture.temporary.appending("moved")
        try FileManager.default.moveItem(atPath: fixture.folder, toPath: moved)
        #expect(throws: (any Error).self) { try fixture.store.put("v2\n", "n") }
        let other = try NoteStore.create(at: fixture.folder, clock: fixture.clock.clock)
        try other.put("other\n", "o")
        try other.close()
        let before = try fixture.truth()
        for _ in 0..<2 {
            #expect(throws: StoreError.replaced(fixture.folder)) { try fixture.store.put("v2\n", "n") }
        }
        #expect(try fixture.truth() == before)
        let back = try NoteStore.open(at: moved, clock: fixture.clock.clock)
        #expect(try back.texts(.called("n")) == ["v1\n"])
        #expect(try back.verify().isClean)
        try back.put("v2\n", "n")
    }

    // A copy whose lock file came to have the same inode, and one whose index was put back from an earlier copy.
    @Test(arguments: 0..<3)
    func copyIsKnownByWhenItsFilesWereMade(_ part: Int) throws {
        let fixture = try StoreFixture()
        try fixture.store.put("v1\n", "n")
        try fixture.store.close()
        let index = try StoreIndex.openForWriting(fixture.folder + "/index.sqlite")
        let known = try #require(try index.place())
        // Where the file system does not tell when a file was made, there is nothing to know it by.
        guard let lock = known.lock.birth, let file = known.index, let birth = file.birth else { return }
        var other = known
        switch part {
        case 0: other.lock.birth = lock - 1
        case 1: other.index?.birth = birth - 1
        default: other.index?.inode = file.inode + 1
        }
        try index.write { try index.setPlace(other) }
        try fixture.reopen()
        try fixture.store.put("v2\n", "n")
        #expect(try Files.list(fixture.folder + "/oplog").count == 2)
        try fixture.store.close()
        // What an older layout did not know is no other place.
        other = known
        other.lock.birth = nil
        other.index = nil
        try index.write { try index.setPlace(other) }
        try fixture.reopen()
        try fixture.store.put("v3\n", "n")
        #expect(try Files.list(fixture.folder + "/oplog").count == 2)
        #expect(try index.place() == known)
        try fixture.expectSound()
    }

    // The whole store, index and log, put back over itself from an earlier copy: what comes is no longer what was.
    @Test func storeThatWasRolledBackGoesOnAsAnotherDevice() throws {
        let fixture = try StoreFixture()
        try fixture.store.put("v1\n", "n")
        try fixture.store.close()
        let copy = fixture.temporary.appending("copy")
        try Files.copy(fixture.folder, to: copy)
        try fixture.reopen()
        let lost = try fixture.store.put("v2\n", "n").version.id
        try fixture.store.close()
        // As tools do that put one file after the other in place.
        for name in ["index.sqlite", "index.sqlite-wal", "oplog"] {
            try? Files.remove(fixture.folder + "/" + name)
            if Files.exists(copy + "/" + name) { try Files.copy(copy + "/" + name, to: fixture.folder + "/" + name) }
        }
        try fixture.reopen()
        let other = try fixture.store.put("v3\n", "n").version.id
        #expect(lost.device != other.device)
        try fixture.expectSound()
    }
}
