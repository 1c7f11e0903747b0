extension NoteStore {
    /// What is known of the upkeep that other threads do.
    struct Upkeep {
        /// Whether a thread does what is due, or is about to.
        var isRunning = false
        /// Whether a thread waits for the store to be idle.
        var isWatched = false
        /// Changes so far, by which that thread sees that there were none.
        var changes = 0
        /// What the last upkeep met.
        var failure: (any Error)?
    }

    /// How long no change is made before the store counts as idle, in seconds.
    static let idleTime = 2.0

    /// Makes object files and log durable, drops what the index holds of them until then, and folds the index's
    /// write-ahead log in.
    ///
    /// Changes are durable without it. It is done by itself when enough has gathered, by a thread that no change waits for;
    /// and when a store that stays open has been idle for a while.
    ///
    /// - Throws: what was met; nothing is lost by it, and all is tried again the next time.
    public func flush() throws { try maintain(.all) }

    /// What the last upkeep that was done by itself met; nil where all went well.
    public var upkeepFailure: (any Error)? { upkeep.withLock { $0.failure } }

    /// Upkeep of what is due, or of all there is. Only the parts that need it keep others from writing.
    func maintain(_ folding: Writer.Folding) throws {
        try upkeepTurn.withLock { _ in
            let isDue = try withWriter { folding == .all || $0.backlog.isDue }
            if isDue { try flushAll(waiting: folding == .all) }
            try withWriter { try $0.fold(folding) }
        }
    }

    private func flushAll(waiting: Bool) throws {
        guard var flush = try withWriter({ try $0.startFlush(waiting: waiting) }) else { return }
        flush.read()
        try withWriter { try $0.prepare(&flush) }
        try flush.sync()
        try withWriter { try $0.finish(flush) }
    }

    /// Sees to upkeep after a change, without waiting for it.
    func changed(_ isUpkeepDue: Bool) {
        let (start, watch) = upkeep.withLock { state in
            state.changes += 1
            let start = isUpkeepDue && !state.isRunning
            // A command that changes one thing and ends needs no thread.
            let watch = state.changes > 1 && !state.isWatched
            if start { state.isRunning = true }
            if watch { state.isWatched = true }
            return (start, watch)
        }
        if start, !Threads.start({ [self] in maintainDue() }) { upkeep.withLock { $0.isRunning = false } }
        if watch, !Threads.start({ [weak self] in Self.maintainWhenIdle { self } }) {
            upkeep.withLock { $0.isWatched = false }
        }
    }

    private func maintainDue() {
        let failure = Result { try maintain(.whenLong) }.failure
        upkeep.withLock { state in
            state.isRunning = false
            state.failure = failure
        }
    }

    /// Waits until the store has had no change for a while, does all upkeep there is, and ends. Keeps no store open.
    private static func maintainWhenIdle(_ store: () -> NoteStore?) {
        var seen = 0
        while true {
            Threads.sleep(seconds: idleTime)
            guard let store = store() else { return }
            let isIdle = store.upkeep.withLock { state in
                defer { seen = state.changes }
                // From here on the next change begins another watch.
                if seen == state.changes { state.isWatched = false }
                return seen == state.changes
            }
            guard isIdle else { continue }
            let failure = Result { try store.maintain(.all) }.failure
            return store.upkeep.withLock { $0.failure = failure }
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
