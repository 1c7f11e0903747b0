/// Decides which lines of two sequences of line classes are common to both, leaving every other line marked.
///
/// Work is kept on explicit stacks, so the depth of the call stack does not depend on the input.
struct LineMatcher {
    /// A part of the work: the numbers of the lines that still have to be compared, ascending on each side.
    private struct Problem {
        var old: [Int]
        var new: [Int]

        var size: Int { old.count + new.count }
    }

    private let old: [Int]
    private let new: [Int]

    /// The marks.
    ///
    /// Every line starts out as changed.
    private(set) var oldIsChanged: [Bool]
    private(set) var newIsChanged: [Bool]

    /// Scratch space by class: how often it occurs on either side of the current problem.
    ///
    /// All zero between uses.
    private var occurrences: [Occurrences]
    private var snake: MiddleSnake
    private var problems: [Problem] = []

    /// - Parameter costLimit: the number of edits from either end up to which the search is exact; nil to derive it
    ///   from the number of lines.
    init(old: [Int], new: [Int], classCount: Int, costLimit: Int? = nil) {
        self.old = old
        self.new = new
        oldIsChanged = Array(repeating: true, count: old.count)
        newIsChanged = Array(repeating: true, count: new.count)
        occurrences = Array(repeating: Occurrences(), count: classCount)
        let limit = costLimit ?? Self.costLimit(lineCount: old.count + new.count)
        snake = MiddleSnake(limit: max(1, limit))
    }

    /// The default limit.
    ///
    /// A search given up has cost about limit² steps and cut off at least as many lines as the limit, so the whole
    /// takes about lines × limit steps. Up to some thousands of lines that allows an exact search; beyond, the limit
    /// shrinks with the size down to a floor at which the time is linear.
    private static func costLimit(lineCount: Int) -> Int {
        let stepBudget = 24_000_000
        return max(512, min(lineCount / 2 + 1, stepBudget / max(lineCount, 1)))
    }

    /// Compares the two sequences.
    mutating func run() {
        let whole = Problem(old: Array(0..<old.count), new: Array(0..<new.count))
        var box = MiddleSnake.Box(old: 0..<old.count, new: 0..<new.count)
        matchEnds(&box, of: whole)
        problems = [part(box, of: whole)]
        while let problem = problems.popLast() { solve(problem) }
    }

    private mutating func solve(_ problem: Problem) {
        count(problem)
        let kept = Problem(
            old: problem.old.filter { occurrences[old[$0]].new > 0 },
            new: problem.new.filter { occurrences[new[$0]].old > 0 })
        let areAllUnique = kept.old.allSatisfy { occurrences[old[$0]].isUniqueOnBothSides }
        uncount(problem)
        if kept.old.isEmpty { return }
        if areAllUnique {
            for (oldLine, newLine) in anchors(kept) { match(kept.old[oldLine], kept.new[newLine]) }
        } else {
            search(kept)
        }
    }

    /// Myers' divide and conquer on one problem.
    private mutating func search(_ problem: Problem) {
        let oldClasses = problem.old.map { old[$0] }
        let newClasses = problem.new.map { new[$0] }
        var boxes = [MiddleSnake.Box(old: 0..<problem.old.count, new: 0..<problem.new.count)]
        var hasTriedAnchors = false
        while var box = boxes.popLast() {
            matchEnds(&box, of: problem)
            if box.old.isEmpty || box.new.isEmpty { continue }
            let split = snake.split(box, old: oldClasses, new: newClasses)
            let first = MiddleSnake.Box(
                old: box.old.lowerBound..<split.old, new: box.new.lowerBound..<split.new)
            let second = MiddleSnake.Box(
                old: split.old..<box.old.upperBound, new: split.new..<box.new.upperBound)
            if split.isExact {
                boxes.append(second)
                boxes.append(first)
                continue
            }
            if !hasTriedAnchors {
                hasTriedAnchors = true
                if divideAtAnchors(part(box, of: problem)) { continue }
            }
            for half in [second, first] where half.size < box.size {
                // A much smaller part is worth preparing afresh: fewer of its lines occur on both sides and more of
                // them are unique. Halving each time bounds the cost of that to O(n log n).
                if half.size <= problem.size / 2 {
                    problems.append(part(half, of: problem))
                } else {
                    boxes.append(half)
                }
            }
        }
    }

