import Dispatch
import Synchronization
import Vigil
import VigilEngine
import VigilTesting

/// A clock that jumps ahead by random durations, as if the machine were busy, and whose timers fire early.
package final class JumpingTimer: ObservationTimer {
    private struct State: Sendable {
        var random: SplitMix64
        var now = ContinuousClock.now
    }

    private static let jumps: [Duration] = [
        .zero, .zero, .microseconds(20), .milliseconds(1), .milliseconds(30),
    ]
    private let state: Mutex<State>

    package init(seed: UInt64) {
        state = Mutex(State(random: SplitMix64(seed: seed)))
    }

    package var now: ContinuousClock.Instant {
        state.withLock { state in
            state.now += Self.jumps.randomElement(using: &state.random) ?? .zero
            return state.now
        }
    }

    package func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { Bool.random(using: &$0.random) }
        guard isLate else { return DispatchQueue.global().async(execute: action) }
        // Behind everything that is waiting for a thread by now.
        DispatchQueue.global().async { DispatchQueue.global().async(execute: action) }
    }
}
