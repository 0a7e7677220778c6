public import VigilRegions
import VigilStorage

/// A kind of change that a statement can make.
///
/// Transaction observers choose by kind which changes they observe, in
/// ``TransactionObserver/observes(eventsOfKind:)``.
@frozen
public enum DatabaseEventKind: Sendable, Equatable {
    /// The insertion of rows into a table.
    case insert(tableName: String)
    /// The deletion of rows from a table.
    case delete(tableName: String)
    /// An update of rows, with the columns that the statement assigns to.
    case update(tableName: String, columnNames: Set<String>)

    /// The name of the changed table.
    public var tableName: String {
        switch self {
        case .insert(let tableName), .delete(let tableName), .update(let tableName, _): tableName
        }
    }

    init(_ write: TableWrite) {
        self =
            switch write.kind {
            case .insert: .insert(tableName: write.table.name)
            case .delete: .delete(tableName: write.table.name)
            case .update(let columns): .update(tableName: write.table.name, columnNames: columns)
            }
    }
}

/// A change of one row.
///
/// Transaction observers receive events in ``TransactionObserver/databaseDidChange(with:)``.
public struct DatabaseEvent: Sendable {
    /// The kinds of row changes, with the raw values of SQLite.
    public enum Kind: Int32, Sendable {
        /// The row was inserted.
        case insert = 18
        /// The row was deleted.
        case delete = 9
        /// The row was updated.
        case update = 23
    }

    /// The kind of the change.
    public let kind: Kind
    /// The row id of the inserted or deleted row, or of the row after an update.
    public let rowID: Int64
    let table: TableName

    /// The schema of the table: `main`, `temp`, or the name of an attached database.
    public var databaseName: String { table.schema }
    /// The name of the table.
    public var tableName: String { table.name }

    /// Returns an event that remains valid after the notification.
    public func copy() -> DatabaseEvent { self }

    init(kind: Kind, rowID: Int64, table: TableName) {
        self.kind = kind
        self.rowID = rowID
        self.table = table
    }

    /// Creates an event from arguments of SQLite's update hook. `databaseNameCString` is `nil` for `main`.
    public init(
        kind: Kind, rowID: Int64, databaseNameCString: UnsafePointer<CChar>?,
        tableNameCString: UnsafePointer<CChar>?
    ) {
        let schema = databaseNameCString.map { String(cString: $0) } ?? SchemaNaming.main
        let name = tableNameCString.map { String(cString: $0) } ?? ""
        self.init(kind: kind, rowID: rowID, table: TableName(schema: schema, name: name))
    }

    /// Creates an event from a row change; `nil` for rows without a row id.
    init?(_ change: RowChange) {
        guard case .integer(let rowID)? = change.newKey ?? change.oldKey else { return nil }
        let kind: Kind =
            switch change.kind {
            case .insert: .insert
            case .delete: .delete
            case .update: .update
            }
        self.init(kind: kind, rowID: rowID, table: change.table)
    }

    /// Returns whether the event is a change of a kind. Indirect changes by a trigger or a virtual table may
    /// not match any kind of the statement.
    func matches(_ eventKind: DatabaseEventKind) -> Bool {
        guard isInTable(of: eventKind) else { return false }
        return switch (kind, eventKind) {
        case (.insert, .insert), (.delete, .delete), (.update, .update): true
        default: false
        }
    }

    func isInTable(of eventKind: DatabaseEventKind) -> Bool { tableName.isSameName(as: eventKind.tableName) }
}

extension DatabaseRegion {
    /// Returns whether a change of a kind may modify the region, regardless of row ids.
    public func isModified(byEventsOfKind eventKind: DatabaseEventKind) -> Bool {
        if isFullDatabase { return true }
        return tables.contains { part in
            guard part.table.name.isSameName(as: eventKind.tableName) else { return false }
            guard case .update(_, let updated) = eventKind, let columns = part.columns else { return true }
            return columns.contains { column in updated.contains { $0.isSameName(as: column) } }
        }
    }

    /// Returns whether a row change modifies the region.
    ///
    /// - Precondition: the region is modified by changes of its kind, see ``isModified(byEventsOfKind:)``.
    public func isModified(by event: DatabaseEvent) -> Bool {
        includesRow(.integer(event.rowID), of: event.table)
    }
}

extension Statement {
    /// The kinds of changes that the statement can make, as its compilation reports them.
    public var authorizerEventKinds: [DatabaseEventKind] { observed.eventKinds }
}

extension StatementAccess {
    /// Returns the kinds of changes that a statement announces after a change of its accesses: without those
    /// to the tables with the content of a virtual table, which its runs have added.
    func announcedKinds(after known: [DatabaseEventKind]) -> [DatabaseEventKind] {
        let kinds = writes.map { DatabaseEventKind($0) }
        return kinds.filter { kind in
            known.contains(kind) || !known.contains { kind.tableName.hasPrefix($0.tableName + "_") }
        }
    }
}
