/// A difference in the unified format: changes grouped into hunks with unchanged lines around them.
///
/// The format is the one described in the manual of GNU diffutils ("Detailed Description of Unified Format") and in
/// POSIX `diff -u`, with git's marker for a missing line feed. ``bytes(oldLabel:newLabel:)`` writes it out for `patch`
/// and `git apply`; ``hunks`` gives the same in parts, for a caller that colours or escapes the lines itself.
public struct UnifiedDiff: Sendable, Equatable {
    /// A group of changes that are close together, with their context.
    public struct Hunk: Sendable, Equatable {
        /// The lines of the old side that the hunk covers, counted from 0.
        public let oldRange: Range<Int>

        /// The lines of the new side that the hunk covers, counted from 0.
        public let newRange: Range<Int>

        /// The lines in the order in which they are written: within a change, removed lines before added ones.
        public let lines: [Line]
    }

    /// One line of a hunk.
    public struct Line: Sendable, Hashable {
        /// What a line of a hunk stands for.
        public enum Kind: Sendable, Hashable {
            /// Unchanged, on both sides.
            case context
            /// On the old side only.
            case removed
            /// On the new side only.
            case added
        }

        /// What the line stands for.
        public let kind: Kind

        /// The line's index on the old side, from 0; nil if the line was added.
        public let oldIndex: Int?

        /// The line's index on the new side, from 0; nil if the line was removed.
        public let newIndex: Int?

        /// Where the line's bytes are, its line feed included: in the new buffer for an added line, else in the old.
        public let byteRange: Range<Int>

        /// Whether the line ends in a line feed.
        ///
        /// If not, it is the last of its side.
        public let hasLineFeed: Bool
    }

    /// The edit script that is shown, with the lines of both sides.
    public let diff: LineDiff

    /// The hunks in ascending order; none if both sides are equal.
    public let hunks: [Hunk]

    /// Groups the changes of a diff into hunks.
    ///
    /// - Parameter contextLines: how many unchanged lines to show around a change. Changes at most twice as many lines
    ///   apart share a hunk. Values below zero count as zero.
    public init(_ diff: LineDiff, contextLines: Int = 3) {
        self.diff = diff
        // No side has more lines than both together; the bound keeps sums from overflowing.
        let context = max(0, min(contextLines, diff.oldLines.count + diff.newLines.count))
        var hunks: [Hunk] = []
        var start = 0
        for index in diff.changes.indices {
            let next = index + 1
            if next < diff.changes.count {
                let gap = diff.changes[next].oldRange.lowerBound - diff.changes[index].oldRange.upperBound
                if gap <= 2 * context { continue }
            }
            hunks.append(Self.hunk(of: diff, changes: start..<next, context: context))
            start = next
        }
        self.hunks = hunks
    }

    /// Compares two buffers and groups the changes into hunks.
    public init(old: [UInt8], new: [UInt8], contextLines: Int = 3) {
        self.init(LineDiff(old: old, new: new), contextLines: contextLines)
    }

    /// Whether both sides are equal, and there is nothing to show.
    public var isEmpty: Bool { hunks.isEmpty }

    /// The bytes of a line of one of the hunks, its line feed included.
    public func bytes(of line: Line) -> ArraySlice<UInt8> {
        line.kind == .added ? diff.newLines.bytes[line.byteRange] : diff.oldLines.bytes[line.byteRange]
    }

    private static func hunk(of diff: LineDiff, changes: Range<Int>, context: Int) -> Hunk {
        let first = diff.changes[changes.lowerBound]
        let last = diff.changes[changes.upperBound - 1]
        // The unchanged lines around a hunk run up to the next change, more than enough lines away, or to an end of
        // the file; so the old side alone tells how many there are.
        let before = min(context, first.oldRange.lowerBound)
        let after = min(context, diff.oldLines.count - last.oldRange.upperBound)
        let oldRange = (first.oldRange.lowerBound - before)..<(last.oldRange.upperBound + after)
        let newRange = (first.newRange.lowerBound - before)..<(last.newRange.upperBound + after)
        var builder = HunkLines(diff: diff, oldNext: oldRange.lowerBound, newNext: newRange.lowerBound)
        for change in diff.changes[changes] {
            builder.addContext(upTo: change.oldRange.lowerBound)
            builder.addRemoved(upTo: change.oldRange.upperBound)
            builder.addAdded(upTo: change.newRange.upperBound)
        }
        builder.addContext(upTo: oldRange.upperBound)
        return Hunk(oldRange: oldRange, newRange: newRange, lines: builder.lines)
    }
}

/// Collects the lines of one hunk.
private struct HunkLines {
    let diff: LineDiff
    var oldNext: Int
    var newNext: Int
    var lines: [UnifiedDiff.Line] = []

    init(diff: LineDiff, oldNext: Int, newNext: Int) {
        self.diff = diff
        self.oldNext = oldNext
        self.newNext = newNext
    }

    mutating func addContext(upTo oldEnd: Int) {
        while oldNext < oldEnd {
            append(.context, oldIndex: oldNext, newIndex: newNext)
            oldNext += 1
            newNext += 1
        }
    }

    mutating func addRemoved(upTo oldEnd: Int) {
        while oldNext < oldEnd {
            append(.removed, oldIndex: oldNext, newIndex: nil)
            oldNext += 1
        }
    }

    mutating func addAdded(upTo newEnd: Int) {
        while newNext < newEnd {
            append(.added, oldIndex: nil, newIndex: newNext)
            newNext += 1
        }
    }

    private mutating func append(_ kind: UnifiedDiff.Line.Kind, oldIndex: Int?, newIndex: Int?) {
        let source = kind == .added ? diff.newLines : diff.oldLines
        guard let index = kind == .added ? newIndex : oldIndex else { return }
        lines.append(
            UnifiedDiff.Line(
                kind: kind, oldIndex: oldIndex, newIndex: newIndex, byteRange: source.byteRange(of: index),
                hasLineFeed: source.hasLineFeed(at: index)))
    }
}
