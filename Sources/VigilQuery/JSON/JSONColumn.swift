/// A column that contains JSON.
///
/// Its values can be extracted by path, and other JSON functions read it as JSON instead of text:
///
/// ```swift
/// let address = JSONColumn("address")
/// // SELECT * FROM player WHERE address ->> 'city' = 'Paris'
/// let players = try Player.filter(address["city"] == "Paris").fetchAll(db)
/// ```
///
/// In a list of columns, mix it with ``Column``:
///
/// ```swift
/// struct Player: TableRecord {
///     enum Columns {
///         static let name = Column("name")
///         static let address = JSONColumn("address")
///     }
/// }
/// ```
public struct JSONColumn: ColumnExpression, SQLJSONExpressible, Sendable {
    /// The name of the column, not qualified by a table.
    public var name: String

    /// Creates a column with the given name, to be quoted in SQL. The name must not be qualified by a table.
    public init(_ name: String) {
        self.name = name
    }

    /// Creates a column with the name of a coding key.
    public init(_ codingKey: some CodingKey) {
        self.init(codingKey.stringValue)
    }
}
