import Foundation

/// What a run found, as it is written to JSON and drawn to HTML.
public struct Report: Codable, Sendable {
    public struct Machine: Codable, Sendable {
        public var system: String
        public var processor: String
        public var cores: Int
        public var memoryBytes: Int
        public var swift: String
        public var sqlite: String
        /// The load of the machine before and after, as averages over one minute: others disturb.
        public var loadBefore: Double
        public var loadAfter: Double

        public init(
            system: String, processor: String, cores: Int, memoryBytes: Int, swift: String, sqlite: String,
            loadBefore: Double, loadAfter: Double
        ) {
            (self.system, self.processor, self.cores, self.memoryBytes) = (
                system, processor, cores, memoryBytes
            )
            (self.swift, self.sqlite) = (swift, sqlite)
            (self.loadBefore, self.loadAfter) = (loadBefore, loadAfter)
        }
    }

    public var machine: Machine
    /// The day, as `2026-11-21`.
    public var date: String
    public var rounds: Int
    /// Whether it was a short run, whose times say nothing.
    public var isQuick: Bool
    /// The engines that took part, and their settings.
    public var engines: [String: String]
    public var scenarios: [ScenarioReport]

    public init(
        machine: Machine, date: String, rounds: Int, isQuick: Bool, engines: [Engine],
        scenarios: [ScenarioReport]
    ) {
        self.machine = machine
        self.date = date
        self.rounds = rounds
        self.isQuick = isQuick
        self.engines = Dictionary(uniqueKeysWithValues: engines.map { ($0.rawValue, $0.settings) })
        self.scenarios = scenarios
    }

    public init(json: Data) throws {
        self = try JSONDecoder().decode(Report.self, from: json)
    }

    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// The engines, in their order.
    public var orderedEngines: [Engine] { engines.keys.compactMap(Engine.init).sorted() }

    public func scenario(_ name: ScenarioName, n: Int) -> ScenarioReport? {
        scenarios.first { $0.name == name && $0.n == n }
    }

    public func engine(_ cell: Cell) -> EngineReport? {
        scenario(cell.scenario, n: cell.n)?.engines[cell.engine.rawValue]
    }
}

/// One scenario at one size.
public struct ScenarioReport: Codable, Sendable {
    public var name: ScenarioName
    public var n: Int
    public var unit: String
    /// By the name of the engine.
    public var engines: [String: EngineReport]
    /// Why an engine is not there, by its name.
    public var absent: [String: String]
    /// By two names of engines, such as `grdb/vigil`: how many times the figure of the second the first has.
    public var ratios: [String: Spread]
}

/// What one engine did in one scenario at one size.
public struct EngineReport: Codable, Sendable {
    public var median: Double
    public var min: Double
    public var max: Double
    /// The 99th percentile of all operations of all rounds; `nil` where operations are not timed one by one.
    public var p99: Double?
    public var rounds: [Double]
    public var operations: Int
    /// Runs of observed queries, for each operation.
    public var fetches: Double?
    /// Callbacks, for each operation.
    public var notifications: Double?
    public var peakBytes: Int
    public var latency: LatencySummary?
    /// Medians of the rounds.
    public var metrics: [String: Double]

    /// `nil` without rounds.
    public init?(_ results: [RoundResult]) {
        guard let spread = Spread(of: results.map(\.value)) else { return nil }
        (median, min, max) = (spread.median, spread.min, spread.max)
        rounds = results.map(\.value)
        operations = results.reduce(0) { $0 + $1.operations }
        fetches = perOperation(results, \.fetches)
        notifications = perOperation(results, \.notifications)
        peakBytes = results.map(\.peakBytes).max() ?? 0
        var latencies = LatencyHistogram()
        for result in results { latencies.add(result.latencies) }
        latency = LatencySummary(latencies)
        p99 = latency?.p99
        metrics = [:]
        for name in Set(results.flatMap(\.metrics.keys)) {
            metrics[name] = BenchmarkReport.median(results.compactMap { $0.metrics[name] })
        }
    }
}

private func perOperation(_ results: [RoundResult], _ count: KeyPath<RoundResult, Int?>) -> Double? {
    let operations = results.reduce(0) { $0 + $1.operations }
    let counts = results.compactMap { $0[keyPath: count] }
    guard operations > 0, !counts.isEmpty else { return nil }
    return Double(counts.reduce(0, +)) / Double(operations)
}
