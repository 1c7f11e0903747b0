import Foundation
import Stet
import TestSupport
import Testing

/// Random sequences of operations do to a store what they do to a model of it.
///
/// `STET_TEST_SEED` gives the seed of the first walk, and each further walk has the next one; `STET_TEST_WALKS` gives
/// their number. A failure names the seed of its own walk: with it and one walk, that walk is repeated.
@Suite struct RandomWalkTests {
    private static let seed = SplitMix64.seedForTest("random walks")
    private static let walks = ProcessInfo.processInfo.environment["STET_TEST_WALKS"].flatMap { Int($0) } ?? 1_000
    /// Walks in groups: groups run at the same time, and each needs one folder to be removed at its end.
    private static let groups: [Range<Int>] = stride(from: 0, to: walks, by: groupSize).map { first in
        first..<min(first + groupSize, walks)
    }
    private static let groupSize = 50

    @Test(arguments: groups) func storeAgreesWithItsModel(_ group: Range<Int>) throws {
        let temporary = try TemporaryFolder(inMemory: true)
        for number in group {
            let seed = Self.seed &+ UInt64(number)
            var walk = try RandomWalk(seed: seed, folder: temporary.appending("\(number)"))
            do {
                try walk.run()
            } catch {
                let operations = walk.operations.joined(separator: "\n")
                Issue.record(
                    "\(error)\nrepeat with STET_TEST_SEED=\(seed) STET_TEST_WALKS=1; what was done:\n\(operations)")
                return
            }
        }
    }
}