    /// Divides a problem at its anchors if there are enough of them to trust: a handful may well be lines that were
    /// moved, and holding on to those would give up everything they cross.
    private mutating func divideAtAnchors(_ problem: Problem) -> Bool {
        let found = anchors(problem)
        guard found.count >= min(problem.old.count, problem.new.count) / 8, !found.isEmpty else { return false }
        var oldStart = 0
        var newStart = 0
        for (oldIndex, newIndex) in found + [(problem.old.count, problem.new.count)] {
            if oldStart < oldIndex, newStart < newIndex {
                problems.append(
                    Problem(
                        old: Array(problem.old[oldStart..<oldIndex]), new: Array(problem.new[newStart..<newIndex])))
            }
            if oldIndex < problem.old.count { match(problem.old[oldIndex], problem.new[newIndex]) }
            oldStart = oldIndex + 1
            newStart = newIndex + 1
        }
        return true
    }

    /// The anchors of a problem: as many pairs of lines unique on both sides as can be
    /// kept in order, as indices into the problem's two sides.
    private mutating func anchors(_ problem: Problem) -> [(old: Int, new: Int)] {
        count(problem)
        let oldIndices = problem.old.indices.filter { occurrences[old[problem.old[$0]]].isUniqueOnBothSides }
        let newIndices = oldIndices.map { occurrences[old[problem.old[$0]]].newIndex }
        uncount(problem)
        return longestIncreasingSubsequence(newIndices).map { (oldIndices[$0], newIndices[$0]) }
    }

    private mutating func count(_ problem: Problem) {
        for line in problem.old { occurrences[old[line]].old += 1 }
        for (index, line) in problem.new.enumerated() {
            occurrences[new[line]].new += 1
            occurrences[new[line]].newIndex = index
        }
    }

    private mutating func uncount(_ problem: Problem) {
        for line in problem.old { occurrences[old[line]] = Occurrences() }
        for line in problem.new { occurrences[new[line]] = Occurrences() }
    }

    private func part(_ box: MiddleSnake.Box, of problem: Problem) -> Problem {
        Problem(old: Array(problem.old[box.old]), new: Array(problem.new[box.new]))
    }

    /// Matches the common prefix and suffix of a box, and shrinks the box to what lies between.
    private mutating func matchEnds(_ box: inout MiddleSnake.Box, of problem: Problem) {
        var (oldStart, oldEnd) = (box.old.lowerBound, box.old.upperBound)
        var (newStart, newEnd) = (box.new.lowerBound, box.new.upperBound)
        while oldStart < oldEnd, newStart < newEnd, old[problem.old[oldStart]] == new[problem.new[newStart]] {
            match(problem.old[oldStart], problem.new[newStart])
            oldStart += 1
            newStart += 1
        }
        while oldStart < oldEnd, newStart < newEnd, old[problem.old[oldEnd - 1]] == new[problem.new[newEnd - 1]] {
            oldEnd -= 1
            newEnd -= 1
            match(problem.old[oldEnd], problem.new[newEnd])
        }
        box = MiddleSnake.Box(old: oldStart..<oldEnd, new: newStart..<newEnd)
    }

    private mutating func match(_ oldLine: Int, _ newLine: Int) {
        oldIsChanged[oldLine] = false
        newIsChanged[newLine] = false
    }
}

/// How often a class occurs on each side of a problem, and where it last did on the new side.
private struct Occurrences {
    var old = 0
    var new = 0
    var newIndex = 0

    var isUniqueOnBothSides: Bool { old == 1 && new == 1 }
}
