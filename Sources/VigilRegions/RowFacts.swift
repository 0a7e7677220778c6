package import VigilStorage

/// What matching needs to know of a changed row: a ``RowChange`` without its images.
package struct RowFacts: Sendable, Hashable {
    package var table: TableName
    package var kind: RowChange.Kind
    /// The key that the row had; `nil` for an insertion.
    package var oldKey: RowKey?
    /// The key that the row has now; `nil` for a deletion.
    package var newKey: RowKey?
    /// Meaningful for updates only.
    package var updatedColumns: UpdatedColumns
    /// Whether an update that changes no column that is read goes unnoticed. Otherwise any update concerns those who
    /// read all columns, and those who count rows.
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

    package init(
        _ change: RowChange, updatedColumns: UpdatedColumns = .all, ignoresNoOps: Bool = true
    ) {
        self.init(
            table: change.table, kind: change.kind, oldKey: change.oldKey, newKey: change.newKey,
            updatedColumns: updatedColumns, ignoresNoOps: ignoresNoOps)
    }

    /// Whether an update may have given the row another key.
    package var mayHaveMoved: Bool {
        kind == .update && RowKey.mayDiffer(oldKey, newKey)
    }

    /// Whether the row is as it was.
    package var isNoOp: Bool {
        kind == .update && updatedColumns.isNone && !mayHaveMoved
    }
}

extension RowKey {
    /// Whether two keys may be different ones. A key that is not known may be any.
    static func mayDiffer(_ one: RowKey?, _ two: RowKey?) -> Bool {
        switch (one, two) {
        case (.integer(let one), .integer(let two)): one != two
        case (.values(let one), .values(let two)): one != two
        default: true
        }
    }
}
