package import VigilStorage

/// A ``RowChange`` without its images, for matching.
package struct RowChangeSummary: Sendable, Hashable {
    package var table: TableName
    package var kind: RowChange.Kind
    /// The key of the row before the change; `nil` for an insertion.
    package var oldKey: RowKey?
    /// The key of the row after the change; `nil` for a deletion.
    package var newKey: RowKey?
    /// The updated columns; meaningful only for updates.
    package var updatedColumns: UpdatedColumns
    /// Whether an update matters only if it changes a column that is read. If not, any update matters to
    /// observers of all columns and of row counts.
    package var ignoresNoOps: Bool

    package init(
        table: TableName, kind: RowChange.Kind, oldKey: RowKey?, newKey: RowKey?,
        updatedColumns: UpdatedColumns = .all, ignoresNoOps: Bool = true
    ) {
        self.table = table
        self.kind = kind
        self.oldKey = oldKey
        self.newKey = newKey
        self.updatedColumns = updatedColumns
        self.ignoresNoOps = ignoresNoOps
    }

    package init(_ change: borrowing RowChange, ignoresNoOps: Bool) {
        self.init(
            table: change.table, kind: change.kind, oldKey: change.oldKey, newKey: change.newKey,
            ignoresNoOps: ignoresNoOps)
    }

    /// Whether an update may have changed the row's key.
    package var mayHaveMoved: Bool {
        kind == .update && RowKey.mayDiffer(oldKey, newKey)
    }

    /// Whether the change leaves the row unchanged.
    package var isNoOp: Bool {
        kind == .update && updatedColumns.isNone && !mayHaveMoved
    }
}

extension RowKey {
    /// Returns whether two keys may differ. An unknown key may be any key.
    static func mayDiffer(_ one: RowKey?, _ two: RowKey?) -> Bool {
        switch (one, two) {
        case (.integer(let one), .integer(let two)): one != two
        case (.values(let one), .values(let two)): one != two
        default: true
        }
    }
}
