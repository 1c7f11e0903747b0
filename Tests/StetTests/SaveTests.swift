import Foundation
import Stet
import Testing
import TestSupport

@Test func savedTextIsReadBackByNumberAndAsHead() throws {
    let fixture = try StoreFixture()
    let name = try NoteName("work/todo.md")
    for text in ["v1\n", "v2\n", "v3\n"] { try fixture.store.save(bytes(text), as: name) }
    let note = try fixture.store.find(.name(name))
    #expect(note.head == 3)
    for number in 1...3 {
        let version = try fixture.store.version(.number(number), of: note)
        #expect(try fixture.store.text(of: version) == bytes("v\(number)\n"))
    }
    try fixture.expectSound()
}

// What power loss can leave of a store that was only begun is begun again; what may have been a store is not.
@Test(arguments: [0, 1, 4_096, 40_000])
func storeThatWasOnlyBegunIsMade(zeros: Int) throws {
    let fixture = try StoreFixture()
    let begun = fixture.temporary.appending("begun")
    for folder in ["", "/oplog", "/caches", "/caches/objects", "/caches/incoming"] {
        try FileManager.default.createDirectory(
            atPath: begun + folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }
    for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-journal"] {
        try Files.overwrite(begun + "/" + name, with: [UInt8](repeating: 0, count: zeros))
    }
    let store = try NoteStore.create(at: begun, clock: fixture.clock.clock)
    try store.put("v1\n", "n")
    #expect(try store.verify().isClean)
    try store.flush()
    try store.close()
    // Its texts tell that it was one, even without its log.
    try Files.remove(begun + "/oplog")
    try Files.overwrite(begun + "/index.sqlite", with: [UInt8](repeating: 0, count: zeros))
    let before = try Files.tree(begun)
    #expect(throws: StoreError.self) { try NoteStore.create(at: begun, clock: fixture.clock.clock) }
    #expect(try Files.tree(begun) == before)
}
