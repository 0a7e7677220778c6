import Dispatch
import Foundation
import VigilTesting

extension SplitMix64 {
    mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }
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
