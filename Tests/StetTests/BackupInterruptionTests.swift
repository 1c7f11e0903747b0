import Foundation
import Stet
import StetIndex
import Testing
import TestSupport

// A backup that ends anywhere leaves the earlier one whole, and the next one finishes.

private struct Interruption: Error {}

extension StoreFixture {
    /// The backup as a folder's contents, to be put back.
    fileprivate func keepCopy(as name: String) throws -> String {
        let kept = temporary.appending(name)
        try? Files.remove(kept)
        try Files.copy(copy, to: kept)
        return kept
    }

    /// The backup is whole and shows one of `states`, as far as its log has come; then the next one finishes.
    fileprivate func expectWholeAndFinish(
        _ states: [[String]], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let unfinished = try openCopy()
        #expect(try unfinished.verify().problems == [], sourceLocation: sourceLocation)
        let notes = try unfinished.notes()
        let shown = try notes.map {
            "\($0.name) " + String(decoding: try unfinished.text(of: unfinished.version(.head, of: $0)), as: UTF8.self)
        }
        #expect(states.contains(shown), sourceLocation: sourceLocation)
        let report = try store.backup(to: copy)
        #expect(report.problems == [], sourceLocation: sourceLocation)
        try expectCopyIsEqual(sourceLocation: sourceLocation)
        #expect(try Files.tree(copy + "/oplog") == Files.tree(folder + "/oplog"), sourceLocation: sourceLocation)
        #expect(try Files.list(copy + "/caches/incoming").isEmpty, sourceLocation: sourceLocation)
    }
}

@Test(arguments: [false, true])
func backupThatEndsAfterAnyTextIsFinishedByTheNext(isFirst: Bool) throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    if !isFirst { _ = try fixture.store.backup(to: fixture.copy) }
    for number in 1...8 { try fixture.store.put("n\(number)\n", "m") }
    try fixture.store.put("v2\n", "n")
    for last in 1...10 {
        #expect(throws: Interruption.self) {
            _ = try fixture.store.backup(to: fixture.copy) { done, total in
                #expect(total == 10)
                if done == last { throw Interruption() }
            }
        }
        let earlier = try fixture.openCopy()
        let report = try earlier.verify()
        #expect(report.problems == [])
        #expect((report.versions, report.unreferenced) == (isFirst ? (0, last) : (1, last - 1)))
    }
    let report = try fixture.store.backup(to: fixture.copy)
    #expect((report.copied, report.alreadyThere) == (0, 10))
    try fixture.expectCopyIsEqual()
}

// What an interrupted backup left has its name and size, and after power loss perhaps not its bytes.
@Test func leftOverTextIsBelievedForItsBytesOnly() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    _ = try fixture.store.backup(to: fixture.copy)
    let object = try fixture.store.put("v2\n", "n").version.object
    #expect(throws: Interruption.self) {
        _ = try fixture.store.backup(to: fixture.copy) { done, total in if done == total { throw Interruption() } }
    }
    let path = fixture.copy + fixture.path(of: object).dropFirst(fixture.folder.count)
    try Files.overwrite(path, with: [0, 0, 0])
    try Files.overwrite(fixture.copy + "/caches/incoming/0011223344556677", with: bytes("half"))
    #expect(try fixture.store.backup(to: fixture.copy).copied == 1)
    try fixture.expectCopyIsEqual()
    #expect(try Files.list(fixture.copy + "/caches/incoming").isEmpty)
}

// The log is there already and the index is not: every length of what was appended, and what power loss makes of it.
@Test func backupThatEndsInItsLogIsFinishedByTheNext() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    _ = try fixture.store.backup(to: fixture.copy)
    let kept = try fixture.keepCopy(as: "kept")
    try fixture.store.put("v2\n", "n")
    try fixture.store.rename(.called("n"), to: NoteName("m"))
    try fixture.store.rename(.called("m"), to: NoteName("n"))
    _ = try fixture.store.backup(to: fixture.copy)
    let new = try fixture.keepCopy(as: "new")
    let name = "/oplog/" + (try #require(try Files.tree(new + "/oplog").keys.first))
    let (short, whole) = (try Files.bytes(at: kept + name).count, try Files.bytes(at: new + name))
    for length in Array(stride(from: short, to: whole.count, by: 7)) + [whole.count] {
        for zeros in length == whole.count ? [0] : [0, whole.count - length, whole.count] {
            try Files.remove(fixture.copy)
            try Files.copy(kept, to: fixture.copy)
            try Files.remove(fixture.copy + "/caches")
            try Files.copy(new + "/caches", to: fixture.copy + "/caches")
            try Files.overwrite(fixture.copy + name, with: whole[..<length] + [UInt8](repeating: 0, count: zeros))
            let states = [["n v1\n"], ["m v2\n"], ["n v2\n"]]
            try fixture.expectWholeAndFinish(length == whole.count ? [states[2]] : states)
        }
    }
}

