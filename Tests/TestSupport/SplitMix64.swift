import Foundation

/// The generator SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// A generator for one test.
    ///
    /// Its seed is printed; STET_TEST_SEED in the environment repeats a run.
    package static func forTest(_ name: String = #function) -> SplitMix64 { SplitMix64(seed: seedForTest(name)) }

    /// The seed of one test, printed, for tests that make several generators of it.
    package static func seedForTest(_ name: String = #function) -> UInt64 {
        let given = ProcessInfo.processInfo.environment["STET_TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("\(name): STET_TEST_SEED=\(seed)")
        return seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
