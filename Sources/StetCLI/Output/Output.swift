import Glibc
import Stet

/// Standard output and standard error. Data goes to the first, everything else to the second.
final class Output {
    /// Whether text is coloured.
    let isColoured: Bool
    /// Whether standard output is a terminal: then everything is made harmless for it.
    let isTerminal = isatty(STDOUT_FILENO) == 1
    private let isQuiet: Bool
    private var buffer: [UInt8] = []

    init(colour: ColourChoice, noColour: Bool, isQuiet: Bool) {
        self.isQuiet = isQuiet
        isColoured =
            switch colour {
            case .always: true
            case .never: false
            case .auto: isatty(STDOUT_FILENO) == 1 && !noColour
            }
        buffer.reserveCapacity(1 << 16)
    }

    enum ColourChoice: String {
        case auto
        case always
        case never
    }

    // MARK: Standard output

    /// Writes bytes as they are.
    func write(_ bytes: some Collection<UInt8>) throws {
        buffer += bytes
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes bytes as they are, without a copy where they are many.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        if bytes.count < 1 << 14 { return try write(Array(bytes)) }
        try flush()
        try Self.writeAll(bytes, to: STDOUT_FILENO)
    }

    /// Writes a line of text that is harmless already.
    func line(_ text: String) throws {
        try write(text.utf8)
        try write([UInt8(ascii: "\n")])
    }

    /// Writes a stored text: exact bytes into a pipe or file, spelled out for a terminal.
    func text(_ bytes: UnsafeRawBufferPointer) throws {
        guard isTerminal else { return try write(bytes) }
        try write(TerminalText.escape(bytes, keeping: [UInt8(ascii: "\n"), UInt8(ascii: "\t")]).utf8)
    }

    /// Hands over what was gathered.
    func flush() throws {
        defer { buffer.removeAll(keepingCapacity: true) }
        try buffer.withUnsafeBytes { try Self.writeAll($0, to: STDOUT_FILENO) }
    }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw SystemError(errno, "write to", "standard output")
            }
        }
    }

    // MARK: Standard error

    /// Tells something that is not the data asked for; silent with `--quiet`.
    func note(_ text: String) {
        if !isQuiet { complain(text) }
    }

    /// Tells an error.
    func complain(_ text: String) {
        try? flush()
        // What was typed comes back in many messages; to spell it out twice changes nothing.
        Array("stet: \(TerminalText.escape(text))\n".utf8).withUnsafeBytes { try? Self.writeAll($0, to: STDERR_FILENO) }
    }

    /// A further line of an error, such as a candidate.
    func complain(line text: String) {
        Array("\(TerminalText.escape(text))\n".utf8).withUnsafeBytes { try? Self.writeAll($0, to: STDERR_FILENO) }
    }

    // MARK: Progress

    private var progressShown = false
    private let started = Output.seconds()
    private var lastShown = 0.0

    /// Shows how far long work has come: on a terminal, after half a second, ten times a second at most.
    func progress(_ done: Int, of total: Int, _ what: String) { progress("\(what): \(done) of \(total)") }

    /// Shows how far long work has come whose end is not known.
    func progress(_ done: Int, _ what: String) { progress("\(what): \(done)") }

    private func progress(_ text: @autoclosure () -> String) {
        let now = Self.seconds()
        guard !isQuiet, isatty(STDERR_FILENO) == 1, now - started > 0.5, now - lastShown > 0.1 else { return }
        lastShown = now
        progressShown = true
        Array("\r\(text())".utf8).withUnsafeBytes { try? Self.writeAll($0, to: STDERR_FILENO) }
    }

    /// Takes the progress line away.
    func endProgress() {
        guard progressShown else { return }
        progressShown = false
        Array("\r\u{1B}[K".utf8).withUnsafeBytes { try? Self.writeAll($0, to: STDERR_FILENO) }
    }

    private static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
