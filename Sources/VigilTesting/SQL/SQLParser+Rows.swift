import VigilStorage

extension SQLParser {
    mutating func insertion() throws(StorageError) -> SQLInsertion {
        let conflict = try conflict()
        try expect("INTO")
        var insertion = SQLInsertion(table: try tableName(), conflict: conflict)
        if peek() == .symbol("(") {
            insertion.columns = try list { parser throws(StorageError) in try parser.name() }
        }
        try expect("VALUES")
        repeat {
            insertion.rows.append(try list { parser throws(StorageError) in try parser.operand() })
        } while takeSymbol(",")
        return insertion
    }

    private mutating func conflict() throws(StorageError) -> SQLConflict {
        guard take("OR") else { return .abort }
        if take("REPLACE") { return .replace }
        if take("IGNORE") { return .ignore }
        throw unexpected()
    }

    mutating func update() throws(StorageError) -> SQLUpdate {
        var update = SQLUpdate(table: try tableName())
        try expect("SET")
        repeat {
            let column = try name()
            try expectSymbol("=")
            update.assignments.append((column, try assignedValue()))
        } while takeSymbol(",")
        update.conditions = try conditions()
        return update
    }

    private mutating func assignedValue() throws(StorageError) -> SQLUpdate.Value {
        switch peek() {
        case .word(let word)? where !word.isSameName(as: "NULL"): break
        case .quotedName?: break
        default: return .operand(try operand())
        }
        let column = try name()
        if takeSymbol("+") { return .sum(column: column, try operand(), isSubtraction: false) }
        if takeSymbol("-") { return .sum(column: column, try operand(), isSubtraction: true) }
        return .column(column)
    }

    mutating func deletion() throws(StorageError) -> SQLForm {
        try expect("FROM")
        return .delete(from: try tableName(), try conditions())
    }

    mutating func selection() throws(StorageError) -> SQLSelect {
        let first = position
        let result = try selectionResult()
        let text = text(from: first, to: position)
        try expect("FROM")
        var selection = SQLSelect(result: result, aggregateText: text, table: try tableName())
        let conditionStart = position
        selection.conditions = try conditions()
        selection.conditionText = self.text(from: conditionStart, to: position)
        let orderStart = position
        if take("ORDER") {
            try expect("BY")
            let column = try name()
            let isDescending = take("DESC")
            if !isDescending { _ = take("ASC") }
            selection.order = (column, isDescending)
            selection.orderText = self.text(from: orderStart, to: position)
        }
        if take("LIMIT") { selection.limit = try operand() }
        return selection
    }

    private mutating func selectionResult() throws(StorageError) -> SQLSelect.Result {
        if takeSymbol("*") { return .all }
        if peek(1) == .symbol("(") {
            if take("COUNT") {
                try expectSymbol("(")
                try expectSymbol("*")
                try expectSymbol(")")
                return .count
            }
            guard take("MAX") else { throw unexpected() }
            try expectSymbol("(")
            let column = try name()
            try expectSymbol(")")
            return .maximum(column)
        }
        var columns = [try name()]
        while takeSymbol(",") { columns.append(try name()) }
        return .columns(columns)
    }

    /// Parses an optional WHERE clause: tests of columns, joined by AND.
    private mutating func conditions() throws(StorageError) -> [SQLCondition] {
        guard take("WHERE") else { return [] }
        var conditions: [SQLCondition] = []
        repeat {
            conditions.append(SQLCondition(column: try name(), test: try test()))
        } while take("AND")
        return conditions
    }

    private mutating func test() throws(StorageError) -> SQLTest {
        if take("IS") {
            try expect("NULL")
            return .isNull
        }
        let comparisons: [(String, SQLTest.Comparison)] = [
            ("=", .equal), ("<=", .lessOrEqual), ("<", .less), (">=", .greaterOrEqual), (">", .greater),
        ]
        for (symbol, comparison) in comparisons where takeSymbol(symbol) {
            return .compares(comparison, try operand())
        }
        throw unexpected()
    }
}
