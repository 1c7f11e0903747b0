import Glibc
import Stet

/// A program that shows long output a screen at a time.
///
/// Which one it is comes from the environment alone: a store may be anybody's, and must not name a program.
final class Pager {
    /// The commands whose output may go through a pager.
    static let commands = ["history", "diff", "help"]

    /// What the environment asks for: `STET_PAGER`, else `PAGER`, else `less`. Nil where it wants none.
    static func wanted() -> String? {
        guard let terminal = Surroundings.variable("TERM"), terminal != "dumb" else { return nil }
        guard let given = getenv("STET_PAGER") ?? getenv("PAGER") else { return isThere(usual) ? usual : nil }
        let command = String(cString: given)
        return command.isEmpty || command == "cat" ? nil : command
    }

    private static let usual = "less"
    private let stream: UnsafeMutablePointer<FILE>
    private var hasQuit = false

    /// Starts `command`, or returns nil where there is no such program.
    init?(_ command: String) {
        guard Self.isThere(command) else { return nil }
        // As git has it: end at once where all fits (F), pass colours on (R), leave the text on the screen (X).
        setenv("LESS", "FRX", 0)
        guard let stream = popen(command, "we") else { return nil }
        self.stream = stream
        Self.outliveIt(fileno(stream))
    }

    /// Whether the program that `command` begins with exists, as far as that can be told without a shell.
    private static func isThere(_ command: String) -> Bool {
        let program = command.prefix { $0 != " " }
        let plain = program.utf8.allSatisfy { byte in
            byte >= 0x80 || isalnum(Int32(byte)) != 0 || "_./+-".utf8.contains(byte)
        }
        if !plain { return true }
        if program.contains("/") { return access(String(program), X_OK) == 0 }
        return (Surroundings.variable("PATH") ?? "/usr/bin:/bin").split(separator: ":").contains {
            access("\($0)/\(program)", X_OK) == 0
        }
    }

    /// Hands `bytes` over. Once the reader has quit, nobody wants the rest: the command runs to its end and its exit code.
    func write(_ bytes: UnsafeRawBufferPointer) {
        if hasQuit { return }
        do { try Output.writeAll(bytes, to: fileno(stream)) } catch { hasQuit = true }
    }

    /// Ends the text, and waits until the reader has read it.
    func finish() {
        pclose(stream)
        pagerInput = -1
    }

    // MARK: Signals

    /// Sees to it that this process never ends before the pager does: the shell would take the terminal back while the
    /// pager still reads from it. Like git, Ctrl-C ends the output and not the pager, which takes it as its own.
    private static func outliveIt(_ input: Int32) {
        pagerInput = input
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            signal(number) { number in
                // Nothing here but calls that a signal handler may make (signal-safety(7)).
                if pagerInput >= 0 { close(pagerInput) }
                while wait(nil) > 0 || errno == EINTR {}
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// The rows and columns of the terminal that standard output is.
    static func screen() -> (rows: Int, columns: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
            return (24, 80)
        }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    /// Whether `text` leaves room for the next prompt on a screen.
    static func fits(_ text: [UInt8], on screen: (rows: Int, columns: Int)) -> Bool {
        var left = screen.rows - 1
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            left -= max(1, (columns(of: line) + screen.columns - 1) / screen.columns)
            if left < 0 { return false }
        }
        return true
    }

    /// The columns that a line takes, without the marks of its colours.
    private static func columns(of line: ArraySlice<UInt8>) -> Int {
        var plain: [UInt8] = []
        var rest = line
        while let byte = rest.popFirst() {
            switch byte {
            case 0x1B: rest = rest.drop { $0 != UInt8(ascii: "m") }.dropFirst()
            case UInt8(ascii: "\t"): plain += repeatElement(UInt8(ascii: " "), count: 8)
            default: plain.append(byte)
            }
        }
        return TerminalText.columns(String(decoding: plain, as: UTF8.self))
    }
}

/// Where the pager reads from, or -1. Global for the signal handler, which can reach nothing else; written before the
/// handler is set, by the only thread.
private nonisolated(unsafe) var pagerInput: Int32 = -1
