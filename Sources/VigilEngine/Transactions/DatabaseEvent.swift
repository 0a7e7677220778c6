public import VigilRegions
import VigilStorage

/// A kind of change that a statement can make.
@frozen
public enum DatabaseEventKind: Sendable, Equatable {
    case insert(tableName: String)
    case delete(tableName: String)
    /// With the columns that the statement assigns to.
    case update(tableName: String, columnNames: Set<String>)

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
public struct DatabaseEvent: Sendable {
    public enum Kind: Int32, Sendable {
        case insert = 18
        case delete = 9
        case update = 23
    }

    public let kind: Kind
    /// The row that was inserted or deleted, or the row as it is after an update.
    public let rowID: Int64
    let table: TableName

    /// The schema of the table: `main`, `temp`, or the name of an attached database.
    public var databaseName: String { table.schema }
    public var tableName: String { table.name }

    /// An event that lasts.
    public func copy() -> DatabaseEvent { self }

    init(kind: Kind, rowID: Int64, table: TableName) {
        self.kind = kind
        self.rowID = rowID
        self.table = table
    }

    /// Makes an event of what SQLite's update hook tells.
    public init(
        kind: Kind, rowID: Int64, databaseNameCString: UnsafePointer<CChar>?,
        tableNameCString: UnsafePointer<CChar>?
    ) {
        let schema = databaseNameCString.map { String(cString: $0) } ?? "main"
        let name = tableNameCString.map { String(cString: $0) } ?? ""
        self.init(kind: kind, rowID: rowID, table: TableName(schema: schema, name: name))
    }

    /// `nil` for rows without a row id.
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

    /// Whether it is a change of that kind. What a trigger or a virtual table does behind a statement's back is of none.
    func matches(_ eventKind: DatabaseEventKind) -> Bool {
        guard tableName.isSameName(as: eventKind.tableName) else { return false }
        return switch (kind, eventKind) {
        case (.insert, .insert), (.delete, .delete), (.update, .update): true
        default: false
        }
    }
}

extension DatabaseRegion {
    /// Whether a change of that kind may touch the region. Row ids are not considered.
    public func isModified(byEventsOfKind eventKind: DatabaseEventKind) -> Bool {
        if isFullDatabase { return true }
        return tables.contains { part in
            guard part.table.name.isSameName(as: eventKind.tableName) else { return false }
            guard case .update(_, let updated) = eventKind, let columns = part.columns else { return true }
            return columns.contains { column in updated.contains { $0.isSameName(as: column) } }
        }
    }

    /// Whether a change touches the region.
    ///
    /// - Precondition: its kind does, see ``isModified(byEventsOfKind:)``.
    public func isModified(by event: DatabaseEvent) -> Bool {
        includesRow(.integer(event.rowID), of: event.table)
    }
}

extension Statement {
    /// The kinds of changes that the statement can make.
    public var authorizerEventKinds: [DatabaseEventKind] { access.writes.map { DatabaseEventKind($0) } }
}
