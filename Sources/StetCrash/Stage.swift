import Glibc
import Stet
import StetIndex
import StetObjects
import Synchronization

/// Where a scenario is played: its folder, the store or vault in it, and the marks of what was promised.
///
/// A step that fails is said on standard error, and the next one is played: as an app would go on after a full disk.
final class Stage {
    let folder: String
    let isVault: Bool
    private(set) var failures = 0
    private var opened: NoteStore?
    private var openedVault: Vault?
    /// Apart from the store's own connections, so that a promise is never read from what was not committed.
    private var numbers: StoreIndex?

    private let isRecorded: Bool

    init(folder: String, isVault: Bool, isRecorded: Bool = false) {
        self.folder = folder
        self.isVault = isVault
        self.isRecorded = isRecorded
    }

    /// The vault's folder; notes of a bare store have none.
    var notes: String { folder + "/notes" }
    var storeFolder: String { isVault ? notes + "/" + Vault.storeName : folder + "/store" }
    var index: String { storeFolder + "/index.sqlite" }
    var backup: String { folder + "/backup" }

    /// The same in every run, so that what is opened again is on the same machine.
    static let machine = Array("a machine for crashes".utf8)

    /// Each reading a second after the one before: a run has the same times as any other.
    static let clock: StoreClock = {
        let time = Mutex<Int64>(1_800_000_000_000)
        return StoreClock {
            time.withLock { time in
                time += 1_000
                return Timestamp(milliseconds: time)
            }
        }
    }()

    // MARK: Opening and closing

    func create() throws {
        if isVault { try FileSystem.makeFolder(notes) }
        do {
            opened = try NoteStore.create(at: storeFolder, clock: Self.clock, machine: Self.machine)
        } catch StoreError.alreadyThere where isVault {
            // One that was not made a vault yet.
            opened = try NoteStore.open(at: storeFolder, clock: Self.clock, machine: Self.machine)
            guard try store.settings().vault == nil else { throw StoreError.alreadyThere(storeFolder) }
        }
        if isVault { openedVault = try Vault.make(notes, of: store) }
    }

    func open(on machine: [UInt8] = Stage.machine) throws {
        opened = try NoteStore.open(at: storeFolder, clock: Self.clock, machine: machine)
        guard isVault else { return }
        openedVault = try Vault.of(store, store.settings(), byName: true)
        if openedVault == nil { throw NotOpen() }
    }

    /// Goes on as the same store on another machine would.
    func reopen(on machine: [UInt8]) throws {
        try close()
        try open(on: machine)
    }

    func close() throws {
        defer {
            opened = nil
            openedVault = nil
            numbers = nil
        }
        try opened?.close()
    }

    /// The end of what is there before a scenario: all of it durable.
    func finishPreparing() throws {
        try store.flush()
        try mark("ack")
        try close()
    }

    struct NotOpen: Error {}

    var store: NoteStore {
        get throws {
            guard let opened else { throw NotOpen() }
            return opened
        }
    }

    var vault: Vault {
        get throws {
            guard let openedVault else { throw NotOpen() }
            return openedVault
        }
    }

    // MARK: Steps

    /// Plays one step and marks what is promised once it is done.
    func step(_ body: () throws -> Void) {
        do {
            try body()
            try mark("ack")
        } catch {
            fail(error)
        }
    }

    /// Plays what promises nothing new, such as closing.
    func quietly(_ body: () throws -> Void) {
        do { try body() } catch { fail(error) }
    }

    private func fail(_ error: any Error) {
        failures += 1
        say("\(error)", to: STDERR_FILENO)
    }

    /// Says the number of the newest operation and the check of its record, which speaks for all before it.
    func mark(_ word: String) throws {
        let index = try numbers ?? StoreIndex.openForReading(self.index)
        numbers = index
        guard let newest = try index.read({ try index.newestRecord() }) else { return }
        say("\(word) \(newest.operation) \(Hex.encode(RecordFrame.check(of: newest.bytes)))", to: STDOUT_FILENO)
    }

    /// Marks a moment of a repair. A check, whose answers go the same way, marks nothing.
    func note(_ word: String) {
        if isRecorded { say(word, to: STDOUT_FILENO) }
    }

    func save(_ name: String, _ text: [UInt8], label: String? = nil) {
        step { try store.save(text, as: NoteName(name), label: label) }
    }

    /// Writes a file of the user's own, as an editor would.
    func edit(_ name: String, _ text: [UInt8]) throws {
        let path = notes + "/" + name
        try FileSystem.remove(path)
        try FileSystem.writeNewFile(path) { write in try text.withUnsafeBytes(write) }
    }

    /// Saves from elsewhere than a file, in the store or the vault.
    func saveInPieces(_ name: String, _ text: [UInt8]) {
        step {
            let notes: any NoteChanging = isVault ? try vault : try store
            var rest = text[...]
            _ = try notes.save(as: NoteName(name), label: nil) { buffer in
                let piece = rest.prefix(min(buffer.count, 30_000))
                buffer.copyBytes(from: piece)
                rest = rest.dropFirst(piece.count)
                return piece.count
            }
        }
    }

    func backUp() {
        quietly {
            let report = try store.backup(to: backup)
            // Without a text that could not be read it is not what was promised of the one before; that is told.
            if report.problems.isEmpty {
                try mark("backup")
            } else {
                say("backup 0 0000000000000000", to: STDOUT_FILENO)
            }
        }
    }

    /// Sets something durably that is found in no record: the number of the newest operation. Saves then.
    func setAndSave(_ name: String, _ text: [UInt8]) {
        step {
            let newest = try StoreIndex.openForReading(index).newestRecord()?.operation ?? 0
            try store.changeSettings { try $0.set(.sizeLimit, to: "\(newest)") }
            try store.save(text, as: NoteName(name))
        }
    }

    // MARK: After a crash

    /// What the next user of a store does after a crash: opens it, saves, flushes.
    func recover(_ scenario: Scenario) throws {
        let mended = [Scenario.repair.name, Scenario.repairText.name]
        if mended.contains(scenario.name) || scenario.isRepair { step { try repair() } }
        do {
            try open()
        } catch {
            try create()
        }
        step {}
        if isVault { step { _ = try vault.saveAll { if case .failed(_, let error) = $0 { throw error } } } }
        if scenario.name == Scenario.settings.name {
            setAndSave("elsewhere/set", Text.make("recovered", 700))
        } else {
            saveInPieces("elsewhere/recovered", Text.make("recovered", 700))
        }
        step { try store.flush() }
        if scenario.name == Scenario.settings.name { return quietly { try close() } }
        saveInPieces("elsewhere/recovered", Text.make("recovered again", 300))
        if scenario.isBackup { backUp() }
        quietly { try close() }
    }
}

/// Texts that are the same in every run and differ from one another.
enum Text {
    static func make(_ title: String, _ size: Int) -> [UInt8] {
        var state = title.utf8.reduce(UInt64(size) &+ 0x9E37_79B9_7F4A_7C15) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        var bytes = Array("# \(title)\n".utf8)
        bytes.reserveCapacity(size + 64)
        while bytes.count < size {
            // From Steele, Lea and Flood's SplitMix64.
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            bytes += Array(String(word ^ (word >> 31), radix: 36).utf8) + [bytes.count % 7 == 0 ? 0x0A : 0x20]
        }
        return Array(bytes.prefix(size))
    }
}
