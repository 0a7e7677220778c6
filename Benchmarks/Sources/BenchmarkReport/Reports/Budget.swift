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
        case .ratio(let cell, let other):
            Spread(
                ofRatios: report.engine(cell)?.rounds ?? [], over: report.engine(other)?.rounds ?? [])?
                .median
        }
    }
}

extension Budget {
    /// All budgets of Vigil.
    public static let all: [Budget] = [
        Budget(
            text: "a one-row write in memory without observations, relative to C",
            measure: .ratio(Cell(.writeBaseline, 0, .vigil), over: Cell(.writeBaseline, 0, .c)), limit: 2),
        Budget(
            text: "a one-row write with 10,000 observations that it does not match, relative to none",
            measure: .ratio(Cell(.unrelatedWrites, 10_000, .vigil), over: Cell(.unrelatedWrites, 0, .vigil)),
            limit: 1.2),
        Budget(
            text: "a write that matches one of 10,000 observed rows, relative to one observed row",
            measure: .ratio(Cell(.oneRowHit, 10_000, .vigil), over: Cell(.oneRowHit, 1, .vigil)), limit: 3),
        Budget(
            text: "fetches per write that matches one of 1,000 observations of WHERE team = ?",
            measure: .fetches(Cell(.predicateHit, 1_000, .vigil)), limit: 1),
        Budget(
            text: "fetches per write that matches 1,000 equal observations",
            measure: .fetches(Cell(.equalObservations, 1_000, .vigil)), limit: 1),
        Budget(
            text: "100,000 inserts with 1,000 observations of the table, relative to none",
            measure: .ratio(Cell(.bulkTransaction, 1_000, .vigil), over: Cell(.bulkTransaction, 0, .vigil)),
            limit: 1.1),
        Budget(
            text: "reading 100,000 rows, relative to C",
            measure: .ratio(Cell(.decodeRows, 100_000, .vigil), over: Cell(.decodeRows, 100_000, .c)),
            limit: 1.3),
        Budget(
            text: "reading 100,000 Codable records, relative to GRDB",
            measure: .ratio(
                Cell(.decodeRecords, 100_000, .vigil), over: Cell(.decodeRecords, 100_000, .grdb)),
            limit: 1, isStrict: true),
        Budget(
            text: "fetching 100,000 Codable records by key, relative to GRDB",
            measure: .ratio(Cell(.fetchByKey, 100_000, .vigil), over: Cell(.fetchByKey, 100_000, .grdb)),
            limit: 0.5),
        Budget(
            text: "inserting 100,000 Codable records, relative to GRDB",
            measure: .ratio(
                Cell(.insertRecords, 100_000, .vigil), over: Cell(.insertRecords, 100_000, .grdb)),
            limit: 0.6),
        Budget(
            text: "nanoseconds of building a request that has been built before, over a prepared statement",
            measure: .figure(Cell(.requestBuild, 1, .vigil)), limit: 3_000),
        Budget(
            text: "p99 of reads on a pool with a busy writer and 200 observations, relative to none",
            measure: .ratio(Cell(.poolContention, 200, .vigil), over: Cell(.poolContention, 0, .vigil)),
            limit: 1.2),
        Budget(
            text: "bytes per idle observation of one row",
            measure: .figure(Cell(.memory, 10_000, .vigil)), limit: 1_024),
    ]
}
