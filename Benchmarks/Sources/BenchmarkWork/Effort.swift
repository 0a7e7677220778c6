/// The limits of a measured loop.
public struct Effort: Codable, Sendable {
    /// The maximum number of operations of a loop.
    public let operations: Int
    /// The maximum duration of a loop, in seconds. A loop always runs at least one operation.
    public let seconds: Double

    /// The effort of a full run.
    public static let full = Effort(operations: 20_000, seconds: 0.3)
    /// The effort of a short run, whose times are meaningless.
    public static let quick = Effort(operations: 20, seconds: 0.3)

    /// Whether this is the effort of a short run.
    public var isQuick: Bool { operations == Effort.quick.operations }

    /// Whether a profiler watches the loop, which then runs only the form of the operation that it is about.
    public var isProfile = false

    public init(operations: Int, seconds: Double) {
        (self.operations, self.seconds) = (operations, seconds)
    }

    /// Returns the effort of a profile: a number of operations, however long they take up to ten minutes.
    public static func profile(operations: Int) -> Effort {
        var effort = Effort(operations: operations, seconds: 600)
        effort.isProfile = true
        return effort
    }

    /// Returns an effort with at most the given number of operations.
    public func limited(to operations: Int) -> Effort {
        Effort(operations: min(operations, self.operations), seconds: seconds)
    }
}
