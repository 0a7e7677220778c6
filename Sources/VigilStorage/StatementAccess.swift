/// What a compiled statement does when it runs.
public struct StatementAccess: Sendable, Hashable {
    /// The tables that it reads, each once.
    public var reads: [TableRead] = []
    /// Set if it reads something that ``reads`` cannot name: it must then be taken to read everything.
    public var readsUnknown = false
    /// What it writes, effects of triggers and foreign keys included where the backend can tell.
    public var writes: [TableWrite] = []
    public var transactionEffect: TransactionEffect?
    /// Whether tables, views, indexes or triggers may be different afterwards.
    public var changesSchema = false
    /// The tables whose definition it may change.
    public var alteredTables: [TableName] = []
    /// Whether it leaves the database file as it is. Functions that it calls may still write.
    public var isReadOnly = true

    public init() {}
}

/// A table that a statement reads.
public struct TableRead: Sendable, Hashable {
    public var table: TableName
    /// The columns that it reads, in the schema's spelling; `nil` for all. Empty if it depends only on which rows there
    /// are, and on what identifies them: `SELECT COUNT(*)`.
    public var columns: Set<String>?

    public init(_ table: TableName, columns: Set<String>? = nil) {
        self.table = table
        self.columns = columns
    }
}

/// A table that a statement writes, and how.
public struct TableWrite: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case insert
        case delete
        /// With the columns that are assigned to, in the schema's spelling.
        case update(columns: Set<String>)
    }

    public var table: TableName
    public var kind: Kind

    public init(_ table: TableName, _ kind: Kind) {
        self.table = table
        self.kind = kind
    }
}

/// What a statement does to the transaction when it succeeds.
public enum TransactionEffect: Sendable, Hashable {
    case begin
    case commit
    case rollback
    case savepoint(String)
    case release(String)
    case rollbackTo(String)
}
