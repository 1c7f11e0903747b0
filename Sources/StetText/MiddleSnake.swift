/// The core of Myers' linear-space O(ND) search: finds a point on a shortest edit path, near the middle of its cost.
///
/// Source: E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986), section 4b. The
/// cost limit and the clipping of diagonals follow the practice of GNU diff and xdiff.
///
/// Points are (x, y): x old lines and y new lines consumed. Diagonal k holds the points with x - y = k.
struct MiddleSnake {
    /// A box of the edit graph.
    struct Box {
        var old: Range<Int>
        var new: Range<Int>

        /// The number of lines on both sides: the size of the problem.
        var size: Int { old.count + new.count }
    }

    /// Where to cut a box in two.
    struct Split {
        let old: Int
        let new: Int
        /// Whether a shortest path goes through the point; otherwise the cost limit was reached first.
        let isExact: Bool
    }

    /// Per diagonal the furthest x reached from the start, and the least x reached from the end.
    ///
    /// Only as many diagonals as the limit allows are ever in use; `center` is the index of the diagonal of the start
    /// (or end).
    private var forward: [Int]
    private var backward: [Int]
    private let center: Int
    private let limit: Int

    /// - Parameter limit: how many edits to try from each end before giving up on a shortest path; at least one.
    init(limit: Int) {
        self.limit = limit
        center = limit + 2
        forward = Array(repeating: 0, count: 2 * center + 1)
        backward = forward
    }

    /// Splits a box whose two sides are not empty and start and end in different lines, as they do once the common
    /// prefix and suffix are set aside.
    ///
    /// That makes the shortest path at least two edits long, so the split point is neither corner, and both parts are
    /// smaller than the box.
    mutating func split(_ box: Box, old: [Int], new: [Int]) -> Split {
        let width = box.old.count
        let height = box.new.count
        let delta = width - height
        var front = Band(diagonal: 0, least: -height, greatest: width)
        var back = Band(diagonal: delta, least: -height, greatest: width)
        forward[center] = 0
        backward[center] = width
        for _ in 0..<limit {
            front.widen(&forward, base: center, outside: -1)
            if let x = stepForward(box, old, new, front, back, delta) {
                return Split(old: box.old.lowerBound + x.x, new: box.new.lowerBound + x.y, isExact: true)
            }
            back.widen(&backward, base: center - delta, outside: width + 1)
            if let x = stepBackward(box, old, new, front, back, delta) {
                return Split(old: box.old.lowerBound + x.x, new: box.new.lowerBound + x.y, isExact: true)
            }
        }
        let point = furthestPoint(width, height, front, back, delta)
        return Split(old: box.old.lowerBound + point.x, new: box.new.lowerBound + point.y, isExact: false)
    }

    /// Extends every forward path by one edit and the equal lines after it.
    ///
    /// Returns the point where one meets a backward path, which can happen here only if the difference in length is
    /// odd.
    private mutating func stepForward(
        _ box: Box, _ old: [Int], _ new: [Int], _ front: Band, _ back: Band, _ delta: Int
    ) -> (x: Int, y: Int)? {
        let isOdd = delta & 1 != 0
        let oldStart = box.old.lowerBound
        let newStart = box.new.lowerBound
        let width = box.old.count
        let height = box.new.count
        var diagonal = front.upper
        while diagonal >= front.lower {
            let index = center + diagonal
            let left = forward[index - 1]
            let above = forward[index + 1]
            var x = left >= above ? left + 1 : above
            var y = x - diagonal
            while x < width, y < height, old[oldStart + x] == new[newStart + y] {
                x += 1
                y += 1
            }
            forward[index] = x
            if isOdd, diagonal >= back.lower, diagonal <= back.upper, backward[index - delta] <= x {
                return (x, y)
            }
            diagonal -= 2
        }
        return nil
    }

    /// The mirror image of `stepForward`; paths meet here if the difference in length is even.
    private mutating func stepBackward(
        _ box: Box, _ old: [Int], _ new: [Int], _ front: Band, _ back: Band, _ delta: Int
    ) -> (x: Int, y: Int)? {
        let isEven = delta & 1 == 0
        let oldBefore = box.old.lowerBound - 1
        let newBefore = box.new.lowerBound - 1
        var diagonal = back.upper
        while diagonal >= back.lower {
            let index = center + diagonal - delta
            let left = backward[index - 1]
            let above = backward[index + 1]
            var x = left < above ? left : above - 1
            var y = x - diagonal
            while x > 0, y > 0, old[oldBefore + x] == new[newBefore + y] {
                x -= 1
                y -= 1
            }
            backward[index] = x
            if isEven, diagonal >= front.lower, diagonal <= front.upper, x <= forward[index + delta] {
                return (x, y)
            }
            diagonal -= 2
        }
        return nil
    }

    /// The point where a path of `limit` edits has come furthest, from either end.
    ///
    /// As a path takes at least one line per edit, at least `limit` lines are cut off, which bounds the number of such
    /// splits.
    private func furthestPoint(
        _ width: Int, _ height: Int, _ front: Band, _ back: Band, _ delta: Int
    ) -> (x: Int, y: Int) {
        var best = (x: 0, y: 0)
        var bestLength = 0
        for diagonal in stride(from: front.upper, through: front.lower, by: -2) {
            let x = forward[center + diagonal]
            let y = x - diagonal
            // A path may have stepped out of the box, where it no longer counts.
            if x >= 0, x <= width, y >= 0, y <= height, x + y > bestLength {
                best = (x, y)
                bestLength = x + y
            }
        }
        for diagonal in stride(from: back.upper, through: back.lower, by: -2) {
            let x = backward[center + diagonal - delta]
            let y = x - diagonal
            if x >= 0, x <= width, y >= 0, y <= height, width + height - x - y > bestLength {
                best = (x, y)
                bestLength = width + height - x - y
            }
        }
        return best
    }
}

/// The diagonals that paths from one end have reached; every second one of them belongs to the current step.
private struct Band {
    private(set) var lower: Int
    private(set) var upper: Int
    private let least: Int
    private let greatest: Int

    init(diagonal: Int, least: Int, greatest: Int) {
        lower = diagonal
        upper = diagonal
        self.least = least
        self.greatest = greatest
    }

    /// Takes in one more diagonal at each end, and marks the one beyond as unreached; or gives one up where the box
    /// ends, which also keeps the parity right.
    mutating func widen(_ reached: inout [Int], base: Int, outside: Int) {
        if lower > least {
            lower -= 1
            reached[base + lower - 1] = outside
        } else {
            lower += 1
        }
        if upper < greatest {
            upper += 1
            reached[base + upper + 1] = outside
        } else {
            upper -= 1
        }
    }
}
