import Stet

extension JSONLine {
    /// A version as `history` tells it.
    static func history(_ note: Note, _ version: Version, isMissing: Bool) -> JSONLine {
        var line = JSONLine()
        line.set("note", note.id.description)
        line.set("name", utf8: note.name.bytes)
        line.set("version", version.number)
        line.set("id", version.id.description)
        line.set("parent", optional: version.parents.first)
        line.set("parents", version.parents)
        line.set("hash", utf8: version.object.hexadecimal)
        line.set("size", version.size)
        line.set("saved", TimeText.utc(version.saved))
        line.set("kind", version.kind.name)
        line.set("label", optional: version.label)
        line.set("pinned", version.isPinned)
        line.set("head", version.number == note.head)
        line.set("missing", isMissing)
        return line
    }
}

/// Versions as lines with the tree drawn on their left, newest first.
///
/// A *lane* is a column that leads down to the version whose number it holds; a version ends all lanes that lead to it
/// and goes on in one to its first parent.
struct HistoryPrinter {
    private let note: Note
    private let output: Output
    private var lanes: [Int] = []
    /// The line being made; kept, since a history can have many.
    private var line: [UInt8] = []
    /// The digits of the newest version's number: those of older ones take as much room.
    private var digits = 0
    private let versionStyle: (on: [UInt8], off: [UInt8])
    private let faint: (on: [UInt8], off: [UInt8])
    private let head: (on: [UInt8], off: [UInt8])

    init(_ note: Note, _ output: Output) {
        self.note = note
        self.output = output
        versionStyle = Style.version.marks(output)
        faint = Style.faint.marks(output)
        head = Style.head.marks(output)
    }

    /// The first lines: the note, its id and the names it had.
    func printHeading(_ names: [FormerName]) throws {
        let id = "stet:\(note.id.description.prefix(12))"
        let deleted = note.isDeleted ? "  deleted" : ""
        try output.line("\(Style.strong.apply(note.name.shown, output))  \(Style.faint.apply(id, output))\(deleted)")
        for name in names.reversed() {
            let until = TimeText.local(name.until)
            try output.line(Style.faint.apply("  was \(name.name.shown) until \(until)", output))
        }
    }

    mutating func print(_ version: Version, isMissing: Bool) throws {
        let column = lanes.firstIndex(of: version.number) ?? lanes.count
        if column == lanes.count { lanes.append(version.number) }
        try joinLanes(after: column, to: version.number)
        line.removeAll(keepingCapacity: true)
        for lane in lanes.indices {
            let isHead = lane == column && version.number == note.head
            if isHead { line += head.on }
            line.append(UInt8(ascii: lane == column ? "*" : "|"))
            if isHead { line += head.off }
            line.append(UInt8(ascii: " "))
        }
        append(version, isMissing: isMissing)
        try output.write(line)
        if let parent = version.parents.first {
            lanes[column] = parent
        } else {
            lanes.remove(at: column)
        }
    }

    /// Draws how other lanes that lead to the same version run into its column.
    private mutating func joinLanes(after column: Int, to number: Int) throws {
        while let other = lanes[(column + 1)...].lastIndex(of: number) {
            var line = lanes.indices.prefix(other).map { _ in "| " }.joined()
            line.removeLast()
            line += "/" + lanes.indices.dropFirst(other + 1).map { _ in " /" }.joined()
            try output.line(line)
            lanes.remove(at: other)
        }
    }

    private mutating func append(_ version: Version, isMissing: Bool) {
        line += versionStyle.on
        line.append(UInt8(ascii: "@"))
        let start = line.count
        Count.append(version.number, to: &line)
        let length = line.count - start
        digits = max(digits, length)
        line += versionStyle.off
        for _ in length..<digits + 1 { line.append(UInt8(ascii: " ")) }
        line.append(UInt8(ascii: " "))
        line += faint.on
        TimeText.appendLocal(version.saved, to: &line)
        line.append(UInt8(ascii: " "))
        line.append(UInt8(ascii: " "))
        SizeText.append(version.size, to: &line)
        line += faint.off
        if version.kind != .save { line += "  \(version.kind.name)".utf8 }
        if version.parents.count > 1 {
            line += (" of " + version.parents.map { "@\($0)" }.joined(separator: " and ")).utf8
        }
        if let label = version.label { line += "  \"\(TerminalText.escape(label))\"".utf8 }
        if version.isPinned { line += "  pinned".utf8 }
        if isMissing { line += "  missing".utf8 }
        if version.number == note.head {
            line += "  ".utf8
            line += head.on
            line += "<- head".utf8
            line += head.off
        }
        line.append(UInt8(ascii: "\n"))
    }
}
