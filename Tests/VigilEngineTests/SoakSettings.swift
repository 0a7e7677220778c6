import Dispatch
import Foundation
import VigilTesting

extension SplitMix64 {
    mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }
}

/// What the environment says about random tests.
enum SoakSettings {
    private static let environment = ProcessInfo.processInfo.environment

    /// `VIGIL_SEED`, or another one each time.
    static var seed: UInt64 {
        environment["VIGIL_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999_999)
    }

    /// Whether somebody asked for a long run.
    static var isLong: Bool { environment["VIGIL_SOAK_SECONDS"] != nil }

    /// `VIGIL_SOAK_SECONDS`: how long to go on beginning rounds.
    static var seconds: TimeInterval {
        environment["VIGIL_SOAK_SECONDS"].flatMap { TimeInterval($0) } ?? 3
    }
}

/// Waits until a condition holds that nothing signals.
///
/// - Returns: whether it holds.
func eventually(_ condition: () -> Bool) -> Bool {
    let end = Date() + patience
    while !condition() {
        guard Date() < end else { return false }
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.002)
    }
    return true
}
