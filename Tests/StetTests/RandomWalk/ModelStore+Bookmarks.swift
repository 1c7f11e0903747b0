import Stet

/// What a bookmark leads to.
struct ModelResolution {
    var place: Int
    var version: Int
    var reasons: [StaleReason]
}

extension ModelStore {
    mutating func bookmark(_ choice: NoteChoice, _ version: VersionChoice?) throws(Refusal) -> ModelBookmark {
        let place = try find(choice, for: .reading)
        var number: Int?
        if let version { number = try find(version, of: place) }
        let isHead = notes[place].head == number
        // Recorded at first, and anew where it was of the head and is not any more.
        if let number, notes[place].recordedBookmarks[number].map({ $0 && !isHead }) ?? true {
            notes[place].recordedBookmarks[number] = isHead
            recorded += 1
        }
        let text = notes[place].versions[(number ?? notes[place].head) - 1].text
        let bookmark = ModelBookmark(note: place, version: number, name: notes[place].name, text: text)
        bookmarks.append(bookmark)
        return bookmark
    }

    /// Returns whether there was a recorded one.
    mutating func release(_ bookmark: ModelBookmark) -> Bool {
        guard let number = bookmark.version,
            notes[bookmark.note].recordedBookmarks.removeValue(forKey: number) != nil
        else { return false }
        recorded += 1
        return true
    }

    func resolve(_ bookmark: ModelBookmark) -> ModelResolution {
        let note = notes[bookmark.note]
        var reasons: [StaleReason] = []
        if note.isDeleted { reasons.append(.deleted) }
        if note.name != bookmark.name { reasons.append(.renamed) }
        if let number = bookmark.version, note.recordedBookmarks[number] == true, note.head != number {
            reasons.append(.movedOn)
        }
        return ModelResolution(place: bookmark.note, version: bookmark.version ?? note.head, reasons: reasons)
    }

    /// Where a bookmark leads whose note was never in the store: to the only live note with its text, or else to the
    /// only one with its file name and nearly its size.
    func resolveByLikeness(name: NoteName, text: Int) throws(Refusal) -> ModelResolution {
        let live = places(deleted: false)
        let sameText = live.filter { notes[$0].headVersion.text == text }
        let size = WalkTexts.all[text].bytes.count
        let sameName = live.filter { place in
            let difference = abs(WalkTexts.all[notes[place].headVersion.text].bytes.count - size)
            return fileName(notes[place].name) == fileName(name) && difference <= max(64, size / 4)
        }
        let found = sameText.isEmpty ? sameName : sameText
        if found.isEmpty { throw .noNote }
        if found.count > 1 { throw .ambiguous }
        return ModelResolution(place: found[0], version: notes[found[0]].head, reasons: [.likeness])
    }

    private func fileName(_ name: NoteName) -> [UInt8] {
        var last: [UInt8] = []
        for byte in name.bytes { last = byte == UInt8(ascii: "/") ? [] : last + [byte] }
        return last
    }
}
