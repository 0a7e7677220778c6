public import VigilStorage

/// Records the reports of a connection, for tests of backends.
///
/// ```swift
/// let sink = RecordingSink()
/// connection.report(to: sink, interest: .everyRow)
/// // Run statements.
/// XCTAssertEqual(sink.lines, ["insert player 1", "commit?"])
/// ```
///
/// The connection does not retain the sink, and calls it on the thread of the connection. Retain it, and
/// read it between statements.
public final class RecordingSink: ChangeSink {
    /// A recorded row change, with copies of its values.
    public struct Row: Sendable, Hashable {
        /// The table of the row.
        public var table: TableName
        /// The kind of the change.
        public var kind: RowChange.Kind
        /// The key before the change; `nil` for an insertion.
        public var oldKey: RowKey?
        /// The key after the change; `nil` for a deletion.
        public var newKey: RowKey?
        /// The values before the change, by column; `nil` for an insertion, and without row images.
        public var oldValues: [String: StorageValue]?
        /// The values after the change, by column; `nil` for a deletion, and without row images.
        public var newValues: [String: StorageValue]?
        /// Whether the change was reported with row images.
        public var hasImages: Bool
    }

    /// A recorded report.
    public enum Record: Sendable, Hashable {
        /// The change of a row.
        case row(Row)
        /// A change of any row of a table.
        case table(TableName)
        /// A change of any row of any table.
        case database
        /// A call of ``RecordingSink/willCommit()``.
        case willCommit
        /// A call of ``RecordingSink/didRollback()``.
        case didRollback
    }

    /// The reports, in their order.
    public private(set) var records: [Record] = []
    /// The result of ``willCommit()``.
    public var allowsCommit = true

    /// Creates a sink without records.
    public init() {}

    /// Records a change.
    public func didChange(_ event: ChangeEvent) {
        switch event {
        case .row(let change): records.append(.row(Row(change)))
        case .table(let table): records.append(.table(table))
        case .database: records.append(.database)
        }
    }

    /// Records that a transaction is about to be committed, and returns ``allowsCommit``.
    public func willCommit() -> Bool {
        records.append(.willCommit)
        return allowsCommit
    }

    /// Records a rollback.
    public func didRollback() {
        records.append(.didRollback)
    }

    /// Removes all records.
    public func removeAll() {
        records.removeAll()
    }

    // MARK: Queries

    /// The row changes, in their order.
    public var rows: [Row] {
        records.compactMap { if case .row(let row) = $0 { row } else { nil } }
    }

    /// The records of changes, without commits and rollbacks.
    public var changes: [Record] {
        records.filter { $0 != .willCommit && $0 != .didRollback }
    }

    /// Returns the number of records equal to `record`.
    public func count(of record: Record) -> Int {
        records.count { $0 == record }
    }

    /// Returns whether a report covers a change of the row: the change itself, one of a row with an unknown
    /// key, or a coarse report.
    public func covers(_ key: RowKey, of table: TableName) -> Bool {
        records.contains { record in
            switch record {
            case .row(let row):
                row.table == table && [row.oldKey, row.newKey].contains { $0 == key || $0 == .unknown }
            case .table(let name): name == table
            case .database: true
            case .willCommit, .didRollback: false
            }
        }
    }

    /// The descriptions of the records, such as `update player 1 -> 2` or `commit?`.
    public var lines: [String] { records.map(\.description) }
}

extension RecordingSink.Row {
    init(_ change: RowChange) {
        let columns = change.images?.columnNames ?? []
        func values(_ value: (Int) -> StorageCell?) -> [String: StorageValue]? {
            var values: [String: StorageValue] = [:]
            for (index, column) in columns.enumerated() { values[column] = value(index)?.value }
            return values.isEmpty ? nil : values
        }
        self.init(
            table: change.table, kind: change.kind, oldKey: change.oldKey, newKey: change.newKey,
            oldValues: values { change.images?.oldValue(at: $0) },
            newValues: values { change.images?.newValue(at: $0) },
            hasImages: change.images != nil)
    }
}

extension RecordingSink.Record: CustomStringConvertible {
    /// The record on one line, such as `update player 1 -> 2` or `commit?`.
    public var description: String {
        switch self {
        case .row(let row):
            let keys = [row.oldKey, row.newKey].compactMap { $0.map(Self.describe) }
            let changed = keys.count == 2 && keys[0] == keys[1] ? [keys[0]] : keys
            return "\(row.kind) \(row.table) \(changed.joined(separator: " -> "))"
        case .table(let table): return "table \(table)"
        case .database: return "database"
        case .willCommit: return "commit?"
        case .didRollback: return "rollback"
        }
    }

    private static func describe(_ key: RowKey) -> String {
        switch key {
        case .integer(let integer): "\(integer)"
        case .values(let values): "\(values)"
        case .unknown: "?"
        }
    }
}
