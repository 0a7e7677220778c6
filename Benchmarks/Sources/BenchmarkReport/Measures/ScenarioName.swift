/// The name of a scenario. Names are stable, so that figures of different versions can be compared.
public enum ScenarioName: String, CaseIterable, Codable, Sendable {
    case writeBaseline = "write-baseline"
    case unrelatedWrites = "unrelated-writes"
    case oneRowHit = "one-row-hit"
    case predicateHit = "predicate-hit"
    case equalObservations = "equal-observations"
    case avoidable
    case burst
    case bulkTransaction = "bulk-transaction"
    case poolContention = "pool-contention"
    case startChurn = "start-churn"
    case notificationLatency = "notification-latency"
    case foreignWriteLatency = "foreign-write-latency"
    case decodeRows = "decode-rows"
    case decodeRecords = "decode-records"
    case fetchByKey = "fetch-by-key"
    case insertRecords = "insert-records"
    case updateRecords = "update-records"
    case requestBuild = "request-build"
    case memory
}

/// A kind of work that is measured, at several sizes.
public struct Scenario: Sendable {
    public let name: ScenarioName
    /// The unit of the figure, such as `ns per write`.
    public let unit: String
    /// The noun that `n` counts, such as `observations`.
    public let sizeName: String
    /// The values of `n` in a full run.
    public let sizes: [Int]
    /// The values of `n` in a short run, which only shows that everything works.
    public let quickSizes: [Int]
    /// A description of what the scenario measures.
    public let measures: String
    /// A description of what the figure does not include.
    public let leavesOut: String
    /// Whether reports have a chart of latencies. Few and long operations have no meaningful distribution.
    public var hasLatencies = true

    /// Returns the scenario of the table ``all``.
    public static func named(_ name: ScenarioName) -> Scenario {
        guard let scenario = all.first(where: { $0.name == name }) else {
            preconditionFailure("the table of scenarios has no \(name.rawValue)")
        }
        return scenario
    }
}
