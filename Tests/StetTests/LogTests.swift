import Foundation
import Stet
import StetIndex
import Testing
import TestSupport

// Invariant 3: log and index are made to agree by the next write, or nothing is written. The library takes what an
// index or a log that was put back from a copy, a crash or a full disk leaves.

extension StoreFixture {
    fileprivate func close() throws { try store.close() }

    /// Copies of the index and its write-ahead log, to be put back later. The store must be closed.
    fileprivate func keepIndex() throws -> [String: [UInt8]] {
        let names = ["index.sqlite", "index.sqlite-wal"].filter { Files.exists(folder + "/" + $0) }
        return Dictionary(uniqueKeysWithValues: try names.map { ($0, try Files.bytes(at: folder + "/" + $0)) })
    }

    /// - Parameter inPlace: whether the file stays the same one. By another one the store is known for a copy, and another
    ///   device goes on with it.
    fileprivate func putBack(_ index: [String: [UInt8]], inPlace: Bool = true) throws {
        let names = ["index.sqlite-wal", "index.sqlite-shm"] + (inPlace ? [] : ["index.sqlite"])
        for name in names where Files.exists(folder + "/" + name) { try Files.remove(folder + "/" + name) }
        for (name, content) in index {
            let path = folder + "/" + name
            if Files.exists(path), let file = FileHandle(forUpdatingAtPath: path) {
                try file.truncate(atOffset: 0)
                try file.write(contentsOf: content)
                try file.close()
            } else {
                try Files.overwrite(path, with: content)
            }
        }
    }

    /// The next write is refused as damage, before it has changed anything.
    fileprivate func expectRefusal(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try reopen()
        let logs = try Files.tree(folder + "/oplog")
        let counts = try? store.counts()
        #expect(throws: LogDamage.self, sourceLocation: sourceLocation) { try store.put("refused\n", "n") }
        #expect(throws: LogDamage.self, sourceLocation: sourceLocation) { try store.flush() }
        #expect(try Files.tree(folder + "/oplog") == logs, sourceLocation: sourceLocation)
        #expect((try? store.counts()) == counts, sourceLocation: sourceLocation)
    }
}

// A record that is whole, and not of this history.
@Test func recordThatDoesNotFollowIsDamage() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    try fixture.store.flush()
    try fixture.close()
    let index = try fixture.keepIndex()
    try fixture.reopen()
    try fixture.store.put("v2\n", "n")
    try fixture.store.flush()
    try fixture.close()
    let oplog = fixture.folder + "/oplog"
    let device = try #require(try OperationLog.devices(in: oplog).first)
    let entry = try #require(try OperationLog(oplog: oplog, device: device).newestEntry())
    let other = RecordFrame(
        sequence: entry.sequence, previous: entry.previous.map { ~$0 }, payload: entry.payload)
    try Files.modify(fixture.logPath()) {
        $0.replaceSubrange(entry.position.offset..<entry.end.offset, with: other.bytes)
    }
    // In the log, and then in both.
    for isInIndex in [false, true] {
        if isInIndex {
            let index = try StoreIndex.openForWriting(fixture.folder + "/index.sqlite")
            try index.write {
                var newest = try #require(try index.newestRecord())
                newest.bytes = other.bytes
                try index.dropFlushed(upTo: newest.operation + 1)
                try index.hold(newest)
            }
        }
        try fixture.reopen(.readOnly)
        #expect(try !fixture.store.verify().isClean)
        try fixture.close()
    }
    try fixture.putBack(index)
    try fixture.expectRefusal()
}

// (a)
@Test func logCutAnywhereInItsLastRecordIsRepairedByTheNextSave() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    try fixture.store.flush()
    let path = try fixture.logPath()
    for cut in 1... {
        let before = try Files.bytes(at: path).count
        try fixture.store.put("text \(cut)\n", "n")
        let whole = try Files.bytes(at: path)
        if cut > whole.count - before { break }
        try fixture.close()
        try Files.overwrite(path, with: whole.dropLast(cut))
        try fixture.reopen()
        // The index holds the record: nothing is wrong even before.
        try fixture.expectSound()
        try fixture.store.put("again \(cut)\n", "other")
        #expect(try Files.bytes(at: path).starts(with: whole))
        try fixture.expectSound()
    }
}

