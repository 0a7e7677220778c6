import VigilRegions
import VigilStorage

/// A region, and what touches it, written down once more as plainly as possible: the oracle for the index.
enum NaiveRegion {
    case full
    case tables([String: (columns: Set<String>?, rowIDs: Set<Int64>?)])

    var region: DatabaseRegion {
        guard case .tables(let tables) = self else { return .fullDatabase }
        return tables.reduce(into: DatabaseRegion()) { region, table in
            region.formUnion(
                DatabaseRegion(
                    table: TableName(name: table.key), columns: table.value.columns,
                    rowIds: table.value.rowIDs))
        }
    }

    func names(_ table: String) -> Bool {
        if case .tables(let tables) = self { tables[table] != nil } else { true }
    }

    func isTouched(by event: NaiveEvent) -> Bool {
        switch (self, event) {
        case (.full, .row(let row)): return !row.isNoOp
        case (.full, _): return true
        case (.tables(let tables), .table(let name)): return tables[name] != nil
        case (.tables(let tables), .database): return !tables.isEmpty
        case (.tables(let tables), .row(let row)):
            guard let (columns, rowIDs) = tables[row.table] else { return false }
            if let rowIDs, !row.mayBeOne(of: rowIDs) { return false }
            if row.kind != .update { return true }
            if row.isNoOp { return false }
            if rowIDs != nil && row.isMoved { return true }
            guard let columns, let changed = row.changed else { return true }
            return !columns.isDisjoint(with: changed)
        }
    }
}

/// An event with all that can be known of it.
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

    var isMoved: Bool {
        kind == .update && (oldKey != newKey || oldKey == .unknown)
    }

    var isNoOp: Bool { kind == .update && changed == [] && !isMoved }

    func mayBeOne(of rowIDs: Set<Int64>) -> Bool {
        [oldKey, newKey].compactMap(\.self).contains { key in
            if case .integer(let rowID) = key { rowIDs.contains(rowID) } else { true }
        }
    }
}
