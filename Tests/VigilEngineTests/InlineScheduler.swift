import Vigil

/// Calls back on the fetching thread before it continues, so a test that waits for the access has the values.
struct InlineScheduler: ValueObservationScheduler {
    func immediateInitialValue() -> Bool { false }
    func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}

extension ValueObservationScheduler where Self == InlineScheduler {
    static var inline: InlineScheduler { InlineScheduler() }
}
