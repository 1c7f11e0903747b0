/// What a check of the whole store found.
public struct VerifyReport: Equatable, Sendable {
    /// Something that is wrong.
    public enum Problem: Equatable, Sendable, CustomStringConvertible {
        /// A text whose bytes do not give its hash; the notes that have it.
        case damaged(ObjectID, usedBy: [String])
        /// A text that is nowhere; the notes that have it.
        case missing(ObjectID, usedBy: [String])
        /// The index contradicts itself, or is not what the log says.
        case index(String)
        /// The operation log is broken.
        case log(String)
        /// A file or folder of the store has an owner, a mode or a kind that will do harm.
        case access(path: String, String)

        /// One line.
        public var description: String {
            switch self {
            case .damaged(let object, let users): "damaged: \(object) (\(users.joined(separator: ", ")))"
            case .missing(let object, let users): "missing: \(object) (\(users.joined(separator: ", ")))"
            case .index(let what): "index: \(what)"
            case .log(let what): "log: \(what)"
            case .access(let path, let what): "access: \(TerminalText.escape(path)) \(what)"
            }
        }
    }

    /// Notes, deleted ones too.
    public internal(set) var notes = 0
    /// Versions of all notes.
    public internal(set) var versions = 0
    /// Texts, each counted once.
    public internal(set) var objects = 0
    /// Files in the object tree that no version has.
    public internal(set) var unreferenced = 0
    /// Texts that the journal holds whole and whose files were not, until they were written again.
    public internal(set) var healed: [ObjectID] = []
    /// Texts that the journal holds whole and whose files are not: the next flush writes them.
    public internal(set) var waiting: [ObjectID] = []
    /// What is wrong.
    public internal(set) var problems: [Problem] = []

    /// The number of damaged texts.
    public var damaged: Int { problems.filter { if case .damaged = $0 { true } else { false } }.count }
    /// The number of missing texts.
    public var missing: Int { problems.filter { if case .missing = $0 { true } else { false } }.count }
    /// Whether all is as it should be. A file that no version has is no fault.
    public var isClean: Bool { problems.isEmpty }
}

extension NoteStore {
    /// Checks the whole store: the index by itself and against a replay of the log, owners and modes, and with `reading`
    /// every text against its hash.
    ///
    /// A text whose file is not whole and that the journal holds is written to its file again, where the store was opened
    /// for writing and this can be done. Nothing else is changed.
    ///
    /// - Parameters:
    ///   - reading: whether texts are read and hashed; otherwise only the structure is checked.
    ///   - progress: called with the number of texts done and of all.
    /// - Throws: where the check itself cannot go on; what is wrong with the store is in the report.
    public func verify(
        reading: Bool = true, progress: (_ done: Int, _ of: Int) throws -> Void = { _, _ in }
    ) throws -> VerifyReport {
        var report = VerifyReport()
        try readIndex { index in
            let counts = try index.counts()
            report.notes = try index.noteCount()
            report.versions = counts.versions
            report.objects = counts.objects
            report.problems += try index.structuralProblems(limit: 20).map { .index($0) }
        }
        try compareWithLog(&report)
        try checkTexts(&report, reading: reading, progress)
        report.problems += try StoreAccess.findings(in: folder).map { finding in
            .access(path: finding.path.isEmpty ? folder : finding.path, finding.fault.words)
        }
        return report
    }

    /// Another process may append to the log and flush while it is read: what is wrong must be wrong three times.
    private func compareWithLog(_ report: inout VerifyReport) throws {
        var problems: [VerifyReport.Problem] = []
        for _ in 0..<3 {
            problems = try problemsOfLog()
            if problems.isEmpty { return }
        }
        report.problems += problems
    }

    private func problemsOfLog() throws -> [VerifyReport.Problem] {
        do {
            return try differencesFromLog().map { .index("\($0) differ from what the log says") }
        } catch let damage as LogDamage {
            return [.log(damage.description)]
        } catch let damage as IndexDamage {
            return [.log(damage.description)]
        } catch let error as SystemError where !error.isReadOnly {
            // Something that is no file, or is gone: said, and the rest is checked all the same.
            return [.log(error.description)]
        }
    }

    // MARK: Texts

    private func checkTexts(
        _ report: inout VerifyReport, reading: Bool, _ progress: (Int, Int) throws -> Void
    ) throws {
        var bad: [(ObjectID, isMissing: Bool)] = []
        var done = 0
        let total = report.objects
        // One list of names instead of a long read transaction: what is saved meanwhile is not part of this check.
        for (object, size) in try readIndex({ try $0.objects() }) {
            switch try state(of: object, size, reading: reading) {
            case .whole: break
            case .damaged: bad.append((object, false))
            case .missing: bad.append((object, true))
            case .inJournal: if heal(object) { report.healed.append(object) } else { report.waiting.append(object) }
            }
            done += 1
            try progress(done, total)
        }
        try readIndex { index in
            for (object, isMissing) in bad {
                let users = try index.users(of: object)
                report.problems.append(
                    isMissing ? .missing(object, usedBy: users) : .damaged(object, usedBy: users))
            }
            do {
                try objects.forEach { object in
                    if try !index.contains(object) { report.unreferenced += 1 }
                }
            } catch let error as SystemError where error.isUnreadable || error.isReadOnly {
                // A folder that cannot be listed is told of with its mode.
            }
        }
    }

    private enum TextState {
        case whole
        case damaged
        case missing
        /// Its file is damaged or missing, and the journal holds it.
        case inJournal
    }

    private func state(of object: ObjectID, _ size: Int, reading: Bool) throws -> TextState {
        let file = try stateOfFile(object, size, reading: reading)
        if file == .whole { return .whole }
        if try readIndex({ try $0.journaled(object) }) != nil { return .inJournal }
        // A flush may just have written it, and dropped it from the journal.
        return try stateOfFile(object, size, reading: reading)
    }

    private func stateOfFile(_ object: ObjectID, _ size: Int, reading: Bool) throws -> TextState {
        do {
            if reading {
                _ = try objects.openChecked(object, size: size)
                return .whole
            }
            guard let found = try objects.size(object) else { return .missing }
            return found == size ? .whole : .damaged
        } catch ObjectError.missing {
            return .missing
        } catch ObjectError.damaged {
            return .damaged
        } catch let error as SystemError where error.isUnreadable || error.isReadOnly {
            // Nobody can have its bytes, and the others are checked all the same.
            return .damaged
        }
    }

    /// Writes the file of a text that the journal holds. Returns whether it did.
    private func heal(_ object: ObjectID) -> Bool {
        guard !isReadOnly else { return false }
        return
            (try? exclusively { writer in
                if try objects.isWhole(object) { return }
                guard let bytes = try writer.index.read({ try writer.index.journaled(object) }) else {
                    throw ObjectError.missing(object)
                }
                // The journal keeps it until a flush has synced the file.
                try objects.write(bytes, as: object)
            }) != nil
    }
}
