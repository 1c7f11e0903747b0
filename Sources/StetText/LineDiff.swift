/// The difference of two byte buffers, line by line: an edit script as a list of changed ranges.
///
/// How it is found, in order:
///
/// 1. Lines are interned: equal lines get equal integers.
/// 2. The common prefix and suffix are set aside, and so are lines that occur on one side only, as GNU diff does. No
///    common subsequence can hold such a line, so this loses nothing.
/// 3. Where every line left is unique on both sides, the longest common subsequence is the longest increasing
///    subsequence of positions (Hunt and Szymanski, 1977), found exactly in O(n log n).
/// 4. Otherwise the linear-space O(ND) search of Myers ("An O(ND) Difference Algorithm and Its Variations", 1986)
///    finds a minimal script, up to a cost limit.
/// 5. Past the limit, lines unique on both sides serve as anchors (Cohen's patience diff); where there are too few,
///    the search splits at the furthest point it reached, as GNU diff and git do.
/// 6. Changes are slid to the latest equivalent place, or to where they line up with a change on the other side, as
///    git does.
///
/// Thus the script is minimal unless the inputs are both large and very different, and then the time stays close to
/// linear in the number of lines. Memory is linear in the size of the inputs. Nothing recurses.
public struct LineDiff: Sendable, Equatable {
    /// A maximal run of lines removed from the old side and added on the new side.
    public struct Change: Sendable, Hashable {
        /// The removed lines, as indices of old lines.
        ///
        /// If empty, its bound says before which line the addition goes.
        public let oldRange: Range<Int>

        /// The added lines, as indices of new lines.
        ///
        /// If empty, its bound says before which line the removal was.
        public let newRange: Range<Int>

        /// Makes a change from its two line ranges.
        public init(oldRange: Range<Int>, newRange: Range<Int>) {
            self.oldRange = oldRange
            self.newRange = newRange
        }
    }

    /// The lines of the old buffer.
    public let oldLines: Lines

    /// The lines of the new buffer.
    public let newLines: Lines

    /// The edit script: changes in ascending order with at least one unchanged line between any two.
    ///
    /// Empty exactly when the buffers are equal.
    public let changes: [Change]

    /// Compares two buffers.
    public init(old: [UInt8], new: [UInt8]) {
        self.init(old: Lines(old), new: Lines(new))
    }

    /// Compares two buffers that have been split into lines already.
    public init(old: Lines, new: Lines) {
        self.init(old: old, new: new, costLimit: nil)
    }

    /// The same with a given cost limit, so that tests can reach what lies past the limit with small inputs.
    package init(old: Lines, new: Lines, costLimit: Int?) {
        oldLines = old
        newLines = new
        guard old != new else {
            changes = []
            return
        }
        let interned = LineInterner(old: old, new: new)
        var matcher = LineMatcher(
            old: interned.old, new: interned.new, classCount: interned.classCount, costLimit: costLimit)
        matcher.run()
        var slider = ChangeSlider(
            old: .init(classes: interned.old, isChanged: matcher.oldIsChanged),
            new: .init(classes: interned.new, isChanged: matcher.newIsChanged))
        slider.run()
        changes = Self.changes(old: slider.old.isChanged, new: slider.new.isChanged)
    }

    /// How many old lines are removed.
    public var removedLineCount: Int { changes.reduce(0) { $0 + $1.oldRange.count } }

    /// How many new lines are added.
    public var addedLineCount: Int { changes.reduce(0) { $0 + $1.newRange.count } }

    /// Whether the two buffers are equal.
    public var isEmpty: Bool { changes.isEmpty }

    /// Reads the changes off the marks: both sides hold the same number of unmarked lines, in the same order.
    private static func changes(old: [Bool], new: [Bool]) -> [Change] {
        var changes: [Change] = []
        var oldLine = 0
        var newLine = 0
        while oldLine < old.count || newLine < new.count {
            let oldStart = oldLine
            let newStart = newLine
            while oldLine < old.count, old[oldLine] { oldLine += 1 }
            while newLine < new.count, new[newLine] { newLine += 1 }
            if oldStart < oldLine || newStart < newLine {
                changes.append(Change(oldRange: oldStart..<oldLine, newRange: newStart..<newLine))
            }
            oldLine += 1
            newLine += 1
        }
        return changes
    }
}
