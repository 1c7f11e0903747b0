import Stet

// MARK: The answer to an operation

extension RandomWalk {
    mutating func compare(_ answer: StoreOutcome, _ expected: ModelOutcome) throws {
        switch (answer, expected) {
        case (.changes(let changes), .changes(let models)):
            try expect(changes.count, models.count, "changes")
            for (change, model) in zip(changes, models) { try compare(change, model) }
        case (.moved(let move), .moved(let model, let left)):
            try compare(move.change, model)
            try expect(move.left.count, left.count, "versions left")
            for (version, model) in zip(move.left, left) { try compare(version, model) }
        case (.marked(let version), .marked(let model)): try compare(version, model)
        case (.bookmark(let bookmark), .bookmark(let model)):
            let readBack = try parsed(bookmark.description)
            try expect(readBack, bookmark, "bookmark read back")
            try compare(bookmark, model)
            bookmarks.append(readBack)
        case (.released(let released), .released(let model)): try expect(released, model, "released")
        case (.refused(let refusal), .refused(let model)): try expect(refusal, model, "refusal")
        case (.done, .done): break
        default: throw Difference(description: "the store answers \(answer), the model \(expected)")
        }
    }

    private mutating func compare(_ change: Change, _ expected: ModelChange) throws {
        if model.notes[expected.place].id == nil { model.notes[expected.place].id = change.note.id }
        if device == nil { device = change.version.id.device }
        try compare(change.note, expected.note, at: expected.place)
        try compare(change.version, expected.version)
        try expect(change.isNew, expected.isNew, "whether the version is new")
    }

    private func compare(_ note: Note, _ expected: ModelNote, at place: Int) throws {
        try expect(note.id, model.notes[place].id, "id of note #\(place)")
        try expect(note.name, expected.name, "name of note #\(place)")
        try expect(note.head, expected.head, "head of note #\(place)")
        try expect(note.isDeleted, expected.isDeleted, "whether note #\(place) is deleted")
    }

    private func compare(_ version: Version, _ expected: ModelVersion) throws {
        let number = expected.number
        try expect(version.number, number, "number of a version")
        try expect(version.id.device, device, "device of @\(number)")
        try expect(version.id.sequence, expected.operation, "operation that made @\(number)")
        try expect(version.parents, expected.parents, "parents of @\(number)")
        try expect(version.object, WalkTexts.all[expected.text].object, "hash of @\(number)")
        try expect(version.size, WalkTexts.all[expected.text].bytes.count, "size of @\(number)")
        try expect(version.saved.milliseconds, expected.time, "time of @\(number)")
        try expect(version.kind, expected.kind, "kind of @\(number)")
        // As bytes: String takes the two spellings of an accent for one.
        try expect(version.label.map { Array($0.utf8) }, expected.label, "label of @\(number)")
        try expect(version.isPinned, expected.isPinned, "pin of @\(number)")
        try expect(version.redo, expected.redo, "redo from @\(number)")
    }

    private func compare(_ bookmark: Bookmark, _ expected: ModelBookmark) throws {
        try expect(bookmark.note, model.notes[expected.note].id, "note of a bookmark")
        try expect(
            bookmark.version?.sequence, expected.version.map { model.notes[expected.note].versions[$0 - 1].operation },
            "version of a bookmark")
        try expect(bookmark.name, expected.name, "name in a bookmark")
        try expect(bookmark.size, WalkTexts.all[expected.text].bytes.count, "size in a bookmark")
        try expect(bookmark.object, WalkTexts.all[expected.text].object, "hash in a bookmark")
    }
}

// MARK: The state

extension RandomWalk {
    /// Compares the lists, the notes that were touched, and something of the rest.
    mutating func compareState(after outcome: ModelOutcome) throws {
        let notes = try compareLists()
        var places: Set<Int> = []
        if case .changes(let changes) = outcome { places = Set(changes.map(\.place)) }
        if case .moved(let change, _) = outcome { places = [change.place] }
        // Of marks and refusals any note may show that they went wrong.
        if let place = model.notes.indices.randomElement(using: &checks) {
            places.insert(place)
            try compareTimes(place, notes[place], 1)
        }
        for place in places {
            try compareNote(place, notes[place])
            let head = try store.version(.head, of: notes[place])
            try compareText(head, model.notes[place].headVersion)
        }
        for _ in 0..<min(2, bookmarks.count) {
            // The fresh one is not looked at every time: reading tokens costs most here.
            let isFreshToo = Int.random(in: 0..<4, using: &checks) == 0
            try compareBookmark(Int.random(in: bookmarks.indices, using: &checks), isFreshToo: isFreshToo)
        }
        if Int.random(in: 0..<8, using: &checks) == 0 { try compareLikeness() }
    }

