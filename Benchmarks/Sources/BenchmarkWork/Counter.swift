import Dispatch
import Synchronization

/// A number that several threads may increment.
public final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    public init() {}

    /// The current number.
    public var value: Int { number.load(ordering: .acquiring) }

    /// Adds 1 and returns the new value.
    @discardableResult
    public func increment() -> Int { number.add(1, ordering: .acquiringAndReleasing).newValue }

    /// Sets the number to `other` if that is greater.
    public func raise(to other: Int) { number.max(other, ordering: .acquiringAndReleasing) }
}

/// Counts the fetches and callbacks of the observations of a round.
public final class Activity: Sendable {
    public let fetches = Counter()
    public let notifications = Counter()
    private let target = Atomic<Int>(.max)
    private let reached = DispatchSemaphore(value: 0)

    public init() {}

    /// Counts a callback, and resumes a thread that waits for it.
    public func notify() {
        if notifications.increment() == target.load(ordering: .acquiring) { reached.signal() }
    }

    /// Runs `body`, and then waits until `count` more callbacks than before it have been counted.
    ///
    /// - Throws: the error of `body`, or ``WorkError`` if that takes more than two minutes.
    public func wait(forNotifications count: Int, after body: () throws -> Void) throws {
        let expected = notifications.value + count
        target.store(expected, ordering: .releasing)
        try body()
        guard reached.wait(timeout: .now() + 120) == .success else {
            throw WorkError("\(notifications.value) of \(expected) callbacks in two minutes")
        }
    }

    /// The current numbers.
    public var counts: Counts { Counts(fetches: fetches.value, notifications: notifications.value) }

    /// The numbers of fetches and callbacks at a point in time, or their difference.
    public struct Counts: Equatable, Sendable {
        public var fetches = 0
        public var notifications = 0

        public static func - (lhs: Counts, rhs: Counts) -> Counts {
            Counts(
                fetches: lhs.fetches - rhs.fetches, notifications: lhs.notifications - rhs.notifications)
        }
    }

    /// Waits until `notifications` callbacks have been counted.
    ///
    /// - Throws: ``WorkError`` if that takes more than `seconds`.
    public func wait(forNotifications notifications: Int, seconds: Double = 60) throws {
        let end = now() + Int64(seconds * 1e9)
        while self.notifications.value < notifications {
            guard now() < end else {
                throw WorkError(
                    "\(self.notifications.value) of \(notifications) callbacks in \(seconds) seconds")
            }
            pause(nanoseconds: 200_000)
        }
    }

    /// Waits until `notifications` callbacks have been counted, for at most 20 seconds.
    ///
    /// It is not an error if fewer arrive: the counts of the round then show it.
    public func waitBriefly(forNotifications notifications: Int) {
        try? wait(forNotifications: notifications, seconds: 20)
    }

    /// Waits until the counts have not changed for some time.
    ///
    /// The time is measured in checks of one millisecond each, not with the clock: while other processes
    /// occupy the processor, the threads of this one cannot run either.
    public func waitUntilQuiet(milliseconds: Int = 30) {
        var last = counts
        var quietLooks = 0
        while quietLooks < milliseconds {
            pause(nanoseconds: 1_000_000)
            let current = counts
            quietLooks = current == last ? quietLooks + 1 : 0
            last = current
        }
    }
}

/// The reason why a round could not be measured.
public struct WorkError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
