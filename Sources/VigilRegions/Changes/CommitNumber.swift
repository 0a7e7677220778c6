/// The position of a commit in the order of the commits of one database connection. Later commits have higher
/// numbers.
public struct CommitNumber: Sendable, Hashable, Comparable {
    /// The number: 0 before the first commit, 1 for the first one.
    public let rawValue: UInt64

    /// Creates a commit number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The number before the first commit.
    public static let zero = CommitNumber(rawValue: 0)

    /// Returns whether a commit came before another one.
    public static func < (a: CommitNumber, b: CommitNumber) -> Bool { a.rawValue < b.rawValue }

    /// The number of the next commit.
    package var next: CommitNumber { CommitNumber(rawValue: rawValue + 1) }
}

extension CommitNumber: CustomStringConvertible {
    /// The number.
    public var description: String { "\(rawValue)" }
}
