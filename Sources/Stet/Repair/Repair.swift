/// Brings back what can be brought back of a store that is damaged, under its lock.
///
/// Rules kept here:
/// - Nothing is removed, and nothing damaged is replaced but by bytes that are proved; what was there is set aside.
/// - Whatever a step does is durable before the next one begins. A repair that is stopped anywhere leaves a store that is
///   refused or whole, and the next one goes on from there.
/// - The log is the truth, and the index a view of it: only where the log has lost something is the index asked.
final class Repair {
    let layout: StoreLayout
    let objects: LooseObjects
    let aside: SetAside
    private var lock: StoreLock
    private let clock: StoreClock
    private let machine: [UInt8]?
    let isNamed: Bool
    private let tell: (RepairReport.Step) throws -> Void
    private let progress: (Int, Int, String) throws -> Void
    private(set) var report = RepairReport()
    /// Records that only the index has, and that the writer puts into the log at the end.
    var heldRecords = 0

    init(
        _ folder: String, isNamed: Bool, clock: StoreClock, machine: [UInt8]?,
        tell: @escaping (RepairReport.Step) throws -> Void, progress: @escaping (Int, Int, String) throws -> Void
    ) throws {
        guard let path = try? FileSystem.realPath(folder) else { throw StoreError.noStore(folder) }
        layout = StoreLayout(folder: path)
        guard try FileSystem.status(path)?.isFolder == true,
            try [layout.lock, layout.index, layout.operationLog, layout.caches].contains(where: {
                try FileSystem.status($0) != nil
            })
        else { throw StoreError.noStore(folder) }
        try layout.checkOwner()
        guard try !FileSystem.isOnNetwork(path) else { throw StoreError.onNetwork(path) }
        objects = LooseObjects(caches: layout.caches)
        aside = SetAside(layout)
        self.isNamed = isNamed
        self.clock = clock
        self.machine = machine
        self.tell = tell
        self.progress = progress
        let opened = try Self.openWay(layout)
        lock = try StoreLock(layout.lock)
        for step in opened { try did(step) }
    }

    /// Records what was done, and tells it.
    func did(_ step: RepairReport.Step?) throws {
        guard let step else { return }
        report.steps.append(step)
        try tell(step)
    }

    func advance(_ done: Int, of total: Int, _ what: String) throws { try progress(done, total, what) }

    // MARK: The whole

    func run() throws -> RepairReport {
        try underLock {
            try mendAccess()
            try layout.completeFolders()
            try mendLogAndIndex()
        }
        // What a store without a sound log and index has of texts is of use once somebody repairs these.
        let index = try? StoreIndex.openForReading(layout.index)
        var strangers: [ObjectID] = []
        if let index {
            try underLock { strangers = try restoreTexts(of: index) }
        }
        if !isLeftAlone { try makeNotes(of: strangers) }
        report.check = try check()
        return report
    }

    private func underLock(_ body: () throws -> Void) throws {
        // Another repair may have put a new one in its place.
        lock = try StoreLock.taken(layout.lock)
        defer { lock.give() }
        try body()
    }

    /// Puts a new lock file in the place of the old one. Who has the store open still has the index that is about to go, and
    /// is refused when he finds that he waited for another lock than there is now. Call under the lock.
    func renewLock() throws {
        let path = layout.lock + ".new"
        // What an earlier repair began.
        try FileSystem.remove(path)
        let new = try StoreLock(path)
        try new.take()
        // The write-ahead log goes with the old index; what a backup is to write anew is still to be.
        if try lock.isInDoubt(.copies) { try new.set(.copies, true) }
        try FileSystem.rename(path, to: layout.lock)
        lock = new
    }

    /// Whether log and index were left as they were, so that nothing can be written.
    private var isLeftAlone: Bool { report.steps.contains { if case .leftAlone = $0 { true } else { false } } }

    private func check() throws -> VerifyReport? {
        guard let store = try? NoteStore.open(at: layout.folder, access: .readOnly, clock: clock) else { return nil }
        defer { try? store.close() }
        return try store.verify { done, total in try advance(done, of: total, "checking texts") }
    }

    // MARK: Owners and modes

    /// Opens the way to the lock, for an owner who has no rights to it any more.
    private static func openWay(_ layout: StoreLayout) throws -> [RepairReport.Step] {
        var steps: [RepairReport.Step] = []
        for (path, name, mode) in [(layout.folder, "", UInt32(0o700)), (layout.lock, "lock", 0o600)] {
            guard let status = try FileSystem.status(path), status.owner == FileSystem.effectiveUser,
                status.isFolder || status.isRegularFile, status.mode & mode != mode,
                (try? FileSystem.setMode(of: path, to: mode)) != nil
            else { continue }
            steps.append(.modeMended(name))
        }
        return steps
    }

