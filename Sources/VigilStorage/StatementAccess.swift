/// The reads and writes of a compiled statement, and its effects on the transaction and the schema.
///
/// ```swift
/// var access = StatementAccess()  // of UPDATE player SET score = 50 WHERE team = 5
/// access.reads = [TableRead(TableName(name: "player"), columns: ["team"])]
/// access.writes = [TableWrite(TableName(name: "player"), .update(columns: ["score"]))]
/// access.isReadOnly = false
/// ```
///
/// If a backend does not know something exactly, it claims more: all columns instead of some, or
/// ``readsUnknown``. Names are in the schema's spelling, whatever the spelling in the statement.
public struct StatementAccess: Sendable, Hashable {
    /// The tables read by the statement, each once, wherever it uses them: in the result, a condition, an
    /// order, a subquery, a view or a trigger.
    ///
    /// For a writing statement, this includes its reads, such as the columns of its WHERE clause.
    public var reads: [TableRead] = []
    /// Whether the statement reads something not in ``reads``. It then counts as reading everything.
    public var readsUnknown = false
    /// The written tables, including effects of triggers and foreign keys if the backend knows them.
    public var writes: [TableWrite] = []
    /// The effect on the transaction; `nil` for other statements.
    public var transactionEffect: TransactionEffect?
    /// Whether the statement may create, drop or alter tables, views, indexes or triggers.
    public var changesSchema = false
    /// The tables whose definition the statement may change.
    public var alteredTables: [TableName] = []
    /// Whether the statement itself does not change the database. Functions that it calls may still write.
    public var isReadOnly = true

    /// Creates the access of a statement without reads and writes.
    public init() {}
}

/// A table read by a statement, with the read columns.
public struct TableRead: Sendable, Hashable {
    /// The table, in the schema's spelling.
    public var table: TableName
    /// The read columns, in the schema's spelling; `nil` for all columns.
    ///
    /// An empty set: the result depends only on the existence of rows and on their keys: `SELECT COUNT(*)`.
    /// Updates then do not matter, so use `nil` if it is not certain.
    public var columns: Set<String>?

    /// Creates a read of some columns, or of all with `nil`.
    public init(_ table: TableName, columns: Set<String>? = nil) {
        self.table = table
        self.columns = columns
    }
}

/// A table written by a statement, and how.
public struct TableWrite: Sendable, Hashable {
    /// The kind of a write.
    public enum Kind: Sendable, Hashable {
        /// Rows are inserted.
        case insert
        /// Rows are deleted.
        case delete
        /// Rows are updated, with an assignment to these columns, in the schema's spelling.
        ///
        /// They contain all columns that an update by the statement may change, also by triggers: the values
        /// of others are not compared. A generated column may be missing if its readers are reported to read
        /// the columns that it depends on.
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
    /// Rolls back to a savepoint, and keeps it open.
    case rollbackTo(String)
}
