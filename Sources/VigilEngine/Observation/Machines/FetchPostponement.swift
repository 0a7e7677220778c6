/// A fetch that failed and will be repeated, after a pause that grows with each failure.
struct FetchPostponement {
    static let shortestPause = Duration.milliseconds(20)
    static let longestPause = Duration.seconds(2)

    /// The error of the last failure.
    let error: any Error
    /// The pause before the fetch is repeated.
    let pause: Duration

    /// - Parameter last: the previous failure; `nil` if the previous fetch succeeded.
    init(_ error: any Error, after last: FetchPostponement?) {
        self.error = error
        pause = last.map { min($0.pause * 2, Self.longestPause) } ?? Self.shortestPause
    }
}
