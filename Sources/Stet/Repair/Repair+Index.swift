// The log and the index: the first is mended by what it tells itself and by what the index knows, the second is made
// again from the first.

extension Repair {
    /// The index that was found.
    private enum Found {
        case sound(StoreIndex, IndexSalvage)
        /// Why it is of no use, and what can still be read of it.
        case damaged(String, IndexSalvage?)

        var salvage: IndexSalvage? {
            switch self {
            case .sound(_, let salvage): salvage
            case .damaged(_, let salvage): salvage
            }
        }

        var isSound: Bool { if case .sound = self { true } else { false } }
    }

    /// Makes the log whole, as far as can be proved, and the index what the log says.
    func mendLogAndIndex() throws {
        let found = try findIndex()
        var chain = try LogChain(oplog: layout.operationLog)
        let devices = found.salvage?.devices() ?? []
        try chain.follow(preferring: devices.map(\.id))
        let records = found.salvage?.records() ?? []
        func begun(_ base: Int) -> DeviceID? { devices.first { $0.base == base }?.id }

        var steps: [RepairReport.Step] = []
        var restored = 0
        while true {
            if let (path, offset) = try chain.mend(preferring: devices.map(\.id)) {
                steps.append(.recordMended(path: layout.inStore(path), offset: offset))
                continue
            }
            let isNeeded = !found.isSound || !chain.stop.isSound
            let count = try isNeeded ? chain.restore(from: records, begun: begun) : 0
            if count == 0 { break }
            restored += count
        }
        // What the index holds beyond the log is written by the next writer, unless the index has to go.
        var whole = chain
        while try whole.restore(from: records, begun: begun) > 0 {}

        var why: String?
        switch found {
        case .damaged(let reason, _): why = reason
        case .sound(let index, _):
            let newest = try index.newestRecord()?.operation ?? 0
            if newest > whole.links.count {
                guard let made = try reconstruct(index, &chain) else {
                    try write(chain, steps, restored)
                    return try did(.leftAlone(Self.unproved(after: chain.links.count)))
                }
                steps.append(made)
                whole = chain
                if case .recordsMadeUp(_, isExact: false) = made {
                    why = "its newest record is not that of the new log"
                }
            } else if !chain.stop.isSound {
                why = "the log is damaged after all that it holds"
            }
        }
        try cutWhatCannotBeRead(&chain, &steps)
        try write(chain, steps, restored)
        if why == nil, case .sound(let index, _) = found { why = try difference(of: index) }
        guard let why else {
            heldRecords = whole.links.count - chain.links.count
            return
        }
        try rebuild(found.salvage, records: records, begun: begun, why: why)
    }

    private static func unproved(after operation: Int) -> String {
        "the operation log is damaged after operation \(operation), and what it said cannot be told from the index "
            + "beyond doubt: nothing is put in its place, and all that is whole can be read"
    }

    // MARK: The log

    /// Fills in what the log has lost from a sound index that knows more.
    private func reconstruct(_ index: StoreIndex, _ chain: inout LogChain) throws -> RepairReport.Step? {
        var work = try LogReconstruction(of: index, chain: chain, fragments: chain.fragments())
        guard let outcome = try work.outcome() else { return nil }
        var filled = chain
        try filled.replace(from: outcome.first, with: outcome.records)
        guard filled.stop.isSound, filled.links.count == outcome.first - 1 + outcome.records.count else { return nil }
        chain = filled
        return .recordsMadeUp(outcome.madeUp, isExact: outcome.isExact)
    }

    private func cutWhatCannotBeRead(_ chain: inout LogChain, _ steps: inout [RepairReport.Step]) throws {
        guard !chain.stop.isSound else { return }
        steps.append(.logEnds(after: chain.links.count))
        try chain.cut(after: chain.links.count)
    }

    /// Writes what was changed of the logs; what was there is set aside.
    private func write(_ chain: LogChain, _ steps: [RepairReport.Step], _ restored: Int) throws {
        for (path, bytes) in chain.changes {
            if let bytes {
                if try FileSystem.makeFolder(folder(of: path)) { try FileSystem.syncFolder(layout.operationLog) }
                try did(aside.replace(path, mode: 0o600) { write in try bytes.withUnsafeBytes { try write($0) } })
            } else if try FileSystem.isThere(path) {
                try did(aside.move(path))
            }
        }
        for folder in chain.outcasts where try FileSystem.isThere(folder) { try did(aside.move(folder)) }
        for step in steps { try did(step) }
        if restored > 0 { try did(.recordsRestored(restored)) }
    }

    private func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/" }

    // MARK: The index

