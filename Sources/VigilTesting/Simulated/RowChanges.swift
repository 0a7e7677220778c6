import VigilStorage

/// An INSERT statement with resolved names.
struct RowInsertion {
    let table: SimulatedDefinition
    let conflict: SQLConflict
    /// The positions of the columns, in the order of the inserted values.
    private let columns: [Int]
    private let rows: [[SQLOperand]]

    init(_ form: SQLInsertion, _ table: SimulatedDefinition) throws(StorageError) {
        self.table = table
        conflict = form.conflict
        rows = form.rows
        columns = try Self.columns(form, table)
        for row in rows where row.count != columns.count {
            let message =
                form.columns == nil
                ? "table \(table.name.name) has \(columns.count) columns but \(row.count) values were supplied"
                : "\(row.count) values for \(columns.count) columns"
            throw StorageError(.error, message)
        }
    }

    private static func columns(
        _ form: SQLInsertion, _ table: SimulatedDefinition
    ) throws(StorageError) -> [Int] {
        guard let names = form.columns else { return Array(table.columns.indices) }
        var columns: [Int] = []
        for name in names {
            guard let column = try? table.column(name) else {
                throw StorageError(.error, "table \(table.name.name) has no column named \(name)")
            }
            columns.append(column)
        }
        return columns
    }

    func run(_ writer: inout RowWriter, _ bindings: [StorageValue]) throws(StorageError) {
        for row in rows {
            var values = [StorageValue](repeating: .null, count: table.columns.count)
            for (column, operand) in zip(columns, row) { values[column] = operand.value(bindings) }
            try writer.insert(values, onConflict: conflict)
        }
    }
}

/// An UPDATE statement with resolved names.
struct RowUpdate {
    enum Value {
        case operand(SQLOperand)
        case column(Int)
        case sum(column: Int, SQLOperand, isSubtraction: Bool)
    }

    let table: SimulatedDefinition
    let assignments: [(column: Int, value: Value)]
    let filter: RowFilter

    init(_ form: SQLUpdate, _ table: SimulatedDefinition) throws(StorageError) {
        self.table = table
        var assignments: [(column: Int, value: Value)] = []
        for (column, value) in form.assignments {
            assignments.append((try table.column(column), try Self.value(value, table)))
        }
        self.assignments = assignments
        filter = try RowFilter(form.conditions, table)
    }

    private static func value(
        _ value: SQLUpdate.Value, _ table: SimulatedDefinition
    ) throws(StorageError) -> Value {
        switch value {
        case .operand(let operand): return .operand(operand)
        case .column(let name): return .column(try table.column(name))
        case .sum(let name, let operand, let isSubtraction):
            return .sum(column: try table.column(name), operand, isSubtraction: isSubtraction)
        }
    }

    func run(_ writer: inout RowWriter, _ bindings: [StorageValue]) throws(StorageError) {
        for row in filter.rows(of: writer.table, bindings) {
            var values = row.values
            for (column, value) in assignments {
                values[column] = Self.evaluate(value, of: row.values, bindings)
            }
            try writer.update(row, to: values)
        }
    }

    private static func evaluate(
        _ value: Value, of row: [StorageValue], _ bindings: [StorageValue]
    ) -> StorageValue {
        switch value {
        case .operand(let operand): operand.value(bindings)
        case .column(let column): row[column]
        case .sum(let column, let operand, let isSubtraction):
            sum(row[column], operand.value(bindings), isSubtraction: isSubtraction)
        }
    }

    /// Returns the sum or difference of two values. If an integer overflows, the result is real.
    private static func sum(
        _ a: StorageValue, _ b: StorageValue, isSubtraction: Bool
    ) -> StorageValue {
        let a = SimulatedAffinity.numeric.converted(a)
        let b = SimulatedAffinity.numeric.converted(b)
        if a == .null || b == .null { return .null }
        if case .integer(let x) = a, case .integer(let y) = b {
            let (sum, overflows) =
                isSubtraction ? x.subtractingReportingOverflow(y) : x.addingReportingOverflow(y)
            if !overflows { return .integer(sum) }
        }
        return .real(isSubtraction ? a.real - b.real : a.real + b.real)
    }
}

extension StorageValue {
    fileprivate var real: Double {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        case .null, .text, .blob: 0
        }
    }
}

/// A DELETE statement with resolved names.
struct RowDeletion {
    let table: SimulatedDefinition
    let filter: RowFilter

    func run(_ writer: inout RowWriter, _ bindings: [StorageValue]) throws(StorageError) {
        if filter.conditions.isEmpty {
            try writer.deleteAll()
        } else {
            for row in filter.rows(of: writer.table, bindings) { try writer.delete(row) }
        }
    }
}
