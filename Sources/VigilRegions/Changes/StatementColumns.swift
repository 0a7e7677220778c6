package import VigilStorage

/// The columns assigned by a statement, for each table. Created once for each compiled statement.
package struct StatementColumns: Sendable {
    private var tables: [(name: TableName, columns: UpdatedColumns)] = []

    /// The columns of an unknown statement: it may assign any column.
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

    /// Returns the columns of a table that an update may change; all if the statement does not declare an
    /// update of the table, for example for the effects of triggers and foreign keys.
    func columns(of table: TableName) -> UpdatedColumns {
        tables.first { $0.name == table }?.columns ?? .all
    }
}
