/// Options for creating a view.
///
/// ```swift
/// try db.create(view: "hero", options: .ifNotExists, asLiteral: "SELECT * FROM player WHERE score > 1000")
/// ```
public struct ViewOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if a view of this name exists.
    public static let ifNotExists = ViewOptions(rawValue: 1 << 0)

    /// Creates a temporary view, visible only to its connection, and dropped when the connection closes.
    public static let temporary = ViewOptions(rawValue: 1 << 1)
}
