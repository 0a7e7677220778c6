public import BenchmarkReport
import Synchronization

/// A histogram that all threads may write into.
public final class LatencyRecorder: Sendable {
    private let histogram = Mutex(LatencyHistogram())

    public init() {}

    public func record(_ nanoseconds: Int64) { histogram.withLock { $0.record(nanoseconds) } }

    public var latencies: LatencyHistogram { histogram.withLock { $0 } }
}
