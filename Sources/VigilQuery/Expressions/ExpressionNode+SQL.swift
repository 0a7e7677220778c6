import VigilEngine
import VigilStorage

extension ExpressionNode: SQLFragment {
    /// Writes the expression without parentheses around it.
    package func write(to writer: inout SQLWriter) throws {
        switch self {
        case .column, .columnOf, .detachedColumn, .rowKey, .rowKeyOf, .tableMatch, .rowExists:
            try writeReference(to: &writer)
        case .row(let expressions):
            writer.write("(")
            try writer.write(expressions, separator: ", ")
            writer.write(")")
        case .operation(let symbol, let a, let b):
            if symbol == "MATCH" { try writer.db.requireInDialect(.fullTextSearch) }
            try writer.write(operand: a, besides: [b])
            writer.write(spaced: symbol)
            try writer.write(operand: b, besides: [a])
        case .equality(let test, let a, let b):
            try writer.write(operand: a, besides: [b])
            writer.write(test, isWithNull: b.isNullLiteral)
            try writer.write(operand: b, besides: [a])
        case .chain(let chainOperator, let operands) where chainOperator.isArithmetic:
            try writer.write(agreeing: operands, separator: chainOperator.spacedSymbol, areOperands: true)
        case .chain(let chainOperator, let operands):
            for index in operands.indices {
                if index > 0 { writer.write(spaced: chainOperator.symbol) }
                try writer.write(operand: operands[index])
            }
        case .prefix(let symbol, let operand):
            writer.write(symbol)
            try writer.write(operand: operand, besides: [])
        case .not(let operand):
            writer.write("NOT ")
            try writer.write(operand: operand)
        case .countIsZero(let number, let isNegated):
            try writer.write(operand: number)
            writer.write(isNegated ? " > 0" : " = 0")
        case .between, .like, .membership, .exists: try writePredicate(to: &writer)
        case .collated(let expression, let name):
            try writer.write(expression)
            writer.write(" COLLATE ")
            writer.write(name.rawValue.collationNameSQL(writer.db.dialect))
        case .cast(let expression, let type):
            writer.write("CAST(")
            try writer.write(converted: expression)
            writer.write(" AS \(writer.db.dialect.type(type.rawValue)))")
        case .function(let call): try call.write(to: &writer)
        case .fullText(let call): try call.write(to: &writer)
        case .countAll: writer.write("COUNT(*)")
        case .json(let expression): try writer.write(expression)
        case .extraction(let symbol, let value, let path):
            try writer.db.require(.jsonOperators)
            try writer.write(operand: value)
            writer.write(spaced: symbol)
            try writer.write(operand: path)
        case .aggregate(let expression, let alias):
            try writer.write(expression, ofRowsOf: alias)
        case .aliased(let expression, let alias):
            try writer.with(table: writer.table(alias)) { try $0.write(expression) }
        case .subquery(let subquery): try subquery.write(to: &writer)
        case .literal(let sql): try sql.write(to: &writer)
        }
    }

    private func writePredicate(to writer: inout SQLWriter) throws {
        switch self {
        case .between(let value, let lower, let upper, let isNegated):
            try writer.write(operand: value, besides: [lower, upper])
            writer.write(isNegated ? " NOT BETWEEN " : " BETWEEN ")
            try writer.write(operand: lower, besides: [value])
            writer.write(" AND ")
            try writer.write(operand: upper, besides: [value])
        case .like(let value, let pattern, let escape, let isNegated):
            try writer.write(operand: value)
            if isNegated { writer.write(" NOT") }
            writer.write(spaced: writer.db.dialect.patternOperator)
            try writer.write(operand: pattern)
            guard let escape else { return writer.write(writer.db.dialect.unescapedPatternSuffix) }
            writer.write(" ESCAPE ")
            try writer.write(operand: escape)
        case .membership(let element, let set, let isNegated):
            try writer.write(operand: element, besides: set.elements)
            writer.write(isNegated ? " NOT IN " : " IN ")
            try set.write(comparedWith: element, to: &writer)
        case .exists(let subquery, let isNegated):
            writer.write(isNegated ? "NOT EXISTS " : "EXISTS ")
            try subquery.write(to: &writer)
        default: break
        }
    }

    /// Writes a reference to a table of the request, or to one of its columns.
    private func writeReference(to writer: inout SQLWriter) throws {
        switch self {
        case .column(let name): writer.write(column: name)
        case .columnOf(let alias, let name): writer.write(column: name, of: try writer.table(alias))
        case .detachedColumn(let name): writer.write(identifier: name)
        case .rowKey: try writer.writeRowKey(of: writer.table)
        case .rowKeyOf(let alias): try writer.writeRowKey(of: writer.table(alias))
        case .tableMatch(let pattern):
            guard let table = writer.table else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "a match of a table needs a request of that table")
            }
            try writer.db.requireInDialect(.fullTextSearch)
            // The hidden column of all columns has the name of the table.
            writer.write(column: table.tableName, of: table)
            writer.write(" MATCH ")
            try writer.write(operand: pattern)
        case .rowExists(let alias, let isNegated):
            let table = try writer.table(alias)
            let tests = try writer.db.rowExistenceColumns(of: table.tableName).map {
                SQLExpression(
                    .equality(
                        isNegated ? .identical : .notIdentical, SQLExpression(.columnOf(alias, $0)), .null))
            }
            try writer.write(.chain(isNegated ? .and : .or, tests))
        default: break
        }
    }

    /// Whether the expression is written in parentheses where it is an operand.
    var needsParentheses: Bool {
        switch self {
        case .column, .columnOf, .detachedColumn, .rowKey, .rowKeyOf, .row, .cast, .countAll, .fullText: false
        // A subquery has its own parentheses.
        case .subquery, .aggregate: false
        case .function(let call): call.filter != nil
        case .json(let expression): expression.needsParentheses
        default: true
        }
    }
}

