import Foundation

/// The results of a run, which can be written as JSON, Markdown or text.
public struct Report: Codable, Sendable {
    /// The machine that a run used.
    public struct Machine: Codable, Sendable {
        /// The name, release and architecture of the operating system.
        public var system: String
        /// The model of the processor.
        public var processor: String
        /// The number of active processor cores.
        public var cores: Int
        /// The size of the physical memory.
        public var memoryBytes: Int
        /// The version of the compiler.
        public var swift: String
        /// The version of libsqlite3.
        public var sqlite: String
        /// The load average of the last minute before the run. Other load disturbs the figures.
        public var loadBefore: Double
        /// The load average of the last minute of the run.
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
    /// The day of the run, such as `2026-11-21`.
    public var date: String
    /// The number of rounds.
    public var rounds: Int
    /// Whether the run was short, so that its times are meaningless.
    public var isQuick: Bool
    /// The settings of the measured engines, by the engine's name.
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

    /// Decodes a report that ``json()`` encoded.
    public init(json: Data) throws {
        self = try JSONDecoder().decode(Report.self, from: json)
    }

    /// Returns the report as JSON with sorted keys.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// The measured engines, in the order in which `Engine` declares them.
    public var orderedEngines: [Engine] { engines.keys.compactMap(Engine.init).sorted() }

    /// Returns the results of a scenario at a size; `nil` if it was not measured.
    public func scenario(_ name: ScenarioName, n: Int) -> ScenarioReport? {
        scenarios.first { $0.name == name && $0.n == n }
    }

    /// Returns the results of one engine in a scenario at a size; `nil` if it was not measured.
    public func engine(_ cell: Cell) -> EngineReport? {
        scenario(cell.scenario, n: cell.n)?.engines[cell.engine.rawValue]
    }
}

/// The results of one scenario at one size.
public struct ScenarioReport: Codable, Sendable {
    public var name: ScenarioName
    /// The size.
    public var n: Int
    /// The unit of the figures.
    public var unit: String
    /// The results by the engine's name.
    public var engines: [String: EngineReport]
    /// The reasons why engines have no results, by the engine's name.
    public var absent: [String: String]
    /// The ratios of two engines' figures, by their names: `grdb/vigil` is GRDB's figure divided by Vigil's.
    public var ratios: [String: Spread]
}

/// The results of one engine in one scenario at one size.
public struct EngineReport: Codable, Sendable {
    /// The median of the rounds' figures.
    public var median: Double
    /// The least of the rounds' figures.
    public var min: Double
    /// The greatest of the rounds' figures.
    public var max: Double
    /// The 99th percentile of all operations of all rounds; `nil` if operations are not timed individually.
    public var p99: Double?
    /// The figure of each round.
    public var rounds: [Double]
    /// The number of operations in all rounds.
    public var operations: Int
    /// The number of fetches per operation.
    public var fetches: Double?
    /// The number of callbacks per operation.
    public var notifications: Double?
    /// The greatest resident memory of all rounds, in bytes.
    public var peakBytes: Int
    /// The latencies of all operations of all rounds; `nil` if operations are not timed individually.
    public var latency: LatencySummary?
    /// The medians of the rounds' other measurements, by name.
    public var metrics: [String: Double]
    /// The other measurements of each round, by name; `nil` in the reports of earlier versions.
    public var metricRounds: [String: [Double]]?

    /// Creates the results of rounds; `nil` without rounds.
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
        (metrics, metricRounds) = ([:], [:])
        for name in Set(results.flatMap(\.metrics.keys)) {
            let values = results.compactMap { $0.metrics[name] }
            metrics[name] = BenchmarkReport.median(values)
            metricRounds?[name] = values
        }
    }
}

private func perOperation(_ results: [RoundResult], _ count: KeyPath<RoundResult, Int?>) -> Double? {
    let operations = results.reduce(0) { $0 + $1.operations }
    let counts = results.compactMap { $0[keyPath: count] }
    guard operations > 0, !counts.isEmpty else { return nil }
    return Double(counts.reduce(0, +)) / Double(operations)
}
