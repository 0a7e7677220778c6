package import Vigil

/// Runs callbacks on the thread that fetched, before it continues: a test that waits for the access has the
/// values.
package struct InlineScheduler: ValueObservationScheduler {
    package init() {}
    package func immediateInitialValue() -> Bool { false }
    package var _mayScheduleInAccess: Bool { true }
    package func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}

extension ValueObservationScheduler where Self == InlineScheduler {
    package static var inline: InlineScheduler { InlineScheduler() }
}