    /// Gives everything the mode that the format says, and puts away what is no file.
    private func mendAccess() throws {
        try aside.refuseLink()
        // A folder that could not be listed can hide others.
        for _ in 0..<8 {
            let before = report.steps.count
            for finding in try StoreAccess.findings(in: layout.folder) {
                let path = finding.path.isEmpty ? layout.folder : layout.folder + "/" + finding.path
                switch finding.fault {
                // The mode of a file that is somebody else's cannot be changed.
                case .foreign: continue
                case .noFile: try did(aside.move(path))
                case .writableByOthers, .closedFolder, .unreadable, .unwritable:
                    guard (try? FileSystem.setMode(of: path, to: finding.mode)) != nil else { continue }
                    try did(.modeMended(finding.path))
                }
            }
            if report.steps.count == before { return }
        }
    }

    // MARK: Texts that no version has

    private static let recovered = "recovered"
    /// How many notes one transaction makes.
    private static let batch = 500

    /// Makes a note of each text that no version has, and brings index and log together.
    private func makeNotes(of texts: [ObjectID]) throws {
        let writer = try Writer(layout, objects, clock: clock, machine: machine)
        // Also where there is nothing to make: a log that was cut or is short is brought up to its index by a writer.
        try writer.exclusively {
            if try writer.index.newestRecord() == nil { try writer.transact { _ in } }
            for start in stride(from: 0, to: texts.count, by: Self.batch) {
                var made: [NoteName] = []
                let batch = texts[start..<min(start + Self.batch, texts.count)]
                try renew(batch)
                try writer.transact { transaction in
                    made = []
                    for object in batch {
                        if let name = try Self.makeNote(of: object, size: objects.size(object), &transaction) {
                            made.append(name)
                        }
                    }
                }
                for name in made { try did(.noteMade(name)) }
            }
        }
        try writer.maintain()
        if heldRecords > 0 { try did(.recordsRestored(heldRecords)) }
    }

    /// Writes the files of texts anew, and syncs them: one that no version has may not be durable.
    private func renew(_ texts: ArraySlice<ObjectID>) throws {
        let tree = try FileSystem.openFolder(objects.folder)
        for object in texts {
            if let size = try objects.size(object) { try objects.copy(object, size: size, from: objects) }
        }
        try FileSystem.syncFileSystem(tree)
    }

    private static func makeNote(
        of object: ObjectID, size: Int?, _ transaction: inout Writer.Transaction
    ) throws -> NoteName? {
        guard let size, try !transaction.index.contains(object) else { return nil }
        let digits = object.description
        // A name may be taken, and a note be called as the folder is.
        for (folder, length) in [(recovered, 12), (recovered, 64), (recovered + "-texts", 64)] {
            let name = try NoteName("\(folder)/\(digits.prefix(length))")
            guard (try? transaction.index.requireFree(name)) != nil else { continue }
            _ = try transaction.newVersion(of: nil, name: name, object: object, size: size, kind: .import)
            return name
        }
        return nil
    }
}

extension NoteStore {
    /// Brings back what can be brought back of the store at `folder`: its index from the operation log, texts from copies
    /// that have their hash, and texts that no version has as notes `recovered/…`.
    ///
    /// Nothing is removed: what is in the way is moved into the store's folder `set-aside`. It can be stopped at any point
    /// and be run again.
    ///
    /// - Parameters:
    ///   - folder: the store's folder.
    ///   - isNamed: whether the store was named by its user; only then are texts looked for in a vault elsewhere that its
    ///     settings name.
    ///   - clock: gives the times of notes that are made.
    ///   - machine: the machine's id.
    ///   - tell: called with each thing that was done, when it is durable; modes alone may be lost in a power cut.
    ///   - progress: called with how far a long part has come.
    /// - Throws: `StoreError.noStore`, `.foreignOwner`, `.writableByOthers`, `.onNetwork`; `LayoutError.tooNew`;
    ///   `LockTimeout`; `SystemError`; what the closures throw.
    public static func repair(
        at folder: String, isNamed: Bool, clock: StoreClock, machine: [UInt8]? = nil,
        tell: @escaping (RepairReport.Step) throws -> Void = { _ in },
        progress: @escaping (_ done: Int, _ of: Int, _ what: String) throws -> Void = { _, _, _ in }
    ) throws -> RepairReport {
        try Repair(folder, isNamed: isNamed, clock: clock, machine: machine, tell: tell, progress: progress).run()
    }
}
