/// How a table is created.
public struct TableOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Nothing happens if there is a table of that name.
    public static let ifNotExists = TableOptions(rawValue: 1 << 0)

    /// The table is the connection's own, and goes with it.
    public static let temporary = TableOptions(rawValue: 1 << 1)

    /// The rows are kept by the primary key, without a row id.
    ///
    /// See <https://www.sqlite.org/withoutrowid.html>.
    public static let withoutRowID = TableOptions(rawValue: 1 << 2)

    /// Values that do not fit the type of their column are refused. Needs SQLite 3.37.
    ///
    /// See <https://www.sqlite.org/stricttables.html>.
    public static let strict = TableOptions(rawValue: 1 << 3)
}
