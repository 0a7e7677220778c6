public import BenchmarkReport
import Foundation

/// Requests that are due at a steady rate, whether or not earlier requests have been served.
///
/// The latency of a request counts from the time at which it was due. A loop that sends the next request
/// after the previous answer sends none while the system is stuck: it leaves out exactly the requests that
/// would have waited.
public struct OpenLoop: Sendable {
    /// The number of requests per second, of all threads together.
    public let perSecond: Int
    /// The number of threads that send requests.
    public let threads: Int
    /// The duration of the loop, in seconds.
    public let seconds: Double

    public init(perSecond: Int, threads: Int, seconds: Double) {
        (self.perSecond, self.threads, self.seconds) = (perSecond, threads, seconds)
    }

    /// Sends all requests, from each thread in turn, and waits for the last answer.
    ///
    /// - Parameter request: a closure that receives the number of the request.
    /// - Returns: the latencies of the requests.
    /// - Throws: the first error of `request`.
    public func run(_ request: @escaping @Sendable (_ number: Int) throws -> Void) throws -> LatencyHistogram
    {
        let recorder = LatencyRecorder()
        let failures = FirstError()
        let requests = Int(Double(perSecond) * seconds)
        let pace = Pace(perSecond: perSecond)
        let workers = (0..<threads).map { place in
            BackgroundThread(failures) {
                for number in stride(from: place, to: requests, by: threads) {
                    let due = pace.waitUntilDue(number)
                    try request(number)
                    recorder.record(now() - due)
                }
            }
        }
        for worker in workers { worker.join() }
        try failures.rethrow()
        return recorder.latencies
    }
}

/// A steady rate, from a start in one millisecond.
public struct Pace: Sendable {
    private let start = now() + 1_000_000
    private let perSecond: Int

    public init(perSecond: Int) { self.perSecond = perSecond }

    /// Blocks the current thread until a request is due, and returns that time.
    public func waitUntilDue(_ number: Int) -> Int64 {
        let due = start + Int64(number) * 1_000_000_000 / Int64(perSecond)
        pause(nanoseconds: due - now())
        return due
    }
}
