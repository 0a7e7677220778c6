/// A limit that Vigil has set itself.
public struct Budget: Sendable {
    public enum Measure: Sendable {
        /// The median of the ratios of each round.
        case ratio(Cell, over: Cell)
        /// The median of the rounds.
        case figure(Cell)
        /// Runs of observed queries for each operation.
        case fetches(Cell)
    }

    public enum Verdict: Sendable, Equatable {
        case kept(Double)
        case missed(Double)
        /// Something of it was not measured.
        case open
    }

    public let text: String
    public let measure: Measure
    public let limit: Double
    /// Whether the limit itself is too much.
    public let isStrict: Bool

    public init(text: String, measure: Measure, limit: Double, isStrict: Bool = false) {
        (self.text, self.measure, self.limit, self.isStrict) = (text, measure, limit, isStrict)
    }

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
    /// The promises of Vigil that are numbers.
    public static let all: [Budget] = [
        Budget(
            text: "a one-row write in memory that nobody observes, against C",
            measure: .ratio(Cell(.writeBaseline, 0, .vigil), over: Cell(.writeBaseline, 0, .c)), limit: 2),
        Budget(
            text: "the same with 10,000 observations that it does not touch, against none",
            measure: .ratio(Cell(.unrelatedWrites, 10_000, .vigil), over: Cell(.unrelatedWrites, 0, .vigil)),
            limit: 1.2),
        Budget(
            text: "a write that hits one of 10,000 observed rows, against the only one",
            measure: .ratio(Cell(.oneRowHit, 10_000, .vigil), over: Cell(.oneRowHit, 1, .vigil)), limit: 3),
        Budget(
            text: "fetches for a write that hits one of 1,000 WHERE team = ?",
            measure: .fetches(Cell(.predicateHit, 1_000, .vigil)), limit: 1),
        Budget(
            text: "fetches for a write that hits 1,000 equal observations",
            measure: .fetches(Cell(.equalObservations, 1_000, .vigil)), limit: 1),
        Budget(
            text: "100,000 inserts with 1,000 observations of the table, against none",
            measure: .ratio(Cell(.bulkTransaction, 1_000, .vigil), over: Cell(.bulkTransaction, 0, .vigil)),
            limit: 1.1),
        Budget(
            text: "reading 100,000 rows, against C",
            measure: .ratio(Cell(.decodeRows, 100_000, .vigil), over: Cell(.decodeRows, 100_000, .c)),
            limit: 1.3),
        Budget(
            text: "reading 100,000 Codable records, against GRDB",
            measure: .ratio(
                Cell(.decodeRecords, 100_000, .vigil), over: Cell(.decodeRecords, 100_000, .grdb)),
            limit: 1, isStrict: true),
        Budget(
            text: "p99 of reads on a pool with 200 observations and a busy writer, against no observation",
            measure: .ratio(Cell(.poolContention, 200, .vigil), over: Cell(.poolContention, 0, .vigil)),
            limit: 1.2),
        Budget(
            text: "bytes of an idle observation of one row",
            measure: .figure(Cell(.memory, 10_000, .vigil)), limit: 1_024),
    ]
}
