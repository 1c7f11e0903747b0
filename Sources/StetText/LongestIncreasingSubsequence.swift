/// The positions in `values` of a longest strictly increasing subsequence, ascending.
///
/// Patience sorting with binary search and back links, O(n log n): C. Schensted, "Longest increasing and decreasing
/// subsequences", Canadian Journal of Mathematics 13 (1961); M. L. Fredman, "On computing the length of longest
/// increasing subsequences", Discrete Mathematics 11 (1975).
func longestIncreasingSubsequence(_ values: [Int]) -> [Int] {
    // tops[n] is the position that ends the subsequence of length n + 1 with the least last value so far.
    var tops: [Int] = []
    var previous = Array(repeating: -1, count: values.count)
    for position in 0..<values.count {
        var low = 0
        var high = tops.count
        while low < high {
            let middle = (low + high) / 2
            if values[tops[middle]] < values[position] {
                low = middle + 1
            } else {
                high = middle
            }
        }
        if low > 0 { previous[position] = tops[low - 1] }
        if low == tops.count {
            tops.append(position)
        } else {
            tops[low] = position
        }
    }
    var result: [Int] = []
    var position = tops.last ?? -1
    while position >= 0 {
        result.append(position)
        position = previous[position]
    }
    result.reverse()
    return result
}
