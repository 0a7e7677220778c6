/// The expected number of fetches or callbacks per operation. Counts, unlike times, do not depend on the
/// machine's load.
public struct CountExpectation: Sendable {
    /// A kind of event.
    public enum Quantity: String, Sendable { case fetches, notifications }

    /// The expected number, which may depend on the size.
    public enum Count: Sendable {
        case exactly(Double)
        /// One per observation: `n`.
        case oneForEachObservation

        func value(n: Int) -> Double {
            switch self {
            case .exactly(let count): count
            case .oneForEachObservation: Double(n)
            }
        }
    }

    /// The scenario, at all of its sizes.
    public let scenario: ScenarioName
    /// The engines to which the expectation applies.
    public let engines: [Engine]
    /// The kind of event that is counted.
    public let quantity: Quantity
    /// The expected number per operation.
    public let count: Count

    init(_ scenario: ScenarioName, _ engines: [Engine], _ quantity: Quantity, _ count: Count) {
        (self.scenario, self.engines, self.quantity) = (scenario, engines, quantity)
        self.count = count
    }

    /// Returns a line for each result in the report that differs from the expectation.
    public func failures(in report: Report) -> [String] {
        report.scenarios.filter { $0.name == scenario }.flatMap { scenario in
            engines.compactMap { engine -> String? in
                guard let figures = scenario.engines[engine.rawValue] else { return nil }
                let expected = count.value(n: scenario.n)
                let actual =
                    switch quantity {
                    case .fetches: figures.fetches
                    case .notifications: figures.notifications
                    }
                if actual == expected { return nil }
                let found = actual.map { "\(Figure.count($0))" } ?? "not counted"
                return
                    "\(scenario.name.rawValue) n=\(scenario.n) \(engine.rawValue): \(quantity.rawValue) per operation: \(found), expected \(Figure.count(expected))"
            }
        }
    }
}
