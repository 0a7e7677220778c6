/// Options for creating a table.
///
/// ```swift
/// try db.create(table: "player", options: [.ifNotExists, .strict]) { t in … }
/// ```
public struct TableOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if a table of this name exists.
    public static let ifNotExists = TableOptions(rawValue: 1 << 0)

    /// Creates a temporary table, visible only to its connection, and dropped when the connection closes.
    public static let temporary = TableOptions(rawValue: 1 << 1)

    /// Stores rows by their primary key, without row ids.
    ///
    /// See <https://www.sqlite.org/withoutrowid.html>.
    public static let withoutRowID = TableOptions(rawValue: 1 << 2)

    /// Rejects values of other types than the column's. Requires SQLite 3.37.
    ///
    /// See <https://www.sqlite.org/stricttables.html>.
    public static let strict = TableOptions(rawValue: 1 << 3)
}
