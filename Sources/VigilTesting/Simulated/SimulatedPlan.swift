import VigilStorage

/// A statement with resolved names: its action, and the description of its reads and writes.
struct SimulatedPlan {
    enum Action {
        case createTable(SimulatedDefinition)
        case dropTable(String)
        /// Nothing to create or drop, because of IF [NOT] EXISTS.
        case nothing
        case insert(RowInsertion)
        case update(RowUpdate)
        case delete(RowDeletion)
        case select(RowSelection)
        case transaction(TransactionCommand)
    }

    let action: Action
    let columnNames: [String]
    let access: StatementAccess
    /// The stamp of the schema of the resolved names.
    let schemaStamp: Int

    init(_ form: SQLForm, in state: SimulatedState) throws(StorageError) {
        let action = try Self.action(form, in: state)
        self.action = action
        if case .select(let selection) = action {
            columnNames = selection.columnNames
        } else {
            columnNames = []
        }
        access = StatementAccess(form, action)
        schemaStamp = state.schemaStamp
    }

    private static func action(_ form: SQLForm, in state: SimulatedState) throws(StorageError) -> Action {
        switch form {
        case .createTable(let table, let ifNotExists):
            return try creation(table, ifNotExists: ifNotExists, in: state)
        case .dropTable(let name, let ifExists):
            if ifExists, state.table(name) == nil { return .nothing }
            return .dropTable(try state.writableTable(name).definition.name.name)
        case .insert(let insertion):
            let table = try state.writableTable(insertion.table).definition
            return .insert(try RowInsertion(insertion, table))
        case .update(let update):
            return .update(try RowUpdate(update, try state.writableTable(update.table).definition))
        case .delete(let name, let conditions):
            let table = try state.writableTable(name).definition
            return .delete(RowDeletion(table: table, filter: try RowFilter(conditions, table)))
        case .select(let selection):
            let table = try state.requiredTable(selection.table).definition
            return .select(try RowSelection(selection, table))
        case .transaction(let command):
            return .transaction(command)
        }
    }

    private static func creation(
        _ table: SQLTableDefinition, ifNotExists: Bool, in state: SimulatedState
    ) throws(StorageError) -> Action {
        if state.table(table.name) != nil {
            if ifNotExists { return .nothing }
            throw StorageError(.error, "table \(table.name) already exists")
        }
        if table.name.foldedName.hasPrefix("sqlite_") {
            throw StorageError(.error, "object name reserved for internal use: \(table.name)")
        }
        return .createTable(try SimulatedDefinition(table))
    }
}

/// The conditions of a WHERE clause, with the positions of columns.
struct RowFilter {
    private(set) var conditions: [(column: Int, test: SQLTest)] = []
    private let definition: SimulatedDefinition

    init(_ conditions: [SQLCondition], _ definition: SimulatedDefinition) throws(StorageError) {
        self.definition = definition
        for condition in conditions {
            self.conditions.append((try definition.column(condition.column), condition.test))
        }
    }

    /// Returns the matching rows of the table, in the order of their ids.
    func rows(of table: SimulatedTable, _ bindings: [StorageValue]) -> [SimulatedTable.Row] {
        if let id = rowID(bindings) {
            return [table.row(id)].compactMap { $0 }.filter { matches($0.values, bindings) }
        }
        return table.rows.filter { matches($0.values, bindings) }
    }

    private func rowID(_ bindings: [StorageValue]) -> Int64? {
        for condition in conditions where condition.column == definition.rowIDColumn {
            if case .compares(.equal, let operand) = condition.test,
                case .integer(let id) = operand.value(bindings)
            {
                return id
            }
        }
        return nil
    }

    private func matches(_ values: [StorageValue], _ bindings: [StorageValue]) -> Bool {
        conditions.allSatisfy { condition in
            let value = values[condition.column]
            guard case .compares(let comparison, let operand) = condition.test else { return value == .null }
            let other = definition.columns[condition.column].affinity.converted(operand.value(bindings))
            guard value != .null, other != .null else { return false }
            return comparison.holds(value.order(to: other))
        }
    }
}

extension SQLTest.Comparison {
    fileprivate func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}
