import Stet
import StetIndex
import StetObjects

/// What is wrong with a state, and of which kind.
struct Fault: Error, CustomStringConvertible {
    enum Kind: String {
        /// Something acknowledged is not there.
        case lost
        /// An operation is there in part.
        case halfApplied = "half-applied"
        /// A version has no text, or another one's.
        case dangling
        /// The store cannot be opened, written to or verified any more.
        case stuck
        /// `verify` says that all is well, and it is not.
        case falseClean = "false-clean"
        /// `verify` says that something is wrong where the next change finds all it needs.
        case alarm
    }

    var kind: Kind
    var words: String

    init(_ kind: Kind, _ words: String) {
        self.kind = kind
        self.words = words
    }

    var description: String { "\(kind.rawValue) \(words)" }
}

/// One state to check: `SCENARIO FOLDER ACKED CHECK ISSUED BACKED REFERENCE`, apart by blanks.
///
/// `ACKED` is the newest operation that was promised, `CHECK` the check of its record or `-`, `ISSUED` the newest one that
/// can have been begun, `BACKED` the newest one that a finished backup has, `REFERENCE` the store after the complete
/// run, or `-` where operations of the run are not those of another.
struct CrashCase {
    let scenario: Scenario
    let folder: String
    let acked: Int
    let check: [UInt8]
    let issued: Int
    let backed: Int
    let reference: Reference?
}

/// Answers one line for each state: `ok`, or `bad KIND why`.
final class Checker {
    private var references: [String: Reference] = [:]

    func answer(_ line: String) -> String {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 7, let scenario = Scenario.all.first(where: { $0.name == words[0] }),
            let acked = Int(words[2]), let issued = Int(words[4]), let backed = Int(words[5])
        else { return "bad line" }
        do {
            let check = words[3] == "-" ? [] : Hex.decode(words[3][...]) ?? []
            let state = CrashCase(
                scenario: scenario, folder: words[1], acked: acked, check: check, issued: issued, backed: backed,
                reference: try reference(words[6]))
            let judge = StateCheck(state)
            do { try judge.run() } catch let fault as Fault { throw judge.isUnseen(fault) }
            return "ok"
        } catch let fault as Fault {
            return "bad \(fault)".replacing("\n", with: " ")
        } catch {
            return "bad stuck \(error)".replacing("\n", with: " ")
        }
    }

    private func reference(_ folder: String) throws -> Reference? {
        if folder == "-" { return nil }
        if let known = references[folder] { return known }
        // A worker goes through one run after the other.
        references.removeAll()
        let new = try Reference(folder)
        references[folder] = new
        return new
    }
}

/// The check of one state, from the first look to its last change.
struct StateCheck {
    private let state: CrashCase
    private let stage: Stage

    init(_ state: CrashCase) {
        self.state = state
        stage = Stage(folder: state.folder, isVault: state.scenario.isVault)
    }

    func run() throws {
        if state.acked == 0, state.scenario.isPromisedLate { return }
        if isBroken {
            try attempt(.stuck, "cannot be repaired") { try stage.repair() }
            if state.scenario.name == Scenario.repairLog.name { try stage.expectKept() }
        }
        do {
            try checkAsReader()
        } catch {
            // A store that was never acknowledged may be there in part.
            guard state.acked == 0 else { throw error }
        }
        if state.backed > 0 { try checkBackup(atLeast: state.backed) }
        try open()
        let alarms = try attempt(.stuck, "verify after it was opened") { try stage.store.verify().problems }
        if stage.isVault { try checkFiles() }
        try change()
        try checkTexts(of: stage.store)
        if state.scenario.isBackup { try backUp() }
        try stage.store.flush()
        try stage.close()
        let again = try NoteStore.open(
            at: stage.storeFolder, access: .readOnly, clock: Stage.clock, machine: Stage.machine)
        try expectClean(again, "after all was closed")
        try checkRecords()
        if let alarm = alarms.first { throw Fault(.alarm, "\(alarm)") }
    }

    /// Whether it need not be usable before it was repaired: a repair that failed is no reason for what comes after it to
    /// fail as well.
    private var isBroken: Bool {
        let name = state.scenario.name
        if state.scenario.isRepair || name == Scenario.repairText.name && state.reference == nil { return true }
        return name == Scenario.repair.name
            && (state.acked <= Scenario.operationsBeforeRepair || state.reference == nil)
    }

    /// The same fault, or that `verify` does not see it where it has to.
    func isUnseen(_ fault: Fault) -> Fault {
        guard fault.kind == .dangling,
            let store = try? NoteStore.open(at: stage.storeFolder, access: .readOnly, clock: Stage.clock),
            let report = try? store.verify(), report.isClean
        else { return fault }
        return Fault(.falseClean, fault.words)
    }

