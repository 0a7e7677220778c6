import Histogram

/// A histogram of latencies in nanoseconds, with three significant digits, in bounded memory.
///
/// Workers encode it as pairs of a value and its count, so that the histograms of all rounds can be added.
/// Percentiles of percentiles would be meaningless.
public struct LatencyHistogram: Sendable {
    private var histogram: Histogram<UInt64>
    private static let longest: UInt64 = 100_000_000_000

    /// Creates an empty histogram.
    public init() {
        histogram = Histogram(
            lowestDiscernibleValue: 1, highestTrackableValue: LatencyHistogram.longest,
            numberOfSignificantValueDigits: .three)
    }

    /// The number of recorded latencies.
    public var count: Int { Int(histogram.totalCount) }

    /// Records a latency. Negative latencies count as 0, those above 100 seconds as 100 seconds.
    public mutating func record(_ nanoseconds: Int64, count: UInt64 = 1) {
        let value = min(UInt64(max(nanoseconds, 0)), LatencyHistogram.longest)
        _ = histogram.record(value, count: count)
    }

    /// Adds the latencies of another histogram.
    public mutating func add(_ other: LatencyHistogram) {
        histogram.add(other.histogram)
    }

    /// Returns the latency that `percent` of all latencies do not exceed; `nil` without latencies.
    public func percentile(_ percent: Double) -> Double? {
        count == 0 ? nil : Double(min(histogram.valueAtPercentile(percent), histogram.max))
    }
}

extension LatencyHistogram: Codable {
    public init(from decoder: any Decoder) throws {
        self.init()
        for pair in try [[Int64]](from: decoder) where pair.count == 2 {
            record(pair[0], count: UInt64(max(pair[1], 0)))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        try histogram.recordedValues().map { [Int64($0.value), Int64($0.count)] }.encode(to: encoder)
    }
}

/// Percentiles of latencies in nanoseconds, for reports.
public struct LatencySummary: Codable, Sendable, Equatable {
    /// The number of latencies.
    public let count: Int
    /// The median.
    public let p50: Double
    /// The 99th percentile.
    public let p99: Double
    /// The 99.9th percentile.
    public let p999: Double
    /// The greatest latency.
    public let max: Double

    /// Creates the summary of a histogram; `nil` if it is empty.
    public init?(_ histogram: LatencyHistogram) {
        guard let p50 = histogram.percentile(50), let p99 = histogram.percentile(99),
            let p999 = histogram.percentile(99.9), let max = histogram.percentile(100)
        else { return nil }
        count = histogram.count
        (self.p50, self.p99, self.p999, self.max) = (p50, p99, p999, max)
    }
}
