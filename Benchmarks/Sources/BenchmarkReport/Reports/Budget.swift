/// A limit that Vigil's figures should keep.
public struct Budget: Sendable {
    /// The kinds of numbers that a budget can limit.
    public enum Measure: Sendable {
        /// The median of the ratios of the rounds.
        case ratio(Cell, over: Cell)
        /// The median of the rounds.
        case figure(Cell)
        /// The number of fetches per operation.
        case fetches(Cell)
        /// The median of the rounds' further measurements of this name.
        case metric(String, Cell)
        /// The median of the ratios of the rounds' further measurements of this name.
        case metricRatio(String, Cell, over: Cell)
    }

    /// Whether a report keeps a budget, with the measured number.
    public enum Verdict: Sendable, Equatable {
        case kept(Double)
        case missed(Double)
        /// The report does not contain all necessary figures.
        case open
    }

    /// The description of the budget in reports.
    public let text: String
    /// The number that the budget limits.
    public let measure: Measure
    /// The greatest permitted number.
    public let limit: Double
    /// Whether the measured number must be less than the limit, instead of at most the limit.
    public let isStrict: Bool

    public init(text: String, measure: Measure, limit: Double, isStrict: Bool = false) {
        (self.text, self.measure, self.limit, self.isStrict) = (text, measure, limit, isStrict)
    }

    /// Returns whether a report keeps the budget.
    public func verdict(on report: Report) -> Verdict {
        guard let value = measured(in: report) else { return .open }
        return value < limit || (!isStrict && value == limit) ? .kept(value) : .missed(value)
    }

    private func measured(in report: Report) -> Double? {
        switch measure {
        case .figure(let cell): report.engine(cell)?.median
        case .fetches(let cell): report.engine(cell)?.fetches
        case .metric(let name, let cell): report.engine(cell)?.metrics[name]
        case .metricRatio(let name, let cell, let other):
            Spread(
                ofRatios: report.engine(cell)?.metricRounds?[name] ?? [],
                over: report.engine(other)?.metricRounds?[name] ?? [])?.median
        case .ratio(let cell, let other):
            Spread(
                ofRatios: report.engine(cell)?.rounds ?? [], over: report.engine(other)?.rounds ?? [])?
                .median
        }
    }
}
