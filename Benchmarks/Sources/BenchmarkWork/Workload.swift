public import BenchmarkReport

/// What a round is to do.
public struct RoundRequest: Codable, Sendable {
    public let scenario: ScenarioName
    public let n: Int
    public let effort: Effort
    /// The command, with its first arguments, that writes from another process. See `foreign-write-latency`.
    public let writerCommand: [String]

    public init(scenario: ScenarioName, n: Int, effort: Effort, writerCommand: [String]) {
        (self.scenario, self.n, self.effort, self.writerCommand) = (scenario, n, effort, writerCommand)
    }

    /// The rows of a bulk transaction.
    public var insertedRows: Int { effort.isQuick ? 1_000 : 100_000 }
}

/// An engine that does the work of a round.
public protocol Workload: Sendable {
    /// Does one round. Throws ``Absence`` if the engine cannot.
    func run(_ request: RoundRequest) throws -> RoundResult
}

/// Why an engine cannot do a scenario.
public struct Absence: Error {
    public let reason: String

    public init(_ reason: String) {
        self.reason = reason
    }
}
