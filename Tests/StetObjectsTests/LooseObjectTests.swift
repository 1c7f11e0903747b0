import Foundation
import StetObjects
import Testing
import TestSupport

/// An object tree of a test's own.
struct ObjectTree {
    let temporary: TemporaryFolder
    let objects: LooseObjects

    init() throws {
        temporary = try TemporaryFolder()
        objects = LooseObjects(caches: temporary.path)
        try objects.makeFolders()
    }

    var incoming: String { temporary.appending("incoming") }
}

@Test(arguments: [[], bytes("one\n"), [0x61, 0, 0xE9, 0x0A], [UInt8](repeating: 0x78, count: 3_000_000)])
func objectsAreReadBackByTheirName(text: [UInt8]) throws {
    let tree = try ObjectTree()
    let object = ObjectID(of: text)
    try tree.objects.write(text, as: object)
    #expect(try tree.objects.read(object) == text)
    #expect(try tree.objects.size(object) == text.count)
    #expect(try tree.objects.isWhole(object))
    #expect(try Files.bytes(at: tree.objects.path(object)) == text)
    #expect(try Files.list(tree.incoming).isEmpty)
    let checked = try tree.objects.openChecked(object)
    var read: [UInt8] = []
    try checked.read(0..<checked.size) { read += Array($0) }
    #expect(read == text)
}

@Test func objectFilesStandInTheShardOfTheirFirstTwoDigits() throws {
    let tree = try ObjectTree()
    let object = ObjectID(of: bytes("two\n"))
    try tree.objects.write(bytes("two\n"), as: object)
    let expected = tree.temporary.appending("objects/27/" + object.description.dropFirst(2))
    #expect(tree.objects.path(object) == expected)
    #expect(Files.exists(expected))
    #expect(try Files.permissions(of: tree.temporary.appending("objects/27")) == 0o700)
}

@Test func shardIsMadeOnceAndUsedAgain() throws {
    let tree = try ObjectTree()
    let object = ObjectID(of: bytes("one\n"))
    for _ in 0..<2 {
        let file = try tree.objects.startIncoming()
        try bytes("one\n").withUnsafeBytes { try file.append($0) }
        #expect(file.object == object)
        try file.sync()
        try tree.objects.place(file, as: object)
        #expect(try tree.objects.read(object) == bytes("one\n"))
    }
    let file = try tree.objects.startIncoming()
    try bytes("two\n").withUnsafeBytes { try file.append($0) }
    try file.sync()
    try tree.objects.place(file, as: file.object)
    #expect(try tree.objects.read(ObjectID(of: bytes("two\n"))) == bytes("two\n"))
}

@Test func missingObjectIsSaidToBeMissing() throws {
    let tree = try ObjectTree()
    let object = ObjectID(of: bytes("one\n"))
    #expect(throws: ObjectError.missing(object)) { try tree.objects.read(object) }
    #expect(throws: ObjectError.missing(object)) { try tree.objects.openChecked(object) }
    #expect(try tree.objects.size(object) == nil)
    #expect(try !tree.objects.isWhole(object))
}

// B01, B66, B68: whatever stands in the file, only the object's own bytes are ever handed out.
@Test func damagedFileIsNeverReadAndIsReplacedOnWrite() throws {
    let tree = try ObjectTree()
    let text = bytes("content B\n")
    let object = ObjectID(of: text)
    var wrong: [[UInt8]] = [[], bytes("content A\n"), text + [0x0A], [UInt8](repeating: 0, count: text.count)]
    for length in 1..<text.count { wrong.append(Array(text.prefix(length))) }
    for position in text.indices {
        var flipped = text
        flipped[position] ^= 1
        wrong.append(flipped)
    }
    for other in wrong {
        try tree.objects.write(text, as: object)
        try Files.overwrite(tree.objects.path(object), with: other)
        let damaged = ObjectError.damaged(object, path: tree.objects.path(object))
        #expect(throws: damaged) { try tree.objects.read(object) }
        #expect(throws: damaged) { try tree.objects.openChecked(object) }
        #expect(try !tree.objects.isWhole(object))
        try tree.objects.write(text, as: object)
        #expect(try tree.objects.read(object) == text)
    }
}

