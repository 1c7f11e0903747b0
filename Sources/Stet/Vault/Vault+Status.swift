/// A file of a vault that is otherwise than its note, or is none.
public struct FileState: Equatable, Sendable {
    /// What is otherwise.
    public enum Difference: String, Sendable {
        /// No note has the file.
        case new
        /// Its text is not that of the note's head.
        case changed
        /// The note has no file.
        case gone
        /// It is not taken for a note.
        case skipped
    }

    /// The path in the vault, as the bytes it has; that of a skipped file need not be UTF-8.
    public let name: [UInt8]
    /// The note, where there is one.
    public let note: Note?
    /// What is otherwise.
    public let difference: Difference
    /// Why it was skipped.
    public let reason: SkipReason?
}

extension Vault {
    /// Every file that differs from its note's head, in the order of their names. Nothing is changed.
    public func status(in scope: NoteName? = nil) throws -> [FileState] {
        try states(of: scan(in: scope))
    }

    func states(of scan: VaultScan) throws -> [FileState] {
        func note(_ known: VaultScan.Known) throws -> Note? { try store.read { try $0.note(ordinal: known.note) } }
        let states =
            scan.new.map { FileState(name: $0.bytes, note: nil, difference: .new, reason: nil) }
            + (try scan.changed.map {
                FileState(name: $0.name.bytes, note: try note($0), difference: .changed, reason: nil)
            })
            + (try scan.gone.map { FileState(name: $0.name.bytes, note: try note($0), difference: .gone, reason: nil) })
            + scan.skipped.map { FileState(name: $0.path, note: nil, difference: .skipped, reason: $0.reason) }
        return states.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    }

    /// The text that stands in the file of a note, whatever its size; nil where there is none.
    ///
    /// - Throws: `VaultError.notAFile`, `.link`, `.keepsChanging`.
    public func workingText(_ name: NoteName) throws -> [UInt8]? {
        for _ in 0..<Self.patience {
            guard let file = try files.find(name) else { return nil }
            let found = try files.read(file) { read in
                var bytes: [UInt8] = []
                let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
                defer { buffer.deallocate() }
                while case let count = try read(buffer), count > 0 { bytes += buffer[..<count] }
                return bytes
            }
            if let found { return found.0 }
        }
        throw VaultError.keepsChanging(name)
    }

    /// How often a file is looked at anew that changes while it is read.
    static let patience = 16
}
