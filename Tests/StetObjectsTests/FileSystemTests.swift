import Foundation
import StetObjects
import Testing
import TestSupport

@Test func readingPastTheEndGivesWhatThereIs() throws {
    let temporary = try TemporaryFolder()
    try Files.overwrite(temporary.appending("f"), with: bytes("hello"))
    let file = try FileSystem.openForReading(temporary.appending("f"))
    #expect(try FileSystem.read(file, at: 0, count: 100) == bytes("hello"))
    #expect(try FileSystem.read(file, at: 3, count: 100) == bytes("lo"))
    #expect(try FileSystem.read(file, at: 1, count: 2) == bytes("el"))
    #expect(try FileSystem.read(file, at: 5, count: 1) == [])
    #expect(try FileSystem.read(file, at: 50, count: 1) == [])
    #expect(try FileSystem.read(file, at: 0, count: 0) == [])
}

@Test func emptyFileReadsAsNothing() throws {
    let temporary = try TemporaryFolder()
    try Files.overwrite(temporary.appending("empty"), with: [])
    let file = try FileSystem.openForReading(temporary.appending("empty"))
    #expect(try FileSystem.status(file).size == 0)
    #expect(try FileSystem.read(file, at: 0, count: 10) == [])
}

@Test func writingGoesWhereItIsToldAndCuttingCuts() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.appending("f")
    let file = try FileSystem.createExclusively(path, mode: 0o600)
    try bytes("hello").withUnsafeBytes { try FileSystem.write(file, at: 0, $0) }
    try bytes("LO!").withUnsafeBytes { try FileSystem.write(file, at: 3, $0) }
    #expect(try Files.bytes(at: path) == bytes("helLO!"))
    try FileSystem.truncate(file, to: 2)
    #expect(try Files.bytes(at: path) == bytes("he"))
    #expect(throws: SystemError.self) { try FileSystem.createExclusively(path, mode: 0o600) }
    #expect(try Files.bytes(at: path) == bytes("he"))
}

@Test func newFileOfTheUserIsWholeOrNotThere() throws {
    struct Stop: Error {}
    let temporary = try TemporaryFolder()
    let path = temporary.appending("out")
    #expect(throws: Stop.self) {
        try FileSystem.writeNewFile(path) { write in
            try bytes("half").withUnsafeBytes { try write($0) }
            throw Stop()
        }
    }
    #expect(!Files.exists(path))
    try FileSystem.writeNewFile(path) { write in
        for piece in ["one", "", "two"] { try bytes(piece).withUnsafeBytes { try write($0) } }
    }
    #expect(try Files.bytes(at: path) == bytes("onetwo"))
    // One that is there is never touched.
    #expect(throws: SystemError.self) { try FileSystem.writeNewFile(path) { _ in } }
    #expect(try Files.bytes(at: path) == bytes("onetwo"))
}

@Test func symbolicLinksAreNotOpened() throws {
    let temporary = try TemporaryFolder()
    try Files.overwrite(temporary.appending("f"), with: bytes("x"))
    try FileManager.default.createSymbolicLink(
        atPath: temporary.appending("link"), withDestinationPath: temporary.appending("f"))
    #expect(throws: SystemError.self) { try FileSystem.openForReading(temporary.appending("link")) }
    #expect(throws: SystemError.self) { try FileSystem.openForAppending(temporary.appending("link")) }
}

@Test func statusTellsMissingFromRefused() throws {
    let temporary = try TemporaryFolder()
    #expect(try FileSystem.status(temporary.appending("nothing")) == nil)
    #expect(try FileSystem.status(temporary.appending("nothing/below")) == nil)
    #expect(try FileSystem.status(temporary.path)?.isFolder == true)
    let long = temporary.appending(String(repeating: "x", count: 300))
    #expect(throws: SystemError.self) { try FileSystem.status(long) }
}

@Test func foldersAreMadeOnceAndListedInOrder() throws {
    let temporary = try TemporaryFolder()
    #expect(try FileSystem.makeFolder(temporary.appending("b")))
    #expect(try !FileSystem.makeFolder(temporary.appending("b")))
    for name in ["漢", "a", "é", ".hidden", "c"] { try Files.overwrite(temporary.appending(name), with: []) }
    #expect(try FileSystem.list(temporary.path) == [".hidden", "a", "b", "c", "é", "漢"].sorted())
    try FileSystem.remove(temporary.appending("a"))
    try FileSystem.remove(temporary.appending("a"))
    #expect(try FileSystem.list(temporary.path).count == 5)
    #expect(throws: SystemError.self) { try FileSystem.list(temporary.appending("nothing")) }
}
