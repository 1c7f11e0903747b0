import Foundation

/// What tests do to files behind a store's back. Modes are changed where they are in the way.
package enum Files {
    /// The folder of the project's sources.
    package static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// The bytes of the file at `path`.
    package static func bytes(at path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Gives the file at `path` other bytes; it stays the same file, or is made.
    package static func overwrite(_ path: String, with bytes: [UInt8]) throws {
        let mode = exists(path) ? try permissions(of: path) : nil
        if let mode { try FileManager.default.setAttributes([.posixPermissions: mode | 0o200], ofItemAtPath: path) }
        defer {
            if let mode { try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path) }
        }
        // A program that another test starts meanwhile must not have the file open for writing.
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
    }

    /// Changes the bytes of the file at `path` in place.
    package static func modify(_ path: String, _ change: (inout [UInt8]) throws -> Void) throws {
        var bytes = try bytes(at: path)
        try change(&bytes)
        try overwrite(path, with: bytes)
    }

    /// Flips one bit: never writes the byte that was there (case B66).
    package static func flipBit(_ path: String, at offset: Int) throws {
        try modify(path) { $0[offset] ^= 0x10 }
    }

    /// Whether something is at `path`.
    package static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// The permission bits of what is at `path`.
    package static func permissions(of path: String) throws -> Int {
        let value = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        return (value as? NSNumber)?.intValue ?? -1
    }

    /// Removes the file or folder at `path`.
    package static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    /// Copies a file or folder with everything that belongs to it, as `cp -a` does.
    package static func copy(_ source: String, to target: String) throws {
        let run = try CommandRun.run("/bin/cp", ["-a", source, target], in: "/")
        if run.status != 0 { throw CocoaError(.fileWriteUnknown) }
    }

    /// The names in a folder.
    package static func list(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    /// Every file below `path` with its bytes.
    package static func tree(_ path: String) throws -> [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            let file = path + "/" + name
            let type = try FileManager.default.attributesOfItem(atPath: file)[.type] as? FileAttributeType
            if type == .typeRegular { result[name] = try bytes(at: file) }
        }
        return result
    }
}
