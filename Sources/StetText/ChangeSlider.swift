/// Moves changes to the best of their equivalent places.
///
/// A run of added lines whose first line equals the line after the run can move down by one without changing what the
/// script does (and likewise up). Each run is moved as late as it can go, and runs that touch on the way become one;
/// but where a place lines up with a run on the other side, that place is taken, so that the two become one change.
/// These are the rules of git's diff (`xdl_change_compact` in xdiff) without its indentation heuristic.
struct ChangeSlider {
    /// One side of the script.
    struct Side {
        let classes: [Int]
        var isChanged: [Bool]
    }

    private(set) var old: Side
    private(set) var new: Side

    /// How many more steps may be made: moves by one line, and lines on the other side scanned for them.
    ///
    /// Repetitive text with very many changes could otherwise make the moving quadratic; a change left unmoved is still
    /// correct.
    private var movesLeft: Int

    init(old: Side, new: Side) {
        self.old = old
        self.new = new
        movesLeft = 32 * (old.classes.count + new.classes.count)
    }

    mutating func run() {
        Self.slide(&old, against: new, movesLeft: &movesLeft)
        Self.slide(&new, against: old, movesLeft: &movesLeft)
    }

    /// Both sides have the same number of unchanged lines, hence the same number of runs, if the possibly empty run
    /// before each unchanged line and after the last one is counted.
    ///
    /// The run on the other side is kept in step.
    private static func slide(_ side: inout Side, against other: Side, movesLeft: inout Int) {
        var run = side.firstRun()
        var otherRun = other.firstRun()
        while true {
            if !run.isEmpty {
                slide(&run, in: &side, otherRun: &otherRun, other: other, movesLeft: &movesLeft)
            }
            guard side.advance(&run), other.advance(&otherRun) else { return }
        }
    }

    private static func slide(
        _ run: inout Range<Int>, in side: inout Side, otherRun: inout Range<Int>, other: Side, movesLeft: inout Int
    ) {
        var canAlign = false
        var length: Int
        // A run that has swallowed another may have more room than before, hence the outer loop.
        repeat {
            length = run.count
            while movesLeft > 0, side.moveUp(&run) {
                _ = other.retreat(&otherRun)
                movesLeft -= 1 + otherRun.count
            }
            canAlign = !otherRun.isEmpty
            while movesLeft > 0, side.moveDown(&run) {
                _ = other.advance(&otherRun)
                movesLeft -= 1 + otherRun.count
                if !otherRun.isEmpty { canAlign = true }
            }
        } while length != run.count
        // The last place seen to line up is somewhere above (or here): going back up must come by it.
        while canAlign, otherRun.isEmpty, side.moveUp(&run) { _ = other.retreat(&otherRun) }
    }
}

extension ChangeSlider.Side {
    fileprivate func firstRun() -> Range<Int> {
        var end = 0
        while end < isChanged.count, isChanged[end] { end += 1 }
        return 0..<end
    }

    /// Steps over one unchanged line to the run after it; false at the end.
    fileprivate func advance(_ run: inout Range<Int>) -> Bool {
        guard run.upperBound < isChanged.count else { return false }
        let start = run.upperBound + 1
        var end = start
        while end < isChanged.count, isChanged[end] { end += 1 }
        run = start..<end
        return true
    }

    /// Steps back over one unchanged line to the run before it; false at the beginning.
    fileprivate func retreat(_ run: inout Range<Int>) -> Bool {
        guard run.lowerBound > 0 else { return false }
        let end = run.lowerBound - 1
        var start = end
        while start > 0, isChanged[start - 1] { start -= 1 }
        run = start..<end
        return true
    }

    /// Moves a run down by one line and joins it with a run that it then touches; false if it cannot move.
    fileprivate mutating func moveDown(_ run: inout Range<Int>) -> Bool {
        let end = run.upperBound
        guard end < classes.count, classes[run.lowerBound] == classes[end] else { return false }
        isChanged[run.lowerBound] = false
        isChanged[end] = true
        var newEnd = end + 1
        while newEnd < isChanged.count, isChanged[newEnd] { newEnd += 1 }
        run = (run.lowerBound + 1)..<newEnd
        return true
    }

    /// Moves a run up by one line and joins it with a run that it then touches; false if it cannot move.
    fileprivate mutating func moveUp(_ run: inout Range<Int>) -> Bool {
        let start = run.lowerBound
        guard start > 0, classes[start - 1] == classes[run.upperBound - 1] else { return false }
        isChanged[run.upperBound - 1] = false
        isChanged[start - 1] = true
        var newStart = start - 1
        while newStart > 0, isChanged[newStart - 1] { newStart -= 1 }
        run = newStart..<(run.upperBound - 1)
        return true
    }
}
