/// The settings of a store: the file `config` in its folder, lines `key = value` and comments that begin with `#`.
///
/// A store may come from anybody, so no setting names a program, or a file that is read or written because of it; the
/// vault's folder is only where the notes' own files stand.
public struct Settings: Equatable, Sendable {
    /// What can be set.
    public enum Key: String, CaseIterable, Sendable {
        /// The folder of the files that the store keeps the history of.
        case vault
        /// When output is coloured.
        case color
        /// When long output goes through a pager.
        case pager
        /// The largest file, in bytes, that a scan takes for a note.
        case sizeLimit = "size-limit"
    }

    /// When output is coloured.
    public enum Color: String, CaseIterable, Sendable {
        /// On a terminal.
        case auto
        /// Into files and pipes too.
        case always
        /// Not at all.
        case never
    }

    /// When long output goes through a pager.
    public enum Pager: String, CaseIterable, Sendable {
        /// On a terminal, where it does not fit.
        case auto
        /// Not at all.
        case never
    }

    /// The longest file of settings in bytes.
    public static let maximumFileSize = 64 << 10
    /// The largest file that a scan takes for a note where nothing else is set: 64 MiB.
    public static let defaultSizeLimit = 64 << 20

    private enum Line: Equatable {
        case setting(Key, String)
        /// A comment or an empty line, kept as it is.
        case other(String)
    }

    private var lines: [Line] = []

    /// Nothing set.
    public init() {}

    // MARK: Reading

    /// The value that was set, or nil where none was.
    public func value(of key: Key) -> String? {
        for case .setting(key, let value) in lines { return value }
        return nil
    }

    /// What goes for `key`: the value that was set, else the default. Nil where there is neither: a store without a vault.
    public func effectiveValue(of key: Key) -> String? { value(of: key) ?? Self.defaultValue(of: key) }

    private static func defaultValue(of key: Key) -> String? {
        switch key {
        case .vault: nil
        case .color: Color.auto.rawValue
        case .pager: Pager.auto.rawValue
        case .sizeLimit: "64M"
        }
    }

    /// The vault's folder: `..`, which is the folder that the store's stands in, or an absolute path. Nil where notes live
    /// in the store only.
    public var vault: String? { value(of: .vault) }

    /// When output is coloured.
    public var color: Color { value(of: .color).flatMap(Color.init(rawValue:)) ?? .auto }

    /// When long output goes through a pager.
    public var pager: Pager { value(of: .pager).flatMap(Pager.init(rawValue:)) ?? .auto }

    /// The largest file, in bytes, that a scan takes for a note.
    public var sizeLimit: Int { value(of: .sizeLimit).flatMap(Self.byteCount) ?? Self.defaultSizeLimit }

    // MARK: Changing

    /// Sets `key`; comments and the order of the lines stay.
    ///
    /// - Throws: `SettingsError.invalidValue`.
    public mutating func set(_ key: Key, to value: String) throws(SettingsError) {
        guard Self.isValid(value, for: key) else { throw .invalidValue(key, value) }
        let line = Line.setting(key, value)
        let place = lines.firstIndex { if case .setting(key, _) = $0 { true } else { false } }
        if let place { lines[place] = line } else { lines.append(line) }
    }

    private static func isValid(_ value: String, for key: Key) -> Bool {
        switch key {
        case .vault: isFolder(value)
        case .color: Color(rawValue: value) != nil
        case .pager: Pager(rawValue: value) != nil
        case .sizeLimit: byteCount(value) != nil
        }
    }

    /// Only what a line of the file gives back as it was.
    private static func isFolder(_ text: String) -> Bool {
        (text == ".." || text.hasPrefix("/")) && trimmed(text[...]).utf8.elementsEqual(text.utf8)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// `64M`: a number of bytes, or of kibi-, mebi- or gibibytes; at least 1.
    private static func byteCount(_ text: String) -> Int? {
        let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30]
        let shift = text.last.flatMap { shifts[$0] }
        let digits = shift == nil ? text[...] : text.dropLast()
        guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = Int(digits),
            number > 0
        else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
        return overflow ? nil : bytes
    }

    // MARK: The file

    /// The settings that the bytes of the file at `path` mean.
    ///
    /// - Throws: `SettingsError.noText` or `.line`, with the first line that makes no sense.
    public init(parsing bytes: [UInt8], of path: String) throws(SettingsError) {
        guard bytes.count <= Self.maximumFileSize, let text = String(validating: bytes, as: UTF8.self) else {
            throw .noText(path)
        }
        // By bytes: "\r\n" would be one Character and no line feed.
        var rows = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if rows.last?.isEmpty == true { rows.removeLast() }
        for (position, row) in rows.enumerated() {
            guard let line = Self.line(Substring(row)) else { throw .line(path, position + 1, String(Substring(row))) }
            if case .setting(let key, _) = line, value(of: key) != nil {
                throw .line(path, position + 1, String(Substring(row)))
            }
            lines.append(line)
        }
    }

