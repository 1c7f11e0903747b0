import Stet

/// The names that walks use: few, so that they meet, and chosen so that they nearly meet in every way known.
enum WalkNames {
    /// A name, and a number that it shares with the names that differ from it only in case or Unicode form.
    struct Entry {
        let name: NoteName
        let spelling: Int

        init(_ text: String, _ spelling: Int) {
            name = NoteName(stored: Array(text.utf8))
            self.spelling = spelling
        }
    }

    // The spellings are written out by hand: a model that folded case as the store does would share its mistakes.
    static let entries = [
        Entry("a", 0), Entry("A", 0),
        // Inside one another.
        Entry("a/b", 1), Entry("A/b", 1), Entry("a/b/c", 2),
        // Neighbours of "a/" in the order of the bytes, which a search for what lies in the folder must not take.
        Entry("a.md", 3), Entry("a0", 4),
        // Composed, decomposed, and in capitals; a folder under one spelling only.
        Entry("caf\u{E9}", 5), Entry("cafe\u{301}", 5), Entry("CAF\u{C9}", 5), Entry("caf\u{E9}/x", 6),
        Entry("\u{1F4DD} \u{1F469}\u{200D}\u{1F4BB}.md", 7), Entry("-n", 8), Entry("@", 9), Entry("todo@2", 10),
    ]

    static let all = entries.map(\.name)

    /// Whether two names are the same to a reader who does not look closely.
    static func areSpelledAlike(_ left: NoteName, _ right: NoteName) -> Bool {
        let spellings = [left, right].map { name in entries.first { $0.name == name }?.spelling }
        return spellings[0] != nil && spellings[0] == spellings[1]
    }
}

/// The texts that walks save: few, so that the same one comes again.
enum WalkTexts {
    struct Entry {
        let bytes: [UInt8]
        let object: ObjectID

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            object = ObjectID(of: bytes)
        }
    }

    static let small: [Entry] = [
        Entry([]), Entry(Array("one\n".utf8)), Entry(Array("one".utf8)), Entry(Array("two\nlines\n".utf8)),
        Entry(Array("caf\u{E9}\n".utf8)), Entry(Array("cafe\u{301}\n".utf8)), Entry([0, 0xFF, 0xC0, 0x0A, 0]),
    ]
    /// The largest that goes through the journal, and two that are too large for it.
    static let large: [Entry] = [64 << 10, 64 << 10 + 1, 70_000].map { size in
        Entry((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ size) })
    }
    static let all = small + large
}

/// The labels that walks put on versions; the last two are refused.
enum WalkLabels {
    static let all = [
        "", "draft", "caf\u{E9}", "cafe\u{301}", String(repeating: "x", count: 1_000), "two\nlines",
        String(repeating: "x", count: 1_001),
    ]
    static let refused = all.suffix(2)
}