// (a) after a crash a file can have its length and not its bytes.
@Test(arguments: [1, 2, 3])
func logRecordsThatTurnedToZerosAreWrittenAgain(lost: Int) throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v0\n", "n")
    try fixture.store.flush()
    let path = try fixture.logPath()
    var sizes: [Int] = []
    for number in 1...3 {
        sizes.append(try Files.bytes(at: path).count)
        try fixture.store.put("v\(number)\n", "n")
    }
    let whole = try Files.bytes(at: path)
    try fixture.close()
    try Files.modify(path) { log in
        for offset in sizes[3 - lost]..<log.count { log[offset] = 0 }
    }
    try fixture.reopen()
    try fixture.store.put("v4\n", "n")
    #expect(try Files.bytes(at: path).starts(with: whole))
    try fixture.expectSound()
}

// (a) and one that is not the last: a flush must not drop from the index what the log does not have.
@Test func flushWritesARecordAgainThatTheLogLostInItsMiddle() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v0\n", "n")
    try fixture.store.flush()
    let path = try fixture.logPath()
    let start = try Files.bytes(at: path).count
    for number in 1...3 { try fixture.store.put("v\(number)\n", "n") }
    let whole = try Files.bytes(at: path)
    try fixture.close()
    try Files.modify(path) { log in for offset in log.indices.dropFirst(start).prefix(40) { log[offset] = 0 } }
    try fixture.reopen()
    try fixture.store.flush()
    #expect(try Files.bytes(at: path) == whole)
    try fixture.expectSound()
}

// (b)
@Test func logThatLacksRecordsTheIndexHoldsGetsThemBack() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v0\n", "n")
    try fixture.store.flush()
    let path = try fixture.logPath()
    let short = try Files.bytes(at: path)
    try fixture.store.put("v1\n", "n")
    try fixture.store.rename(.called("n"), to: NoteName("m"))
    let whole = try Files.bytes(at: path)
    try fixture.close()
    try Files.overwrite(path, with: short)
    try fixture.reopen()
    try fixture.expectSound()
    try fixture.store.put("v2\n", "m")
    #expect(try Files.bytes(at: path).starts(with: whole))
    #expect(try fixture.store.texts(.called("m")) == ["v0\n", "v1\n", "v2\n"])
    try fixture.expectSound()
}

// (b) with a log of which nothing is left, in a store that was never flushed.
@Test func logThatIsGoneIsWrittenAgainWhereTheIndexHoldsAllOfIt() throws {
    let fixture = try StoreFixture()
    for number in 1...3 { try fixture.store.put("v\(number)\n", "n") }
    let logs = try Files.tree(fixture.folder + "/oplog")
    try fixture.close()
    for device in try Files.list(fixture.folder + "/oplog") { try Files.remove(fixture.folder + "/oplog/" + device) }
    try fixture.reopen()
    try fixture.store.flush()
    #expect(try Files.tree(fixture.folder + "/oplog") == logs)
    try fixture.expectSound()
}

// (c)
@Test func logCutBeforeWhatTheIndexHoldsIsDamageAndNothingIsWritten() throws {
    let fixture = try StoreFixture()
    var sizes: [Int] = []
    for number in 1...4 {
        try fixture.store.put("v\(number)\n", "n")
        sizes.append(try Files.bytes(at: fixture.logPath()).count)
    }
    try fixture.store.flush()
    let path = try fixture.logPath()
    let whole = try Files.bytes(at: path)
    try fixture.close()
    for length in [sizes[2] - 1, sizes[1], sizes[1] + 5, 16, 3, 0] {
        try Files.overwrite(path, with: Array(whole.prefix(length)))
        try fixture.expectRefusal()
        #expect(try fixture.store.texts(.called("n")).count == 4)
        #expect(try !fixture.store.verify().isClean)
    }
    try Files.overwrite(path, with: whole)
    try fixture.reopen()
    try fixture.store.put("v5\n", "n")
    try fixture.expectSound()
}

