/// The tables that a compiled statement reads and writes, and its effects on the transaction and the schema.
///
/// ```swift
/// var access = StatementAccess()  // of UPDATE player SET score = 50 WHERE team = 5
/// access.reads = [TableRead(TableName(name: "player"), columns: ["team"])]
/// access.writes = [TableWrite(TableName(name: "player"), .update(columns: ["score"]))]
/// access.isReadOnly = false
/// ```
///
/// A backend that does not know something exactly claims more: all columns instead of some, or ``readsUnknown``.
/// Names are in the schema's spelling, whatever the spelling in the statement.
public struct StatementAccess: Sendable, Hashable {
    /// The tables that the statement reads, each once, wherever it uses them: in the result, a condition, an
    /// order, a subquery, a view or a trigger.
    ///
    /// For a statement that writes, this includes what it reads to do so, such as the columns of its WHERE clause.
    public var reads: [TableRead] = []
    /// Whether the statement reads something that ``reads`` cannot name. It then counts as reading everything.
    public var readsUnknown = false
    /// The tables that the statement writes, including effects of triggers and foreign keys if the backend
    /// knows them.
    public var writes: [TableWrite] = []
    /// The effect on the transaction; `nil` for a statement that has none.
    public var transactionEffect: TransactionEffect?
    /// Whether the statement may create, drop or alter tables, views, indexes or triggers.
    public var changesSchema = false
    /// The tables whose definition the statement may change.
    public var alteredTables: [TableName] = []
    /// Whether the statement itself does not change the database. Functions that it calls may still write.
    public var isReadOnly = true

    /// Creates the access of a statement that reads and writes nothing.
    public init() {}
}

/// A table that a statement reads, with the columns that it reads.
public struct TableRead: Sendable, Hashable {
    /// The table, in the schema's spelling.
    public var table: TableName
    /// The columns that are read, in the schema's spelling; `nil` for all columns.
    ///
    /// An empty set means that the result depends only on which rows exist and on their keys: `SELECT COUNT(*)`.
    /// Updates then do not matter, so use `nil` if that is not certain.
    public var columns: Set<String>?

    /// Creates a read of some columns, or of all with `nil`.
    public init(_ table: TableName, columns: Set<String>? = nil) {
        self.table = table
        self.columns = columns
    }
}

/// A table that a statement writes, and how.
public struct TableWrite: Sendable, Hashable {
    /// The kind of a write.
    public enum Kind: Sendable, Hashable {
        /// Rows are inserted.
        case insert
        /// Rows are deleted.
        case delete
        /// Rows are updated, with an assignment to these columns, in the schema's spelling.
        case update(columns: Set<String>)
    }

    /// The table, in the schema's spelling.
    public var table: TableName
    /// The kind of the write.
    public var kind: Kind

    /// Creates a write of a table.
    public init(_ table: TableName, _ kind: Kind) {
        self.table = table
        self.kind = kind
    }
}

/// The effect of a statement on the transaction if it succeeds.
public enum TransactionEffect: Sendable, Hashable {
    /// Begins a transaction.
    case begin
    /// Commits the transaction.
    case commit
    /// Rolls the transaction back.
    case rollback
    /// Opens a savepoint, with its name as text, without quotes.
    case savepoint(String)
    /// Releases a savepoint. The outermost one may thereby commit.
    case release(String)
    /// Rolls back to a savepoint, which stays open.
    case rollbackTo(String)
}
