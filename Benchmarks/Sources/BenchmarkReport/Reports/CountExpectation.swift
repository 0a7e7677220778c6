/// How often something must happen for each operation. Counts, unlike times, are the same on a busy machine.
public struct CountExpectation: Sendable {
    public enum Quantity: String, Sendable { case fetches, notifications }

    /// How many, for a size.
    public enum Count: Sendable {
        case exactly(Double)
        /// One for each of the n observations.
        case oneForEachObservation

        func value(n: Int) -> Double {
            switch self {
            case .exactly(let count): count
            case .oneForEachObservation: Double(n)
            }
        }
    }

    public let scenario: ScenarioName
    public let engines: [Engine]
    public let quantity: Quantity
    public let count: Count

    init(_ scenario: ScenarioName, _ engines: [Engine], _ quantity: Quantity, _ count: Count) {
        (self.scenario, self.engines, self.quantity) = (scenario, engines, quantity)
        self.count = count
    }

    /// What is otherwise than expected, in words.
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
                let found = actual.map { "\(Figure.count($0))" } ?? "none counted"
                return
                    "\(scenario.name.rawValue) n=\(scenario.n) \(engine.rawValue): \(quantity.rawValue) \(found) for each operation, expected \(Figure.count(expected))"
            }
        }
    }
}
