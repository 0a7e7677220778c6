import VigilEngine
import VigilStorage

/// The distinct keys of rows whose associated rows are prefetched.
struct PrefetchKeys {
    /// The number of keys of several columns that are compared one by one. Conditions of this form restrict the region
    /// of an observation to the keys.
    private static let alternativeLimit = 64
    /// The length of the keys in SQL text, in bytes, if there are too many for parameters. By default, SQLite accepts
    /// statements of a million bytes.
    private static let lengthLimit = 900_000
    /// Parameters that remain for the conditions of the association.
    private static let reservedParameters = 100

    private let keys: [[DatabaseValue]]
    private var areLiterals = false

    /// Creates the keys. Those that contain NULL have no associated rows, and are ignored.
    init(_ keys: [[DatabaseValue]]) {
        var known: Set<[DatabaseValue]> = []
        let distinct = keys.filter { key in !key.contains(where: \.isNull) && known.insert(key).inserted }
        self.keys = distinct.first?.count == 1 ? distinct.sorted { Self.precedes($0[0], $1[0]) } : distinct
    }

    private init(literals keys: [[DatabaseValue]]) {
        self.keys = keys
        areLiterals = true
    }

    /// Returns the keys as parts, for each of which a statement can be run. There is one part, unless its SQL would be too
    /// long. Without keys, there is none.
    ///
    /// - Parameters:
    ///   - parameterLimit: The maximum number of parameters of a statement.
    func parts(parameterLimit: Int, lengthLimit: Int = Self.lengthLimit) -> [PrefetchKeys] {
        guard let width = keys.first?.count else { return [] }
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

    /// Returns the condition that columns have one of the keys.
    func condition(_ columns: [String]) -> SQLExpression {
        let expressions = columns.map { SQLExpression(.column($0)) }
        if expressions.count == 1 {
            return expressions[0].isContained(in: .expressions(keys.map { value($0[0]) }))
        }
        guard keys.count > Self.alternativeLimit else {
            return .chain(
                .or,
                keys.map { key in
                    .chain(.and, zip(expressions, key).map { .equality(.equal, $0, value($1)) })
                })
        }
        let values = keys.map { SQLExpression.row($0.map(value)) }
        return SQLExpression.row(expressions).isContained(
            in: .subquery(SQLSubquery(ValuesFragment(rows: values))))
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

/// `VALUES (…), (…)`
private struct ValuesFragment: SQLFragment {
    let rows: [SQLExpression]

    func write(to writer: inout SQLWriter) throws {
        writer.write("VALUES ")
        try writer.write(rows, separator: ", ")
    }
}

/// A value as a literal.
private struct Literal: SQLFragment {
    let value: DatabaseValue

    func write(to writer: inout SQLWriter) throws {
        writer.write(value.sqlLiteral(writer.db.dialect))
    }
}
