import Foundation

/// An axis on which equal distances are equal ratios.
public struct LogScale: Sendable, Equatable {
    /// The values at the ends of the axis: powers of ten, and at least one decade apart.
    public let low: Double
    public let high: Double
    private let start: Double
    private let end: Double

    /// - Parameters:
    ///   - values: what must have a place. Those that are not above zero have none.
    ///   - start: the coordinate of the low end.
    ///   - end: the coordinate of the high end, which may be less.
    /// - Returns: `nil` if no value has a place.
    public init?(holding values: [Double], from start: Double, to end: Double) {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        guard let least = positive.min(), let greatest = positive.max() else { return nil }
        let first = floor(log10(least) + 1e-9)
        let last = max(ceil(log10(greatest) - 1e-9), first + 1)
        (low, high) = (pow(10, first), pow(10, last))
        (self.start, self.end) = (start, end)
    }

    /// Where a value is. What is beyond an end is at the end.
    public func position(of value: Double) -> Double {
        guard value > low else { return start }
        let part = min((log10(value) - log10(low)) / (log10(high) - log10(low)), 1)
        return start + part * (end - start)
    }

    /// The powers of ten on the axis, every other one or fewer if there would be more than `limit`.
    public func ticks(atMost limit: Int) -> [Double] {
        let first = Int(log10(low).rounded())
        let last = Int(log10(high).rounded())
        let step = max(1, Int((Double(last - first + 1) / Double(max(limit, 1))).rounded(.up)))
        return stride(from: first, through: last, by: step).map { pow(10, Double($0)) }
    }
}
