/// What a backup did.
public struct BackupReport: Equatable, Sendable {
    /// The backup's folder, absolute, with symbolic links resolved.
    public internal(set) var folder: String
    /// Notes, deleted ones too.
    public internal(set) var notes = 0
    /// Versions of all notes.
    public internal(set) var versions = 0
    /// Texts that were copied, each counted once.
    public internal(set) var copied = 0
    /// Their length in bytes.
    public internal(set) var copiedBytes = 0
    /// Texts that the backup had already.
    public internal(set) var alreadyThere = 0
    /// Texts that the store does not have whole, and the backup does not have at all.
    public internal(set) var problems: [VerifyReport.Problem] = []

    /// The number of damaged texts among the problems.
    public var damaged: Int { problems.filter { if case .damaged = $0 { true } else { false } }.count }
    /// The number of missing texts among the problems.
    public var missing: Int { problems.filter { if case .missing = $0 { true } else { false } }.count }
}

extension NoteStore {
    /// Makes `folder` a copy of this store as it is at one moment, or brings an earlier copy up to date: a store of its
    /// own. Nobody who uses this store waits for it.
    ///
    /// What the folder has already is not copied again. A backup that is interrupted at any point leaves the earlier one
    /// as it was, and is gone on with by the next. Each text is checked as it is copied; one that is damaged or missing is
    /// left out and told of, and the rest is copied.
    ///
    /// - Parameters:
    ///   - folder: missing, empty, or an earlier backup of this store that nobody has written to. Its parent must exist.
    ///   - progress: called with the number of texts done and of all.
    /// - Throws: `BackupRefusal`, `LockTimeout`; `LogDamage`, `IndexDamage` where the store itself is damaged; what
    ///   `progress` throws.
    public func backup(
        to folder: String, progress: (_ done: Int, _ of: Int) throws -> Void = { _, _ in }
    ) throws -> BackupReport {
        // Settings that make no sense are no reason to have no backup.
        let vault = (try? settings())?.vault.map { $0 == ".." ? self.folder + "/.." : $0 }
        let target = try BackupFolder(folder, of: self.folder, vault: vault)
        defer { target.unlock() }
        // One moment of the index says what there is to copy. It is held apart, so that no read transaction is while texts
        // are copied.
        let state = try read { try $0.snapshot() }
        let isInDoubt = try target.isInDoubt()
        let log = LogCopy(of: state, source: operationLog, target: target.layout.operationLog)
        let earlier = try target.openIndex()
        let end = try target.requireEarlier(earlier, than: state, log)
        try state.requireSoundPages()

        var report = BackupReport(folder: target.layout.folder)
        report.notes = try state.noteCount()
        report.versions = try state.counts().versions
        try target.layout.completeFolders()
        // In this order: an index never says what the log or the texts do not have. A log that goes on after its index
        // is what the next writer replays.
        let known = try Set(earlier.objects().map(\.object))
        try copyTexts(of: state, to: target, known: known, isInDoubt: isInDoubt, &report, progress)
        try target.syncing {
            try log.append(after: end)
            try target.replaceIndex(by: state)
        }
        try target.isSound()
        return report
    }

    private func copyTexts(
        of state: StoreIndex, to target: BackupFolder, known: Set<ObjectID>, isInDoubt: Bool,
        _ report: inout BackupReport, _ progress: (Int, Int) throws -> Void
    ) throws {
        let copies = LooseObjects(caches: target.layout.caches)
        try copies.sweepIncoming()
        let texts = try state.objects()
        let journal = Set(try state.journalObjects())
        for (done, (object, size)) in texts.enumerated() {
            // A file that the earlier backup knows is durable. Another one may be what an interrupted backup left, and
            // is believed for its bytes only, and not even for those after a sync that failed.
            let isThere =
                try known.contains(object)
                ? copies.size(object) == size : !isInDoubt && copies.isWhole(object, size: size)
            if isThere {
                report.alreadyThere += 1
            } else if let problem = try copyText(object, size, of: state, journal, to: copies) {
                report.problems.append(problem)
            } else {
                report.copied += 1
                report.copiedBytes += size
            }
            try progress(done + 1, texts.count)
        }
        try target.syncing { try FileSystem.syncFileSystem(FileSystem.openFolder(copies.folder)) }
    }

    private func copyText(
        _ object: ObjectID, _ size: Int, of state: StoreIndex, _ journal: Set<ObjectID>, to copies: LooseObjects
    ) throws -> VerifyReport.Problem? {
        do {
            if journal.contains(object), let bytes = try state.journaled(object) {
                try copies.write(bytes, as: object)
            } else {
                try copies.copy(object, size: size, from: objects)
            }
            return nil
        } catch ObjectError.missing {
            return .missing(object, usedBy: try state.users(of: object))
        } catch ObjectError.damaged {
            return .damaged(object, usedBy: try state.users(of: object))
        } catch let error as SystemError where error.isUnreadable && error.path == objects.path(object) {
            return .damaged(object, usedBy: try state.users(of: object))
        }
    }
}
