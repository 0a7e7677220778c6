import VigilStorage

extension StatementAccess {
    init(_ form: SQLForm, _ action: SimulatedPlan.Action) {
        self.init()
        switch action {
        case .select(let selection):
            reads = [selection.read]
        case .insert(let insertion):
            isReadOnly = false
            writes = [TableWrite(insertion.table.name, .insert)]
            if insertion.conflict == .replace { writes.append(TableWrite(insertion.table.name, .delete)) }
        case .update(let update):
            isReadOnly = false
            let columns = Set(update.assignments.map { update.table.columns[$0.column].name })
            writes = [TableWrite(update.table.name, .update(columns: columns))]
            addRead(of: update.table, update.assignedFrom.union(update.filter.columns))
        case .delete(let deletion):
            isReadOnly = false
            writes = [TableWrite(deletion.table.name, .delete)]
            addRead(of: deletion.table, deletion.filter.columns)
        case .transaction(let command):
            transactionEffect = command.effect
            isReadOnly = command != .beginImmediate && command != .beginExclusive
        case .createTable, .dropTable, .nothing:
            isReadOnly = false
            changesSchema = true
            alteredTables = [form.definedTable].compactMap { $0 }
        }
    }

    private mutating func addRead(of table: SimulatedDefinition, _ columns: Set<Int>) {
        if !columns.isEmpty { reads = [TableRead(table.name, columns: table.names(of: columns))] }
    }
}

extension RowSelection {
    /// The table and columns of the selection.
    ///
    /// COUNT(*), and a selection of only the row id, read all columns: `nil`, for any change of the table.
    fileprivate var read: TableRead {
        var used = filter.columns
        if let order { used.insert(order.column) }
        switch result {
        case .count: return TableRead(table.name)
        case .maximum(let column): used.insert(column)
        case .columns(let columns): used.formUnion(columns)
        }
        let isRowIDAlone = table.rowIDColumn.map { used == [$0] } ?? false
        return TableRead(table.name, columns: isRowIDAlone ? nil : table.names(of: used))
    }
}

extension RowFilter {
    fileprivate var columns: Set<Int> { Set(conditions.map(\.column)) }
}

extension RowUpdate {
    /// The columns read for assigned values.
    fileprivate var assignedFrom: Set<Int> {
        Set(
            assignments.compactMap {
                switch $0.value {
                case .operand: nil
                case .column(let column), .sum(let column, _, _): column
                }
            })
    }
}

extension SimulatedDefinition {
    fileprivate func names(of columns: Set<Int>) -> Set<String> {
        Set(columns.map { self.columns[$0].name })
    }
}

extension SQLForm {
    fileprivate var definedTable: TableName? {
        switch self {
        case .createTable(let table, _): TableName(name: table.name)
        case .dropTable(let name, _): TableName(name: name)
        default: nil
        }
    }
}
