extension NoteStore {
    /// The text of a version, checked against its hash.
    ///
    /// - Throws: `ObjectError` where it is missing or damaged.
    public func text(of version: Version) throws -> [UInt8] { try read { try text(of: version, in: $0) } }

    /// The bytes of `version` from the journal or else from the tree.
    func text(of version: Version, in index: StoreIndex) throws -> [UInt8] {
        try index.journaled(version.object) ?? objects.read(version.object, size: version.size)
    }

    /// Whether the store has the text of `version` whole; all of it is read.
    func holds(_ version: Version) throws -> Bool {
        if try read({ try $0.journaled(version.object) }) != nil { return true }
        return try objects.isWhole(version.object, size: version.size)
    }

    /// Hands the text of a version to `body` in pieces of at most a mebibyte. Nothing is handed out before all of it was
    /// checked against its hash.
    ///
    /// - Throws: `ObjectError` where it is missing or damaged; what `body` throws.
    public func readText(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let source = try source(of: version, wholly: true)
        try source.read(0..<source.size, body)
    }

    /// Hands the first `count` lines of a version's text to `body`, in pieces. Of a large text no more is read than is
    /// needed, and each mebibyte is checked before it is handed out.
    public func readFirstLines(
        _ count: Int, of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        struct Enough: Error {}
        var left = count
        guard left > 0 else { return }
        do {
            let source = try source(of: version, wholly: false)
            try source.read(0..<source.size) { piece in
                var end = 0
                while left > 0, end < piece.count {
                    guard let lineFeed = piece[end...].firstIndex(of: UInt8(ascii: "\n")) else {
                        end = piece.count
                        break
                    }
                    end = lineFeed + 1
                    left -= 1
                }
                try body(UnsafeRawBufferPointer(rebasing: piece[..<end]))
                if left == 0 { throw Enough() }
            }
        } catch is Enough {}
    }

    /// Hands the last `count` lines of a version's text to `body`, in pieces. Of a large text no more is read than is
    /// needed, and each mebibyte is checked before it is handed out.
    public func readLastLines(
        _ count: Int, of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let source = try source(of: version, wholly: false)
        var start = source.size
        var found = 0
        // From the end backwards block by block, until as many line feeds lie behind as there are lines wanted.
        search: while count > 0, start > 0 {
            let range = (start - 1) / Outline.blockSize * Outline.blockSize..<start
            var position: Int?
            try source.read(range) { piece in
                for offset in piece.indices.reversed() where piece[offset] == UInt8(ascii: "\n") {
                    // The line feed that ends the text ends its last line and begins none.
                    if range.lowerBound + offset == source.size - 1 { continue }
                    found += 1
                    if found == count {
                        position = range.lowerBound + offset + 1
                        return
                    }
                }
            }
            start = position ?? range.lowerBound
            if position != nil { break search }
        }
        try source.read(start..<source.size, body)
    }

    /// A checked text: in memory where it is small, an open file where it is large.
    private enum Source {
        case memory([UInt8])
        case file(CheckedObject)

        var size: Int {
            switch self {
            case .memory(let bytes): bytes.count
            case .file(let file): file.size
            }
        }

        func read(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
            switch self {
            case .memory(let bytes): try bytes[range].withUnsafeBytes { if !$0.isEmpty { try body($0) } }
            case .file(let file): try file.read(range, body)
            }
        }
    }

    /// - Parameter wholly: whether all of it will be read; then all of it is checked before anything is handed out.
    private func source(of version: Version, wholly: Bool) throws -> Source {
        guard version.size > Outline.blockSize else { return .memory(try text(of: version)) }
        let outline = try read { wholly ? nil : try $0.outline(of: version.object) }
        return .file(try objects.open(version.object, size: version.size, outline: outline))
    }

    /// Answers for many versions whether their texts are nowhere in the store; does not read them.
    public func missingTexts() -> MissingTexts { MissingTexts(self) }
}

/// Tells which versions have lost their texts.
public struct MissingTexts {
    private let store: NoteStore
    private let names: LooseObjectNames

    fileprivate init(_ store: NoteStore) {
        self.store = store
        names = LooseObjectNames(of: store.objects)
    }

    /// Whether the store has neither a file of the version's text nor holds it in its journal.
    public func contains(_ version: Version) throws -> Bool {
        if names.contains(version.object) { return false }
        return try store.read { try !$0.journalHolds(version.object) }
    }
}
