/// Returns the median: the mean of the two middle values if their number is even, `nil` without values.
public func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// The median, minimum and maximum of values. The mean is left out, because one disturbed round would distort
/// it.
public struct Spread: Codable, Sendable, Equatable {
    public let median: Double
    public let min: Double
    public let max: Double

    public init(median: Double, min: Double, max: Double) {
        (self.median, self.min, self.max) = (median, min, max)
    }

    /// Creates the spread of values; `nil` without values.
    public init?(of values: [Double]) {
        guard let middle = BenchmarkReport.median(values), let least = values.min(),
            let greatest = values.max()
        else { return nil }
        self.init(median: middle, min: least, max: greatest)
    }

    /// Creates the spread of the ratios of the rounds.
    ///
    /// A machine that slows down from round to round increases both numbers of a round, and leaves their
    /// ratio unchanged. The ratio of two medians would mix early rounds with late ones.
    public init?(ofRatios numerators: [Double], over denominators: [Double]) {
        self.init(
            of: zip(numerators, denominators).compactMap { numerator, denominator in
                denominator > 0 ? numerator / denominator : nil
            })
    }
}
