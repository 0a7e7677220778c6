public import Dispatch
import Foundation

/// Decides where an observation calls back.
public protocol ValueObservationScheduler: Sendable {
    /// Whether the initial value is delivered before `start` returns, on the calling thread.
    func immediateInitialValue() -> Bool

    /// Calls `action` later, in the order of the calls.
    func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler that calls back on the main actor.
public protocol ValueObservationMainActorScheduler: Sendable {
    /// Whether the initial value is delivered before `start` returns.
    func immediateInitialValue() -> Bool

    /// Calls `action` on the main actor, in the order of the calls.
    func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void)
}

/// Calls back on a dispatch queue. See `.async(onQueue:)`.
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
    let queue: DispatchQueue

    public func immediateInitialValue() -> Bool { false }

    public func schedule(_ action: @escaping @Sendable () -> Void) {
        queue.async(execute: action)
    }
}

/// Calls back on the main queue, and delivers the initial value before `start` returns. See `.immediate`.
public struct ImmediateValueObservationScheduler: ValueObservationScheduler,
    ValueObservationMainActorScheduler
{
    public func immediateInitialValue() -> Bool {
        precondition(
            MainQueue.isCurrent, "an observation with the scheduler .immediate starts on the main queue")
        return true
    }

    public func schedule(_ action: @escaping @Sendable () -> Void) {
        DispatchQueue.main.async(execute: action)
    }

    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { action() }
    }
}

/// Calls back on the main actor. See `.mainActor`.
public struct DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler {
    public func immediateInitialValue() -> Bool { false }

    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { action() }
    }
}

/// Calls back wherever the value was fetched, in no actor's isolation. See `.task`.
public struct TaskValueObservationScheduler: ValueObservationScheduler {
    public func immediateInitialValue() -> Bool { false }

    public func schedule(_ action: @escaping @Sendable () -> Void) {
        action()
    }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
    /// Calls back on `queue`.
    public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
        AsyncValueObservationScheduler(queue: queue)
    }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
    /// Calls back on the main queue. The initial value is delivered before `start` returns, which must be called
    /// on the main thread.
    public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
    /// Calls back for a task that awaits values.
    public static var task: TaskValueObservationScheduler { TaskValueObservationScheduler() }
}

extension ValueObservationMainActorScheduler where Self == ImmediateValueObservationScheduler {
    /// Calls back on the main actor. The initial value is delivered before `start` returns.
    public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

extension ValueObservationMainActorScheduler where Self == DelayedMainActorValueObservationScheduler {
    /// Calls back on the main actor.
    public static var mainActor: DelayedMainActorValueObservationScheduler {
        DelayedMainActorValueObservationScheduler()
    }
}

/// A scheduler for the main actor, where any scheduler is asked for.
struct MainActorAdapter<Base: ValueObservationMainActorScheduler>: ValueObservationScheduler {
    let base: Base

    func immediateInitialValue() -> Bool { base.immediateInitialValue() }

    func schedule(_ action: @escaping @Sendable () -> Void) {
        base.scheduleOnMainActor { action() }
    }
}

/// Whether code runs on the main queue. Where a program calls `dispatchMain`, as those with an asynchronous `main` do on
/// Linux, the main queue is not bound to the main thread.
private enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true
    }
}