    private func attempt<Value>(_ kind: Fault.Kind, _ words: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let fault as Fault { throw fault } catch {
            throw Fault(kind, "\(words): \(error)")
        }
    }

    // MARK: Before anybody writes

    /// What a reader is told by the raw state.
    private func checkAsReader() throws {
        let store = try attempt(.stuck, "cannot be opened for reading") {
            try NoteStore.open(at: stage.storeFolder, access: .readOnly, clock: Stage.clock, machine: Stage.machine)
        }
        try compareIndex(stage.index, "to a reader")
        if state.scenario.name == Scenario.settings.name { try checkSettings(of: store) }
        try checkTexts(of: store)
        try store.close()
    }

    /// Each operation was begun when the number of the one before was set.
    private func checkSettings(of store: NoteStore) throws {
        let set = try attempt(.lost, "the settings") { try store.settings().sizeLimit }
        guard set >= state.acked - 1, set <= state.issued else {
            throw Fault(.lost, "the setting \(state.acked - 1): it is \(set)")
        }
    }

    private func compareIndex(_ path: String, _ when: String) throws {
        let index = try StoreIndex.openForReading(path)
        guard let newest = try index.read({ try index.newestRecord() }) else {
            if state.acked == 0 { return }
            throw Fault(.lost, "no operation \(when)")
        }
        guard newest.operation >= state.acked else {
            throw Fault(.lost, "operation \(state.acked) \(when), which sees \(newest.operation)")
        }
        // What the check's own repair did is not that of the run.
        if isBroken { return }
        guard newest.operation <= state.issued else {
            throw Fault(.halfApplied, "operation \(newest.operation) \(when), though it was not begun")
        }
        if newest.operation == state.acked, !state.check.isEmpty, RecordFrame.check(of: newest.bytes) != state.check {
            throw Fault(.lost, "operation \(state.acked) \(when) is another")
        }
        guard let reference = state.reference else { return }
        try compare(index, with: reference, newest.operation, when)
    }

    private func compare(_ index: StoreIndex, with reference: Reference, _ operation: Int, _ when: String) throws {
        guard operation <= reference.records.count else {
            throw Fault(.halfApplied, "operation \(operation) \(when) is not of this run")
        }
        let expected = try reference.index(after: operation)
        let differences = try index.read { try index.differences(from: expected) }
        if !differences.isEmpty {
            throw Fault(.halfApplied, "\(differences) \(when) are not those after operation \(operation)")
        }
    }

    /// Every version of every note is there whole.
    private func checkTexts(of store: NoteStore) throws {
        for note in try store.notes() + store.notes(deleted: true) {
            for version in try store.history(of: note) {
                let what = "\(note.name)@\(version.number)"
                let bytes = try attempt(.dangling, what) { try store.text(of: version) }
                guard ObjectID(of: bytes) == version.object, state.reference?.contradicts(version.object, bytes) != true
                else { throw Fault(.dangling, "\(what) has another text") }
            }
        }
    }

    // MARK: Afterwards

    private func open() throws {
        try attempt(.stuck, "cannot be opened for writing") {
            do {
                try stage.open()
            } catch {
                // Making it again has to complete it.
                guard state.acked == 0 else { throw error }
                try stage.create()
            }
        }
    }

    private func change() throws {
        try attempt(.stuck, "cannot be changed") {
            let name = try NoteName("check/after.md")
            for round in 1...2 {
                if stage.isVault {
                    if round == 1 { try FileSystem.makeFolder(stage.notes + "/check") }
                    try stage.edit("check/after.md", Text.make("after a crash \(round)", 500 * round))
                    try stage.vault.save(name)
                } else {
                    try stage.store.save(Text.make("after a crash \(round)", 500 * round), as: name)
                }
            }
            let moved = stage.isVault ? try stage.vault.undo(.name(name)) : try stage.store.undo(.name(name))
            guard moved.change.version.number == 1 else { throw Fault(.stuck, "undo led to another version") }
        }
    }

    private func expectClean(_ store: NoteStore, _ when: String) throws {
        let report = try attempt(.stuck, "verify \(when)") { try store.verify() }
        guard report.isClean else { throw Fault(.stuck, "verify \(when): \(report.problems)") }
    }

