/// What a connection tells while a statement changes the database.
///
/// A change that cannot be described precisely is described coarsely. None is left out.
public enum ChangeEvent {
    /// One row is inserted, updated or deleted.
    case row(RowChange)
    /// Anything in the table may have changed.
    case table(TableName)
    /// Anything in the database may have changed.
    case database
}

/// A changed row.
///
/// Valid only while ``ChangeSink/didChange(_:)`` runs, because of ``images``.
public struct RowChange {
    public enum Kind: Sendable, Hashable {
        case insert
        case update
        case delete
    }

    public let table: TableName
    public let kind: Kind
    /// The key that the row had; `nil` for an insertion.
    public let oldKey: RowKey?
    /// The key that the row has now; `nil` for a deletion.
    public let newKey: RowKey?
    /// The row's values, if the backend reports them.
    public let images: (any RowImages)?

    public init(
        table: TableName, kind: Kind, oldKey: RowKey?, newKey: RowKey?,
        images: (any RowImages)? = nil
    ) {
        self.table = table
        self.kind = kind
        self.oldKey = oldKey
        self.newKey = newKey
        self.images = images
    }
}

/// What identifies a row in its table.
public enum RowKey: Sendable, Hashable {
    /// A row id.
    case integer(Int64)
    /// The values of the primary key, in its order.
    case values([StorageValue])
    /// The backend cannot tell: it may be any row.
    case unknown
}

/// The values of a changed row, before and after. Each is fetched only when it is asked for.
public protocol RowImages: AnyObject {
    /// The columns of the table, in the order of ``oldValue(at:)`` and ``newValue(at:)``.
    var columnNames: [String] { get }

    /// The value of a column before the change; `nil` for an inserted row.
    ///
    /// `nil` for an updated or deleted row means that the value is not known: it may be any.
    func oldValue(at column: Int) -> StorageCell?

    /// The value of a column after the change; `nil` for a deleted row.
    ///
    /// `nil` for an inserted or updated row means that the value is not known: it may be any.
    func newValue(at column: Int) -> StorageCell?
}

/// Receives what a connection reports, on the thread that uses the connection, in the middle of a
/// statement: it must not use the connection.
public protocol ChangeSink: AnyObject {
    func didChange(_ event: ChangeEvent)

    /// What must be told of the change of a row. Asked before each one; all of it unless implemented otherwise.
    func rowInterest(in table: TableName, _ kind: RowChange.Kind) -> RowInterest

    /// The transaction is about to be committed. `false` turns the commit into a rollback.
    ///
    /// The commit can still fail, and the transaction then be open, or rolled back.
    func willCommit() -> Bool

    /// The transaction was rolled back, whoever asked for it: the user, ``willCommit()``, or the library itself.
    func didRollback()
}

extension ChangeSink {
    public func rowInterest(in table: TableName, _ kind: RowChange.Kind) -> RowInterest { .row }
}

/// What must be told of the change of a row. More may be told.
public enum RowInterest: Sendable, Hashable {
    /// Nothing: what was told before covers it.
    case nothing
    /// That the table is changed: ``ChangeEvent/table(_:)`` will do.
    case table
    /// The change itself.
    case row
}

/// How finely changes are reported.
public enum ChangeInterest: Sendable, Hashable, Comparable {
    /// Nothing is reported.
    case nothing
    /// Commits and rollbacks.
    case transactions
    /// Changes too; deletions of whole tables may be reported as ``ChangeEvent/table(_:)``.
    case changes
    /// Changes too, and every deleted row by itself where the backend is able to.
    case everyRow
}
