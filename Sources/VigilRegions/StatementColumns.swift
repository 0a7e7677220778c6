import VigilStorage

/// The columns that the running statement assigns to, for each table.
package struct StatementColumns: Sendable {
    private let writes: [TableWrite]
    /// The last answer: a statement mostly updates one table, row by row.
    private var last: (table: TableName, columns: UpdatedColumns)?

    /// - Parameter access: `nil` if it is not known what runs.
    init(_ access: StatementAccess? = nil) {
        writes = access?.writes ?? []
    }

    /// The columns that may be updated in a table; all if the statement does not announce updates of it, as for
    /// what triggers and foreign keys do behind its back.
    mutating func columns(of table: TableName) -> UpdatedColumns {
        if let last, last.table == table { return last.columns }
        var columns: UpdatedColumns?
        for write in writes where write.table == table {
            guard case .update(let assigned) = write.kind else { continue }
            let more = UpdatedColumns(assigned: ColumnSet(assigned))
            columns?.formUnion(more)
            columns = columns ?? more
        }
        last = (table, columns ?? .all)
        return columns ?? .all
    }
}
