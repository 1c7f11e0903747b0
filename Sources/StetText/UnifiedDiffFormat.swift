extension UnifiedDiff {
    /// The diff as bytes that `patch` and `git apply` accept; empty if both sides are equal.
    ///
    /// Lines are written byte for byte. Names are quoted as git does where they need it; for a file that does not
    /// exist on one side, the label is `/dev/null`.
    ///
    /// - Parameters:
    ///   - oldLabel: the name after `---`.
    ///   - newLabel: the name after `+++`.
    public func bytes(oldLabel: [UInt8], newLabel: [UInt8]) -> [UInt8] {
        guard !hunks.isEmpty else { return [] }
        var output: [UInt8] = []
        output += Array("--- ".utf8) + headerName(oldLabel) + [lineFeed]
        output += Array("+++ ".utf8) + headerName(newLabel) + [lineFeed]
        for hunk in hunks {
            output += hunk.header
            output.append(lineFeed)
            for line in hunk.lines { append(line, to: &output) }
        }
        return output
    }

    private func append(_ line: Line, to output: inout [UInt8]) {
        output.append(line.kind.sign)
        output += bytes(of: line)
        if !line.hasLineFeed { output += Self.missingLineFeedMarker }
    }

    /// What follows a line without a line feed: one for the diff itself, and the note that the file has none.
    private static let missingLineFeedMarker = Array("\n\\ No newline at end of file\n".utf8)
}

extension UnifiedDiff.Hunk {
    /// The line that introduces the hunk, `@@ -1,2 +1,3 @@`, without a line feed.
    public var header: [UInt8] {
        Array("@@ -\(Self.position(oldRange)) +\(Self.position(newRange)) @@".utf8)
    }

    /// Line numbers count from 1 and a count of 1 is left out.
    ///
    /// An empty range is given as the line that it follows, hence 0 at the beginning of a file.
    private static func position(_ range: Range<Int>) -> String {
        switch range.count {
        case 0: "\(range.lowerBound),0"
        case 1: "\(range.lowerBound + 1)"
        default: "\(range.lowerBound + 1),\(range.count)"
        }
    }
}

extension UnifiedDiff.Line.Kind {
    /// The byte that a line of this kind begins with: a space, `-` or `+`.
    public var sign: UInt8 {
        switch self {
        case .context: UInt8(ascii: " ")
        case .removed: UInt8(ascii: "-")
        case .added: UInt8(ascii: "+")
        }
    }
}