// B66: one file that cannot be read as a file is damage to its object, and no end of the whole check.
@Test func whatIsNoRegularFileCountsAsDamage() throws {
    let tree = try ObjectTree()
    let text = bytes("content A\n")
    let object = ObjectID(of: text)
    try tree.objects.write(text, as: object)
    let path = tree.objects.path(object)
    let aside = tree.temporary.appending("aside")
    try FileManager.default.moveItem(atPath: path, toPath: aside)
    // Even a link to the right bytes: they could change behind it.
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: aside)
    #expect(throws: ObjectError.damaged(object, path: path)) { try tree.objects.read(object) }
    #expect(try !tree.objects.isWhole(object))
    try tree.objects.write(text, as: object)
    #expect(try tree.objects.read(object) == text)
    #expect(try Files.bytes(at: aside) == text)

    try Files.remove(path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(throws: ObjectError.damaged(object, path: path)) { try tree.objects.read(object) }
    #expect(try !tree.objects.isWhole(object))
}

@Test func readerKeepsTheFileItCheckedWhenItIsReplaced() throws {
    let tree = try ObjectTree()
    let text = bytes("content A\n")
    let object = ObjectID(of: text)
    try tree.objects.write(text, as: object)
    let checked = try tree.objects.openChecked(object)
    try Files.remove(tree.objects.path(object))
    try Files.overwrite(tree.objects.path(object), with: bytes("content B\n"))
    var read: [UInt8] = []
    try checked.read(2..<9) { read += Array($0) }
    #expect(read == bytes("ntent A"))
}

@Test func listingGivesEveryObjectInOrderAndNothingElse() throws {
    let tree = try ObjectTree()
    var written: Set<ObjectID> = []
    for number in 0..<300 {
        let text = bytes("text \(number)\n")
        written.insert(ObjectID(of: text))
        try tree.objects.write(text, as: ObjectID(of: text))
    }
    // Things that are no objects: a stray file, a shard of another kind, a name that is too short.
    try Files.overwrite(tree.objects.folder + "/README", with: bytes("x"))
    try FileManager.default.createDirectory(atPath: tree.objects.folder + "/packs", withIntermediateDirectories: false)
    let shard = try #require(try Files.list(tree.objects.folder).first { $0.utf8.count == 2 })
    try Files.overwrite(tree.objects.folder + "/" + shard + "/abc", with: bytes("x"))
    var listed: [ObjectID] = []
    try tree.objects.forEach { listed.append($0) }
    #expect(Set(listed) == written)
    #expect(listed.map(\.description) == listed.map(\.description).sorted())
    #expect(listed.count == written.count)
}

@Test func largeObjectIsReadInPiecesOfAnyRange() throws {
    let tree = try ObjectTree()
    var random = SplitMix64.forTest()
    let text = (0..<Outline.blockSize * 2 + 17).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let object = ObjectID(of: text)
    try tree.objects.write(text, as: object)
    let checked = try tree.objects.openChecked(object)
    let edge = Outline.blockSize
    for range in [0..<0, 0..<1, edge - 1..<edge + 1, edge..<edge, 5..<edge * 2 + 10, 0..<text.count] {
        var read: [UInt8] = []
        var largest = 0
        try checked.read(range) {
            largest = max(largest, $0.count)
            read += Array($0)
        }
        #expect(read == Array(text[range]))
        #expect(largest <= Outline.blockSize)
    }
}

// A file that claims to be longer than memory is not read to find out that it is another.
@Test func fileOfAnotherSizeThanKnownCountsAsDamageUnread() throws {
    let tree = try ObjectTree()
    let text = bytes("content A\n")
    let object = ObjectID(of: text)
    try tree.objects.write(text, as: object)
    let path = tree.objects.path(object)
    #expect(try tree.objects.read(object, size: text.count) == text)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try FileSystem.truncate(FileSystem.openForAppending(path), to: 1 << 40)
    #expect(throws: ObjectError.damaged(object, path: path)) { try tree.objects.read(object, size: text.count) }
    #expect(throws: ObjectError.damaged(object, path: path)) { try tree.objects.openChecked(object, size: text.count) }
    #expect(try !tree.objects.isWhole(object, size: text.count))
}
