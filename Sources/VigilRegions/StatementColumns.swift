package import VigilStorage

/// The columns that a statement assigns to, for each table. Made once for a compiled statement that is run many
/// times.
package struct StatementColumns: Sendable {
    private var tables: [(name: TableName, columns: UpdatedColumns)] = []

    /// What is known of a statement that nobody knows: it may assign to anything.
    package static let unknown = StatementColumns(StatementAccess())

    package init(_ access: StatementAccess) {
        for write in access.writes {
            guard case .update(let assigned) = write.kind else { continue }
            let columns = UpdatedColumns(assigned: ColumnSet(assigned))
            if let index = tables.firstIndex(where: { $0.name == write.table }) {
                tables[index].columns.formUnion(columns)
            } else {
                tables.append((write.table, columns))
            }
        }
    }

    /// The columns that may be updated in a table; all if the statement does not announce updates of it, as for
    /// what triggers and foreign keys do behind its back.
    func columns(of table: TableName) -> UpdatedColumns {
        tables.first { $0.name == table }?.columns ?? .all
    }
}
