import Foundation
import StetText
import TestSupport
import Testing

/// What other tools make of the output, and how the size of the scripts compares with theirs.
@Suite struct ToolTests {
    @Test func patchGivesTheNewBytes() throws {
        var generator = SplitMix64.forTest()
        try withTemporaryFolder { folder in
            for _ in 0..<60 {
                let old = randomLines(&generator, upTo: 40)
                let new = Bool.random(using: &generator) ? randomLines(&generator, upTo: 40) : edited(old, &generator)
                guard old != new else { continue }
                let diff = UnifiedDiff(old: old, new: new).bytes(oldLabel: bytes("a/old"), newLabel: bytes("b/old"))
                try Files.overwrite(folder + "/old", with: old)
                try Files.overwrite(folder + "/diff", with: diff)
                let result = try run(["patch", "-s", "-o", "out", "old", "diff"], in: folder)
                #expect(result.status == 0 && result.output == [])
                #expect(try Files.bytes(at: folder + "/out") == new)
                try Files.remove(folder + "/out")
            }
        }
    }

    @Test func gitApplyGivesTheNewBytes() throws {
        var generator = SplitMix64.forTest()
        try withTemporaryFolder { folder in
            for _ in 0..<40 {
                let old = randomLines(&generator, upTo: 40)
                let new = edited(old, &generator) + bytes("end")
                // For git a file that is empty on one side is not the same as a file that does not exist.
                guard !old.isEmpty else { continue }
                let diff = UnifiedDiff(old: old, new: new).bytes(oldLabel: bytes("a/n"), newLabel: bytes("b/n"))
                try Files.overwrite(folder + "/n", with: old)
                try Files.overwrite(folder + "/diff", with: diff)
                let result = try run(["git", "apply", "--whitespace=nowarn", "diff"], in: folder)
                #expect(result.status == 0)
                #expect(try Files.bytes(at: folder + "/n") == new)
            }
        }
    }

    @Test(
        arguments: ["plain", "with space", "two  spaces", "a\tb", "q\"q", "b\\s", "é", "\u{1}c", " first", "last "],
        ["patch -s -p1 -i ../diff", "git apply ../diff"])
    func toolsFindTheFileByItsName(name: String, command: String) throws {
        try withTemporaryFolder { folder in
            let work = folder + "/work"
            try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
            let diff = UnifiedDiff(old: bytes("a\nb\n"), new: bytes("a\nc\n"))
            try Files.overwrite(work + "/" + name, with: bytes("a\nb\n"))
            try Files.overwrite(
                folder + "/diff", with: diff.bytes(oldLabel: bytes("a/" + name), newLabel: bytes("b/" + name)))
            let result = try run(command.split(separator: " ").map { String($0) }, in: work)
            #expect(result.status == 0)
            #expect(try Files.bytes(at: work + "/" + name) == bytes("a\nc\n"))
        }
    }

    @Test(arguments: ["plain", " first", "last ", "with space"])
    func patchFindsANameWithoutPrefix(name: String) throws {
        try withTemporaryFolder { folder in
            let diff = UnifiedDiff(old: bytes("a\nb\n"), new: bytes("a\nc\n"))
            try Files.overwrite(folder + "/" + name, with: bytes("a\nb\n"))
            try Files.overwrite(folder + "/diff", with: diff.bytes(oldLabel: bytes(name), newLabel: bytes(name)))
            #expect(try run(["patch", "-s", "-p0", "-i", "diff"], in: folder).status == 0)
            #expect(try Files.bytes(at: folder + "/" + name) == bytes("a\nc\n"))
        }
    }

    @Test(arguments: ["patch -s -p1 -i diff", "git apply diff"])
    func toolsCreateAndDeleteFiles(command: String) throws {
        let arguments = command.split(separator: " ").map { String($0) }
        try withTemporaryFolder { folder in
            let creation = UnifiedDiff(old: [], new: bytes("a\nb"))
            try Files.overwrite(
                folder + "/diff", with: creation.bytes(oldLabel: bytes("/dev/null"), newLabel: bytes("b/n")))
            #expect(try run(arguments, in: folder).status == 0)
            #expect(try Files.bytes(at: folder + "/n") == bytes("a\nb"))
            let deletion = UnifiedDiff(old: bytes("a\nb"), new: [])
            try Files.overwrite(
                folder + "/diff", with: deletion.bytes(oldLabel: bytes("a/n"), newLabel: bytes("/dev/null")))
            #expect(try run(arguments, in: folder).status == 0)
            #expect(!Files.exists(folder + "/n"))
        }
    }

    @Test func scriptsAreAboutAsShortAsThoseOfOtherTools() throws {
        var generator = SplitMix64.forTest()
        var (ours, gits, diffs) = (0, 0, 0)
        try withTemporaryFolder { folder in
            for _ in 0..<40 {
                let old = prose(&generator)
                let new = revised(old, &generator)
                let result = LineDiff(old: Array(old.joined()), new: Array(new.joined()))
                ours += result.removedLineCount + result.addedLineCount
                try Files.overwrite(folder + "/old", with: result.oldLines.bytes)
                try Files.overwrite(folder + "/new", with: result.newLines.bytes)
                let git = [
                    "git", "diff", "--no-index", "--histogram", "--no-color", "--no-ext-diff", "-U0", "old", "new",
                ]
                gits += changedLines(try run(git, in: folder).output, headerLines: 4)
                diffs += changedLines(try run(["diff", "-U0", "old", "new"], in: folder).output, headerLines: 2)
            }
        }
        print("changed lines: ours \(ours), git --histogram \(gits), diff \(diffs)")
        #expect(ours > 0)
        #expect(Double(ours) <= Double(gits) * 1.02)
        #expect(Double(ours) <= Double(diffs) * 1.02)
    }

    private func changedLines(_ output: [UInt8], headerLines: Int) -> Int {
        Lines(output).dropFirst(headerLines).filter { $0.first == 0x2B || $0.first == 0x2D }.count
    }

    /// Notes of some hundred lines: paragraphs of random words, headings, lists, blank lines and rules that repeat.
    private func prose(_ generator: inout SplitMix64) -> [[UInt8]] {
        let words = ["note", "stone", "river", "window", "letter", "of", "the", "under", "seven", "again", "light"]
        return (0..<Int.random(in: 20...1_500, using: &generator)).map { _ in
            switch Int.random(in: 0..<10, using: &generator) {
            case 0...2: return bytes("\n")
            case 3: return bytes("---\n")
            case 4: return bytes("- \(words.randomElement(using: &generator) ?? "")\n")
            default:
                let count = Int.random(in: 2...8, using: &generator)
                let text = (0..<count).map { _ in words.randomElement(using: &generator) ?? "" }
                return bytes(text.joined(separator: " ") + "\n")
            }
        }
    }

    /// A later version: blocks removed, inserted, rewritten and moved.
    private func revised(_ original: [[UInt8]], _ generator: inout SplitMix64) -> [[UInt8]] {
        var lines = original
        for _ in 0..<Int.random(in: 1...30, using: &generator) where lines.count > 12 {
            let start = Int.random(in: 0..<(lines.count - 8), using: &generator)
            let block = start..<(start + Int.random(in: 1...8, using: &generator))
            let fresh = prose(&generator).prefix(block.count)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: lines.removeSubrange(block)
            case 1: lines.insert(contentsOf: fresh, at: start)
            case 2: lines.replaceSubrange(block, with: fresh)
            default:
                let moved = lines[block]
                lines.removeSubrange(block)
                lines.insert(contentsOf: moved, at: Int.random(in: 0...lines.count, using: &generator))
            }
        }
        return lines
    }
}
