internal import StetObjects

/// Tells from a sound index what the log must have said where it is lost: for `repair`.
///
/// What is left of the log is believed for its checks; the rest is made up from what the index knows of each operation.
/// It is believed only where a replay of all of it gives that very index.
package struct LogReconstruction {
    private let index: StoreIndex
    private let chain: LogChain
    /// Operations that are not in the chain and are known all the same, as they stand in a log or in the index.
    private var known: [Int: RecordFrame] = [:]
    private let traces: Traces
    /// What the operations so far make of an empty index.
    private let state: StoreIndex
    private var time = Timestamp(milliseconds: 0)

    /// A log that replays to the index.
    package struct Outcome {
        /// The first operation that the chain lacks.
        package var first: Int
        /// The records from there on.
        package var records: [(device: DeviceID, bytes: [UInt8])]
        /// How many of them were made up.
        package var madeUp: Int
        /// Whether each of these is proved by the check that the record after it has of it.
        package var isExact: Bool
    }

    /// - Parameters:
    ///   - index: sound, and further than the chain.
    ///   - fragments: records that are whole and not in the chain.
    package init(of index: StoreIndex, chain: LogChain, fragments: [DeviceID: [Int: RecordFrame]]) throws {
        self.index = index
        self.chain = chain
        traces = try Traces(index)
        state = try StoreIndex.inMemory()
        let devices = try index.devices()
        for (position, device) in devices.enumerated() {
            let end = position + 1 < devices.count ? devices[position + 1].base : Int.max
            for (sequence, frame) in fragments[device.id] ?? [:] where sequence < end - device.base {
                known[device.base + sequence] = frame
            }
        }
        for record in try index.records(after: chain.links.count) {
            if case .record(let frame, _) = RecordFrame.read(record.bytes, at: 0) { known[record.operation] = frame }
        }
    }

    /// The log, or nil where none can be told that replays to the index.
    package mutating func outcome() throws -> Outcome? {
        do {
            return try state.write { try rebuild() }
        } catch is IndexDamage {
            return nil
        }
    }

    private mutating func rebuild() throws -> Outcome? {
        guard let newest = try index.newestRecord()?.operation, newest > chain.links.count else { return nil }
        for (position, link) in chain.links.enumerated() {
            guard try index.versionID(of: position + 1).device == link.device else { return nil }
            try state.apply(TimedOperation(number: position + 1, time: link.time, operation: link.operation))
        }
        time = try chain.links.last?.time ?? index.firstTime()
        var outcome = Outcome(first: chain.links.count + 1, records: [], madeUp: 0, isExact: true)
        var before = chain.links.last?.entry.bytes
        var operation = outcome.first
        while operation <= newest || known[operation] != nil {
            let record = try record(operation, after: before, &outcome)
            guard let record else { return nil }
            outcome.records.append((try index.versionID(of: operation).device, record))
            if operation == newest, try !state.differences(from: index).isEmpty { return nil }
            before = record
            operation += 1
        }
        return outcome
    }

    /// The record of `operation`, which is applied.
    private mutating func record(_ operation: Int, after before: [UInt8]?, _ outcome: inout Outcome) throws -> [UInt8]?
    {
        let id = try index.versionID(of: operation)
        let check = before.map(RecordFrame.check) ?? RecordFrame.noCheck
        let previous = id.sequence == 1 ? RecordFrame.noCheck : check
        if let frame = known[operation], let (found, time) = try? Operation.decode(frame.payload, device: id.device) {
            if frame.previous != previous { outcome.isExact = false }
            var payload = frame.payload
            var timed = TimedOperation(number: operation, time: time, operation: found)
            if case .begin = found {
                timed.operation = try begin(id.device, operation, check)
                if timed.operation != found { outcome.isExact = false }
                payload = timed.operation.encoded(at: time)
            }
            self.time = time
            try state.apply(timed)
            return RecordFrame(sequence: id.sequence, previous: previous, payload: payload).bytes
        }
        outcome.madeUp += 1
        let candidates = try candidates(operation, id, check).map { found in
            let record = RecordFrame(
                sequence: id.sequence, previous: previous, payload: found.operation.encoded(at: found.time))
            return (found, record.bytes)
        }
        // The check that the next record has of this one tells which of them it was.
        let after = known[operation + 1]?.previous
        let proved = candidates.first { RecordFrame.check(of: $0.1) == after }
        guard let (found, record) = proved ?? candidates.first else { return nil }
        if proved == nil, known[operation + 1] != nil { outcome.isExact = false }
        time = found.time
        try state.apply(found)
        return record
    }

    private func begin(_ device: DeviceID, _ operation: Int, _ check: [UInt8]) throws -> Operation {
        let last = operation > 1 ? try index.versionID(of: operation - 1) : nil
        return .begin(
            .init(
                device: device, store: try index.storeID(),
                previous: last.map { .init(device: $0.device, sequence: $0.sequence, check: check) }))
    }

    // MARK: Operations made up

    /// What the operation can have been by the traces that it left, the likeliest first; none where nothing fits.
    private func candidates(_ number: Int, _ id: VersionID, _ check: [UInt8]) throws -> [TimedOperation] {
        func timed(_ operation: Operation, _ time: Timestamp? = nil) -> TimedOperation {
            TimedOperation(number: number, time: time ?? self.time, operation: operation)
        }
        if id.sequence == 1 { return [timed(try begin(id.device, number, check))] }
        if let (note, version) = traces.versions[number] {
            var save = try self.save(note, version)
            let labelled = timed(.save(save), version.saved)
            if save.label == nil { return [labelled] }
            save.label = nil
            return [labelled, timed(.save(save), version.saved)]
        }
        if let move = traces.headMoves[number], let note = try state.note(ordinal: move.note) {
            let isUndo = try state.isAncestor(move.head, of: note.head, note: move.note)
            return [
                timed(
                    isUndo
                        ? .undo(note: move.note, from: note.head, to: move.head)
                        : .redo(note: move.note, from: note.head, to: move.head), move.time)
            ]
        }
        if let (moves, time) = traces.renames[number] {
            if moves.count == 1, try state.note(ordinal: moves[0].note)?.isDeleted == true {
                return [timed(.undelete(moves[0]), time)]
            }
            return [timed(.rename(moves), time)]
        }
        if let notes = traces.deletions[number] { return [timed(.delete(notes))] }
        if let mark = traces.bookmarks[number] { return [timed(.ref(note: mark.note, number: mark.number))] }
        return try untraced(number).map { timed($0) }
    }

    private func save(_ note: Note, _ version: Version) throws -> Operation.Save {
        let firstName = try index.formerNames(note.ordinal).first?.name ?? note.name
        return Operation.Save(
            note: note.ordinal, number: version.number, parents: version.parents, kind: version.kind,
            object: version.object, size: version.size,
            created: version.number == 1 ? .init(id: note.id, name: firstName) : nil, label: version.label)
    }

    /// Operations of which the index does not know when they were: one that the state still lacks, or one that changes
    /// nothing.
    private func untraced(_ number: Int) throws -> [Operation] {
        let device = try index.versionID(of: number).device
        let later = known.filter { $0.key > number }.compactMap { _, frame in
            try? Operation.decode(frame.payload, device: device).0
        }
        let have = try Marks(state)
        let wanted = traces.marks
        var lacking: [Operation] = []
        for (mark, text) in wanted.labels where have.labels[mark] != text && have.versions.contains(mark) {
            lacking.append(.label(note: mark.note, number: mark.number, text: text))
        }
        for (mark, _) in have.labels where wanted.labels[mark] == nil {
            lacking.append(.label(note: mark.note, number: mark.number, text: ""))
        }
        for mark in wanted.pins.subtracting(have.pins) where have.versions.contains(mark) {
            lacking.append(.pin(note: mark.note, number: mark.number))
        }
        for mark in have.pins.subtracting(wanted.pins) { lacking.append(.unpin(note: mark.note, number: mark.number)) }
        for mark in have.bookmarks.subtracting(wanted.bookmarks) {
            lacking.append(.unref(note: mark.note, number: mark.number))
        }
        for note in try state.notes(deleted: true) where try index.note(ordinal: note.ordinal)?.isDeleted == false {
            lacking.append(.undelete(.init(note: note.ordinal, name: note.name)))
        }
        let orders = lacking.filter { lack in !later.contains { $0.isAbout(lack) } }
        if let first = orders.min(by: { $0.encoded(at: time).lexicographicallyPrecedes($1.encoded(at: time)) }) {
            return [first]
        }
        guard let mark = have.versions.min() else { return [] }
        return [.label(note: mark.note, number: mark.number, text: have.labels[mark] ?? "")]
    }
}

extension Operation {
    /// Whether it sets the same mark of the same version, or the life of the same note.
    fileprivate func isAbout(_ other: Operation) -> Bool {
        switch (self, other) {
        case (.label(let note, let number, _), .label(let otherNote, let otherNumber, _)):
            note == otherNote && number == otherNumber
        case (.pin(let note, let number), .pin(let otherNote, let otherNumber)),
            (.pin(let note, let number), .unpin(let otherNote, let otherNumber)),
            (.unpin(let note, let number), .pin(let otherNote, let otherNumber)),
            (.unpin(let note, let number), .unpin(let otherNote, let otherNumber)),
            (.unref(let note, let number), .unref(let otherNote, let otherNumber)):
            note == otherNote && number == otherNumber
        case (.undelete(let move), .undelete(let other)): move.note == other.note
        default: false
        }
    }
}
