import VigilStorage

extension StatementArguments {
    /// The name under which the value of a parameter is given: the parameter's without its first
    /// character, which is `:`, `@`, `$` or `?`.
    ///
    /// - Parameter parameter: as ``StorageStatement/parameterName(at:)`` tells it.
    package static func name(ofParameter parameter: String?) -> String? {
        parameter.map { String(decoding: $0.utf8.dropFirst(), as: UTF8.self) }
    }

    /// Takes the values for the parameters of one statement. Values without a name are used up,
    /// values with a name stay: several statements in one text share them.
    ///
    /// Values whose name no parameter has are not an error, so that one dictionary can serve several
    /// statements.
    ///
    /// - Parameters:
    ///   - names: for each parameter its ``name(ofParameter:)``, or `nil`.
    ///   - sql: the statement, for the error.
    ///   - allowsRemainder: whether values may be left for statements that follow.
    /// - Returns: as many values as parameters.
    /// - Throws: `SQLITE_MISUSE` if a value is missing, with all missing names, or if one is left.
    ///   Nothing is then used up.
    package mutating func consume(
        forParametersNamed names: [String?], sql: String, allowsRemainder: Bool = false
    ) throws -> [DatabaseValue] {
        if namedValues.isEmpty && values.count == names.count {
            // Names do not matter when all values come by position: no array is made.
            return takeValues()
        }
        let (bindings, usedCount) = try match(names, sql: sql)
        if usedCount < values.count && !allowsRemainder { throw wrongCount(sql: sql) }
        removeFirst(usedCount)
        return bindings
    }

    /// The values for the parameters, and how many values without a name they take.
    private func match(_ names: [String?], sql: String) throws -> ([DatabaseValue], usedCount: Int) {
        var remaining = values[...]
        var missing: [String] = []
        var lacksPosition = false
        var bindings: [DatabaseValue] = []
        bindings.reserveCapacity(names.count)
        for name in names {
            if let value = name.flatMap({ namedValues[ExactString($0)] }) ?? remaining.popFirst() {
                bindings.append(value)
            } else if let name {
                missing.append(name)
            } else {
                lacksPosition = true
            }
        }
        if !missing.isEmpty {
            let noun = missing.count == 1 ? "argument" : "arguments"
            throw misuse("missing statement \(noun): \(missing.joined(separator: ", "))", sql: sql)
        }
        if lacksPosition { throw wrongCount(sql: sql) }
        return (bindings, values.count - remaining.count)
    }

    private func wrongCount(sql: String) -> DatabaseError {
        misuse("wrong number of statement arguments: \(values.count)", sql: sql)
    }

    private func misuse(_ message: String, sql: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: message, sql: sql)
    }

    /// Whether a statement cannot tell the two apart; see ``DatabaseValue/isIdentical(to:)``.
    package func isIdentical(to other: StatementArguments) -> Bool {
        values.count == other.values.count && namedValues.count == other.namedValues.count
            && zip(values, other.values).allSatisfy { $0.isIdentical(to: $1) }
            && namedValues.allSatisfy { name, value in
                other.namedValues[name]?.isIdentical(to: value) ?? false
            }
    }
}
