import StetIndex
import StetObjects
import Testing
import TestSupport

private func begun() throws -> StoreIndex {
    let index = try StoreIndex.inMemory()
    try index.write {
        let begin = Operation.Begin(device: .random(), store: randomBytes(16), previous: nil)
        try index.apply(TimedOperation(number: 1, time: Timestamp(milliseconds: 0), operation: .begin(begin)))
    }
    return index
}

private func save(_ number: Int, parents: [Int]) throws -> Operation {
    let object = ObjectID(of: bytes("text"))
    return .save(
        .init(
            note: 1, number: number, parents: parents, kind: .save, object: object, size: 4,
            created: number == 1 ? .init(id: .random(), name: try NoteName("n")) : nil, label: nil))
}

// What a log says that contradicts itself is damage, and not a trouble of the system.
@Test func operationsThatDoNotFitAreDamage() throws {
    let index = try begun()
    func apply(_ number: Int, _ operation: Operation) throws {
        try index.write {
            try index.apply(TimedOperation(number: number, time: Timestamp(milliseconds: 0), operation: operation))
        }
    }
    try apply(2, save(1, parents: []))
    let unfit: [Operation] = [
        try save(1, parents: []), try save(3, parents: [2]), .undo(note: 1, from: 1, to: 2),
        .undo(note: 2, from: 1, to: 1),
        .redo(note: 1, from: 2, to: 1), .rename([.init(note: 7, name: try NoteName("m"))]), .delete([7]),
        .undelete(.init(note: 1, name: try NoteName("n"))), .label(note: 1, number: 2, text: "x"),
        .pin(note: 1, number: 2),
        .ref(note: 1, number: 2),
    ]
    for operation in unfit { #expect(throws: IndexDamage.self, "\(operation)") { try apply(3, operation) } }
    try apply(3, save(2, parents: [1]))
    #expect(try index.note(ordinal: 1)?.head == 2)
}
