import Glibc
import Stet

/// A call of a command: its arguments, the world around it, and where its output goes.
final class Invocation {
    let command: Command
    let arguments: Arguments
    let output: Output
    let clock = StoreClock.system
    /// Whether JSON lines are wanted.
    let isJSON: Bool

    init(_ command: Command, _ arguments: Arguments, _ output: Output) {
        self.command = command
        self.arguments = arguments
        self.output = output
        isJSON = arguments.has("json")
    }

    var now: Timestamp { clock.now() }

    /// A usage error that points to this command's help.
    func usage(_ problem: String) -> UsageError { UsageError(problem, command: command.name) }

    // MARK: The store

    private var opened: (store: NoteStore, vault: Result<Vault?, any Error>)?

    /// The store, opened at the first use.
    func store(_ access: NoteStore.Access = .readOnly) throws -> NoteStore { try open(access).store }

    /// The store opened for writing, beside the one for reading; nil where that cannot be.
    func storeForHealing() throws -> NoteStore? {
        try? NoteStore.open(at: store().folder, clock: clock, machine: Surroundings.machineID())
    }

    /// The vault of the store; nil where notes live in the store alone.
    func vault(_ access: NoteStore.Access = .readOnly) throws -> Vault? { try open(access).vault.get() }

    /// What changes notes: the vault where the store has one.
    func notes() throws -> any NoteChanging {
        let (store, vault) = try open(.readWrite)
        return try vault.get() ?? store
    }

    /// Whether the caller named the store, and not only stands in a folder that has one.
    var isStoreNamed: Bool { arguments.value("store") != nil || Surroundings.variable("STET_STORE") != nil }

    private func open(_ access: NoteStore.Access) throws -> (store: NoteStore, vault: Result<Vault?, any Error>) {
        if let opened { return opened }
        let given = arguments.value("store")
        let store = try NoteStore.open(
            at: Surroundings.storeFolder(given), access: access, clock: clock, machine: Surroundings.machineID())
        let settings = try store.settings()
        output.apply(settings)
        // A vault that is gone or unplugged keeps nobody from looking into its history.
        let both = (store, Result { try Vault.of(store, settings, byName: isStoreNamed) })
        opened = both
        return both
    }

    /// How operands become names.
    func paths() throws -> NotePaths { NotePaths(try store(), try? vault()) }

    /// Does the upkeep that is due, after everything was said.
    func close() throws { try opened?.store.close() }

    // MARK: Operands

    /// The only operand, as a note or one of its versions.
    func operand(_ position: Int = 0) throws -> Operand {
        try operand(arguments.operands[position])
    }

    /// An operand that may name a version.
    func operand(_ bytes: [UInt8]) throws -> Operand { try Operand(bytes, in: try store(), try paths(), now: now) }

    /// An operand that means a note as a whole.
    func note(_ bytes: [UInt8]) throws -> NoteReference { try Operand.note(bytes, try paths()) }

    /// Runs `body` for each operand: all that can be done is done, the rest reported. The code of the worst.
    func forEachOperand(_ body: ([UInt8]) throws -> Void) -> ExitCode {
        worstOfOperands { operand in
            try body(operand)
            return .done
        }
    }

    /// Runs `body`, which has a code of its own, for each operand.
    func worstOfOperands(_ body: ([UInt8]) throws -> ExitCode) -> ExitCode {
        var worst = ExitCode.done
        for operand in arguments.operands {
            do { worst = max(worst, try body(operand)) } catch { worst = max(worst, output.report(error)) }
        }
        return worst
    }

    /// Whether a live note bears the name.
    func isLive(_ name: NoteName) throws -> Bool { (try? store().find(.name(name), for: .changing)) != nil }

    /// The note that is meant, and the version of it: the head where none is named.
    func version(_ operand: Operand) throws -> (note: Note, version: Version) {
        let note = try store().find(operand.note)
        if case .name(let name) = operand.note, name != note.name {
            let why =
                note.isDeleted
                ? "\(note.name.shown), which is deleted" : "the note that is now called \(note.name.shown)"
            output.note("\(name.shown) means \(why)")
        } else if note.isDeleted {
            output.note("\(note.name.shown) is deleted")
        }
        return (note, try retelling(operand) { try store().version(operand.version ?? .head, of: note) })
    }

    /// Runs `body`; where it does not find the version, that is told in the words it was asked for in.
    func retelling<Value>(_ operand: Operand, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch StoreError.noVersion(let name, let text) {
            throw StoreError.noVersion(name, operand.versionText ?? text)
        }
    }

    // MARK: Answers

    /// Says what a change left behind: `todo.md@4`, or its JSON object.
    func answer(_ change: Change, _ words: String = "") throws {
        try answer(change.note, change.version, isNew: change.isNew, words)
    }

    /// Says a version, with words after it.
    func answer(_ note: Note, _ version: Version, isNew: Bool, _ words: String = "") throws {
        if isJSON {
            var line = JSONLine(note, version)
            line.set("new", isNew)
            try line.write(to: output)
        } else {
            try output.line(shown(note, version) + words)
        }
    }

    /// `todo.md@4`, coloured.
    func shown(_ note: Note, _ version: Version) -> String {
        note.name.shown + Style.version.apply("@\(version.number)", output)
    }
}

/// What the command takes from the world around it: the environment and the machine.
enum Surroundings {
    static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The store's folder: as given, else `STET_STORE`, else the nearest `.stet` upwards, else the user's own.
    static func storeFolder(_ given: String?) throws -> String {
        if given == "" { throw UsageError("--store needs the name of a folder") }
        if let folder = given ?? variable("STET_STORE") { return folder }
        return try nearestStore() ?? defaultStore()
    }

    /// `$XDG_DATA_HOME/stet`.
    static func defaultStore() throws -> String {
        if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/stet" }
        guard let home = variable("HOME") else {
            throw UsageError("there is no HOME to look for a store in: name one with --store DIR")
        }
        return home + "/.local/share/stet"
    }

    private static func nearestStore() throws -> String? {
        var folder = (try? FileSystem.realPath(".")) ?? "/"
        while true {
            let candidate = (folder == "/" ? "" : folder) + "/.stet"
            if (try? FileSystem.status(candidate))??.isFolder == true { return candidate }
            guard folder != "/", let slash = folder.lastIndex(of: "/") else { return nil }
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
        }
    }

    /// The machine's id, by which a store that was moved is noticed; nil where the system has none.
    static func machineID() -> [UInt8]? {
        guard let file = try? FileSystem.openForReading("/etc/machine-id"),
            let bytes = try? FileSystem.read(file, at: 0, count: 64), bytes.count >= 32
        else { return nil }
        return Array(bytes.prefix(32))
    }
}
