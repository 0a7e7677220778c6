/// One engine in one scenario at one size.
public struct Cell: Hashable, Sendable {
    public let scenario: ScenarioName
    public let n: Int
    public let engine: Engine

    public init(_ scenario: ScenarioName, _ n: Int, _ engine: Engine) {
        (self.scenario, self.n, self.engine) = (scenario, n, engine)
    }
}

/// Collects the lines of the workers and creates reports from them.
public struct ReportBuilder: Sendable {
    private var results: [Cell: [RoundResult]] = [:]
    private var absences: [Cell: String] = [:]

    /// The pairs of engines whose ratios are reported.
    static let comparisons: [(Engine, Engine)] = [
        (.grdb, .vigil), (.grdbTracking, .vigil), (.vigilSQLCipher, .vigil), (.vigil, .c), (.grdb, .c),
    ]

    public init() {}

    /// Adds the line of a worker.
    public mutating func add(_ line: WorkerLine, to cell: Cell) {
        switch line {
        case .result(let result): results[cell, default: []].append(result)
        case .absent(let reason): absences[cell] = reason
        }
    }

    /// Returns whether a worker reported that its engine cannot run this scenario.
    public func isAbsent(_ cell: Cell) -> Bool { absences[cell] != nil }

    /// Returns the results so far of a scenario at a size; `nil` if there are none.
    public func scenario(_ name: ScenarioName, n: Int) -> ScenarioReport? {
        var report = ScenarioReport(
            name: name, n: n, unit: Scenario.named(name).unit, engines: [:], absent: [:], ratios: [:])
        for engine in Engine.allCases {
            let cell = Cell(name, n, engine)
            report.absent[engine.rawValue] = absences[cell]
            report.engines[engine.rawValue] = results[cell].flatMap(EngineReport.init)
        }
        for (numerator, denominator) in ReportBuilder.comparisons {
            guard let first = report.engines[numerator.rawValue],
                let second = report.engines[denominator.rawValue]
            else { continue }
            report.ratios["\(numerator.rawValue)/\(denominator.rawValue)"] = Spread(
                ofRatios: first.rounds, over: second.rounds)
        }
        return report.engines.isEmpty && report.absent.isEmpty ? nil : report
    }

    /// Returns all results, in the order of `ScenarioName`.
    public func scenarios() -> [ScenarioReport] {
        let cells = Set(results.keys).union(absences.keys)
        return ScenarioName.allCases.flatMap { name in
            Set(cells.filter { $0.scenario == name }.map(\.n)).sorted().compactMap { scenario(name, n: $0) }
        }
    }
}
