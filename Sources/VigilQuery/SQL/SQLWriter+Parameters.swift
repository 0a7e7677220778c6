import VigilEngine
import VigilRegions
import VigilStorage

// Parameters in databases that infer their types from their use. A value is cast where another type than its
// own, or no type, would be inferred. Elsewhere the type is inferred, so values can be compared with and
// assigned to columns of types such as dates.
extension SQLWriter {
    /// Writes an expression. A value has its own type, because nothing else determines it.
    mutating func write(alone expression: SQLExpression) throws {
        try write(expression, besides: [])
    }

    /// Writes an expression. Its type must agree with others.
    mutating func write(
        _ expression: SQLExpression, besides others: @autoclosure () -> [SQLExpression]
    ) throws {
        try write(expression)
        // The others are not collected for SQLite (bench: request-build).
        guard db.dialect.infersParameterTypes, let cast = cast(of: expression, besides: others()) else {
            return
        }
        write(cast)
    }

    /// Writes an operand, in parentheses unless it is a single value or name. Its type agrees with others.
    mutating func write(
        operand: SQLExpression, besides others: @autoclosure () -> [SQLExpression]
    ) throws {
        try write(operand: operand)
        guard db.dialect.infersParameterTypes, let cast = cast(of: operand, besides: others()) else { return }
        write(cast)
    }

    mutating func write(agreeing expressions: [SQLExpression], separator: String, areOperands: Bool = false)
        throws
    {
        for index in expressions.indices {
            if index > 0 { write(separator) }
            if areOperands {
                try write(operand: expressions[index], besides: expressions.without(index))
            } else {
                try write(expressions[index], besides: expressions.without(index))
            }
        }
    }

    /// Writes a value with a fraction as such, whatever the inferred type.
    mutating func write(converted expression: SQLExpression) throws {
        try write(expression)
        if expression.value?.isReal == true, let casts = db.dialect.parameterCasts { write(casts.real) }
    }

    /// Returns the text to cast a value; `nil` if its type is inferred from the other expressions.
    private func cast(of expression: SQLExpression, besides others: [SQLExpression]) -> String? {
        guard let casts = db.dialect.parameterCasts, let value = expression.value, !value.isNull else {
            return nil
        }
        let others = others.filter { $0.value == nil }
        if others.isEmpty { return casts.cast(of: value) }
        // The type of an integer would be inferred for a number with a fraction.
        guard value.isReal else { return nil }
        for other in others where !isOfOtherTypeThanInteger(other) { return casts.real }
        return nil
    }

    /// Whether an expression is known not to be an integer, because it is a column of another type.
    private func isOfOtherTypeThanInteger(_ expression: SQLExpression) -> Bool {
        guard let type = columnType(of: expression), let casts = db.dialect.parameterCasts else {
            return false
        }
        return !casts.integerTypes.contains(type)
    }

    /// Returns the declared type of a column; `nil` for other expressions, and if it is not known.
    func columnType(of expression: SQLExpression) -> String? {
        let (reference, name): (TableReference?, String)
        switch expression.node {
        case .column(let column): (reference, name) = (table, column)
        case .columnOf(let alias, let column): (reference, name) = (try? table(alias), column)
        default: return nil
        }
        guard let reference, !reference.resultNames.contains(ColumnName(name)) else { return nil }
        return try? QueryTable.named(reference.tableName, db).declaredType(of: name)
    }
}

extension SQLDialect.ParameterCasts {
    fileprivate func cast(of value: DatabaseValue) -> String? {
        switch value.storage {
        case .null: nil
        case .int64: integer
        case .double: real
        case .string: text
        case .blob: blob
        }
    }
}

extension [SQLExpression] {
    fileprivate func without(_ index: Int) -> [SQLExpression] {
        Array(self[..<index] + self[(index + 1)...])
    }
}

extension DatabaseValue {
    fileprivate var isReal: Bool { if case .double = storage { true } else { false } }
}
