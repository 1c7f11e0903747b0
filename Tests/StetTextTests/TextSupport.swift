import StetText
import TestSupport

/// One line per number.
func numberedLines(_ numbers: some Sequence<Int>) -> [UInt8] {
    var result: [UInt8] = []
    for number in numbers { result += bytes("line \(number)\n") }
    return result
}

/// Lines over a small alphabet that is hard on a diff: few distinct lines, CR, NUL, bytes that are not UTF-8, lines
/// that look like parts of a diff; sometimes without a line feed at the end.
func randomLines(_ generator: inout SplitMix64, upTo maximum: Int) -> [UInt8] {
    let alphabet: [[UInt8]] = [
        [], [0x0D], [0x00], [0xFF, 0xFE], [0xC3], bytes("a"), bytes("a\r"), bytes("b"), bytes("-- a"), bytes("++ b"),
        bytes("@@ -1 +1 @@"), bytes("\\ No newline at end of file"), bytes(" "), bytes("\t"),
    ]
    let distinct = Int.random(in: 1...alphabet.count, using: &generator)
    let first = Int.random(in: 0..<alphabet.count, using: &generator)
    var result: [UInt8] = []
    for _ in 0..<Int.random(in: 0...maximum, using: &generator) {
        result += alphabet[(first + Int.random(in: 0..<distinct, using: &generator)) % alphabet.count]
        result.append(0x0A)
    }
    if Bool.random(using: &generator), !result.isEmpty { result.removeLast() }
    return result
}

/// A copy with a few lines removed, doubled, replaced or swapped.
func edited(_ original: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
    var lines = Lines(original).map { Array($0) }
    for _ in 0..<Int.random(in: 0...6, using: &generator) where !lines.isEmpty {
        let index = lines.indices.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: lines.remove(at: index)
        case 1: lines.insert(lines[index], at: lines.indices.randomElement(using: &generator) ?? 0)
        case 2: lines[index] = bytes("new \(Int.random(in: 0..<9, using: &generator))\n")
        default: lines.swapAt(index, lines.indices.randomElement(using: &generator) ?? 0)
        }
    }
    return Array(lines.joined())
}

/// Builds the new bytes from the old ones and the edit script.
func applying(_ diff: LineDiff) -> [UInt8] {
    var result: [UInt8] = []
    var next = 0
    for change in diff.changes {
        for line in next..<change.oldRange.lowerBound { result += diff.oldLines[line] }
        for line in change.newRange { result += diff.newLines[line] }
        next = change.oldRange.upperBound
    }
    for line in next..<diff.oldLines.count { result += diff.oldLines[line] }
    return result
}

struct MalformedPatch: Error {
    let line: Int
}

/// Applies a unified diff to bytes, believing nothing: every number and every context line is checked.
func applying(patch: [UInt8], to old: [UInt8]) throws -> [UInt8] {
    if patch.isEmpty { return old }
    let oldLines = Lines(old).map { Array($0) }
    let patchLines = Lines(patch).map { Array($0) }
    var index = 2
    var (oldNext, newNext) = (0, 0)
    var result: [UInt8] = []
    func check(_ condition: Bool) throws { if !condition { throw MalformedPatch(line: index) } }
    try check(patchLines.count > 2 && patchLines[0].starts(with: bytes("--- ")))
    try check(patchLines[1].starts(with: bytes("+++ ")))
    while index < patchLines.count {
        guard let ranges = hunkRanges(patchLines[index]) else { throw MalformedPatch(line: index) }
        index += 1
        try check(ranges.old.lowerBound >= oldNext && ranges.old.upperBound <= oldLines.count)
        newNext += ranges.old.lowerBound - oldNext
        for line in oldNext..<ranges.old.lowerBound { result += oldLines[line] }
        oldNext = ranges.old.lowerBound
        try check(newNext == ranges.new.lowerBound)
        while oldNext < ranges.old.upperBound || newNext < ranges.new.upperBound {
            try check(index < patchLines.count)
            var line = patchLines[index]
            let sign = line.removeFirst()
            if index + 1 < patchLines.count, patchLines[index + 1] == bytes("\\ No newline at end of file\n") {
                line.removeLast()
                index += 1
            }
            try check([0x20, 0x2B, 0x2D].contains(sign))
            if sign != 0x2B {
                try check(oldNext < oldLines.count && oldLines[oldNext] == line)
                oldNext += 1
            }
            if sign != 0x2D {
                result += line
                newNext += 1
            }
            index += 1
        }
        try check(oldNext == ranges.old.upperBound && newNext == ranges.new.upperBound)
    }
    for line in oldNext..<oldLines.count { result += oldLines[line] }
    return result
}

/// Reads `@@ -a,b +c,d @@` into ranges that count from 0.
private func hunkRanges(_ line: [UInt8]) -> (old: Range<Int>, new: Range<Int>)? {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count == 4, words[0] == "@@", words[3] == "@@\n" else { return nil }
    guard let old = hunkRange(words[1], sign: "-"), let new = hunkRange(words[2], sign: "+") else { return nil }
    return (old, new)
}

private func hunkRange(_ word: Substring, sign: Character) -> Range<Int>? {
    guard word.first == sign else { return nil }
    let numbers = word.dropFirst().split(separator: ",").map { Int($0) }
    guard let first = numbers.first, let start = first, numbers.count <= 2 else { return nil }
    if numbers.count == 1 { return start >= 1 ? (start - 1)..<start : nil }
    // A count of 1 must have been left out.
    guard let count = numbers[1], count != 1 else { return nil }
    if count == 0 { return start..<start }
    return start >= 1 ? (start - 1)..<(start - 1 + count) : nil
}

/// The length of a longest common subsequence of lines, by the textbook table.
func longestCommonSubsequenceLength(_ old: Lines, _ new: Lines) -> Int {
    var row = Array(repeating: 0, count: new.count + 1)
    for oldLine in old {
        var diagonal = 0
        for (column, newLine) in new.enumerated() {
            let above = row[column + 1]
            row[column + 1] = oldLine == newLine ? diagonal + 1 : max(above, row[column])
            diagonal = above
        }
    }
    return row[new.count]
}
