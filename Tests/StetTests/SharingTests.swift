import Foundation
import Stet
import StetIndex
import Synchronization
import Testing
import TestSupport

@Test func twoOpenStoresWriteInTurnsAndSeeEachOther() throws {
    let fixture = try StoreFixture()
    let other = try NoteStore.open(at: fixture.folder, clock: fixture.clock.clock)
    for number in 0..<20 {
        let (writer, reader) = number % 2 == 0 ? (fixture.store, other) : (other, fixture.store)
        try writer.put("text \(number)\n", "n")
        if number % 5 == 4 { try reader.flush() }
        #expect(try reader.shown("n") == "text \(number)\n")
    }
    try other.undo(.called("n"))
    #expect(try fixture.store.shown("n") == "text 18\n")
    try fixture.store.rename(.called("n"), to: NoteName("m"))
    #expect(throws: StoreError.self) { try other.undo(.called("n")) }
    try other.close()
    #expect(try fixture.store.history(of: fixture.store.find(.called("m"))).map(\.number) == (1...20).reversed())
    try fixture.expectSound()
}

// Two machines that share a folder: each change of place begins a device, and the other one's writer learns of it.
@Test func writersOfTwoMachinesGoOnFromOneAnother() throws {
    let fixture = try StoreFixture()
    let machines = try ["one", "two"].map {
        try NoteStore.open(at: fixture.folder, clock: fixture.clock.clock, machine: bytes($0))
    }
    var ids: Set<VersionID> = []
    for number in 0..<8 {
        ids.insert(try machines[number % 2].put("text \(number)\n", "n").version.id)
        ids.insert(try machines[number % 2].put("more \(number)\n", "n").version.id)
    }
    #expect(ids.count == 16)
    #expect(Set(ids.map(\.device)).count == 8 || Set(ids.map(\.device)).count == 9)
    for machine in machines { try machine.close() }
    try fixture.expectSound()
}

@Test func manyThreadsSaveIntoOneStore() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let second = try NoteStore.open(at: fixture.folder, clock: fixture.clock.clock)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 64) { number in
        do {
            let store = number % 3 == 0 ? second : store
            try store.put("own \(number)\n", "own/\(number)")
            try store.put("shared \(number)\n", "shared")
            if try store.shown("own/\(number)") != "own \(number)\n" { throw StoreError.damaged("another text") }
            if number % 16 == 7 { try store.flush() }
            if number % 16 == 8 {
                let problems = try store.verify().problems
                if !problems.isEmpty { throw StoreError.damaged("\(problems)") }
            }
        } catch {
            failures.withLock { $0.append("\(number): \(error)") }
        }
    }
    #expect(failures.withLock { $0 } == [])
    let shared = try store.history(of: store.find(.called("shared")))
    #expect(shared.map(\.number) == (1...64).reversed())
    #expect(Set(shared.map(\.object)).count == 64)
    #expect(try store.notes(in: NoteName("own")).count == 64)
    try second.close()
    try fixture.expectSound()
}

@Test func storeOpenedForReadingRefusesEveryChange() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    try fixture.store.put("v2\n", "n")
    try fixture.store.undo(.called("n"))
    let bookmark = try fixture.store.bookmark(.called("n"), .head)
    try fixture.reopen(.readOnly)
    let store = fixture.store
    let before = try fixture.truth()
    let refusal = StoreError.readOnly(fixture.folder)
    let name = try NoteName("n")
    let changes: [() throws -> Void] = [
        { try store.put("v3\n", "n") }, { try store.save(patterned(100_000), as: name) },
        { try store.undo(.name(name)) }, { try store.redo(.name(name)) }, { try store.delete([.name(name)]) },
        { try store.rename(.name(name), to: NoteName("m")) }, { try store.restore(.number(2), of: .name(name)) },
        { try store.label(.head, of: .name(name), "x") }, { try store.pin(.head, of: .name(name)) },
        { _ = try store.bookmark(.name(name), .number(2)) }, { try store.release(bookmark) }, { try store.flush() },
        { try store.undelete(.name(name)) },
    ]
    for change in changes { #expect(throws: refusal) { try change() } }
    #expect(try store.shown("n") == "v1\n")
    #expect(try store.resolve(bookmark).version.number == 1)
    #expect(try fixture.truth() == before)
    #expect(try Files.list(fixture.folder + "/caches/incoming").isEmpty)
    try fixture.expectSound()
}

