/// A kind of work that is measured. The names are fixed: figures of today are compared with figures of tomorrow.
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
    case memory
}

/// A scenario: what is measured, for how many observations, rows or commits.
public struct Scenario: Sendable {
    public let name: ScenarioName
    /// What the figure counts, such as `ns per write`.
    public let unit: String
    /// What `n` counts.
    public let sizeName: String
    public let sizes: [Int]
    /// The sizes of a short run, which only shows that everything works.
    public let quickSizes: [Int]
    public let measures: String
    public let leavesOut: String
    /// Whether operations are few and long: then there is no distribution of latencies worth a chart.
    public var hasLatencies = true

    public static func named(_ name: ScenarioName) -> Scenario {
        guard let scenario = all.first(where: { $0.name == name }) else {
            preconditionFailure("the table of scenarios has no \(name.rawValue)")
        }
        return scenario
    }
}
