import Foundation

/// A logarithmic axis, on which equal distances are equal ratios.
public struct LogScale: Sendable, Equatable {
    /// The value at the low end of the axis, a power of ten.
    public let low: Double
    /// The value at the high end of the axis: a power of ten, at least ten times ``low``.
    public let high: Double
    private let start: Double
    private let end: Double

    /// Creates an axis that contains all positive, finite values; `nil` without such values.
    ///
    /// - Parameters:
    ///   - values: the values that the axis must contain.
    ///   - start: the coordinate of the low end.
    ///   - end: the coordinate of the high end, which may be less than `start`.
    public init?(holding values: [Double], from start: Double, to end: Double) {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        guard let least = positive.min(), let greatest = positive.max() else { return nil }
        let first = floor(log10(least) + 1e-9)
        let last = max(ceil(log10(greatest) - 1e-9), first + 1)
        (low, high) = (pow(10, first), pow(10, last))
        (self.start, self.end) = (start, end)
    }

    /// Returns the coordinate of a value. Values beyond an end are at the end.
    public func position(of value: Double) -> Double {
        guard value > low else { return start }
        let part = min((log10(value) - log10(low)) / (log10(high) - log10(low)), 1)
        return start + part * (end - start)
    }

    /// Returns the powers of ten on the axis, or every second, third… of them, so that there are at most
    /// `limit`.
    public func ticks(atMost limit: Int) -> [Double] {
        let first = Int(log10(low).rounded())
        let last = Int(log10(high).rounded())
        let step = max(1, Int((Double(last - first + 1) / Double(max(limit, 1))).rounded(.up)))
        return stride(from: first, through: last, by: step).map { pow(10, Double($0)) }
    }
}