@Test func closedStoreRefusesEverything() throws {
    let fixture = try StoreFixture()
    let small = try fixture.store.put("v1\n", "n").version
    let large = try fixture.store.save(patterned(2_000_000), as: NoteName("l")).version
    let note = try fixture.store.find(.called("n"))
    let store = fixture.store
    try store.close()
    let calls: [() throws -> Void] = [
        { try store.put("v2\n", "n") }, { _ = try store.notes() }, { _ = try store.find(.called("n")) },
        { _ = try store.text(of: small) }, { _ = try store.streamed(small) }, { _ = try store.streamed(large) },
        { _ = try store.history(of: note) }, { _ = try store.verify() }, { try store.flush() },
        { try store.undo(.called("n")) }, { _ = try store.bookmark(.called("n")) }, { _ = try store.counts() },
    ]
    for (number, call) in calls.enumerated() { #expect(throws: StoreError.closed, "\(number)") { try call() } }
    // Closing twice is closing.
    try store.close()
    try fixture.reopen()
    #expect(try fixture.store.shown("n") == "v1\n")
    try fixture.expectSound()
}

// A copy has another lock file: from its first change on it is a device of its own.
@Test func copyOfAStoreGoesOnAsANewDevice() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    try fixture.store.put("v2\n", "n")
    try fixture.store.close()
    let copies = ["copy 1", "copy 2"].map { fixture.temporary.appending($0) }
    for copy in copies { try Files.copy(fixture.folder, to: copy) }
    try fixture.reopen()
    let stores = try [fixture.store] + copies.map { try NoteStore.open(at: $0, clock: fixture.clock.clock) }
    let old = Set(try stores[0].history(of: stores[0].find(.called("n"))).map(\.id))
    var ids: [VersionID] = []
    for (position, store) in stores.enumerated() {
        #expect(Set(try store.history(of: store.find(.called("n"))).map(\.id)) == old)
        for number in 0..<3 { ids.append(try store.put("store \(position), text \(number)\n", "n").version.id) }
    }
    #expect(Set(ids).count == 9)
    #expect(old.isDisjoint(with: ids))
    #expect(Set(ids.map(\.device)).count == 3)
    #expect(Set(ids.prefix(3).map(\.device)) == Set(old.map(\.device)))
    // What one copy saved is no version of another's.
    let note = try stores[1].find(.called("n"))
    #expect(throws: StoreError.self) { try stores[1].version(.id(ids[0]), of: note) }
    #expect(try stores[1].version(.id(ids[3]), of: note).number == 3)
    for store in stores { #expect(try store.verify().problems == []) }
    // A copy of a copy, and the numbers go on everywhere.
    try stores[1].flush()
    try stores[1].close()
    try Files.copy(copies[0], to: fixture.temporary.appending("copy 3"))
    let third = try NoteStore.open(at: fixture.temporary.appending("copy 3"), clock: fixture.clock.clock)
    let change = try third.put("third\n", "n")
    #expect(change.version.number == 6)
    #expect(!ids.map(\.device).contains(change.version.id.device))
    #expect(try third.verify().problems == [])
    try fixture.expectSound()
}

@Test func folderThatIsNoStoreIsRefusedAndLeftAsItIs() throws {
    let temporary = try TemporaryFolder()
    let clock = ManualClock().clock
    let missing = temporary.appending("missing")
    #expect(throws: StoreError.noStore(missing)) { try NoteStore.open(at: missing, clock: clock) }
    #expect(throws: StoreError.noStore(temporary.path)) { try NoteStore.open(at: temporary.path, clock: clock) }
    try Files.overwrite(temporary.appending("mine.txt"), with: bytes("x"))
    #expect(throws: StoreError.alreadyThere(temporary.path)) { try NoteStore.create(at: temporary.path, clock: clock) }
    #expect(try Files.list(temporary.path) == ["mine.txt"])
    let fixture = try StoreFixture()
    #expect(throws: StoreError.alreadyThere(fixture.folder)) { try NoteStore.create(at: fixture.folder, clock: clock) }
    // B63: an index that is gone is not replaced by an empty one.
    try fixture.store.close()
    try Files.remove(fixture.folder + "/index.sqlite")
    #expect(throws: StoreError.self) { try NoteStore.open(at: fixture.folder, clock: clock) }
    #expect(!Files.exists(fixture.folder + "/index.sqlite"))
}

// What is left where making a store was interrupted while SQLite made the index.
@Test(arguments: [0, 512])
func makingAStoreAgainCompletesAnInterruptedAttempt(journal: Int) throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.appending("store")
    try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try Files.overwrite(folder + "/lock", with: [])
    try Files.overwrite(folder + "/index.sqlite", with: [])
    try Files.overwrite(folder + "/index.sqlite-journal", with: [UInt8](repeating: 0, count: journal))
    let store = try NoteStore.create(at: folder, clock: ManualClock().clock)
    try store.put("one\n", "n")
    #expect(try store.verify().isClean)
}

@Test func emptiedIndexIsNotReplacedByAFreshOne() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("one\n", "n")
    try fixture.store.close()
    try Files.overwrite(fixture.folder + "/index.sqlite", with: [])
    #expect(throws: StoreError.self) { try NoteStore.create(at: fixture.folder, clock: fixture.clock.clock) }
    #expect(try Files.bytes(at: fixture.folder + "/index.sqlite").isEmpty)
}

@Test(arguments: [0o720, 0o702, 0o777])
func storeThatOthersMayWriteToIsRefused(mode: Int) throws {
    let fixture = try StoreFixture()
    try fixture.store.close()
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: fixture.folder)
    #expect(throws: StoreError.writableByOthers(fixture.folder)) {
        try NoteStore.open(at: fixture.folder, clock: fixture.clock.clock)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: fixture.folder)
    try fixture.reopen()
    try fixture.expectSound()
}
