public import VigilStorage

/// Remembers what a connection reports.
///
/// The connection does not retain it, and calls it on its own thread: hold it, and look at it between statements.
public final class RecordingSink: ChangeSink {
    /// A row change, with the values copied out of it.
    public struct Row: Sendable, Hashable {
        public var table: TableName
        public var kind: RowChange.Kind
        public var oldKey: RowKey?
        public var newKey: RowKey?
        /// The values before the change, by column; `nil` for an insertion, and without row images.
        public var oldValues: [String: StorageValue]?
        /// The values after the change, by column; `nil` for a deletion, and without row images.
        public var newValues: [String: StorageValue]?
        /// Whether the change came with images.
        public var hasImages: Bool
    }

    public enum Record: Sendable, Hashable {
        case row(Row)
        case table(TableName)
        case database
        case willCommit
        case didRollback
    }

    public private(set) var records: [Record] = []
    /// What it answers when it is asked whether the transaction may be committed.
    public var allowsCommit = true

    public init() {}

    public func didChange(_ event: ChangeEvent) {
        switch event {
        case .row(let change): records.append(.row(Row(change)))
        case .table(let table): records.append(.table(table))
        case .database: records.append(.database)
        }
    }

    public func willCommit() -> Bool {
        records.append(.willCommit)
        return allowsCommit
    }

    public func didRollback() {
        records.append(.didRollback)
    }

    public func removeAll() {
        records.removeAll()
    }

    // MARK: Questions

    /// The row changes, in their order.
    public var rows: [Row] {
        records.compactMap { if case .row(let row) = $0 { row } else { nil } }
    }

    /// What is no commit and no rollback.
    public var changes: [Record] {
        records.filter { $0 != .willCommit && $0 != .didRollback }
    }

    public func count(of record: Record) -> Int {
        records.count { $0 == record }
    }

    /// Whether something was reported that tells that the row may have changed: its own change, one of a row that the
    /// backend cannot name, or a coarse report.
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

    /// One readable line for each record, such as `update player 1 -> 2` or `commit?`.
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
