import Histogram

/// Latencies in nanoseconds, kept with three significant digits however many there are.
///
/// Workers hand it over as pairs of a value and its count, so that the histograms of all rounds can be added up:
/// percentiles of percentiles would say nothing.
public struct LatencyHistogram: Sendable {
    private var histogram: Histogram<UInt64>
    private static let longest: UInt64 = 100_000_000_000

    public init() {
        histogram = Histogram(
            lowestDiscernibleValue: 1, highestTrackableValue: LatencyHistogram.longest,
            numberOfSignificantValueDigits: .three)
    }

    public var count: Int { Int(histogram.totalCount) }

    public mutating func record(_ nanoseconds: Int64, count: UInt64 = 1) {
        let value = min(UInt64(max(nanoseconds, 0)), LatencyHistogram.longest)
        _ = histogram.record(value, count: count)
    }

    public mutating func add(_ other: LatencyHistogram) {
        histogram.add(other.histogram)
    }

    /// The latency that `percent` of all do not exceed. `nil` without latencies.
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

/// What a report says of many latencies, in nanoseconds.
public struct LatencySummary: Codable, Sendable, Equatable {
    public let count: Int
    public let p50: Double
    public let p99: Double
    public let p999: Double
    public let max: Double
    /// Pairs of a percentile and its latency, denser towards 100.
    public let curve: [[Double]]

    /// `nil` without latencies.
    public init?(_ histogram: LatencyHistogram) {
        guard let p50 = histogram.percentile(50), let p99 = histogram.percentile(99),
            let p999 = histogram.percentile(99.9), let max = histogram.percentile(100)
        else { return nil }
        count = histogram.count
        (self.p50, self.p99, self.p999, self.max) = (p50, p99, p999, max)
        let percents = LatencySummary.percents.filter { Double(histogram.count) * (100 - $0) / 100 >= 1 }
        curve = percents.compactMap { percent in histogram.percentile(percent).map { [percent, $0] } }
    }

    /// A percentile is drawn only where at least one latency lies beyond it.
    private static let percents: [Double] = [
        0, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 92.5, 95, 96, 97, 98, 99, 99.25, 99.5, 99.7, 99.8,
        99.9,
        99.95, 99.97, 99.99, 99.995, 99.999,
    ]
}
