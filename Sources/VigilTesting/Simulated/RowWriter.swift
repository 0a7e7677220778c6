import VigilStorage

/// Writes the rows of one table for one statement: checks constraints, reports each change, then writes it.
struct RowWriter {
    /// The table with the changes so far.
    private(set) var table: SimulatedTable
    /// The number of rows changed by the statement, without rows deleted by REPLACE.
    private(set) var changesCount = 0
    private(set) var isChanged = false
    private let connection: SimulatedConnection

    private var definition: SimulatedDefinition { table.definition }

    init(_ table: SimulatedTable, on connection: SimulatedConnection) {
        self.table = table
        self.connection = connection
    }

    // MARK: Insertion

    mutating func insert(_ values: [StorageValue], onConflict conflict: SQLConflict) throws(StorageError) {
        let row = try stored(values)
        if let error = definition.missingValue(in: row.values) {
            if conflict == .ignore { return }
            throw error
        }
        let conflicts = table.conflicts(of: row, except: nil)
        if let first = conflicts.first {
            switch conflict {
            case .abort: throw first.error
            case .ignore: return
            case .replace: try replace(conflicts.compactMap { table.row($0.id) })
            }
        }
        try pass()
        connection.reporter.didChange(definition, .insert, from: nil, to: row)
        table.put(row)
        connection.lastInsertedRowID = row.id
        changesCount += 1
    }

    private mutating func replace(_ rows: [SimulatedTable.Row]) throws(StorageError) {
        for _ in rows { try pass() }
        connection.reporter.willReplace(definition, rows)
        for row in rows { table.remove(row.id) }
    }

    /// Returns the row as the table stores it. A row without an id gets the next one.
    private func stored(_ values: [StorageValue]) throws(StorageError) -> SimulatedTable.Row {
        var values = zip(definition.columns, values).map { column, value in column.affinity.converted(value) }
        guard let column = definition.rowIDColumn, values[column] != .null else {
            guard let id = table.nextRowID else {
                throw StorageError(.full, "database or disk is full")
            }
            if let column = definition.rowIDColumn { values[column] = .integer(id) }
            return SimulatedTable.Row(id: id, values: values)
        }
        return SimulatedTable.Row(id: try rowID(values[column]), values: values)
    }

    private func rowID(_ value: StorageValue) throws(StorageError) -> Int64 {
        guard case .integer(let id) = value else { throw StorageError(.typeMismatch, "datatype mismatch") }
        return id
    }

    // MARK: Update

    mutating func update(_ row: SimulatedTable.Row, to values: [StorageValue]) throws(StorageError) {
        var new = row
        new.values = zip(definition.columns, values).map { column, value in column.affinity.converted(value) }
        if let column = definition.rowIDColumn { new.id = try rowID(new.values[column]) }
        if let error = definition.missingValue(in: new.values) { throw error }
        if let first = table.conflicts(of: new, except: row.id).first { throw first.error }
        try pass()
        connection.reporter.didChange(definition, .update, from: row, to: new)
        if new.id != row.id { table.remove(row.id) }
        table.put(new)
        changesCount += 1
    }

    // MARK: Deletion

    mutating func delete(_ row: SimulatedTable.Row) throws(StorageError) {
        try pass()
        connection.reporter.didChange(definition, .delete, from: row, to: nil)
        table.remove(row.id)
        changesCount += 1
    }

    mutating func deleteAll() throws(StorageError) {
        for _ in table.rows { try pass() }
        connection.reporter.willEmpty(definition, table.rows)
        changesCount += table.rows.count
        table.removeAll()
    }

    /// Passes the point before each row: the statement can be interrupted or fail because the disk is full.
    private mutating func pass() throws(StorageError) {
        try connection.interruptions.check()
        try connection.faults.passWrite()
        isChanged = true
    }
}
