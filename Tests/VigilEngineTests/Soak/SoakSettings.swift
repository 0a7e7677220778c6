import Dispatch
import Foundation
import VigilTesting

extension SplitMix64 {
    mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }
}

/// The settings of random tests, from the environment.
enum SoakSettings {
    private static let environment = ProcessInfo.processInfo.environment

    /// The seed in `VIGIL_SEED`, or a random one.
    static var seed: UInt64 {
        environment["VIGIL_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999_999)
    }

    /// Whether a long run was requested.
    static var isLong: Bool { environment["VIGIL_SOAK_SECONDS"] != nil }

    /// The number of seconds in `VIGIL_SOAK_SECONDS` during which rounds begin.
    static var seconds: TimeInterval {
        environment["VIGIL_SOAK_SECONDS"].flatMap { TimeInterval($0) } ?? 3
    }
}

/// Waits for a condition that is not signalled.
///
/// - Returns: whether the condition holds.
func eventually(_ condition: () -> Bool) -> Bool {
    let end = Date() + testTimeout
    while !condition() {
        guard Date() < end else { return false }
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.002)
    }
    return true
}