    /// All that was promised is in the log, record by record, and what came since follows it.
    private func checkRecords() throws {
        let records = try Reference.records(of: stage.storeFolder)
        guard records.count >= state.acked else { throw Fault(.lost, "operation \(state.acked) from the log") }
        if state.acked > 0, !state.check.isEmpty, RecordFrame.check(of: records[state.acked - 1].bytes) != state.check {
            throw Fault(.lost, "operation \(state.acked) is another in the log")
        }
        guard let reference = state.reference, state.acked > 0 else { return }
        let same = zip(records, reference.records).prefix { $0 == $1 }.count
        guard same >= state.acked else { throw Fault(.lost, "operation \(same + 1) is another in the log") }
        guard same <= state.issued else { throw Fault(.halfApplied, "operation \(same), though it was not begun") }
    }

    // MARK: A vault

    /// Once what was begun is finished, no file is half of anything, and nobody's text is gone.
    private func checkFiles() throws {
        let vault = try stage.vault
        // Any change finishes what is open first.
        try attempt(.stuck, "the vault cannot be changed") {
            try stage.edit("check.md", Text.make("a new file", 200))
            try vault.save(NoteName("check.md"))
        }
        for file in try vault.status() {
            let name = String(decoding: file.name, as: UTF8.self)
            if file.difference == .changed || file.difference == .new {
                let bytes = try read(name)
                let isEdit = Scenario.edited.contains { Scenario.edit($0) == bytes }
                if !isEdit { throw Fault(.halfApplied, "\(name) has another text than its head") }
            } else {
                throw Fault(.halfApplied, "\(name) is \(file.difference.rawValue)")
            }
        }
        _ = try vault.saveAll { if case .failed(let name, let error) = $0 { throw Fault(.stuck, "\(name): \(error)") } }
        for note in try vault.store.notes() {
            let bytes = try attempt(.halfApplied, "the file of \(note.name)") { try read(note.name.description) }
            let head = try vault.store.version(.head, of: note)
            if ObjectID(of: bytes) != head.object {
                throw Fault(.halfApplied, "\(note.name) has another text than its head")
            }
        }
        try checkEdits()
        try forEachFile(in: stage.notes) { name in
            if name.hasPrefix(".stet-") { throw Fault(.halfApplied, "\(name) is left over") }
        }
    }

    private func read(_ name: String) throws -> [UInt8] {
        let file = try FileSystem.openForReading(stage.notes + "/" + name)
        return try FileSystem.read(file, at: 0, count: FileSystem.status(file).size)
    }

    /// Texts that were in files alone are in some version now, for every file has been saved.
    private func checkEdits() throws {
        let store = try stage.store
        var all: Set<ObjectID> = []
        for note in try store.notes() + store.notes(deleted: true) {
            for version in try store.history(of: note) { all.insert(version.object) }
        }
        for name in Scenario.edited where !all.contains(ObjectID(of: Scenario.edit(name))) {
            throw Fault(.lost, "the edit of \(name)")
        }
    }

    private func forEachFile(in folder: String, _ body: (String) throws -> Void) throws {
        for name in try FileSystem.list(folder) where name != Vault.storeName {
            try body(name)
            if try FileSystem.status(folder + "/" + name)?.isFolder == true {
                try forEachFile(in: folder + "/" + name, body)
            }
        }
    }

    // MARK: A backup

    private func checkBackup(atLeast operation: Int) throws {
        let copy = try attempt(.lost, "the backup") {
            try NoteStore.open(at: stage.backup, access: .readOnly, clock: Stage.clock, machine: Stage.machine)
        }
        try expectClean(copy, "of the backup")
        let index = try StoreIndex.openForReading(stage.backup + "/index.sqlite")
        let newest = try index.read { try index.newestRecord() }?.operation ?? 0
        guard newest >= operation else { throw Fault(.lost, "the backup of operation \(operation): it has \(newest)") }
        if let reference = state.reference { try compare(index, with: reference, newest, "in the backup") }
        try checkTexts(of: copy)
    }

    /// The next backup goes on with whatever the last one left.
    private func backUp() throws {
        _ = try attempt(.stuck, "no backup can be made") { try stage.store.backup(to: stage.backup) }
        let index = try StoreIndex.openForReading(stage.index)
        let newest = try index.read { try index.newestRecord() }?.operation ?? 0
        let copy = try NoteStore.open(at: stage.backup, access: .readOnly, clock: Stage.clock, machine: Stage.machine)
        try expectClean(copy, "of the next backup")
        let there = try StoreIndex.openForReading(stage.backup + "/index.sqlite")
        guard try there.read({ try there.newestRecord() })?.operation == newest else {
            throw Fault(.lost, "what was done, from the next backup")
        }
        try checkTexts(of: copy)
    }
}
