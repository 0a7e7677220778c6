/// How much work a round is.
public struct Effort: Codable, Sendable {
    /// The most operations of a loop.
    public let operations: Int
    /// The longest that a loop goes on; it always does some operations.
    public let seconds: Double

    public static let full = Effort(operations: 20_000, seconds: 0.3)
    public static let quick = Effort(operations: 20, seconds: 0.3)

    public var isQuick: Bool { operations == Effort.quick.operations }

    public init(operations: Int, seconds: Double) {
        (self.operations, self.seconds) = (operations, seconds)
    }

    public func limited(to operations: Int) -> Effort {
        Effort(operations: min(operations, self.operations), seconds: seconds)
    }
}
