import Stet

/// What the command answers the shell.
enum ExitCode: Int32, Comparable {
    case done = 0
    /// It differs, there is nothing to undo, no match, damage was found.
    case no = 1
    case usage = 2
    /// Not found, or ambiguous.
    case notFound = 3
    /// Another note's text, or a file, is in the way.
    case refused = 4
    /// The store is damaged or too new.
    case damaged = 5
    /// The system refused: space, permission, read-only, lock.
    case system = 6

    static func < (left: ExitCode, right: ExitCode) -> Bool { left.rawValue < right.rawValue }

    /// The code for a failure: the one table of it.
    init(_ error: any Error) {
        self =
            switch error {
            case is UsageError, is NameError: .usage
            case is OutsideVault: .usage
            case is FileInTheWay, is BackupRefusal: .refused
            case let error as VaultError: Self.code(error)
            case let error as StoreError: Self.code(error)
            case let error as SettingsError: Self.code(error)
            case is ObjectError, is IndexDamage, is LogDamage, is LayoutError: .damaged
            case let error as DatabaseError: error.isDamage ? .damaged : .system
            default: .system
            }
    }

    private static func code(_ error: SettingsError) -> ExitCode {
        switch error {
        case .noText, .line: .damaged
        case .invalidValue: .usage
        }
    }

    private static func code(_ error: VaultError) -> ExitCode {
        switch error {
        case .noFile: .notFound
        case .folderGone, .keepsChanging, .notMoved, .unfinished: .system
        case .insideStore, .notAFile, .inTheWay, .link, .severalLinks, .readOnlyFile, .readOnlyFolder, .foreignFile,
            .openElsewhere,
            .unrecorded:
            .refused
        }
    }

    private static func code(_ error: StoreError) -> ExitCode {
        switch error {
        case .nothingToUndo, .nothingToRedo: .no
        case .invalidLabel, .noteTwice: .usage
        case .noStore, .noNote, .deleted, .notDeleted, .renamed, .ambiguous, .noVersion, .ambiguousVersion: .notFound
        case .alreadyThere, .nameTaken, .nameInside: .refused
        case .damaged: .damaged
        case .foreignOwner, .writableByOthers, .onNetwork, .readOnly, .closed, .replaced, .keptBack, .outcomeUnknown:
            .system
        }
    }
}

extension Output {
    /// Tells a failure in one line, and what it could have meant in further ones. Returns its code.
    func report(_ error: any Error) -> ExitCode {
        complain("\(error)" + (advice(for: error).map { ": \($0)" } ?? ""))
        switch error as? StoreError {
        case .ambiguous(_, let notes)?:
            for note in notes {
                complain(
                    line:
                        "  stet:\(note.id)  \(note.name.shown)\(note.isDeleted ? " (deleted)" : "")"
                )
            }
        case .ambiguousVersion(let name, _, let versions)?:
            for version in versions { complain(line: "  \(name.shown)@\(version.number)  sha:\(version.object)") }
        default: break
        }
        return ExitCode(error)
    }

    /// What to type next, where one command is the answer.
    private func advice(for error: any Error) -> String? {
        if ExitCode(error) == .damaged, Self.isMendable(error) { return "type \"stet repair\"" }
        return switch error as? StoreError {
        case .noStore(let path)?:
            path == (try? Surroundings.defaultStore())
                ? "type \"stet init\" in a folder of notes"
                : "make one with \"stet init --bare \(Shell.quoted(Array(path.utf8)))\""
        case .deleted(let name)?: "type \"stet undelete \(Shell.quoted(name.bytes))\""
        default: nil
        }
    }

    /// Whether a repair may help: not with a file of settings that makes no sense, nor with a newer format.
    private static func isMendable(_ error: any Error) -> Bool {
        if case LayoutError.tooNew = error { return false }
        return !(error is SettingsError)
    }
}
