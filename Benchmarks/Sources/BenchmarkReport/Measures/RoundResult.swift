/// The measurements of one worker process: one scenario, one size, one round.
public struct RoundResult: Codable, Sendable {
    /// The figure, in the unit of the scenario.
    public var value: Double
    /// The number of operations: writes, transactions or rows.
    public var operations: Int
    /// The number of fetches by observations; `nil` if the scenario or the engine has no observations.
    public var fetches: Int?
    /// The number of callbacks; `nil` if the scenario or the engine has no observations.
    public var notifications: Int?
    /// The peak of the process's resident memory, as the system reports it.
    public var peakBytes: Int
    /// The latencies of single operations.
    public var latencies: LatencyHistogram
    /// Other measurements by name, such as `writes per second`.
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

/// The line of JSON that a worker prints.
public enum WorkerLine: Codable, Sendable {
    case result(RoundResult)
    /// The engine cannot run this scenario, or is not installed.
    case absent(reason: String)
}
