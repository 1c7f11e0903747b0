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
