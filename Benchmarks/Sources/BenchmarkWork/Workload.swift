public import BenchmarkReport

/// The work of one round.
public struct RoundRequest: Codable, Sendable {
    public let scenario: ScenarioName
    /// The size of the scenario.
    public let n: Int
    public let effort: Effort
    /// The command, with its first arguments, that writes from another process for `foreign-write-latency`
    /// and `foreign-rows`.
    public let writerCommand: [String]

    public init(scenario: ScenarioName, n: Int, effort: Effort, writerCommand: [String]) {
        (self.scenario, self.n, self.effort, self.writerCommand) = (scenario, n, effort, writerCommand)
    }

    /// The reads of the contention scenarios.
    public var contendedReads: OpenLoop {
        let seconds = scenario == .poolContentionPaced ? 2.0 : 1
        return OpenLoop(perSecond: 1_000, threads: 4, seconds: effort.isQuick ? 0.1 : seconds)
    }

    /// The rate of the writer of a contention scenario; `nil` if it writes without pause.
    public var writerPace: Pace? { scenario == .poolContentionPaced ? Pace(perSecond: 2_000) : nil }

    /// The number of rows that a bulk transaction inserts.
    public var insertedRows: Int { effort.isQuick ? 1_000 : 100_000 }
}

/// Runs scenarios with one engine.
public protocol Workload: Sendable {
    /// Runs one round and returns its measurements.
    ///
    /// - Throws: ``Absence`` if the engine cannot run the scenario.
    func run(_ request: RoundRequest) throws -> RoundResult
}

/// The reason why an engine cannot run a scenario.
public struct Absence: Error {
    public let reason: String

    public init(_ reason: String) {
        self.reason = reason
    }
}
