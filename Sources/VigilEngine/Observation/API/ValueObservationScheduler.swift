public import Dispatch
import Foundation
import VigilStorage

/// Decides where an observation calls its callbacks.
///
/// ```swift
/// struct LoggingScheduler: ValueObservationScheduler {
///     let queue: DispatchQueue
///
///     func immediateInitialValue() -> Bool { false }
///
///     func schedule(_ action: @escaping @Sendable () -> Void) {
///         queue.async {
///             print("delivering")
///             action()
///         }
///     }
/// }
/// ```
///
/// Use `.immediate`, `.mainQueue`, `.async(onQueue:)`, `.task` or `.task(priority:)`, or the schedulers of
/// ``ValueObservationMainActorScheduler``.
public protocol ValueObservationScheduler: Sendable {
    /// Returns whether `start` delivers the initial value before it returns, on the calling thread.
    func immediateInitialValue() -> Bool

    /// Schedules `action`. Actions run in the order of the calls.
    func schedule(_ action: @escaping @Sendable () -> Void)

    /// The serial queue to which ``schedule(_:)`` adds actions, if that is all it does. Shared values are
    /// then delivered in one block. Not for apps to implement.
    var _deliveryQueue: DispatchQueue? { get }

    /// Whether ``schedule(_:)`` may be called inside the access that fetched the value, because the action
    /// runs later or uses no database. Not for apps to implement.
    var _mayScheduleInAccess: Bool { get }
}

extension ValueObservationScheduler {
    /// `nil`: each value is passed to ``schedule(_:)``.
    public var _deliveryQueue: DispatchQueue? { nil }

    /// Whether it has a delivery queue. Other schedulers may run an action before ``schedule(_:)`` returns.
    public var _mayScheduleInAccess: Bool { _deliveryQueue != nil }
}

/// A scheduler with callbacks on the main actor: `.mainActor` or `.immediate`.
///
/// Callbacks of such an observation are isolated to the main actor:
///
/// ```swift
/// @MainActor final class Model {
///     var players: [Player] = []
///     var cancellable: AnyDatabaseCancellable?
///
///     func observe(in dbQueue: DatabaseQueue) {
///         cancellable = ValueObservation.tracking(Player.fetchAll)
///             .start(in: dbQueue, scheduling: .immediate) { error in
///                 print(error)
///             } onChange: { [unowned self] players in
///                 self.players = players
///             }
///     }
/// }
/// ```
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
    /// Schedules `action` on the main actor. Actions run in the order of the calls.
    func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void)
}

extension ValueObservationMainActorScheduler {
    /// Schedules `action` on the main actor.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        scheduleOnMainActor { action() }
    }
}

/// A scheduler with callbacks on a dispatch queue. See `.async(onQueue:)`.
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
    let queue: DispatchQueue

    /// Creates a scheduler with callbacks on `queue`, a serial queue to keep the order of the values.
    public init(queue: DispatchQueue) { self.queue = queue }

    /// Returns `false`: `start` does not wait for the initial value.
    public func immediateInitialValue() -> Bool { false }

    /// The queue.
    public var _deliveryQueue: DispatchQueue? { queue }

    /// Schedules `action` on the queue.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        queue.async(execute: action)
    }
}

/// A scheduler that calls back on the main queue, and delivers the initial value before `start` returns. See
/// `.immediate`.
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler {
    /// Creates a scheduler with callbacks on the main actor.
    public init() {}

    /// Returns `true`. Traps outside the main queue.
    public func immediateInitialValue() -> Bool {
        trap(
            unless: MainQueue.isCurrent,
            "an observation with the scheduler .immediate must be started on the main queue")
        return true
    }

    /// The main queue.
    public var _deliveryQueue: DispatchQueue? { .main }

    /// Schedules `action` on the main actor.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { action() }
    }
}

/// A scheduler with callbacks on the main queue. If `start` is called there, it delivers the initial value
/// before it returns. See `.mainQueue`.
///
/// ```swift
/// let cancellable = observation.start(in: dbQueue, scheduling: .mainQueue) { error in
///     print(error)
/// } onChange: { players in
///     print("There are", players.count, "players")
/// }
/// // If this is the main queue, the number of players has been printed.
/// ```
public struct MainQueueValueObservationScheduler: ValueObservationScheduler {
    /// Creates a scheduler with callbacks on the main queue.
    public init() {}

    /// Returns whether the caller is on the main queue.
    public func immediateInitialValue() -> Bool { MainQueue.isCurrent }

    /// The main queue.
    public var _deliveryQueue: DispatchQueue? { .main }

    /// Schedules `action` on the main queue.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        DispatchQueue.main.async(execute: action)
    }
}

/// A scheduler with callbacks on the main actor. See `.mainActor`.
public struct DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler {
    /// Returns `false`: `start` does not wait for the initial value.
    public func immediateInitialValue() -> Bool { false }

    /// The main queue.
    public var _deliveryQueue: DispatchQueue? { .main }

    /// Schedules `action` on the main actor.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { action() }
    }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
    /// Returns a scheduler with callbacks on `queue`, a serial queue to keep the order of the values.
    public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
        AsyncValueObservationScheduler(queue: queue)
    }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
    /// A scheduler that calls back on the main queue, and delivers the initial value before `start` returns.
    ///
    /// Call `start` on the main queue; anywhere else it traps.
    public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

extension ValueObservationMainActorScheduler where Self == ImmediateValueObservationScheduler {
    /// A scheduler that calls back on the main actor, and delivers the initial value before `start` returns.
    public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

extension ValueObservationScheduler where Self == MainQueueValueObservationScheduler {
    /// A scheduler that calls back on the main queue, and delivers the initial value before `start` returns
    /// if it is called there.
    ///
    /// Use it in code for any thread. On the main actor, use `.immediate`: callbacks are then isolated to the
    /// main actor.
    public static var mainQueue: MainQueueValueObservationScheduler { MainQueueValueObservationScheduler() }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
    /// A scheduler with callbacks on the main actor.
    public static var mainActor: DelayedMainActorValueObservationScheduler {
        DelayedMainActorValueObservationScheduler()
    }
}

/// Detects the main queue. In a program with `dispatchMain`, such as one with an asynchronous `main` on
/// Linux, the main queue is not bound to the main thread.
enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true
    }

    /// Runs `body` now if this is the main queue, and otherwise on it, later.
    static func run(_ body: @escaping @MainActor @Sendable () -> Void) {
        if isCurrent { MainActor.assumeIsolated(body) } else { DispatchQueue.main.async(execute: body) }
    }
}
