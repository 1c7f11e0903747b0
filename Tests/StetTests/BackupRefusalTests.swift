import Foundation
import Stet
import Testing
import TestSupport

// What is no earlier backup of the store is refused, and left as it is.

extension StoreFixture {
    /// The backup is refused, and nothing below `folder` is changed.
    fileprivate func expectRefusal(
        _ refusal: BackupRefusal, of folder: String, unchanged: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        func contents() throws -> [String: [UInt8]] {
            try Files.tree(unchanged ?? folder).filter { !$0.key.hasSuffix("-shm") && !$0.value.isEmpty }
        }
        let before = try contents()
        #expect(throws: refusal, sourceLocation: sourceLocation) { try store.backup(to: folder) }
        #expect(try contents() == before, sourceLocation: sourceLocation)
    }
}

@Test func folderWithAnythingElseIsRefused() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    let folder = fixture.temporary.appending("other")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    for name in ["mine.txt", "lock", "index.sqlite"] {
        try Files.overwrite(folder + "/" + name, with: bytes("something of mine that is long enough for a header\n"))
        try fixture.expectRefusal(.notABackup(folder), of: folder)
        #expect(!Files.exists(folder + "/caches"))
    }
    try Files.remove(folder + "/mine.txt")
    try fixture.expectRefusal(.notABackup(folder), of: folder)
    let file = fixture.temporary.appending("file")
    try Files.overwrite(file, with: bytes("x"))
    #expect(throws: BackupRefusal.notABackup(file)) { try fixture.store.backup(to: file) }
    #expect(throws: SystemError.self) { try fixture.store.backup(to: fixture.temporary.appending("missing/copy")) }
    #expect(try Files.list(fixture.temporary.path) == ["file", "other", "store"])
}

@Test func folderThatIsEmptyOrWasOnlyBegunIsTaken() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    for names in [[], ["lock"], ["lock", "index.sqlite"]] {
        try? Files.remove(fixture.copy)
        try FileManager.default.createDirectory(atPath: fixture.copy, withIntermediateDirectories: false)
        for name in names { try Files.overwrite(fixture.copy + "/" + name, with: []) }
        _ = try fixture.store.backup(to: fixture.copy + "/")
        try fixture.expectCopyIsEqual()
    }
}

@Test func otherStoresAndTheirBackupsAreRefused() throws {
    let fixture = try StoreFixture()
    let other = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    try other.store.put("other\n", "n")
    _ = try other.store.backup(to: other.copy)
    for folder in [other.folder, other.copy] { try fixture.expectRefusal(.ofAnotherStore(folder), of: folder) }
}

// The store was put back to an older state than the backup's, or the backup was written to. Either of the backup's index
// and log can tell.
@Test(arguments: [false, true], ["both", "index", "log"])
func backupThatHasWhatTheStoreDoesNotHaveIsRefused(written: Bool, newer: String) throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    _ = try fixture.store.backup(to: fixture.copy)
    try fixture.store.close()
    let (oldStore, oldCopy) = (fixture.temporary.appending("old store"), fixture.temporary.appending("old copy"))
    try Files.copy(fixture.folder, to: oldStore)
    try Files.copy(fixture.copy, to: oldCopy)
    try fixture.reopen()
    if written {
        let copy = try fixture.openCopy(.readWrite)
        try copy.put("own\n", "n")
        try copy.flush()
        try copy.close()
    } else {
        try fixture.store.put("v2\n", "n")
        _ = try fixture.store.backup(to: fixture.copy)
    }
    for name in try Files.list(fixture.copy) where name.hasPrefix(newer == "index" ? "oplog" : "index") {
        if newer == "both" { continue }
        try Files.remove(fixture.copy + "/" + name)
        if Files.exists(oldCopy + "/" + name) { try Files.copy(oldCopy + "/" + name, to: fixture.copy + "/" + name) }
    }
    try fixture.store.close()
    try Files.remove(fixture.folder)
    try Files.copy(oldStore, to: fixture.folder)
    try fixture.reopen(.readOnly)
    try fixture.expectRefusal(.diverged(fixture.copy), of: fixture.copy)
    try fixture.reopen()
    for text in ["w2\n", "another\n", "and more\n"] {
        try fixture.store.put(text, "n")
        try fixture.expectRefusal(.diverged(fixture.copy), of: fixture.copy)
    }
    // One that has lost its index is none.
    for name in try Files.list(fixture.copy) where name.hasPrefix("index") {
        try Files.remove(fixture.copy + "/" + name)
    }
    try fixture.expectRefusal(.notABackup(fixture.copy), of: fixture.copy)
}

@Test func storeAndBackupLieApart() throws {
    let fixture = try StoreFixture()
    try fixture.store.put("v1\n", "n")
    let link = fixture.temporary.appending("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.folder)
    let inside = ["", "/", "/.", "/../store", "/copy", "/caches", "/caches/copy"].map { fixture.folder + $0 }
    for folder in inside + [link, link + "/copy", fixture.temporary.path, "/"] {
        try fixture.expectRefusal(.notApart(folder), of: folder, unchanged: fixture.temporary.path)
    }
    #expect(try Files.list(fixture.temporary.path) == ["link", "store"])
    // A name that only begins like the store's is another one.
    _ = try fixture.store.backup(to: fixture.folder + "2")
    try fixture.expectSound()
}

@Test(arguments: [0o770, 0o707])
func backupThatOthersMayWriteToIsRefused(mode: Int) throws {
    let fixture = try StoreFixture()
    _ = try fixture.store.backup(to: fixture.copy)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: fixture.copy)
    #expect(throws: StoreError.writableByOthers(fixture.copy)) { try fixture.store.backup(to: fixture.copy) }
}
