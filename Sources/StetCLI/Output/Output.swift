import Glibc
import Stet

/// Standard output and standard error. Data goes to the first, everything else to the second.
final class Output {
    /// Whether text is coloured.
    private(set) var isColoured: Bool
    /// Whether standard output is a terminal: then everything is made harmless for it.
    let isTerminal = isatty(STDOUT_FILENO) == 1
    private let isQuiet: Bool
    /// Whether the caller said when to colour: then the store's settings do not.
    private let isColourGiven: Bool
    private var buffer: [UInt8] = []
    private var way = Way.straight

    /// Where standard output goes.
    private enum Way {
        case straight
        /// Through this pager, as soon as there is more than a screen of it.
        case undecided(pager: String)
        case paged(Pager)
    }

    /// - Parameter colour: as the caller wants it, or nil where that was not said.
    init(colour: Settings.Color?, isQuiet: Bool) {
        self.isQuiet = isQuiet
        isColourGiven = colour != nil
        isColoured = Self.isColoured(colour ?? .auto)
        buffer.reserveCapacity(1 << 16)
    }

    private static func isColoured(_ choice: Settings.Color) -> Bool {
        switch choice {
        case .always: true
        case .never: false
        case .auto: isatty(STDOUT_FILENO) == 1
        }
    }

    /// Takes over what the store's settings say, before anything is written.
    func apply(_ settings: Settings) {
        if !isColourGiven { isColoured = Self.isColoured(settings.color) }
        if settings.pager == .never { way = .straight }
    }

    /// Lets output that is longer than the screen go through a pager, if the environment wants one.
    func page() {
        guard isTerminal, let command = Pager.wanted() else { return }
        way = .undecided(pager: command)
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
        try deliver(bytes)
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
        if buffer.isEmpty { return }
        if case .undecided(let command) = way { way = decide(command) }
        defer { buffer.removeAll(keepingCapacity: true) }
        try buffer.withUnsafeBytes { try deliver($0) }
    }

    private func decide(_ command: String) -> Way {
        if Pager.fits(buffer, on: Pager.screen()) { return .straight }
        if let pager = Pager(command) { return .paged(pager) }
        if !isQuiet {
            let name = TerminalText.escape(command.utf8)
            Self.write(error: "stet: there is no pager \(name): shown without one\n")
        }
        return .straight
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) throws {
        if case .paged(let pager) = way { return pager.write(bytes) }
        try Self.writeAll(bytes, to: STDOUT_FILENO)
    }

    /// Hands over everything, and waits until it was read where it goes through a pager.
    func finish() throws {
        try flush()
        if case .paged(let pager) = way { pager.finish() }
        way = .straight
    }

    static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
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
        // What was typed comes back in many messages; to spell it out twice changes nothing.
        write(error: "stet: \(TerminalText.escape(text))\n")
    }

    /// A further line of an error, such as a candidate.
    func complain(line text: String) { write(error: "\(TerminalText.escape(text))\n") }

    private func write(error text: String) {
        if case .straight = way {
            try? flush()
        } else if isatty(STDERR_FILENO) == 1 {
            // In its place between the lines, and not across the page that somebody reads.
            return buffer += text.utf8
        }
        Self.write(error: text)
    }

    private static func write(error text: String) {
        Array(text.utf8).withUnsafeBytes { try? writeAll($0, to: STDERR_FILENO) }
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
        Self.write(error: "\r\(text())")
    }

    /// Takes the progress line away.
    func endProgress() {
        guard progressShown else { return }
        progressShown = false
        Self.write(error: "\r\u{1B}[K")
    }

    private static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
