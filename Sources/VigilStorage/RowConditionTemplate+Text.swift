extension RowConditionTemplate {
    /// Returns the condition as SQL, such as `team = 5` or `score BETWEEN 1 AND :highest`.
    ///
    /// - Parameter parameter: returns the text for a parameter, given its index. The first one is 1.
    public func text(_ parameter: (Int) -> String) -> String {
        func sql(_ operand: Operand) -> String {
            switch operand {
            case .value(let value): value.sqlLiteral
            case .near(let real): real.description
            case .parameter(let index), .elements(let index): parameter(index)
            }
        }
        let name = column.description
        switch test {
        case .oneOf(let operands) where operands.count == 1:
            if case .elements = operands[0] { return "\(name) = ANY (\(sql(operands[0])))" }
            return "\(name) = \(sql(operands[0]))"
        case .oneOf(let operands): return "\(name) IN (\(operands.map(sql).joined(separator: ", ")))"
        case .identical(let operand): return "\(name) IS \(sql(operand))"
        case .range(let lower?, let upper?) where lower.isIncluded && upper.isIncluded:
            return "\(name) BETWEEN \(sql(lower.operand)) AND \(sql(upper.operand))"
        case .range(let lower, let upper):
            let bounds = [
                lower.map { "\(name) \($0.isIncluded ? ">=" : ">") \(sql($0.operand))" },
                upper.map { "\(name) \($0.isIncluded ? "<=" : "<") \(sql($0.operand))" },
            ]
            return bounds.compactMap { $0 }.joined(separator: " AND ")
        case .isNull: return "\(name) IS NULL"
        case .isNotNull: return "\(name) IS NOT NULL"
        case .matches(.like, let operand): return "\(name) LIKE \(sql(operand))"
        case .matches(.glob, let operand): return "\(name) GLOB \(sql(operand))"
        }
    }
}

extension RowCondition.Column: CustomStringConvertible {
    /// The name of the column; `rowid` for the row id.
    public var description: String {
        switch self {
        case .rowID: "rowid"
        case .named(let name): name
        }
    }
}

extension StorageValue {
    /// The value as a SQL literal.
    package var sqlLiteral: String {
        switch self {
        case .null: "NULL"
        case .integer(let integer): String(integer)
        case .real(let real): real.description
        case .text(let text): text.quotedSQLText
        case .blob(let bytes): "x'\(bytes.hexDigits)'"
        }
    }
}
