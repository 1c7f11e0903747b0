import Foundation
import Glibc
import StetObjects
import Synchronization
import Testing
import TestSupport

@Test func incomingFilesOfDeadWritersAreSweptAndThoseOfLivingOnesAreNot() throws {
    let tree = try ObjectTree()
    // What a writer that died leaves: a file that nobody has locked.
    try Files.overwrite(tree.incoming + "/0123456789abcdef", with: bytes("half a te"))
    let living = try tree.objects.startIncoming()
    try bytes("one\n").withUnsafeBytes { try living.append($0) }
    try tree.objects.sweepIncoming()
    #expect(try Files.list(tree.incoming).map { tree.incoming + "/" + $0 } == [living.path])
    try tree.objects.place(living, as: living.object)
    #expect(try tree.objects.read(ObjectID(of: bytes("one\n"))) == bytes("one\n"))
    try tree.objects.sweepIncoming()
    #expect(try tree.objects.read(ObjectID(of: bytes("one\n"))) == bytes("one\n"))
}

@Test func fileOfAWriterThatLetGoIsSwept() throws {
    let tree = try ObjectTree()
    do {
        let abandoned = try tree.objects.startIncoming()
        try bytes("one\n").withUnsafeBytes { try abandoned.append($0) }
    }
    #expect(try Files.list(tree.incoming).count == 1)
    try tree.objects.sweepIncoming()
    #expect(try Files.list(tree.incoming).isEmpty)
}

@Test func discardedIncomingFileIsGoneAtOnce() throws {
    let tree = try ObjectTree()
    let file = try tree.objects.startIncoming()
    #expect(file.object == ObjectID(of: []))
    file.discard()
    #expect(try Files.list(tree.incoming).isEmpty)
    // A second time is no failure: a file that was put in place is discarded as well.
    file.discard()
}

@Test func manyWritersOfOneObjectLeaveItWhole() throws {
    let tree = try ObjectTree()
    let text = [UInt8](repeating: 0x61, count: 100_000)
    let object = ObjectID(of: text)
    let objects = tree.objects
    let failures = Mutex<[String]>([])
    // Small texts are written, and leftovers swept, under the store's lock; large ones come in while others do so.
    let lock = Mutex(())
    DispatchQueue.concurrentPerform(iterations: 64) { round in
        do {
            if round % 2 == 0 {
                try lock.withLock { _ in
                    try objects.sweepIncoming()
                    try objects.write(text, as: object)
                }
            } else {
                let incoming = try objects.startIncoming()
                try text.withUnsafeBytes { try incoming.append($0) }
                try objects.place(incoming, as: object)
            }
            if try objects.read(object) != text { failures.withLock { $0.append("other bytes") } }
        } catch {
            failures.withLock { $0.append("\(error)") }
        }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try Files.list(tree.incoming).isEmpty)
}

/// Gives the calling thread a working folder and a umask of its own. Swift's module of the C library leaves the call out.
private func unshareFileSystemState() -> Bool {
    typealias Unshare = @convention(c) (Int32) -> Int32
    guard let symbol = dlsym(nil, "unshare") else { return false }
    let cloneFS: Int32 = 0x200
    return unsafeBitCast(symbol, to: Unshare.self)(cloneFS) == 0
}

/// Runs `body` on a thread whose umask is its own, so that other tests do not see it.
private func withUmask(_ mask: mode_t, _ body: @escaping @Sendable () throws -> Void) -> String? {
    let done = DispatchSemaphore(value: 0)
    let failed = Failure()
    Thread.detachNewThread {
        if !unshareFileSystemState() {
            failed.set("the umask stays shared")
        } else {
            umask(mask)
            do {
                try body()
                failed.set(nil)
            } catch {
                failed.set("\(error)")
            }
        }
        done.signal()
    }
    done.wait()
    return failed.value
}

/// What went wrong on another thread.
private final class Failure: Sendable {
    private let state = Mutex<String?>("it did not run")
    var value: String? { state.withLock { $0 } }
    func set(_ value: String?) { state.withLock { $0 = value } }
}

@Test(arguments: [mode_t(0), 0o022, 0o077, 0o277, 0o777])
func modesAreThoseOfTheFormatWhateverTheUmask(mask: mode_t) throws {
    let temporary = try TemporaryFolder()
    let object = ObjectID(of: bytes("two\n"))
    let objects = LooseObjects(caches: temporary.path)
    let failure = withUmask(mask) {
        try objects.makeFolders()
        try objects.write(bytes("two\n"), as: object)
    }
    #expect(failure == nil)
    #expect(try Files.permissions(of: objects.path(object)) == 0o400)
    for folder in ["objects", "incoming", "objects/27"] {
        #expect(try Files.permissions(of: temporary.appending(folder)) == 0o700, "\(folder)")
    }
}
