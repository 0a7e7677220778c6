import Foundation
import VigilEngine
import VigilStorage

/// The distinct keys of rows with prefetched associations.
struct PrefetchKeys {
    /// The greatest number of multi-column keys to compare one by one. Conditions of this form restrict the
    /// region of an observation to the keys.
    private static let alternativeLimit = 64
    /// The length of the keys in SQL text, in bytes, if there are too many for parameters. By default, SQLite
    /// accepts statements of a million bytes.
    private static let lengthLimit = 900_000
    /// The number of parameters left for the conditions of the association.
    private static let reservedParameters = 100

    private let keys: [[DatabaseValue]]
    private var areLiterals = false

    /// Creates the keys. Keys containing NULL have no associated rows, and are ignored.
    init(_ keys: [[DatabaseValue]]) {
        var known: Set<[DatabaseValue]> = []
        let distinct = keys.filter { key in !key.contains(where: \.isNull) && known.insert(key).inserted }
        self.keys = distinct.first?.count == 1 ? distinct.sorted { Self.precedes($0[0], $1[0]) } : distinct
    }

    private init(literals keys: [[DatabaseValue]]) {
        self.keys = keys
        areLiterals = true
    }

    /// Returns the keys in parts, one for each statement. There is one part, unless its SQL would be too
    /// long. Without keys, there is none.
    ///
    /// - Parameters:
    ///   - parameterLimit: The maximum number of parameters of a statement.
    ///   - isRepeated: Whether the condition contains each key twice.
    func parts(parameterLimit: Int, lengthLimit: Int = Self.lengthLimit, isRepeated: Bool = false)
        -> [PrefetchKeys]
    {
        guard let width = keys.first.map({ $0.count * (isRepeated ? 2 : 1) }) else { return [] }
        let lengthLimit = isRepeated ? lengthLimit / 2 : lengthLimit
        guard keys.count * width > max(1, parameterLimit - Self.reservedParameters) else { return [self] }
        var parts: [PrefetchKeys] = []
        var part: [[DatabaseValue]] = []
        var length = 0
        for key in keys {
            let keyLength = key.reduce(4) { $0 + $1.sqlLiteral.utf8.count + 2 }
            if length + keyLength > lengthLimit, !part.isEmpty {
                parts.append(PrefetchKeys(literals: part))
                (part, length) = ([], 0)
            }
            part.append(key)
            length += keyLength
        }
        return parts + [PrefetchKeys(literals: part)]
    }

    /// Returns a condition for columns to have one of the keys.
    ///
    /// With several keys, and with converted values, more rows may meet it.
    ///
    /// - Parameter conversions: The conversions of the values of the columns.
    func condition(_ columns: [String], converting conversions: [KeyComparison.Conversion]? = nil)
        -> SQLExpression
    {
        let expressions = columns.map { SQLExpression(.column($0)) }
        let conversions = conversions ?? columns.map { _ in .none }
        if expressions.count == 1 {
            return condition(expressions[0], keys.map { $0[0] }, converting: conversions[0])
        }
        guard keys.count > Self.alternativeLimit else {
            return .chain(
                .or,
                keys.map { key in
                    .chain(
                        .and,
                        key.indices.map { condition(expressions[$0], [key[$0]], converting: conversions[$0]) }
                    )
                })
        }
        let rows = keys.map { $0.map(value) }
        return SQLExpression.row(expressions).isContained(
            in: .subquery(SQLSubquery(ValuesFragment(columns: expressions, rows: rows))))
    }

    /// Returns a condition for a column to have one of the values.
    ///
    /// Converted values are in a separate range, so an index finds the others.
    private func condition(
        _ column: SQLExpression, _ values: [DatabaseValue], converting conversion: KeyComparison.Conversion
    ) -> SQLExpression {
        let numbers = values.filter(\.isNumber)
        guard case .toNumber(let isTextColumn) = conversion, !numbers.isEmpty else {
            return column.isContained(in: .expressions(values.map(value)))
        }
        // A number is converted before it is compared with a column of texts.
        let others = isTextColumn ? values.filter { !$0.isNumber } : values
        let number = Database.StorageClass(rawValue: "NUMERIC")
        let converted: SQLExpression =
            numbers.count == 1
            ? .equality(.equal, of: column, and: SQLExpression(.cast(value(numbers[0]), number)))
            : .operation("+", of: column, and: value(0.databaseValue)).isContained(
                in: .expressions(numbers.map(value)))
        let isConverted = SQLExpression.chain(
            .and,
            [
                .operation(">=", of: column, and: value("".databaseValue)),
                .operation("<", of: column, and: value(Data().databaseValue)), converted,
            ])
        guard !others.isEmpty else { return isConverted }
        return .chain(.or, [column.isContained(in: .expressions(others.map(value))), isConverted])
    }

    private func value(_ value: DatabaseValue) -> SQLExpression {
        guard areLiterals else { return SQLExpression(.value(value)) }
        // Integers have the same literals in all dialects.
        if case .int64(let integer) = value.storage { return SQL(sql: String(integer)).sqlExpression }
        return SQL(elements: [.fragment(Literal(value: value))]).sqlExpression
    }

    /// The order of the storage classes in SQLite: numbers, text, bytes.
    private static func precedes(_ a: DatabaseValue, _ b: DatabaseValue) -> Bool {
        switch (a.storage, b.storage) {
        case (.int64(let a), .int64(let b)): a < b
        case (.string(let a), .string(let b)): a < b
        case (.int64, .string), (.int64, .blob), (.double, .string), (.double, .blob), (.string, .blob): true
        case (.double(let a), .double(let b)): a < b
        case (.int64(let a), .double(let b)): Double(a) < b
        case (.double(let a), .int64(let b)): a < Double(b)
        case (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
        default: false
        }
    }
}

/// `VALUES (…), (…)`, to be compared with columns.
private struct ValuesFragment: SQLFragment {
    let columns: [SQLExpression]
    let rows: [[SQLExpression]]

    func write(to writer: inout SQLWriter) throws {
        for (index, row) in rows.enumerated() {
            writer.write(index == 0 ? "VALUES (" : ", (")
            if index == 0, writer.db.dialect.infersParameterTypes {
                try write(first: row, to: &writer)
            } else {
                try writer.write(row, separator: ", ")
            }
            writer.write(")")
        }
    }

    /// Writes the first row, with explicit types for all rows. They would not be inferred from the columns.
    private func write(first row: [SQLExpression], to writer: inout SQLWriter) throws {
        for (index, (column, value)) in zip(columns, row).enumerated() {
            if index > 0 { writer.write(", ") }
            guard let type = writer.columnType(of: column) else {
                try writer.write(alone: value)
                continue
            }
            writer.write("CAST(")
            try writer.write(value)
            writer.write(" AS \(type.withoutLength))")
        }
    }
}

extension String {
    /// The name of a type without a length or precision, because it would truncate values.
    fileprivate var withoutLength: String {
        guard !contains("\"") else { return self }
        // Without a length, the type has one character.
        if hasPrefix("character("), hasSuffix(")") { return "bpchar" }
        return replacing(/\([0-9, ]*\)/, with: "")
    }
}

/// A value as a literal.
private struct Literal: SQLFragment {
    let value: DatabaseValue

    func write(to writer: inout SQLWriter) throws {
        writer.write(value.sqlLiteral(writer.db.dialect))
    }
}
