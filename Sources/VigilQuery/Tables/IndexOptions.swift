/// Options for creating an index.
///
/// ```swift
/// try db.create(index: "playerByEmail", on: "player", columns: ["email"], options: [.unique, .ifNotExists])
/// ```
public struct IndexOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if an index of this name exists.
    public static let ifNotExists = IndexOptions(rawValue: 1 << 0)

    /// Rejects rows with the same indexed values as another row.
    public static let unique = IndexOptions(rawValue: 1 << 1)
}