// The same with a device that the earlier index does not know, and for one who goes on from there instead.
@Test(arguments: [false, true])
func backupThatEndsBeforeItsIndexIsWholeForAWriterToo(isFirst: Bool) throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    if isFirst {
        try FileManager.default.createDirectory(atPath: fixture.copy, withIntermediateDirectories: false)
        _ = try StoreIndex.create(fixture.copy + "/index.sqlite")
    } else {
        _ = try fixture.store.backup(to: fixture.copy)
    }
    let kept = try fixture.keepCopy(as: "kept")
    let other = try NoteStore.open(at: fixture.folder, clock: fixture.clock.clock, machine: bytes("other"))
    try other.put("v2\n", "n")
    try fixture.store.put("v3\n", "n")
    if isFirst { try Files.remove(fixture.copy) }
    _ = try fixture.store.backup(to: fixture.copy)
    for name in try Files.list(fixture.copy) where name.hasPrefix("index") {
        try Files.remove(fixture.copy + "/" + name)
    }
    for name in try Files.list(kept) where name.hasPrefix("index") {
        try Files.copy(kept + "/" + name, to: fixture.copy + "/" + name)
    }
    let report = try fixture.openCopy().verify()
    #expect((report.problems, report.versions) == ([], isFirst ? 0 : 1))
    let unfinished = try fixture.keepCopy(as: "unfinished")
    _ = try fixture.store.backup(to: fixture.copy)
    try fixture.expectCopyIsEqual()

    let writer = try NoteStore.open(at: unfinished, clock: fixture.clock.clock)
    try writer.put("own\n", "n")
    #expect(try writer.texts(.called("n")) == ["v1\n", "v2\n", "v3\n", "own\n"])
    #expect(try writer.verify().isClean)
    #expect(throws: BackupRefusal.diverged(unfinished)) { try fixture.store.backup(to: unfinished) }
}

// MARK: Damage

@Test(arguments: Harm.allCases, [10, 200_000, 2_500_000])
func damagedTextIsNotCopiedAndTheRestIs(harm: Harm, size: Int) throws {
    let fixture = try StoreFixture()
    let bad = try fixture.store.save(patterned(size), as: NoteName("bad")).version.object
    try fixture.store.put("good\n", "n")
    try fixture.store.flush()
    let text = try Files.bytes(at: fixture.path(of: bad))
    try harm.apply(to: fixture.path(of: bad))
    let report = try fixture.store.backup(to: fixture.copy)
    let problem: VerifyReport.Problem =
        harm == .missing ? .missing(bad, usedBy: ["bad@1"]) : .damaged(bad, usedBy: ["bad@1"])
    #expect((report.copied, report.problems) == (1, [problem]))
    #expect((report.damaged, report.missing) == (harm == .missing ? (0, 1) : (1, 0)))
    let copy = try fixture.openCopy()
    #expect(try copy.shown("n") == "good\n")
    #expect(try copy.verify().problems == [.missing(bad, usedBy: ["bad@1"])])
    #expect(try Files.list(fixture.copy + "/caches/incoming").isEmpty)
    // Once it is whole again it is copied.
    try fixture.store.save(text, as: NoteName("bad"))
    #expect(try fixture.store.backup(to: fixture.copy).copied == 1)
    try fixture.expectCopyIsEqual()
    // And what the backup has whole is not replaced by what is damaged now.
    try fixture.store.flush()
    try harm.apply(to: fixture.path(of: bad))
    #expect(try fixture.store.backup(to: fixture.copy).problems == [])
    #expect(try fixture.openCopy().verify().isClean)
}

@Test func damagedLogIsNotAppendedToABackup() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    _ = try fixture.store.backup(to: fixture.copy)
    let start = try Files.bytes(at: fixture.logPath()).count
    for number in 2...4 { try fixture.store.put("v\(number)\n", "n") }
    try fixture.store.flush()
    let whole = try Files.bytes(at: fixture.logPath())
    let before = try Files.tree(fixture.copy + "/oplog")
    for offset in stride(from: start, to: whole.count - 150, by: 7) {
        try Files.flipBit(fixture.logPath(), at: offset)
        #expect(throws: (any Error).self) { try fixture.store.backup(to: fixture.copy) }
        #expect(try Files.tree(fixture.copy + "/oplog") == before)
        #expect(try fixture.openCopy().verify().problems == [])
        #expect(try fixture.openCopy().shown("n") == "v1\n")
        try Files.flipBit(fixture.logPath(), at: offset)
    }
    // Nor one that lacks whole records.
    for length in [start, whole.count - 100] {
        try Files.overwrite(fixture.logPath(), with: Array(whole[..<length]))
        #expect(throws: (any Error).self) { try fixture.store.backup(to: fixture.copy) }
        #expect(try Files.tree(fixture.copy + "/oplog") == before)
    }
    try Files.overwrite(fixture.logPath(), with: whole)
    // What was damaged before the backup's end is whole in the backup.
    try Files.flipBit(fixture.logPath(), at: 40)
    _ = try fixture.store.backup(to: fixture.copy)
    #expect(try fixture.openCopy().verify().problems == [])
    #expect(try fixture.openCopy().shown("n") == "v4\n")
}

@Test func damagedIndexDoesNotReplaceTheBackups() throws {
    let fixture = try StoreFixture()
    for number in 1...300 { try fixture.store.put("v\(number)\n", "n\(number % 7)") }
    try fixture.store.undo(.called("n1"))
    try fixture.store.flush()
    _ = try fixture.store.backup(to: fixture.copy)
    try fixture.store.close()
    let path = fixture.folder + "/index.sqlite"
    let whole = try Files.bytes(at: path)
    var refused = 0
    for page in 1..<whole.count / 4_096 {
        try Files.modify(path) { index in for offset in page * 4_096..<(page + 1) * 4_096 { index[offset] = 0xA5 } }
        do {
            let store = try NoteStore.open(at: fixture.folder, access: .readOnly, clock: fixture.clock.clock)
            _ = try store.backup(to: fixture.copy)
        } catch {
            refused += 1
        }
        // A page that holds nothing may be damaged.
        let report = try fixture.openCopy().verify(reading: false)
        #expect((report.problems, report.versions) == ([], 300), "page \(page)")
        try Files.overwrite(path, with: whole)
    }
    #expect(refused > 15)
}
