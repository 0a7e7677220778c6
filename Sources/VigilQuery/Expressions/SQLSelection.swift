package import VigilEngine
package import VigilRegions

/// A type that can be selected by a request: a column, an expression, all columns of a table.
///
/// ```swift
/// let request = Player.select(Column("id"), max(Column("score")).forKey("best"))
/// ```
public protocol SQLSelectable {
    /// The selection.
    var sqlSelection: SQLSelection { get }
}

/// The columns or expressions selected by a request, as an opaque value.
///
/// ```swift
/// let best: SQLSelection = max(Column("score")).forKey("best")  // MAX("score") AS "best"
/// ```
public struct SQLSelection: Sendable {
    package enum Content: Sendable {
        case allColumns
        /// All columns of an aliased table.
        case allColumnsOf(TableAliasBase)
        case allColumnsExcluding(Set<ColumnName>)
        case allColumnsOfExcluding(TableAliasBase, Set<ColumnName>)
        case expression(SQLExpression)
        case named(SQLExpression, String)
        /// SQL of any number of selections.
        case literal(SQL)
    }

    package let content: Content

    package init(_ content: Content) {
        self.content = content
    }
}

extension SQLSelection: SQLSelectable {
    /// The selection itself.
    public var sqlSelection: SQLSelection { self }
}

/// The selection of all columns of a table, the default of requests.
///
/// ```swift
/// // SELECT *, rowid FROM player
/// let request = Player.select(AllColumns(), Column.rowID)
/// ```
public struct AllColumns: Sendable, SQLSelectable {
    /// Creates the selection.
    public init() {}

    /// The selection of all columns.
    public var sqlSelection: SQLSelection { SQLSelection(.allColumns) }
}

extension SQLSelectable where Self == AllColumns {
    /// The selection of all columns of a table.
    public static var allColumns: AllColumns { AllColumns() }
}

/// The selection of all columns of a table except some.
///
/// ```swift
/// // SELECT id, name FROM player, if its columns are id, name and photo
/// let request = Player.select(.allColumns(excluding: ["photo"]))
/// ```
///
/// The case of ASCII letters in column names is ignored. Names of missing columns are ignored.
public struct AllColumnsExcluding: Sendable, SQLSelectable {
    let excluded: Set<ColumnName>

    /// Creates the selection of all columns except those with the given names.
    public init(_ excludedColumns: some Collection<String>) {
        excluded = Set(excludedColumns.map { ColumnName($0) })
    }

    /// The selection of the remaining columns.
    public var sqlSelection: SQLSelection { SQLSelection(.allColumnsExcluding(excluded)) }
}

extension SQLSelectable where Self == AllColumnsExcluding {
    /// Returns the selection of all columns except those with the given names.
    public static func allColumns(excluding excludedColumns: some Collection<String>) -> Self {
        AllColumnsExcluding(excludedColumns)
    }

    /// Returns the selection of all columns except the given ones.
    public static func allColumns(excluding excludedColumns: some Collection<any ColumnExpression>) -> Self {
        AllColumnsExcluding(excludedColumns.map(\.name))
    }
}

extension SQLSpecificExpressible {
    /// Returns the expression as a result column with the given name.
    ///
    /// ```swift
    /// // SELECT MAX("score") AS "best" FROM "player"
    /// let request = Player.select(max(Column("score")).forKey("best"))
    /// ```
    public func forKey(_ key: String) -> SQLSelection { SQLSelection(.named(sqlExpression, key)) }

    /// Returns the expression as a result column with the name of a coding key.
    public func forKey(_ key: some CodingKey) -> SQLSelection { forKey(key.stringValue) }
}
