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

    /// An engine is not measured at a size where a single operation would take more than this number of
    /// nanoseconds.
    private static let longestOperation = 20e9

    /// Returns the reason why an engine need not be measured at a size: its figure at the next smaller one.
    ///
    /// The worst engines take a hundred times as long for ten times as many observations, and that is
    /// assumed. On a machine that is fast enough, the size is measured. Sizes further apart than ten times
    /// say too little.
    public func slowness(of cell: Cell, sizes: [Int]) -> String? {
        let scenario = Scenario.named(cell.scenario)
        guard scenario.unit.hasPrefix("ns"), results[cell] == nil,
            let smaller = sizes.filter({ 0 < $0 && $0 < cell.n }).max(),
            let figure = self.scenario(cell.scenario, n: smaller)?.engines[cell.engine.rawValue]?.median
        else { return nil }
        let growth = Double(cell.n) / Double(smaller)
        guard growth <= 10, figure * growth * growth > ReportBuilder.longestOperation else { return nil }
        return
            "\(Figure.duration(nanoseconds: figure)) with \(Figure.count(Double(smaller))) \(scenario.sizeName); not measured with \(Figure.count(Double(cell.n)))"
    }

    /// Returns the results so far of a scenario at a size; `nil` before the first.
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