    private static func line(_ row: Substring) -> Line? {
        let text = trimmed(row)
        if text.isEmpty || text.utf8.first == UInt8(ascii: "#") { return .other(String(row)) }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let key = Key(rawValue: String(trimmed(parts[0]))) else { return nil }
        let value = String(trimmed(parts[1]))
        return isValid(value, for: key) ? .setting(key, value) : nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let blanks: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
        var bytes = text.utf8
        while let first = bytes.first, blanks.contains(first) { bytes.removeFirst() }
        while let last = bytes.last, blanks.contains(last) { bytes.removeLast() }
        return Substring(bytes)
    }

    /// The file's bytes.
    public var bytes: [UInt8] {
        lines.flatMap { line in
            switch line {
            case .setting(let key, let value): Array("\(key.rawValue) = \(value)\n".utf8)
            case .other(let text): Array("\(text)\n".utf8)
            }
        }
    }
}

/// Why settings are not what was wanted.
public enum SettingsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file at this path is no regular file, is too large, or is not UTF-8.
    case noText(String)
    /// In the file at this path, the line with this number, counted from 1, makes no sense.
    case line(String, Int, String)
    /// The key does not take this value.
    case invalidValue(Settings.Key, String)

    /// One line: what is wrong, and what there could be.
    public var description: String {
        switch self {
        case .noText(let path):
            "\(TerminalText.escape(path.utf8)) is no text in UTF-8 of at most \(Settings.maximumFileSize >> 10) KiB"
        case .line(let path, let number, let text):
            "line \(number) of \(TerminalText.escape(path.utf8)) makes no sense: \"\(TerminalText.escape(text.prefix(80).utf8))\""
        case .invalidValue(let key, let value):
            "\(key.rawValue) takes \(Self.values(of: key)), not \"\(TerminalText.escape(value.utf8))\""
        }
    }

    private static func values(of key: Settings.Key) -> String {
        switch key {
        case .vault: "\"..\" or an absolute path"
        case .color: "auto, always or never"
        case .pager: "auto or never"
        case .sizeLimit: "a number of bytes, such as 1000000 or 64M"
        }
    }
}

extension NoteStore {
    /// The store's settings, as its file of them says at this moment; nothing is set where there is no such file.
    ///
    /// - Throws: `SettingsError.noText` or `.line` where the file makes no sense.
    public func settings() throws -> Settings { try StoreLayout(folder: folder).readSettings() }

    /// Makes `folder` the store's vault: `..` or an absolute path.
    ///
    /// - Throws: as `changeSettings` does; `SettingsError.invalidValue` for another path.
    public func setVault(_ folder: String) throws { try changeSettings { try $0.set(.vault, to: folder) } }

    /// Changes the store's settings, durably and at once: other processes see the old ones or the new ones.
    ///
    /// - Throws: what `body` throws, `SettingsError` where the settings so far make no sense, `StoreError.readOnly`,
    ///   `.onNetwork`, `LockTimeout`, `SystemError`.
    public func changeSettings(_ body: (inout Settings) throws -> Void) throws {
        guard !isReadOnly else { throw StoreError.readOnly(folder) }
        guard try !FileSystem.isOnNetwork(folder) else { throw StoreError.onNetwork(folder) }
        let layout = StoreLayout(folder: folder)
        let lock = try StoreLock.taken(layout.lock)
        defer { lock.give() }
        var settings = try layout.readSettings()
        try body(&settings)
        try layout.write(settings)
    }
}

extension StoreLayout {
    func readSettings() throws -> Settings {
        let file: FileDescriptor
        do throws(SystemError) {
            file = try FileSystem.openForReading(settings)
        } catch  where error.isMissing {
            return Settings()
        } catch  where error.isNoFile {
            throw SettingsError.noText(settings)
        }
        guard try FileSystem.status(file).isRegularFile else { throw SettingsError.noText(settings) }
        return try Settings(parsing: FileSystem.read(file, at: 0, count: Settings.maximumFileSize + 1), of: settings)
    }

    /// Puts `settings` in the place of those before. Call it under the lock.
    func write(_ settings: Settings) throws {
        let bytes = settings.bytes
        guard bytes.count <= Settings.maximumFileSize else { throw SettingsError.noText(self.settings) }
        // Left over from a process that was killed: nobody else writes here.
        try FileSystem.remove(newSettings)
        let file = try FileSystem.createExclusively(newSettings, mode: 0o600)
        try FileSystem.write(file, at: 0, bytes)
        try FileSystem.sync(file)
        try FileSystem.rename(newSettings, to: self.settings)
        try FileSystem.syncFolder(folder)
    }
}
