import StetIndex
import StetObjects
import Testing
import TestSupport

// What a killed process leaves is read back as it was written, whether or not each of its values is there.
@Test func stepsAreReadAsTheyWereWritten() throws {
    let index = try StoreIndex.inMemory()
    let (one, other) = (try NoteName("a.md"), try NoteName("work/b.md"))
    let text = ObjectID(of: bytes("text"))
    let steps = [
        FileStep(.write, note: 1, name: one, spare: ".stet-0000000000000000.tmp", old: text, new: text),
        FileStep(.write, note: 1, name: one, spare: ".stet-0000000000000001.tmp", old: nil, new: text),
        FileStep(
            .move, note: 2, name: one, target: other, inode: .max, spare: ".stet-0000000000000002.tmp", old: nil,
            new: nil),
        FileStep(
            .move, note: nil, name: one, target: other, inode: 7, spare: ".stet-0000000000000003.tmp", old: nil,
            new: nil),
        FileStep(.remove, note: 3, name: other, spare: ".stet-0000000000000004.tmp", old: text, new: nil),
    ]
    try index.write { for step in steps { try index.addStep(step) } }
    #expect(try index.read { try index.steps() } == steps)
}
