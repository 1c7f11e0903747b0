internal import StetObjects

extension StoreIndex {
    /// Applies an operation: the only way in which the index changes, for a new operation as for a replayed one.
    ///
    /// - Throws: `IndexDamage` where the operation does not fit the state it is applied to.
    package func apply(_ timed: TimedOperation) throws {
        do {
            try carryOut(timed)
        } catch let error as DatabaseError where error.isContradiction {
            throw IndexDamage("operation \(timed.number) does not fit: \(error.message)")
        }
    }

    private func carryOut(_ timed: TimedOperation) throws {
        switch timed.operation {
        case .begin(let begin): try apply(begin, timed)
        case .save(let save): try apply(save, timed)
        case .undo(let note, let from, let to): try applyUndo(note, from, to, timed)
        case .redo(let note, let from, let to): try moveHead(note, from, to, timed)
        case .rename(let moves): try apply(moves, timed)
        case .delete(let notes):
            for note in notes {
                try change("UPDATE note SET deleted = ? WHERE note = ? AND deleted IS NULL", timed.number, note)
            }
        case .undelete(let move): try applyUndelete(move, timed)
        case .label(let note, let number, let text): try applyLabel(note, number, text)
        case .pin(let note, let number):
            try requireVersion(note, number)
            try connection.run("INSERT OR IGNORE INTO pin VALUES (?, ?)", note, number)
        case .unpin(let note, let number):
            try connection.run("DELETE FROM pin WHERE note = ? AND number = ?", note, number)
        case .ref(let note, let number):
            try requireVersion(note, number)
            try connection.run("INSERT OR REPLACE INTO bookmark VALUES (?, ?, ?)", note, number, timed.number)
        case .unref(let note, let number):
            try connection.run("DELETE FROM bookmark WHERE note = ? AND number = ?", note, number)
        }
    }

    private func change(_ sql: String, _ values: any Bindable...) throws {
        let changed = try connection.changes(sql, values)
        guard changed == 1 else { throw IndexDamage("an operation names a note or version that is not there") }
    }

    private func requireVersion(_ note: Int, _ number: Int) throws {
        let found = try connection.first("SELECT 1 FROM version WHERE note = ? AND number = ?", note, number) { _ in
            true
        }
        guard found != nil else { throw IndexDamage("an operation names version \(number), which is not there") }
    }

    private func apply(_ begin: Operation.Begin, _ timed: TimedOperation) throws {
        try connection.run(
            "INSERT INTO device (id, base, store) VALUES (?, ?, ?)", begin.device.bytes, timed.number - 1, begin.store)
        forgetDevices()
    }

    // MARK: Versions

    private func apply(_ save: Operation.Save, _ timed: TimedOperation) throws {
        if let created = save.created {
            try connection.run(
                "INSERT INTO note (note, id, name, head) VALUES (?, ?, ?, 0)", save.note, created.id.bytes,
                created.name.bytes)
        }
        for parent in save.parents { try requireVersion(save.note, parent) }
        let parent = save.parents.first ?? 0
        try connection.run(
            "INSERT INTO version (note, number, operation, parent, object, time, kind) VALUES (?, ?, ?, ?, ?, ?, ?)",
            save.note, save.number, timed.number, parent == save.number - 1 ? nil : parent,
            try objectOrdinal(save.object, size: save.size), Int(timed.time.milliseconds), save.kind.rawValue)
        for (position, parent) in save.parents.enumerated().dropFirst() {
            try connection.run(
                "INSERT INTO merge_parent VALUES (?, ?, ?, ?)", save.note, save.number, position, parent)
        }
        try change("UPDATE note SET head = ? WHERE note = ?", save.number, save.note)
        if let label = save.label { try applyLabel(save.note, save.number, label) }
    }

    /// The ordinal of `object`, which is given one where it has none.
    private func objectOrdinal(_ object: ObjectID, size: Int) throws -> Int {
        if let ordinal = try ordinal(of: object) { return ordinal }
        try connection.run("INSERT INTO object (hash, size) VALUES (?, ?)", object.bytes, size)
        return connection.lastInsertedRow
    }

    private func applyLabel(_ note: Int, _ number: Int, _ text: String) throws {
        try requireVersion(note, number)
        if text.isEmpty {
            try connection.run("DELETE FROM label WHERE note = ? AND number = ?", note, number)
        } else {
            try connection.run("INSERT OR REPLACE INTO label VALUES (?, ?, ?)", note, number, text)
        }
    }

    // MARK: Undo and redo

    private func applyUndo(_ note: Int, _ from: Int, _ to: Int, _ timed: TimedOperation) throws {
        var child = from
        while child != to {
            guard let parent = try parent(of: child, note: note), parent > 0, parent < child else {
                throw IndexDamage("undo goes from version \(from) to \(to), which it does not come from")
            }
            try change("UPDATE version SET redo = ? WHERE note = ? AND number = ?", child, note, parent)
            child = parent
        }
        try moveHead(note, from, to, timed)
    }

    private func moveHead(_ note: Int, _ from: Int, _ to: Int, _ timed: TimedOperation) throws {
        try requireVersion(note, to)
        try change("UPDATE note SET head = ? WHERE note = ? AND head = ?", to, note, from)
        try connection.run(
            "INSERT INTO head_move VALUES (?, ?, ?, ?)", note, timed.number, Int(timed.time.milliseconds), to)
    }

    // MARK: Names

    private func apply(_ moves: [Operation.Move], _ timed: TimedOperation) throws {
        for move in moves { try giveUpName(move.note, timed) }
        if moves.count > 1 {
            // Names may be exchanged: each note first gets one that nobody else can have.
            for move in moves {
                try change("UPDATE note SET name = ? WHERE note = ?", [0] + Array(String(move.note).utf8), move.note)
            }
        }
        for move in moves { try change("UPDATE note SET name = ? WHERE note = ?", move.name.bytes, move.note) }
    }

    private func giveUpName(_ note: Int, _ timed: TimedOperation) throws {
        try connection.run(
            "INSERT INTO former_name SELECT note, ?, ?, name FROM note WHERE note = ?", timed.number,
            Int(timed.time.milliseconds), note)
    }

    private func applyUndelete(_ move: Operation.Move, _ timed: TimedOperation) throws {
        if let name = try note(ordinal: move.note)?.name, name != move.name { try giveUpName(move.note, timed) }
        try change(
            "UPDATE note SET deleted = NULL, name = ? WHERE note = ? AND deleted IS NOT NULL", move.name.bytes,
            move.note)
    }
}
