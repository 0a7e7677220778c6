import VigilStorage

extension StatementArguments {
    /// Returns the name of an argument: the name of its parameter without the first character, one of `:`,
    /// `@`, `$` or `?`.
    ///
    /// - Parameter parameter: the name returned by ``StorageStatement/parameterName(at:)``.
    package static func name(ofParameter parameter: String?) -> String? {
        parameter.map { String(decoding: $0.utf8.dropFirst(), as: UTF8.self) }
    }

    /// Removes and returns the values for the parameters of one statement. Only positional values are
    /// removed: the statements of one text share the named values.
    ///
    /// Named values without a parameter are not an error, so that one dictionary can serve several
    /// statements.
    ///
    /// - Parameters:
    ///   - names: the ``name(ofParameter:)`` of each parameter, or `nil`.
    ///   - sql: the statement, for the error.
    ///   - allowsRemainder: whether positional values may remain for subsequent statements.
    /// - Returns: One value for each parameter.
    /// - Throws: `SQLITE_MISUSE` if values are missing, with all missing names, or if values remain. Nothing
    ///   is then removed.
    package mutating func consume(
        forParametersNamed names: [String?], sql: String, allowsRemainder: Bool = false
    ) throws -> [DatabaseValue] {
        if namedValues.isEmpty && values.count == names.count {
            // If all values are positional, names do not matter, and the array is returned without a copy.
            return takeValues()
        }
        let (bindings, usedCount) = try match(names, sql: sql)
        if usedCount < values.count && !allowsRemainder {
            throw wrongCount(needed: usedCount, sql: sql)
        }
        removeFirst(usedCount)
        return bindings
    }

    /// Returns the values for the parameters, and the number of positional values among them.
    private func match(_ names: [String?], sql: String) throws -> ([DatabaseValue], usedCount: Int) {
        var remaining = values[...]
        var missing: [String] = []
        var lackingCount = 0
        var bindings: [DatabaseValue] = []
        bindings.reserveCapacity(names.count)
        for name in names {
            if let value = name.flatMap({ namedValues[ExactString($0)] }) ?? remaining.popFirst() {
                bindings.append(value)
            } else if let name {
                missing.append(name)
            } else {
                lackingCount += 1
            }
        }
        if !missing.isEmpty {
            let noun = missing.count == 1 ? "argument" : "arguments"
            throw misuse("missing statement \(noun): \(missing.joined(separator: ", "))", sql: sql)
        }
        if lackingCount > 0 { throw wrongCount(needed: values.count + lackingCount, sql: sql) }
        return (bindings, values.count - remaining.count)
    }

    private func wrongCount(needed: Int, sql: String) -> DatabaseError {
        .wrongArgumentCount(values.count, needed: needed, sql: sql)
    }

    private func misuse(_ message: String, sql: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: message, sql: sql)
    }

    /// Returns whether no statement can distinguish the arguments. See ``DatabaseValue/isIdentical(to:)``.
    package func isIdentical(to other: StatementArguments) -> Bool {
        values.count == other.values.count && namedValues.count == other.namedValues.count
            && zip(values, other.values).allSatisfy { $0.isIdentical(to: $1) }
            && namedValues.allSatisfy { name, value in
                other.namedValues[name]?.isIdentical(to: value) ?? false
            }
    }
}

extension DatabaseError {
    /// Returns the error for a wrong number of positional values, compared with the parameters without a
    /// named value.
    ///
    /// - Parameter sql: the statement, or `nil` if the values are meant for several statements.
    package static func wrongArgumentCount(_ count: Int, needed: Int, sql: String?) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "wrong number of statement arguments: \(count)", sql: sql
        ).advising("\(needed) needed")
    }
}