// (d)
@Test(arguments: [false, true])
func indexThatWasPutBackIsBroughtUpToDateFromTheLog(flushed: Bool) throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    if flushed { try fixture.store.flush() }
    try fixture.close()
    let old = try fixture.keepIndex()
    try fixture.reopen()
    try fixture.store.put("v2\n", "n", label: "second")
    try fixture.store.put("other\n", "o")
    try fixture.store.undo(.called("n"))
    try fixture.store.rename(.called("o"), to: NoteName("p"))
    let bookmark = try fixture.store.bookmark(.called("n"), .number(2))
    if flushed { try fixture.store.flush() }
    try fixture.close()
    try fixture.putBack(old)
    try fixture.reopen()
    let index = try StoreIndex.openForReading(fixture.folder + "/index.sqlite")
    #expect(try index.counts().versions == 1)
    // Who reads does not wait for the next write.
    #expect(try fixture.store.counts().versions == 3)
    try fixture.store.put("v3\n", "q")
    #expect(try fixture.store.shown("n") == "v1\n")
    #expect(try fixture.store.resolve(bookmark).version.label == "second")
    #expect(try fixture.store.notes().map(\.name.description) == ["n", "p", "q"])
    try fixture.store.redo(.called("n"))
    #expect(try fixture.store.texts(.called("n")) == ["v1\n", "v2\n"])
    try fixture.expectSound()
}

// (e) The two went different ways from one state: the log by `v2`, the index by a text that is recorded in as many bytes.
@Test(arguments: ["w2\n", "a longer one\n"])
func indexAndLogThatWentDifferentWaysAreRefused(text: String) throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    try fixture.store.flush()
    try fixture.close()
    let old = try fixture.keepIndex()
    let path = try fixture.logPath()
    let oldLog = try Files.bytes(at: path)
    try fixture.reopen()
    try fixture.store.put("v2\n", "n")
    try fixture.close()
    let log = try Files.bytes(at: path)
    try fixture.putBack(old)
    try Files.overwrite(path, with: oldLog)
    try fixture.reopen()
    try fixture.store.put(text, "n", label: text.count > 3 ? "and a label" : nil)
    try fixture.close()
    try Files.overwrite(path, with: log)
    try fixture.expectRefusal()
    #expect(try !fixture.store.verify().isClean)
    #expect(try fixture.store.shown("n") == text)
}

// (f) What an interrupted append can leave is cut off by the next write.
@Test(arguments: [1, 5, 19, 20, 28, 4_096])
func tornEndOfTheLogIsCutOffByTheNextSave(zeros: Int) throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    let path = try fixture.logPath()
    for end in [[UInt8](repeating: 0, count: zeros), [30, 0, 0, 0, 9, 9, 9]] {
        let whole = try Files.bytes(at: path)
        try fixture.close()
        try Files.modify(path) { $0 += end }
        try fixture.reopen()
        try fixture.expectSound()
        try fixture.store.put("v\(whole.count)\n", "n")
        try fixture.expectSound()
        #expect(try Files.bytes(at: path).starts(with: whole))
    }
}

// (f) Anything else there is damage.
@Test func garbageAfterTheLogIsDamageAndNothingIsWritten() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    try fixture.close()
    let path = try fixture.logPath()
    let whole = try Files.bytes(at: path)
    let wrongRecord = [1, 0, 0, 0] + [UInt8](repeating: 7, count: 25) + [1, 2, 3, 4]
    for garbage in [[UInt8](repeating: 0xFF, count: 100), wrongRecord] {
        try Files.overwrite(path, with: whole + garbage)
        try fixture.expectRefusal()
        #expect(try !fixture.store.verify().isClean)
        #expect(try fixture.store.shown("n") == "v1\n")
        try fixture.close()
    }
    // A record that is whole but follows another one than the log's last.
    let alien = RecordFrame(
        sequence: 3, previous: [1, 2, 3, 4, 5, 6, 7, 8],
        payload: Operation.pin(note: 1, number: 1).encoded(at: Timestamp(milliseconds: 0)))
    try Files.overwrite(path, with: whole + alien.bytes)
    try fixture.expectRefusal()
    #expect(try !fixture.store.verify().isClean)
    // It is of an operation that the index knows nothing of, so that nothing can be told.
    #expect(throws: LogDamage.self) { try fixture.store.shown("n") }
}

