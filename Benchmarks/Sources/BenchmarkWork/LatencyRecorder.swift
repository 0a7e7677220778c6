public import BenchmarkReport
import Synchronization

/// A histogram of latencies that several threads may record into.
public final class LatencyRecorder: Sendable {
    private let histogram = Mutex(LatencyHistogram())

    public init() {}

    /// Records a latency in nanoseconds.
    public func record(_ nanoseconds: Int64) { histogram.withLock { $0.record(nanoseconds) } }

    /// The latencies recorded so far.
    public var latencies: LatencyHistogram { histogram.withLock { $0 } }
}
