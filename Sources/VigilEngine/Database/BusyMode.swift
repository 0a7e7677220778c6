public import Foundation

extension Database {
    /// A closure that decides whether to wait for a lock.
    ///
    /// It receives the number of previous attempts to acquire the lock. If it returns `true`, the connection
    /// tries again; if it returns `false`, the statement fails with `SQLITE_BUSY`. It is called on the thread
    /// of the access.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

    /// The reaction to a lock held by another connection.
    public enum BusyMode: Sendable {
        /// The statement fails immediately with `SQLITE_BUSY`.
        case immediateError
        /// The statement waits for the lock, up to a number of seconds, and then fails with `SQLITE_BUSY`.
        case timeout(TimeInterval)
        /// A closure decides whether the statement waits or fails.
        case callback(BusyCallback)

        /// Returns a mode that waits as ``timeout(_:)`` does, and calls a closure once during each long wait.
        ///
        /// - Parameters:
        ///   - seconds: the longest wait, in seconds.
        ///   - longTime: the duration of a long wait, in seconds.
        ///   - onLongWait: called on the thread that waits.
        public static func timeout(
            _ seconds: TimeInterval, longTime: TimeInterval, onLongWait: @escaping @Sendable () -> Void
        ) -> Self {
            .callback { attempts in
                guard let delay = BusyDelays(timeout: seconds).delay(afterAttempts: attempts) else {
                    return false
                }
                let elapsed = BusyDelays.elapsed(afterAttempts: attempts)
                if elapsed < longTime, elapsed + delay >= longTime { onLongWait() }
                Thread.sleep(forTimeInterval: delay)
                return true
            }
        }

        /// 30 years, in seconds.
        private static var longestTimeout: TimeInterval { 1e9 }

        var timeout: Duration? {
            if case .timeout(let seconds) = self { .seconds(min(seconds, Self.longestTimeout)) } else { nil }
        }

        var handler: (@Sendable (Int) -> Bool)? {
            switch self {
            case .immediateError: nil
            case .callback(let callback): callback
            case .timeout(let seconds):
                { attempts in
                    guard let delay = BusyDelays(timeout: seconds).delay(afterAttempts: attempts) else {
                        return false
                    }
                    Thread.sleep(forTimeInterval: delay)
                    return true
                }
            }
        }
    }
}

/// The delays between attempts to acquire a lock. They increase up to a maximum, and their sum does not
/// exceed the timeout.
struct BusyDelays {
    let timeout: TimeInterval
    private static let longest: TimeInterval = 0.05

    /// Returns the next delay in seconds, or `nil` after the timeout.
    func delay(afterAttempts attempts: Int) -> TimeInterval? {
        let elapsed = Self.elapsed(afterAttempts: attempts)
        guard elapsed < timeout else { return nil }
        return min(Self.step(attempts), timeout - elapsed)
    }

    static func elapsed(afterAttempts attempts: Int) -> TimeInterval {
        // Later steps are as long as the last of these.
        let (first, rest) = (min(attempts, 7), max(0, attempts - 7))
        return (0..<first).reduce(0) { $0 + step($1) } + Double(rest) * longest
    }

    private static func step(_ attempt: Int) -> TimeInterval {
        min(longest, 0.001 * Double(1 << min(attempt, 6)))
    }
}
