/// How a view is created.
public struct ViewOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Nothing happens if there is a view of that name.
    public static let ifNotExists = ViewOptions(rawValue: 1 << 0)

    /// The view is the connection's own, and goes with it.
    public static let temporary = ViewOptions(rawValue: 1 << 1)
}
