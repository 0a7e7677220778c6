import VigilRegions
import VigilStorage

/// A naive implementation of regions and matching, to compare the index with.
enum NaiveRegion {
    case full
    case tables([String: NaivePart])

    var region: DatabaseRegion {
        guard case .tables(let tables) = self else { return .fullDatabase }
        return tables.reduce(into: DatabaseRegion()) { $0.formUnion($1.value.region(of: $1.key)) }
    }

    func names(_ table: String) -> Bool {
        if case .tables(let tables) = self { tables[table] != nil } else { true }
    }

    func isMatched(by event: NaiveEvent) -> Bool {
        switch (self, event) {
        case (.full, .row(let row)): !row.isNoOp
        case (.full, _): true
        case (.tables(let tables), .table(let name)): tables[name] != nil
        case (.tables(let tables), .database): !tables.isEmpty
        case (.tables(let tables), .row(let row)): tables[row.table]?.isMatched(by: row) ?? false
        }
    }
}

struct NaivePart {
    /// The columns; `nil` for all.
    var columns: Set<String>?
    var rowIDs: Set<Int64>?
    var conjunctions: [[RowCondition]]?
    /// Whether the part depends only on the existence of rows, not on columns.
    var countsRows = false

    func region(of table: String) -> DatabaseRegion {
        let region =
            countsRows
            ? DatabaseRegion(table, []).intersection(
                DatabaseRegion(table: TableName(name: table), rowIds: rowIDs))
            : DatabaseRegion(table: TableName(name: table), columns: columns, rowIds: rowIDs)
        return conjunctions.map { region.narrowed(TableName(name: table), to: $0) } ?? region
    }

    func isMatched(by row: NaiveRow) -> Bool {
        guard includes(row.oldKey, row.oldValues) || includes(row.newKey, row.newValues) else { return false }
        if row.kind != .update { return true }
        if row.isNoOp { return false }
        if row.isMoved { return true }
        if countsRows && !row.ignoresNoOps { return true }
        guard let columns = countsRows ? [] : columns, let changed = row.changed else { return true }
        return !columns.union(NaivePredicates.columns(of: conjunctions ?? [])).isDisjoint(with: changed)
    }

    private func includes(_ key: RowKey?, _ values: NaivePredicates.Values) -> Bool {
        guard let key else { return false }
        if let rowIDs, case .integer(let rowID) = key, !rowIDs.contains(rowID) { return false }
        return conjunctions.map { NaivePredicates.mayMeet($0, key, values) } ?? true
    }
}

/// An event, with all available information about it.
enum NaiveEvent {
    case row(NaiveRow)
    case table(String)
    case database

    var table: String? {
        switch self {
        case .row(let row): row.table
        case .table(let table): table
        case .database: nil
        }
    }
}

struct NaiveRow {
    var table: String
    var kind: RowChange.Kind
    var oldKey: RowKey?
    var newKey: RowKey?
    /// The columns that may have changed; `nil` for all.
    var changed: Set<String>?

    /// The known values before the change.
    var oldValues: NaivePredicates.Values = [:]
    /// The known values after the change.
    var newValues: NaivePredicates.Values = [:]
    var ignoresNoOps = true

    var isMoved: Bool {
        kind == .update && (oldKey != newKey || oldKey == .unknown)
    }

    var isNoOp: Bool { kind == .update && changed == [] && !isMoved }

    var summary: RowChangeSummary {
        RowChangeSummary(
            table: TableName(name: table), kind: kind, oldKey: oldKey, newKey: newKey,
            updatedColumns: changed.map { .some(ColumnSet($0), compared: nil) } ?? .all,
            ignoresNoOps: ignoresNoOps)
    }
}