    private func findIndex() throws -> Found {
        guard let status = try FileSystem.status(layout.index) else { return .damaged("it is gone", nil) }
        guard status.isRegularFile else { return .damaged("it is no file", nil) }
        // SQLite would remove the write-ahead log of an empty one.
        if status.size == 0 { return .damaged("it is empty", nil) }
        guard let salvage = try IndexSalvage(layout.index) else { return .damaged("it is no index", nil) }
        switch try salvage.soundIndex() {
        case .success(let index): return .sound(index, salvage)
        case .failure(let damage): return .damaged(damage.description, salvage)
        }
    }

    /// In what the index is not what the log says; nil where they agree.
    private func difference(of index: StoreIndex) throws -> String? {
        do {
            let replayed = try StoreIndex.inMemory()
            let parts = try index.read {
                try replayed.write { try LogReplay(into: replayed, oplog: layout.operationLog).differences(of: index) }
            }
            return parts.isEmpty ? nil : "its \(parts.joined(separator: ", ")) differ from what the log says"
        } catch let damage as IndexDamage {
            return damage.description
        } catch let damage as LogDamage {
            return damage.description
        } catch let error as DatabaseError where error.isDamage {
            return error.message
        }
    }

    /// Makes the index again from the log, with what only the old one knew, and puts it in the old one's place.
    private func rebuild(
        _ salvage: IndexSalvage?, records: [RecordFrame], begun: (Int) -> DeviceID?, why: String
    ) throws {
        var chain = try LogChain(oplog: layout.operationLog)
        var restored = 0
        while case let count = try chain.restore(from: records, begun: begun), count > 0 { restored += count }
        var steps: [RepairReport.Step] = []
        let fit = try chain.replayable()
        if fit < chain.links.count {
            try chain.cut(after: fit)
            steps.append(.logEnds(after: fit))
        }
        try write(chain, steps, restored)
        try secureWhatTheOldIndexHeld(salvage, wanted: chain.texts)
        try makeIndex(
            salvage, knows: records.last.map { last in chain.links.contains { $0.entry.bytes == last.bytes } })
        try exchangeIndex()
        try did(.indexRebuilt(operations: chain.links.count, why: why))
    }

    /// Makes durable in log and tree what the old index held of both.
    private func secureWhatTheOldIndexHeld(_ salvage: IndexSalvage?, wanted: Set<ObjectID>) throws {
        // Written anew, both: of a file that somebody else wrote a sync may have failed, and then memory shows what the disk
        // does not have.
        try OperationLog.renewAll(in: layout.operationLog)
        try FileSystem.syncFolder(layout.operationLog)
        // Opened before anything is written there: one that is opened later may not be told that it could not be.
        let tree = try FileSystem.openFolder(objects.folder)
        try salvage?.forEachText(where: wanted.contains) { object, bytes in
            if !isWhole(object, size: bytes.count) {
                try restore(object, from: .memory(bytes, "the journal of the old index"))
            } else {
                try objects.write(bytes, as: object)
            }
        }
        try FileSystem.syncFileSystem(tree)
    }

    /// - Parameter isEarlier: whether the old index had nothing that the log does not have: only then does what it says of
    ///   the user's files mean the same notes.
    private func makeIndex(_ salvage: IndexSalvage?, knows isEarlier: Bool?) throws {
        // What an earlier repair began.
        for suffix in ["", "-wal", "-shm", "-journal"] { try FileSystem.remove(layout.newIndex + suffix) }
        do {
            let index = try StoreIndex.create(layout.newIndex)
            let unfinished = isEarlier == true ? salvage?.unfinished() : nil
            try index.write {
                _ = try LogReplay(into: index, oplog: layout.operationLog).run(after: nil, repairing: false)
                for step in unfinished?.steps ?? [] { try index.addStep(step) }
                for folder in unfinished?.folders ?? [] { try index.addMadeFolder(folder) }
            }
            try index.fold()
        }
        for suffix in ["-wal", "-shm"] { try FileSystem.remove(layout.newIndex + suffix) }
    }

    /// Sets the old index aside and puts the new one in its place. In between the store has no index, and is refused; the
    /// next repair goes on.
    private func exchangeIndex() throws {
        try renewLock()
        // Each is durable before the next: the new index must never stand beside the old one's write-ahead log.
        for suffix in ["", "-wal", "-shm", "-journal"] where try FileSystem.isThere(layout.index + suffix) {
            try did(aside.move(layout.index + suffix))
        }
        try FileSystem.rename(layout.newIndex, to: layout.index)
        try FileSystem.syncFolder(layout.folder)
    }
}
