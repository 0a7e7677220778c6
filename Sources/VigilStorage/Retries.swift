/// Decides when something that has failed is tried again: after a pause that doubles with each further
/// failure, up to a longest one.
///
/// A value without a clock. All retries of the library are listed here.
package struct Retries: Equatable, Sendable {
    package let firstPause: Duration
    package let longestPause: Duration
    /// The number of attempts after which the failure is reported to the caller.
    package let limit: Int
    /// The number of failures since the last success.
    package private(set) var failureCount = 0

    package init(from firstPause: Duration, to longestPause: Duration, limit: Int = .max) {
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.limit = limit
    }

    /// Whether there were as many failures as attempts are allowed.
    package var isExhausted: Bool { failureCount >= limit }

    /// Records a failure.
    ///
    /// - Returns: the pause before the next attempt.
    @discardableResult
    package mutating func didFail() -> Duration {
        // The shift stops before the pause overflows.
        let pause = min(longestPause, firstPause * (1 << min(failureCount, 20)))
        failureCount += 1
        return pause
    }

    package mutating func didSucceed() { failureCount = 0 }
}

extension Retries {
    /// Of a command in another session, after the server has ended one: sessions that wait in a pool can all
    /// have ended, so there is no pause.
    package static let command = Retries(from: .zero, to: .zero, limit: 5)
    /// Of a fetch, by its observation.
    package static let fetch = Retries(from: .milliseconds(20), to: .seconds(2))
    /// Of a look at the visible commits, by the feed of a server.
    package static let look = Retries(from: .milliseconds(20), to: .milliseconds(500))
    /// Of a stream of commits. Its slot needs memory of the server, and waits for transactions.
    package static let stream = Retries(from: .milliseconds(100), to: .seconds(30))
    /// Of the search for a publication, which a reader creates at any time, or never.
    package static let publication = Retries(from: .milliseconds(100), to: .seconds(5))
    /// Of the analysis of queries. An analysis uses a number of a transaction, which other feeds notice.
    package static let analysis = Retries(from: .milliseconds(250), to: .seconds(4))
}
