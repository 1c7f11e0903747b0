package import StetObjects

/// Makes index and log agree after a crash, a full disk, or an index or log that was put back from a copy.
///
/// Index ahead: the records it holds are appended. Log ahead: its records are applied. Both: they diverged, and nothing
/// is changed.
package struct Reconciliation {
    private let index: StoreIndex
    private let objects: LooseObjects
    private let oplog: String

    /// What is believed of what stands where it belongs.
    package enum Trust {
        /// A file of the right size, a record of the right bytes: a quick look after a crash.
        case looks
        /// Only these files: before the index drops its own copies. What memory shows of others and of records may be lost,
        /// where a sync failed that nobody told of.
        case files(Set<ObjectID>)
    }

    package init(index: StoreIndex, objects: LooseObjects, oplog: String) {
        self.index = index
        self.objects = objects
        self.oplog = oplog
    }

    /// Call inside a write transaction, under the lock. Returns the newest record afterwards.
    ///
    /// - Throws: `LogDamage` or `IndexDamage` where they diverged.
    package func run(trusting trust: Trust) throws -> StoreIndex.HeldRecord? {
        try rewriteObjects(trust)
        try appendMissingRecords(trust)
        return try LogReplay(into: index, oplog: oplog).run(after: index.newestRecord(), repairing: true)
    }

    private func rewriteObjects(_ trust: Trust) throws {
        for object in try index.journalObjects() {
            if case .files(let whole) = trust, whole.contains(object) { continue }
            guard let bytes = try index.journaled(object) else { continue }
            if case .looks = trust, try objects.size(object) == bytes.count { continue }
            try objects.write(bytes, as: object)
        }
    }

    private func appendMissingRecords(_ trust: Trust) throws {
        let held = try index.records(after: 0)
        var first = try held.firstIndex { try !index.log(of: $0.operation, below: oplog).holds($0) }
        // In the place of records that are there the same bytes are written.
        if case .files = trust { first = held.startIndex }
        guard let first else { return }
        for record in held[first...] {
            try index.log(of: record.operation, below: oplog).append(record.bytes, at: record.position)
        }
    }
}