    mutating func compareEverything() throws {
        let notes = try compareLists()
        for place in model.notes.indices {
            try compareNote(place, notes[place])
            try compareTimes(place, notes[place], 4)
            for (version, expected) in zip(try store.history(of: notes[place]), model.notes[place].versions.reversed())
            {
                try compareText(version, expected)
            }
        }
        for place in bookmarks.indices { try compareBookmark(place, isFreshToo: true) }
        let counts = try store.counts()
        try expect(counts.liveNotes, model.places(deleted: false).count, "count of live notes")
        try expect(counts.deletedNotes, model.places(deleted: true).count, "count of deleted notes")
        try expect(counts.versions, model.notes.map(\.versions.count).reduce(0, +), "count of versions")
        try expect(store.events(newest: model.recorded + 1).count, model.recorded, "count of operations")
    }

    /// Compares the lists of notes. Returns the store's notes by their place in the model.
    private func compareLists() throws -> [Note] {
        var found: [(place: Int, note: Note)] = []
        for deleted in [false, true] {
            let notes = try store.notes(deleted: deleted)
            let places = model.places(deleted: deleted)
            try expect(notes.map(\.name), places.map { model.notes[$0].name }, deleted ? "deleted notes" : "live notes")
            for (note, place) in zip(notes, places) {
                try compare(note, model.notes[place], at: place)
                found.append((place, note))
            }
        }
        return found.sorted { $0.place < $1.place }.map(\.note)
    }

    private func compareNote(_ place: Int, _ note: Note) throws {
        let expected = model.notes[place]
        let history = try store.history(of: note)
        try expect(history.count, expected.versions.count, "count of versions of note #\(place)")
        for (version, model) in zip(history, expected.versions.reversed()) { try compare(version, model) }
        let former = try store.formerNames(of: note)
        try expect(former.map(\.name), expected.formerNames.map(\.name), "former names of note #\(place)")
        try expect(
            former.map(\.until.milliseconds), expected.formerNames.map(\.until), "times of names of note #\(place)")
    }

    private func compareText(_ version: Version, _ expected: ModelVersion) throws {
        // Compared first and named after: a text of 64 KiB is no help in a message.
        let isEqual = try store.text(of: version) == WalkTexts.all[expected.text].bytes
        try expect(isEqual, true, "whether the text of @\(expected.number) is text \(expected.text)")
    }

    /// Compares the head at some moments: those at which it changed, and just beside them.
    private mutating func compareTimes(_ place: Int, _ note: Note, _ count: Int) throws {
        for _ in 0..<count {
            let moment = model.notes[place].heads.randomElement(using: &checks)?.time ?? 0
            let time = moment + Int64.random(in: -1...1, using: &checks)
            var found: Int?
            do {
                found = try store.version(.time(Timestamp(milliseconds: time)), of: note).number
            } catch StoreError.noVersion {}
            try expect(found, model.head(of: place, at: time), "head of note #\(place) at time \(time)")
        }
    }

    // MARK: Bookmarks

    private func compareBookmark(_ place: Int, isFreshToo: Bool) throws {
        let bookmark = model.bookmarks[place]
        let resolution = try store.resolve(bookmarks[place])
        try compare(resolution, model.resolve(bookmark), "bookmark \(place)")
        var now = bookmark
        now.name = model.notes[bookmark.note].name
        now.text = model.notes[bookmark.note].versions[resolution.version.number - 1].text
        try compare(resolution.fresh, now)
        guard isFreshToo else { return }
        // The fresh one leads to the same version and knows the present name.
        let again = try store.resolve(parsed(resolution.fresh.description))
        try compare(again, model.resolve(now), "fresh one of bookmark \(place)")
    }

    private func compare(_ resolution: Resolution, _ expected: ModelResolution, _ what: String) throws {
        let note = model.notes[expected.place]
        try expect(resolution.reasons, expected.reasons, "reasons of \(what)")
        try compare(resolution.note, note, at: expected.place)
        try compare(resolution.version, note.versions[expected.version - 1])
    }

    /// Resolves a bookmark of a note that was never in the store.
    private mutating func compareLikeness() throws {
        let name = WalkNames.all.randomElement(using: &checks) ?? WalkNames.all[0]
        let text = Int.random(in: WalkTexts.all.indices, using: &checks)
        let escaped = name.bytes.map { "%" + (String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)).uppercased() }
        let id = String(repeating: "0", count: 32)
        let object = WalkTexts.all[text].object
        let size = WalkTexts.all[text].bytes.count
        let bookmark = try parsed("stet:\(id)?name=\(escaped.joined())&size=\(size)&sha256=\(object)")
        let expected = Result { () throws(Refusal) in try model.resolveByLikeness(name: name, text: text) }
        do {
            let resolution = try store.resolve(bookmark)
            try compare(resolution, expected.get(), "a bookmark of no note")
        } catch let error as StoreError {
            if case .failure(Refusal(error)) = expected { return }
            throw Difference(description: "a bookmark of no note: the store throws \(error), the model has \(expected)")
        }
    }
}
