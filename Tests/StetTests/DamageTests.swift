import Foundation
import Stet
import StetIndex
import StetObjects
import Synchronization
import Testing
import TestSupport

/// What can happen to an object's file.
enum Harm: CaseIterable, Sendable {
    case missing, emptied, truncated, garbled, sameSize

    func apply(to path: String) throws {
        switch self {
        case .missing: try Files.remove(path)
        case .emptied: try Files.overwrite(path, with: [])
        case .truncated: try Files.modify(path) { $0.removeLast() }
        case .garbled: try Files.overwrite(path, with: bytes("something else, and longer\n"))
        case .sameSize: try Files.modify(path) { $0[$0.count / 2] ^= 1 }
        }
    }
}

// B65: the text comes again, under another name and under the same, and heals its object.
@Test(arguments: Harm.allCases, ["m", "n"])
func savingTheTextAgainHealsItsObject(harm: Harm, name: String) throws {
    let fixture = try StoreFixture()
    let object = try fixture.store.put("content A\n", "n").version.object
    try fixture.store.flush()
    try harm.apply(to: fixture.path(of: object))
    let before = try fixture.store.verify()
    #expect(before.damaged + before.missing == 1)
    try fixture.reopen()
    let change = try fixture.store.put("content A\n", name)
    #expect(change.isNew == (name == "m"))
    for shown in Set(["n", name]) { #expect(try fixture.store.shown(shown) == "content A\n") }
    #expect(try Files.bytes(at: fixture.path(of: object)) == bytes("content A\n"))
    try fixture.expectSound()
    // It stays healed when the journal is gone.
    try fixture.store.put("other\n", "o")
    try fixture.store.flush()
    try fixture.reopen()
    #expect(try fixture.store.shown("n") == "content A\n")
    try fixture.expectSound()
}

// Invariant 7. The clock is asked when the transaction has begun: what somebody took away before is missed.
@Test func whetherATextIsThereIsLookedAtInTheTransaction() throws {
    let temporary = try TemporaryFolder()
    let object = ObjectID(of: bytes("content A\n"))
    let hex = object.description
    let folder = temporary.appending("store")
    let path = folder + "/caches/objects/\(hex.prefix(2))/\(hex.dropFirst(2))"
    let isTaken = Mutex(false)
    let store = try NoteStore.create(
        at: folder,
        clock: StoreClock {
            if isTaken.withLock({ $0 }) { try? Files.remove(path) }
            return Timestamp(milliseconds: 1_800_000_000_000)
        })
    try store.put("content A\n", "n")
    try store.flush()
    isTaken.withLock { $0 = true }
    try store.put("content A\n", "m")
    isTaken.withLock { $0 = false }
    try store.flush()
    #expect(try Files.bytes(at: path) == bytes("content A\n"))
    #expect(try store.verify().isClean)
    try store.close()
}

// B65 for texts that do not go through the journal.
@Test(arguments: Harm.allCases)
func savingALargeTextAgainHealsItsObject(harm: Harm) throws {
    let fixture = try StoreFixture()
    let text = patterned(200_000)
    let object = try fixture.store.save(text, as: NoteName("n")).version.object
    try harm.apply(to: fixture.path(of: object))
    #expect(throws: ObjectError.self) {
        try fixture.store.text(of: fixture.store.version(.head, of: fixture.store.find(.called("n"))))
    }
    try fixture.store.save(text, as: NoteName("n"))
    #expect(try Files.bytes(at: fixture.path(of: object)) == text)
    #expect(try Files.list(fixture.folder + "/caches/incoming").isEmpty)
    try fixture.expectSound()
}

// B01: the text that was damaged is saved again; everything else works all the time.
@Test func damagedNewestTextLeavesTheOlderOnesReadable() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.put("one\n", "n")
    let object = try store.put("two\n", "n").version.object
    try store.flush()
    try Files.overwrite(fixture.path(of: object), with: [])
    let note = try store.find(.called("n"))
    #expect(try store.history(of: note).count == 2)
    #expect(try store.text(of: store.version(.number(1), of: note)) == bytes("one\n"))
    #expect(throws: ObjectError.self) { try store.text(of: store.version(.head, of: note)) }
    #expect(try store.verify().problems == [.damaged(object, usedBy: ["n@2"])])
    #expect(throws: ObjectError.self) {
        try store.undo(.called("n"))
        try store.restore(.number(2), of: .called("n"))
    }
    try store.redo(.called("n"))
    try store.put("two\n", "n")
    try fixture.expectSound()
}

// B68: wrong bytes were planted under the right name before the text ever came.
@Test func plantedWrongBytesAreReplacedAndNeverShown() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("seed\n", "seed")
    let object = ObjectID(of: bytes("content B\n"))
    let shard = fixture.folder + "/caches/objects/17"
    try FileManager.default.createDirectory(atPath: shard, withIntermediateDirectories: true)
    try Files.overwrite(fixture.path(of: object), with: bytes("content A\n"))
    try fixture.store.put("content B\n", "k")
    #expect(try fixture.store.shown("k") == "content B\n")
    #expect(try Files.bytes(at: fixture.path(of: object)) == bytes("content B\n"))
    try fixture.store.flush()
    try fixture.expectSound()
    // Planted afterwards, it is refused.
    try Files.overwrite(fixture.path(of: object), with: bytes("content A\n"))
    #expect(throws: ObjectError.damaged(object, path: fixture.path(of: object))) { try fixture.store.shown("k") }
    #expect(try fixture.store.verify().damaged == 1)
}

