/// A change that a connection reports to its ``ChangeSink`` while a statement runs.
///
/// A backend reports a change coarsely if it cannot describe it precisely. It never omits a change: a
/// missing event is a missed change, while an unnecessary or coarse event only costs an unnecessary fetch.
public enum ChangeEvent {
    /// One row was or is about to be inserted, updated or deleted.
    case row(RowChange)
    /// Any row of the table may have changed.
    case table(TableName)
    /// Any row of any table may have changed.
    case database
}

/// The change of one row.
///
/// ```swift
/// let table = TableName(name: "player")
/// sink.didChange(.row(RowChange(table: table, kind: .insert, oldKey: nil, newKey: .integer(7))))
/// ```
///
/// A row change is valid only until ``ChangeSink/didChange(_:)`` returns, because its ``images`` are. A sink
/// copies the values.
public struct RowChange {
    /// The kind of a row change.
    public enum Kind: Sendable, Hashable {
        /// The row was inserted.
        case insert
        /// Columns of the row were assigned, perhaps to their previous values.
        case update
        /// The row was deleted, by DELETE, REPLACE or a foreign key action.
        case delete
    }

    /// The table of the row, in the schema's spelling.
    public let table: TableName
    /// The kind of the change.
    public let kind: Kind
    /// The key of the row before the change; `nil` for an insertion.
    public let oldKey: RowKey?
    /// The key of the row after the change; `nil` for a deletion.
    ///
    /// It differs from ``oldKey`` if an update assigned another key to the row.
    public let newKey: RowKey?
    /// The values of the row before and after the change; `nil` if the backend does not report them.
    ///
    /// A connection that declares ``StorageCapabilities/reportsRowImages`` provides them with every row
    /// change; any other connection may do so.
    public let images: (any RowImages)?

    /// Creates a row change. Only an insertion has no old key, and only a deletion has no new key.
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

/// The identity of a row in its table.
public enum RowKey: Sendable, Hashable {
    /// The integer row id.
    case integer(Int64)
    /// The values of the primary key's columns, in the order of the primary key.
    case values([StorageValue])
    /// The backend does not know the key: any row may have changed.
    case unknown
}

/// The values of a changed row, before and after the change.
///
/// Each value is looked up when it is requested, so a sink pays only for the requested columns. An
/// object and its cells are valid only until ``ChangeSink/didChange(_:)`` returns; a backend
/// may use one object for many changes.
public protocol RowImages: AnyObject {
    /// The columns of the table, including the primary key's. The functions below use their indexes.
    var columnNames: [String] { get }

    /// Returns the value of a column before the change; `nil` for an inserted row.
    ///
    /// For an updated or deleted row, `nil` is an unknown value: it may be any value.
    func oldValue(at column: Int) -> StorageCell?

    /// Returns the value of a column after the change; `nil` for a deleted row.
    ///
    /// For an inserted or updated row, `nil` is an unknown value: it may be any value.
    func newValue(at column: Int) -> StorageCell?

    /// Returns whether an update certainly has not changed a column, although its values are unknown.
    func isUnchanged(at column: Int) -> Bool
}

extension RowImages {
    /// `false`: a column with unknown values may have changed.
    public func isUnchanged(at column: Int) -> Bool { false }
}

/// A connection with row images on request, for backends where they are expensive.
///
/// A connection with ``StorageCapabilities/reportsRowImages`` does not need this protocol.
public protocol RowImageProviding: StorageConnection {
    /// Sets the tables whose row changes need ``RowChange/images``, from the next transaction on. They
    /// replace the tables of earlier calls.
    ///
    /// A change may still arrive without images if the backend cannot provide correct ones. Otherwise the
    /// request has no visible effect: the same changes are reported, and the schema looks the same.
    func provideRowImages(of tables: Set<TableName>)
}

/// Receives the changes, commits and rollbacks of one connection.
///
/// The connection calls its sink on the thread of the connection, in the middle of a statement or transaction
/// command, so the sink must not use the connection. In each transaction, the events arrive in this order:
///
/// 1. ``didChange(_:)`` for the changes, each before its statement returns from its last
///    ``StorageStatement/step()``.
/// 2. ``willCommit()`` once, when the transaction is about to be committed, after all of its changes. If the
///    commit fails and the transaction stays open, the next attempt calls it again.
/// 3. ``didRollback()`` once, if the transaction is rolled back: explicitly, by a failed commit, or by the
///    library.
///
/// A statement outside of a transaction is a transaction of its own: if it fails after it has begun to write,
/// it reports a rollback. A rollback to a savepoint, and a failed statement inside a transaction that stays
/// open, are not reported. A transaction without changes reports nothing. A change may be reported before the
/// success of its statement is certain.
public protocol ChangeSink: AnyObject {
    /// Receives a change. Called with ``ChangeInterest/changes`` and ``ChangeInterest/everyRow`` only.
    func didChange(_ event: ChangeEvent)

    /// Returns how precisely a row change needs to be reported.
    ///
    /// A backend may call this before it reports a row, to save the work of describing a change that makes no
    /// difference. The answer holds for one row only. A backend that never asks reports every row.
    func rowInterest(in table: TableName, _ kind: RowChange.Kind) -> RowInterest

    /// Returns whether the transaction may be committed. Called when it is about to be.
    ///
    /// If this returns `false`, the backend rolls the transaction back, calls ``didRollback()``, and throws
    /// ``StorageError/Code/constraint`` from the committing statement or command.
    ///
    /// `true` does not promise a commit: the commit can still fail, and leave the transaction open or roll it
    /// back.
    func willCommit() -> Bool

    /// Receives the rollback of a transaction, requested by the user, ``willCommit()`` or the library.
    func didRollback()
}

extension ChangeSink {
    /// Returns ``RowInterest/row``: every row change is reported as such.
    public func rowInterest(in table: TableName, _ kind: RowChange.Kind) -> RowInterest { .row }
}

/// How precisely a row change needs to be reported. A more precise report is always permitted.
public enum RowInterest: Sendable, Hashable {
    /// No report is needed: earlier reports cover the change.
    case nothing
    /// ``ChangeEvent/table(_:)`` is sufficient.
    case table
    /// The change itself, as ``ChangeEvent/row(_:)``.
    case row
}

/// How finely a connection reports to its sink. Each case includes the reports of the ones before it.
public enum ChangeInterest: Sendable, Hashable, Comparable {
    /// Nothing is reported.
    case nothing
    /// Commits and rollbacks are reported, changes are not.
    case transactions
    /// Changes are reported; the deletion of all rows of a table perhaps as ``ChangeEvent/table(_:)``.
    case changes
    /// Changes are reported, and each deleted row separately if the connection declares
    /// ``StorageCapabilities/reportsEveryRow``.
    case everyRow
}