extension ExpressionSet {
    /// The expressions determining the type of the elements.
    fileprivate var elements: [SQLExpression] {
        switch self {
        case .expressions(let expressions): expressions
        case .subquery(let subquery): [SQLExpression(.subquery(subquery))]
        case .table(let name): [SQLExpression(.detachedColumn(name))]
        }
    }

    fileprivate func write(comparedWith element: SQLExpression, to writer: inout SQLWriter) throws {
        switch self {
        case .expressions(let expressions):
            writer.write("(")
            for index in expressions.indices {
                if index > 0 { writer.write(", ") }
                try writer.write(expressions[index], besides: [element])
            }
            writer.write(")")
        case .subquery(let subquery): try subquery.write(to: &writer)
        case .table(let name):
            let texts = writer.db.dialect.tableInMembership
            writer.write(texts.start)
            writer.write(identifier: name)
            writer.write(texts.end)
        }
    }
}

extension SQLWriter {
    /// Writes the operator of an equality between spaces.
    ///
    /// - Parameter isWithNull: Whether the right operand is a literal NULL. All dialects have `IS` for it.
    fileprivate mutating func write(_ test: ExpressionNode.Equality, isWithNull: Bool) {
        switch test {
        case .equal: write(" = ")
        case .notEqual: write(" <> ")
        case .identical: isWithNull ? write(" IS ") : write(spaced: db.dialect.nullSafeEquality.positive)
        case .notIdentical:
            isWithNull ? write(" IS NOT ") : write(spaced: db.dialect.nullSafeEquality.negative)
        }
    }

    /// Writes an expression as an operand: in parentheses, unless it is a single value or name.
    mutating func write(operand: SQLExpression) throws {
        let needsParentheses = operand.needsParentheses
        if needsParentheses { write("(") }
        try write(operand)
        if needsParentheses { write(")") }
    }

    mutating func write(_ expressions: [SQLExpression], separator: String) throws {
        for index in expressions.indices {
            if index > 0 { write(separator) }
            try write(expressions[index])
        }
    }

    package mutating func write(_ ordering: SQLOrdering) throws {
        switch ordering.content {
        case .literal(let sql): try sql.write(to: &self)
        case .expression(let expression, let direction):
            try write(expression)
            if direction.needsNullsOrdering { try db.require(.nullsOrdering) }
            switch direction {
            case .unspecified: break
            case .ascending: write(" ASC")
            case .descending: write(" DESC")
            case .ascendingNullsLast: write(" ASC NULLS LAST")
            case .descendingNullsFirst: write(" DESC NULLS FIRST")
            }
        }
    }

    mutating func write(column: String, of table: TableReference?) {
        if let qualifier = table?.qualifier {
            write(identifier: qualifier)
            write(".")
        }
        write(identifier: column)
    }

    /// Writes the row of some columns, or NULL in a row of an outer join without counterpart.
    private mutating func write(_ rowConstructor: String, of columns: [String], _ table: TableReference) {
        write("CASE WHEN ")
        write(column: columns[0], of: table)
        write(" IS NOT NULL THEN \(rowConstructor)(")
        for (index, column) in columns.enumerated() {
            if index > 0 { write(", ") }
            write(column: column, of: table)
        }
        write(") END")
    }

    mutating func writeRowKey(of table: TableReference?) throws {
        guard let table else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the key of a row needs a request of a table")
        }
        // The request reads the table, and each change of its schema modifies its region.
        let db = db
        let key =
            db.tableExpression(named: table.tableName) == nil
            ? try db.withoutRecording { try db.primaryKey(table.tableName) } : nil
        guard let column = key?.fastPrimaryKeyColumn else {
            if let columns = key?.columns, !columns.isEmpty, let constructor = db.dialect.rowConstructor {
                return write(constructor, of: columns, table)
            }
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the rows of table \(table.tableName) are not identified by one column")
        }
        write(column: column, of: table)
    }
}

extension Database {
    /// Returns columns, at least one of them not NULL in every row.
    func rowExistenceColumns(of table: String) throws -> [String] {
        if let expression = tableExpression(named: table) { return try expression.columns() }
        return try withoutRecording {
            if let column = try? primaryKey(table).fastPrimaryKeyColumn { return [column] }
            let columns = try self.columns(in: table)
            if let column = columns.first(where: \.isNotNull) { return [column.name] }
            return columns.map(\.name)
        }
    }
}
