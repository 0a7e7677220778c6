/// What one worker process measured: one scenario, one size, one round.
public struct RoundResult: Codable, Sendable {
    /// The figure, in the unit of the scenario.
    public var value: Double
    /// How often the work was done: writes, transactions, rows.
    public var operations: Int
    /// How often a query of an observation was run; `nil` where there is none to count.
    public var fetches: Int?
    /// How often somebody was called back.
    public var notifications: Int?
    /// The most memory that the process had, as the system counts it.
    public var peakBytes: Int
    public var latencies: LatencyHistogram
    /// What else was measured, by name, such as `writes per second`.
    public var metrics: [String: Double]

    public init(
        value: Double, operations: Int, fetches: Int? = nil, notifications: Int? = nil,
        latencies: LatencyHistogram = LatencyHistogram(), metrics: [String: Double] = [:]
    ) {
        self.value = value
        self.operations = operations
        self.fetches = fetches
        self.notifications = notifications
        self.latencies = latencies
        self.metrics = metrics
        peakBytes = 0
    }
}

/// The line that a worker writes.
public enum WorkerLine: Codable, Sendable {
    case result(RoundResult)
    /// The engine cannot do this, or is not there.
    case absent(reason: String)
}
