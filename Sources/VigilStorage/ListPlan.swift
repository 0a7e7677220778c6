/// How the rows of a statement can be kept up to date one by one, instead of running the whole statement
/// after each change.
///
/// It consists of two kinds of statements. ``sql`` returns all rows, and each ``Source/rowSQL`` only rows
/// with one row of a table. Their rows begin with the columns of the planned statement, and may continue with
/// hidden columns. The ``keyColumns`` hold the row id in each of the ``sources``, then the value of each of
/// the ``terms``.
///
/// A row of the result must be a function of one row of each source, of the rows that ``links`` lead from to
/// one of these, and of the rows of the ``watched`` tables. The changed rows of a followed table are then
/// enough to fetch after a change of it.
///
/// ```swift
/// // SELECT name FROM player ORDER BY score DESC
/// ListPlan(
///     sql: "SELECT name, player.rowid, player.score FROM player ORDER BY score DESC",
///     sources: [
///         .init(
///             TableName(name: "player"),
///             rowSQL: "SELECT name, player.rowid, player.score FROM player WHERE player.rowid = ?1")
///     ],
///     terms: [.init(isDescending: true)], keyColumns: [1, 2], columnCount: 1, parameterCount: 0)
/// ```
public struct ListPlan: Sendable, Hashable {
    /// An entry of the statement's FROM clause.
    public struct Source: Sendable, Hashable {
        /// The table, in the schema's spelling.
        public var table: TableName
        /// Whether the row can be missing, because the table is on the optional side of a join.
        public var isOptional: Bool
        /// The statement for the rows of the result with one row of this source. The row id is its last
        /// parameter, after the parameters of the planned statement. `nil` if the source is not followed.
        public var rowSQL: String?

        /// Creates a source.
        public init(_ table: TableName, isOptional: Bool = false, rowSQL: String? = nil) {
            self.table = table
            self.isOptional = isOptional
            self.rowSQL = rowSQL
        }
    }

    /// A table whose changes require a fetch of all rows.
    public struct WatchedTable: Sendable, Hashable {
        /// The table, in the schema's spelling.
        public var table: TableName
        /// The reason, such as `right of a LEFT JOIN`.
        public var reason: String

        /// Creates a watched table.
        public init(_ table: TableName, reason: String) {
            self.table = table
            self.reason = reason
        }
    }

    /// A table whose rows belong to the rows of a source with an equal value.
    ///
    /// With the values of its changed rows, before and after the change, ``sql`` finds the rows of the source
    /// to look up.
    public struct Link: Sendable, Hashable {
        /// The table, in the schema's spelling.
        public var table: TableName
        /// The column with the values.
        public var column: RowCondition.Column
        /// The index of the source, which must be followed.
        public var source: Int
        /// The statement for the row ids in the source that belong to a value, its only parameter. The value
        /// is not NULL.
        public var sql: String

        /// Creates a link.
        public init(_ table: TableName, column: RowCondition.Column, source: Int, sql: String) {
            self.table = table
            self.column = column
            self.source = source
            self.sql = sql
        }
    }

    /// A term of the order of the rows.
    public struct SortTerm: Sendable, Hashable {
        /// How text is compared. A statement that sorts by another collation has no plan.
        public enum Collation: Sendable, Hashable {
            /// Byte by byte.
            case binary
            /// Byte by byte, with ASCII letters in lower case.
            case nocase
        }

        /// How text is compared.
        public let collation: Collation
        /// Whether greater values come first.
        public let isDescending: Bool
        /// Whether NULL comes after all other values. Otherwise, it comes before them.
        public let nullsAreLast: Bool

        /// Creates a term. With `nil` for `nullsAreLast`, the direction decides the place of NULL.
        public init(
            collation: Collation = .binary, isDescending: Bool = false, nullsAreLast: Bool? = nil
        ) {
            self.collation = collation
            self.isDescending = isDescending
            self.nullsAreLast = nullsAreLast ?? isDescending
        }
    }

    /// The rows of its result that a statement returns: `LIMIT` and `OFFSET`.
    public struct Window: Sendable, Hashable {
        /// The number of rows: a literal integer or a parameter. A negative one means all.
        public var limit: RowConditionTemplate.Operand
        /// The number of rows before them; `nil` for none.
        public var offset: RowConditionTemplate.Operand?

        /// Creates a window.
        public init(limit: RowConditionTemplate.Operand, offset: RowConditionTemplate.Operand? = nil) {
            self.limit = limit
            self.offset = offset
        }
    }

    /// The statement for all rows, in the order of the planned statement. With a ``window``, the statement
    /// for the first rows, whose number is its last parameter: it sorts by the ``terms`` and by the row ids.
    public var sql: String
    /// The entries of the FROM clause: from left to right, or, with a ``window``, in any order.
    public var sources: [Source]
    /// The tables read in places that are neither followed nor linked.
    public var watched: [WatchedTable]
    /// The links of tables read in other places than as followed sources.
    public var links: [Link]
    /// The order of the rows. Rows with equal values are in the order of their row ids in the ``sources``, in
    /// the direction of the last term.
    public var terms: [SortTerm]
    /// The rows that the planned statement returns; `nil` for all.
    public var window: Window?
    /// The text of each term as the planned statement has it, for display.
    public var termTexts: [String]
    /// The positions, from 0, of the row id of each source, then of the value of each term.
    ///
    /// They are hidden columns, unless the planned statement itself returns the same value. Two values can
    /// share a column.
    public var keyColumns: [Int]
    /// The number of columns of the planned statement.
    public var columnCount: Int
    /// The number of parameters of the planned statement.
    public var parameterCount: Int
    /// Whether the library rounds an integer when it compares it with a floating-point number.
    public var roundsLargeIntegers: Bool

    /// Creates a plan. Without ``keyColumns``, all of them are hidden columns.
    public init(
        sql: String, sources: [Source], watched: [WatchedTable] = [], links: [Link] = [],
        terms: [SortTerm], termTexts: [String] = [], window: Window? = nil, keyColumns: [Int]? = nil,
        columnCount: Int,
        parameterCount: Int, roundsLargeIntegers: Bool = false
    ) {
        self.sql = sql
        self.sources = sources
        self.watched = watched
        self.links = links
        self.terms = terms
        self.termTexts = termTexts
        self.window = window
        self.keyColumns = keyColumns ?? Array(columnCount..<columnCount + sources.count + terms.count)
        self.columnCount = columnCount
        self.parameterCount = parameterCount
        self.roundsLargeIntegers = roundsLargeIntegers
    }

    /// The number of columns in the rows of the statements.
    package var width: Int { keyColumns.reduce(columnCount) { max($0, $1 + 1) } }
}

/// The plan of a statement's result, or the reason why there is none.
public enum ListPlanReport: Sendable, Hashable {
    /// The rows can be kept up to date one by one.
    case plan(ListPlan)
    /// They are fetched as a whole, for a reason such as `it has GROUP BY`.
    case refused(String)
}
