public import VigilEngine

/// A column of a table, as an expression.
///
/// ``Column`` conforms, and so can enumerations of column names:
///
/// ```swift
/// struct Player: TableRecord {
///     enum Columns: String, ColumnExpression {
///         case id, name, score
///     }
/// }
/// let request = Player.filter(Player.Columns.score > 1000)
/// ```
public protocol ColumnExpression: SQLSpecificExpressible {
    /// The name of the column, not qualified by a table.
    var name: String { get }
}

extension ColumnExpression {
    /// The column of the table of the enclosing request.
    public var sqlExpression: SQLExpression { SQLExpression(ExpressionNode.column(name)) }

    /// The name, never qualified by a table. It can refer to a result column with this name.
    ///
    /// ```swift
    /// Player
    ///     .annotated(with: (Column("score") + Column("bonus")).forKey("total"))
    ///     .order(Column("total").detached)
    /// ```
    public var detached: SQLExpression {
        SQLExpression(ExpressionNode.detachedColumn(name))
    }
}

extension ColumnExpression where Self: RawRepresentable, RawValue == String {
    /// The raw value.
    public var name: String { rawValue }
}

/// A column of a table, identified by its name.
///
/// ```swift
/// let players = try Player
///     .filter(Column("score") > 1000)
///     .order(Column("name"))
///     .fetchAll(db)
/// ```
public struct Column: Sendable, ColumnExpression {
    /// The name of the column, not qualified by a table.
    public var name: String

    /// The row id, unless the table has a column named `rowid`.
    public static let rowID = Column("rowid")

    /// Creates a column with the given name, to be quoted in SQL. The name must not be qualified by a table.
    public init(_ name: String) {
        self.name = name
    }

    /// Creates a column with the name of a coding key.
    public init(_ codingKey: some CodingKey) {
        self.init(codingKey.stringValue)
    }
}

// Allows `.rowID` as an expression, selection or ordering.
extension SQLExpressible where Self == Column {
    /// The row id.
    public static var rowID: Self { Column.rowID }
}

extension SQLSelectable where Self == Column {
    /// The row id.
    public static var rowID: Self { Column.rowID }
}

extension SQLOrderingTerm where Self == Column {
    /// The row id.
    public static var rowID: Self { Column.rowID }
}

extension ColumnExpression where Self == Column {
    /// The row id.
    public static var rowID: Self { Column.rowID }
}