// B66: one flipped bit, at the first, the middle and the last byte, among ten notes.
@Test(arguments: [0, 5, 9])
func flippedBitIsFoundAndOtherNotesStayReadable(offset: Int) throws {
    let fixture = try StoreFixture()
    for number in 0..<10 { try fixture.store.put("content \(number)\n", "n\(number)") }
    try fixture.store.flush()
    let object = ObjectID(of: bytes("content 4\n"))
    try Files.flipBit(fixture.path(of: object), at: offset)
    try fixture.reopen()
    let report = try fixture.store.verify()
    #expect(report.problems == [.damaged(object, usedBy: ["n4@1"])])
    #expect(report.objects == 10)
    var readable = 0
    for number in 0..<10 {
        if number == 4 {
            #expect(throws: ObjectError.self) { try fixture.store.shown("n4") }
        } else {
            #expect(try fixture.store.shown("n\(number)") == "content \(number)\n")
            readable += 1
        }
    }
    #expect(readable == 9)
}

// B65: a folder under a text's name can be no copy of it, and must not keep every later one out.
@Test(arguments: [10, 100_000])
func folderInTheTextsPlaceIsSetAsideByTheNextSave(size: Int) throws {
    let fixture = try StoreFixture()
    let name = try NoteName("n")
    let object = try fixture.store.save(patterned(size), as: name).version.object
    try fixture.store.flush()
    let path = fixture.path(of: object)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path + "/inside", withIntermediateDirectories: true)
    #expect(try fixture.store.verify().damaged == 1)
    try fixture.store.save(patterned(size), as: name)
    #expect(try Files.bytes(at: path) == patterned(size))
    try fixture.store.flush()
    try fixture.expectSound()
}

// B66: an object that cannot even be opened does not end the check of the others.
@Test func objectThatIsNoFileIsReportedAmongTheOthers() throws {
    let fixture = try StoreFixture()
    for number in 0..<5 { try fixture.store.put("content \(number)\n", "n\(number)") }
    try fixture.store.flush()
    let paths = (0..<5).map { fixture.path(of: ObjectID(of: bytes("content \($0)\n"))) }
    try Files.remove(paths[0])
    try FileManager.default.createDirectory(atPath: paths[0], withIntermediateDirectories: false)
    try Files.remove(paths[1])
    try FileManager.default.createSymbolicLink(atPath: paths[1], withDestinationPath: paths[2])
    try Files.remove(paths[3])
    let report = try fixture.store.verify()
    #expect(report.damaged == 2)
    #expect(report.missing == 1)
    #expect(report.problems.count == 3)
}

@Test func filesThatNoVersionHasAreCountedAndAreNoFault() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("content A\n", "n")
    let objects = LooseObjects(caches: fixture.folder + "/caches")
    try objects.write(bytes("stray\n"), as: ObjectID(of: bytes("stray\n")))
    let report = try fixture.store.verify()
    #expect(report.isClean)
    #expect(report.unreferenced == 1)
    #expect(report.notes == 1)
    #expect(report.versions == 1)
    try fixture.expectSound()
}

// The journal holds a text until its file is known to last: without the file it is still there.
@Test func textIsReadFromTheJournalWhileItsFileIsMissing() throws {
    let fixture = try StoreFixture()
    for number in 0..<3 { try fixture.store.put("content \(number)\n", "n") }
    try Files.remove(fixture.folder + "/caches/objects")
    try FileManager.default.createDirectory(
        atPath: fixture.folder + "/caches/objects", withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    try fixture.reopen()
    #expect(try fixture.store.texts(.called("n")) == ["content 0\n", "content 1\n", "content 2\n"])
    try fixture.expectSound()
    // A flush writes what the tree lacks before it drops the journal.
    try fixture.store.flush()
    for number in 0..<3 {
        let text = bytes("content \(number)\n")
        #expect(try Files.bytes(at: fixture.path(of: ObjectID(of: text))) == text)
    }
    try fixture.expectSound()
}

// A file of the right size is not trusted either: after a crash it can hold anything.
@Test(arguments: Harm.allCases)
func flushHealsTheFilesOfTextsInTheJournal(harm: Harm) throws {
    let fixture = try StoreFixture()
    let object = try fixture.store.put("content A\n", "n").version.object
    try harm.apply(to: fixture.path(of: object))
    #expect(try fixture.store.shown("n") == "content A\n")
    try fixture.reopen()
    try fixture.store.flush()
    #expect(try Files.bytes(at: fixture.path(of: object)) == bytes("content A\n"))
    #expect(try fixture.store.shown("n") == "content A\n")
    try fixture.expectSound()
}

@Test func flushLeavesOnlyTheNewestRecordAndEverythingReadable() throws {
    let fixture = try StoreFixture()
    for number in 0..<50 { try fixture.store.put("content \(number)\n", "n\(number % 7)") }
    try fixture.store.undo(.called("n3"))
    func held() throws -> (records: Int, texts: Int) {
        let index = try StoreIndex.openForReading(fixture.folder + "/index.sqlite")
        return (try index.records(after: 0).count, try index.journalObjects().count)
    }
    #expect(try held() == (52, 50))
    try fixture.store.flush()
    #expect(try held() == (1, 0))
    try fixture.reopen()
    #expect(try fixture.store.counts().versions == 50)
    for name in 0..<7 { #expect(try fixture.store.texts(.called("n\(name)")).count >= 7) }
    try fixture.store.put("after\n", "n0")
    #expect(try held() == (2, 1))
    try fixture.expectSound()
}
