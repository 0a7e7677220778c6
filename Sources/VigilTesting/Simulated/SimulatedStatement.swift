import VigilStorage

final class SimulatedStatement: StorageStatement {
    private enum Status {
        case ready
        /// The statement has begun, and may return more rows.
        case running
        case ended
        case finalized
    }

    let sql: String
    private let form: SQLForm
    private let parameters: SQLParameters
    private let textOffset: Int
    private let connection: SimulatedConnection
    private var plan: SimulatedPlan
    private var bindings: [StorageValue]
    private var status = Status.ready
    /// The remaining rows of the current run, in reverse order.
    private var rowsLeft: [[StorageValue]] = []
    /// Whether this run holds the connection's snapshot.
    private var isReading = false
    private(set) var row: StorageRow
    private let cells = CellStorage()

    init(
        _ tokens: [SimulatedSQLToken], of source: [UInt8], on connection: SimulatedConnection
    ) throws(StorageError) {
        var parser = SQLParser(tokens, of: source)
        form = try parser.statement()
        parameters = parser.parameters
        sql = parser.wholeText
        textOffset = tokens.first?.range.lowerBound ?? 0
        plan = try SimulatedPlan(form, in: connection.visibleState)
        bindings = Array(repeating: .null, count: parser.parameters.names.count)
        row = StorageRow(count: plan.columnNames.count)
        self.connection = connection
    }

    deinit { finalize() }

    var access: StatementAccess { plan.access }
    var isReusable: Bool { plan.access.transactionEffect == nil && !plan.access.changesSchema }

    var columnNames: [String] { plan.columnNames }

    var listPlan: ListPlanReport {
        guard case .select(let form) = form, case .select(let selection) = plan.action else {
            return .refused("it is not a query")
        }
        return selection.listPlan(form, parameterCount: parameterCount)
    }

    // MARK: Parameters

    var parameterCount: Int { bindings.count }

    func parameterName(at index: Int) -> String? {
        bindings.indices.contains(index - 1) ? parameters.names[index - 1] : nil
    }

    func bind(_ value: StorageValue, at index: Int) throws(StorageError) {
        guard status == .ready || status == .ended else {
            throw misuse("a value is bound to a statement that runs, or was finalized")
        }
        guard bindings.indices.contains(index - 1) else {
            throw StorageError(.range, "column index out of range", sql: sql)
        }
        // As in SQLite, NaN is bound as NULL.
        if case .real(let real) = value, real.isNaN {
            bindings[index - 1] = .null
        } else {
            bindings[index - 1] = value
        }
    }

    func clearBindings() {
        for index in bindings.indices { bindings[index] = .null }
    }

    var expandedSQL: String {
        let text = Array(sql.utf8)
        var expanded: [UInt8] = []
        var position = 0
        for place in parameters.places {
            expanded += text[position..<(place.range.lowerBound - textOffset)]
            expanded += bindings[place.index - 1].sqlLiteral.utf8
            position = place.range.upperBound - textOffset
        }
        return String(decoding: expanded + text[position...], as: UTF8.self)
    }

    // MARK: Running

    func step() throws(StorageError) -> Bool {
        guard status != .finalized, !connection.isClosed else {
            throw misuse("a statement is used after its end")
        }
        do throws(StorageError) {
            let begins = status != .running
            if begins { beginRun() }
            try pass()
            if begins { try run() }
            return nextRow()
        } catch {
            endRun()
            var error = error
            error.sql = sql
            throw error
        }
    }

    func reset() {
        endRun()
        if status != .finalized { status = .ready }
    }

    func finalize() {
        guard status != .finalized else { return }
        endRun()
        status = .finalized
        connection.didFinalizeStatement()
    }

    private func beginRun() {
        status = .running
        connection.interruptions.beginRun()
    }

    private func endRun() {
        clearRow()
        rowsLeft = []
        guard status == .running else { return }
        status = .ended
        connection.interruptions.endRun()
        if isReading {
            isReading = false
            connection.didEndReading()
        }
    }

    /// Passes a point: the step can be slow, fail or be interrupted.
    private func pass() throws(StorageError) {
        do throws(StorageError) {
            try connection.faults.passStep()
        } catch {
            connection.didFailToStep()
            throw error
        }
        try connection.interruptions.check()
    }

    private func nextRow() -> Bool {
        clearRow()
        guard let values = rowsLeft.popLast() else {
            endRun()
            return false
        }
        for (index, value) in values.enumerated() { row.cells[index] = cells.cell(value) }
        return true
    }

    private func clearRow() {
        for index in 0..<row.count { row.cells[index] = .null }
        cells.removeAll()
    }

    private func misuse(_ message: String) -> StorageError {
        StorageError(.misuse, message, sql: sql)
    }

    // MARK: Actions

    private func run() throws(StorageError) {
        switch plan.action {
        case .select: try select()
        case .transaction(let command): try connection.run(command)
        case .createTable, .dropTable, .nothing:
            try lookUpNames(in: connection.visibleState)
            if case .nothing = plan.action { return }
            try connection.write { state throws(StorageError) in try self.change(&state) }
        case .insert, .update, .delete:
            try connection.write { state throws(StorageError) in try self.change(&state) }
        }
    }

    private func select() throws(StorageError) {
        isReading = true
        connection.didBeginReading()
        let state = try connection.beginReading()
        try lookUpNames(in: state)
        guard case .select(let selection) = plan.action else { return }
        rowsLeft = try selection.rows(in: state, bindings).reversed()
    }

    /// Resolves the names again if the schema has changed since the statement was compiled.
    private func lookUpNames(in state: SimulatedState) throws(StorageError) {
        guard plan.schemaStamp != state.schemaStamp else { return }
        plan = try SimulatedPlan(form, in: state)
        if plan.columnNames.count != row.count { row = StorageRow(count: plan.columnNames.count) }
    }

    private func change(_ state: inout SimulatedState) throws(StorageError) {
        try lookUpNames(in: state)
        switch plan.action {
        case .createTable(let definition):
            state.add(SimulatedTable(definition), stamp: connection.store.makeStamp())
        case .dropTable(let name):
            state.removeTable(name, stamp: connection.store.makeStamp())
        case .insert(let insertion):
            try changeRows(of: insertion.table, in: &state) { writer throws(StorageError) in
                try insertion.run(&writer, self.bindings)
            }
        case .update(let update):
            try changeRows(of: update.table, in: &state) { writer throws(StorageError) in
                try update.run(&writer, self.bindings)
            }
        case .delete(let deletion):
            try changeRows(of: deletion.table, in: &state) { writer throws(StorageError) in
                try deletion.run(&writer, self.bindings)
            }
        case .nothing, .select, .transaction:
            break
        }
    }

    private func changeRows(
        of table: SimulatedDefinition, in state: inout SimulatedState,
        _ change: (inout RowWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        var writer = RowWriter(try state.writableTable(table.name.name), on: connection)
        try change(&writer)
        if writer.isChanged { state.replaceRows(of: writer.table) }
        connection.didChangeRows(writer.changesCount)
    }
}
