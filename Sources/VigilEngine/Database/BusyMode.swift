public import Foundation

extension Database {
    /// Told how often it was asked for the same lock; `false` gives up with `SQLITE_BUSY`.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

    /// What happens when another connection has locked the database.
    public enum BusyMode: Sendable {
        /// An access that meets a lock fails at once with `SQLITE_BUSY`.
        case immediateError
        /// It waits, for so many seconds in all, then fails with `SQLITE_BUSY`.
        case timeout(TimeInterval)
        /// It asks.
        case callback(BusyCallback)

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

/// How long to wait between two tries for a lock: first briefly, then longer, and no longer than the timeout in all.
struct BusyDelays {
    let timeout: TimeInterval
    private static let longest: TimeInterval = 0.05

    /// The next delay in seconds, or `nil` when the time is up.
    func delay(afterAttempts attempts: Int) -> TimeInterval? {
        let elapsed = (0..<attempts).reduce(0) { $0 + Self.step($1) }
        guard elapsed < timeout else { return nil }
        return min(Self.step(attempts), timeout - elapsed)
    }

    private static func step(_ attempt: Int) -> TimeInterval {
        min(longest, 0.001 * Double(1 << min(attempt, 6)))
    }
}