// An operation of a newer Stet is nothing that this one may write after, or tell the history without.
@Test func operationOfANewerStetRefusesWriting() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    try fixture.close()
    let path = try fixture.logPath()
    let index = try StoreIndex.openForReading(fixture.folder + "/index.sqlite")
    let newest = try #require(try index.newestRecord())
    let record = RecordFrame(sequence: 3, previous: RecordFrame.check(of: newest.bytes), payload: [200, 0]).bytes
    try Files.modify(path) { $0 += record }
    let before = try Files.bytes(at: path)
    try fixture.reopen()
    #expect(throws: LayoutError.self) { try fixture.store.put("v2\n", "n") }
    #expect(try Files.bytes(at: path) == before)
    #expect(throws: LayoutError.self) { try fixture.store.shown("n") }
    try fixture.store.close()
    #expect(throws: LayoutError.self) { try fixture.reopen(.readOnly) }
}

// B63: whoever reads an index that is behind its log tells what the log does, until somebody writes and then too.
@Test(arguments: [NoteStore.Access.readOnly, .readWrite])
func readerOfAnIndexBehindItsLogTellsWhatTheLogDoes(access: NoteStore.Access) throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    try fixture.close()
    let old = try fixture.keepIndex()
    try fixture.reopen()
    try fixture.store.put("v2\n", "n", label: "second")
    try fixture.close()
    try fixture.putBack(old, inPlace: false)
    try fixture.reopen(access)
    for _ in 1...2 {
        #expect(try fixture.store.texts(.called("n")) == ["v1\n", "v2\n"])
        #expect(try fixture.store.history(of: fixture.store.find(.called("n")))[0].label == "second")
    }
    // Another process writes.
    let writer = try NoteStore.open(at: fixture.folder, clock: fixture.clock.clock)
    try writer.put("v3\n", "n")
    #expect(try fixture.store.texts(.called("n")) == ["v1\n", "v2\n", "v3\n"])
    #expect(try writer.verify().isClean)
}

// Power loss can take the beginning of a new log and leave what was appended to it later.
@Test(arguments: [1, 16, 50, 84])
func logWhoseBeginningWasNotSyncedIsWrittenAgain(zeros: Int) throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    try fixture.close()
    // Copied: its next writer begins a device.
    let copy = fixture.temporary.appending("copied")
    try Files.copy(fixture.folder, to: copy)
    var store = try NoteStore.open(at: copy, clock: fixture.clock.clock)
    for number in 2...4 { try store.put("v\(number)\n", "n") }
    try store.close()
    let old = try Files.list(fixture.folder + "/oplog")
    let new = try #require(try Files.list(copy + "/oplog").first { !old.contains($0) })
    let path = copy + "/oplog/\(new)/00000001.log"
    let whole = try Files.bytes(at: path)
    try Files.modify(path) { log in for offset in 0..<zeros { log[offset] = 0 } }
    store = try NoteStore.open(at: copy, clock: fixture.clock.clock)
    #expect(try store.verify().problems == [])
    try store.flush()
    #expect(try Files.bytes(at: path) == whole)
    #expect(try store.verify().problems == [])
    try store.close()
}

// What the index holds needs nothing of the log, and the next flush writes it there again.
@Test func newestOperationsAreToldWhereTheLogLostThem() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    try fixture.store.flush()
    let path = try fixture.logPath()
    let flushed = try Files.bytes(at: path).count
    try fixture.store.put("v2\n", "n")
    try fixture.store.put("v3\n", "n")
    try fixture.reopen(.readOnly)
    let before = try fixture.store.events(newest: 10)
    try Files.flipBit(path, at: flushed + 30)
    #expect(try fixture.store.events(newest: 10) == before)
}
