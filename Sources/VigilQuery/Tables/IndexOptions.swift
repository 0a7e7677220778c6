/// How an index is created.
public struct IndexOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Nothing happens if there is an index of that name.
    public static let ifNotExists = IndexOptions(rawValue: 1 << 0)

    /// No two rows have the same values.
    public static let unique = IndexOptions(rawValue: 1 << 1)
}
