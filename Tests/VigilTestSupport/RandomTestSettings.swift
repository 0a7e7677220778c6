package import Foundation

/// The settings of random tests, from the environment.
///
/// | Variable | Effect |
/// |---|---|
/// | `VIGIL_SEED` | the seed of all random tests, to repeat a failure |
/// | `VIGIL_ROUNDS` | multiplies their rounds: 1 by default |
/// | `VIGIL_SOAK_SECONDS` | how long some tests begin new rounds, set by `Scripts/soak` |
package enum RandomTestSettings {
    private static let environment = ProcessInfo.processInfo.environment

    /// The seed in `VIGIL_SEED`, or a random one.
    package static var seed: UInt64 {
        environment["VIGIL_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999_999)
    }

    /// Returns the number of rounds to run, for a test with `count` rounds by default.
    package static func rounds(_ count: Int) -> Int {
        count * max(1, environment["VIGIL_ROUNDS"].flatMap { Int($0) } ?? 1)
    }

    /// The number of seconds in `VIGIL_SOAK_SECONDS`, for a long run; else `nil`.
    package static let soakSeconds = environment["VIGIL_SOAK_SECONDS"].flatMap { TimeInterval($0) }

    /// Whether the tests run longer than in the test suite, because of more rounds or of a duration.
    package static var isLong: Bool { soakSeconds != nil || rounds(1) > 1 }

    /// Returns whether to run another round: until the number of rounds is reached, or until the duration of
    /// a long run has passed.
    package static func goesOn(after rounds: Int, of count: Int, since begin: Date) -> Bool {
        if let soakSeconds { return rounds == 0 || Date() < begin + soakSeconds }
        return rounds < self.rounds(count)
    }
}
