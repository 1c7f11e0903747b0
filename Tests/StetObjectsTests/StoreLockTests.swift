import Foundation
import Glibc
import StetObjects
import Testing
import TestSupport

@Test func secondLockWaitsAndThenNamesTheHolder() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.appending("lock")
    let first = try StoreLock(path)
    let second = try StoreLock(path)
    try first.take()
    let error = #expect(throws: LockTimeout.self) { try second.take(patience: 0.01) }
    #expect(error?.path == path)
    #expect(error?.holder?.hasSuffix("(process \(ProcessInfo.processInfo.processIdentifier))") == true)
    first.give()
    try second.take(patience: 0)
    #expect(throws: LockTimeout.self) { try first.take(patience: 0) }
    second.give()
}

@Test func lockIsMadeForItsOwnerOnly() throws {
    let temporary = try TemporaryFolder()
    let lock = try StoreLock(temporary.appending("lock"))
    try lock.take()
    #expect(try Files.permissions(of: temporary.appending("lock")) == 0o600)
    lock.give()
}

/// A process that holds a lock until it is ended.
private final class Holder {
    let process = Process()
    private let input = Pipe()

    init(_ path: String) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        process.arguments = ["-F", path, "/bin/sh", "-c", "echo held; exec cat"]
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // Its first word comes once it has the lock.
        _ = output.fileHandleForReading.availableData
    }

    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    deinit { if process.isRunning { kill() } }
}

// B14
@Test func lockOfAnotherProcessIsWaitedForAndVanishesWithIt() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.appending("lock")
    let lock = try StoreLock(path)
    let holder = try Holder(path)
    let error = #expect(throws: LockTimeout.self) { try lock.take(patience: 0.01) }
    #expect(error?.holder == "cat (process \(holder.process.processIdentifier))")
    #expect(error?.description.contains(path) == true)
    holder.kill()
    try lock.take(patience: 0)
    lock.give()
}

// B14: an empty lock file, or one with anything in it, is no lock.
@Test(arguments: ["", "999999\n", "garbage"])
func lockFileThatNobodyHoldsIsFree(text: String) throws {
    let temporary = try TemporaryFolder()
    try Files.overwrite(temporary.appending("lock"), with: bytes(text))
    let lock = try StoreLock(temporary.appending("lock"))
    try lock.take(patience: 0)
    lock.give()
}

@Test func lockIsTakenAsSoonAsItIsGivenBack() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.appending("lock")
    let first = try StoreLock(path)
    let second = try StoreLock(path)
    try first.take()
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        try? second.take()
        done.signal()
    }
    // It cannot have it before it was given.
    #expect(done.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
    first.give()
    #expect(done.wait(timeout: .now() + .seconds(20)) == .success)
    #expect(throws: LockTimeout.self) { try first.take(patience: 0) }
    second.give()
}
