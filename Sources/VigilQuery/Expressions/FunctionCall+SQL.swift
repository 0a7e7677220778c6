import VigilEngine
import VigilStorage

extension FunctionCall {
    func write(to writer: inout SQLWriter) throws {
        if name == "IIF", arguments.count == 3, !writer.db.supports(.iif) {
            return try writeConditional(to: &writer)
        }
        if let feature { try writer.db.require(feature) }
        if ordering != nil { try writer.db.require(.aggregateOrdering) }
        if filter != nil { try writer.db.require(.aggregateFilter) }
        let forms = writer.db.dialect.functionForms
        if !forms.isEmpty, let form = forms[name.uppercased()] { return try write(form, to: &writer) }
        let names = writer.db.dialect.functionNames
        try writeCall(named: names.isEmpty ? name : names[name.uppercased()] ?? name, to: &writer)
    }

    private func writeCall(named name: String, to writer: inout SQLWriter) throws {
        writer.write(name)
        writer.write(isDistinct ? "(DISTINCT " : "(")
        try writeArguments(to: &writer)
        if let ordering {
            writer.write(" ORDER BY ")
            try writer.write(ordering)
        }
        writer.write(")")
        if let filter {
            writer.write(" FILTER (WHERE ")
            try writer.write(filter)
            writer.write(")")
        }
    }

    private func writeArguments(to writer: inout SQLWriter) throws {
        guard writer.db.dialect.infersParameterTypes else {
            return try writer.write(arguments, separator: ", ")
        }
        if arguments.count == 1 || Self.agreeingFunctions.contains(name.uppercased()) {
            return try writer.write(agreeing: arguments, separator: ", ")
        }
        for (index, argument) in arguments.enumerated() {
            if index > 0 { writer.write(", ") }
            try writer.write(converted: argument)
        }
    }

    /// The functions with arguments and a result of one type.
    private static let agreeingFunctions: Set<String> = ["COALESCE", "IFNULL", "NULLIF", "MAX", "MIN"]

    private func write(_ form: SQLDialect.FunctionForm, to writer: inout SQLWriter) throws {
        switch form {
        case .conditional where arguments.count == 3: try writeConditional(to: &writer)
        case .wrapped(let name, let texts):
            writer.write(texts.start)
            try writeCall(named: name, to: &writer)
            writer.write(texts.end)
        case .nullIfAnyIsNull(let name) where arguments.count > 1:
            // The type of a parameter alone is not known.
            let tested = arguments.filter { $0.value.map(\.isNull) ?? true }
            guard !tested.isEmpty else { return try writeCall(named: name, to: &writer) }
            writer.write("CASE WHEN ROW(")
            try writer.write(tested, separator: ", ")
            writer.write(") IS NOT NULL THEN ")
            try writeCall(named: name, to: &writer)
            writer.write(" END")
        case .conditional, .nullIfAnyIsNull: try writeCall(named: name, to: &writer)
        }
    }

    /// Writes `IIF` for dialects and libraries without it.
    private func writeConditional(to writer: inout SQLWriter) throws {
        writer.write("CASE WHEN ")
        try writer.write(arguments[0])
        writer.write(" THEN ")
        try writer.write(agreeing: Array(arguments[1...]), separator: " ELSE ")
        writer.write(" END")
    }
}
