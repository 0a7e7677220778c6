/// The place of a commit in the order of the commits of one database connection: a later commit has a higher
/// number.
public struct CommitNumber: Sendable, Hashable, Comparable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Before the first commit.
    public static let zero = CommitNumber(rawValue: 0)

    public static func < (a: CommitNumber, b: CommitNumber) -> Bool { a.rawValue < b.rawValue }

    /// The number of the commit after this one.
    package var next: CommitNumber { CommitNumber(rawValue: rawValue + 1) }
}

extension CommitNumber: CustomStringConvertible {
    public var description: String { "\(rawValue)" }
}
