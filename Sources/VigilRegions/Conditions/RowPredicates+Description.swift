import VigilStorage

extension RowPredicates: CustomStringConvertible {
    /// A text such as `id = 7 OR score > 3 AND team = 5`, in natural order; `no row` without alternatives.
    var description: String {
        if alternatives.isEmpty { return "no row" }
        return alternatives.map(\.description).sorted().joined(separator: " OR ")
    }
}

extension Conjunction: CustomStringConvertible {
    var description: String { tests.map(\.description).sorted().joined(separator: " AND ") }
}

extension ColumnTest: CustomStringConvertible {
    /// The test as SQL, with the compared values: text in lower case if case is ignored.
    var description: String {
        let collation =
            switch column.collation {
            case .binary: ""
            case .nocase: " COLLATE NOCASE"
            case .rtrim: " COLLATE RTRIM"
            }
        switch test {
        case .equals(let key): return "\(column) = \(key)\(collation)"
        case .oneOf(let keys):
            return "\(column)\(collation) IN (\(keys.map(\.description).joined(separator: ",")))"
        case .isNull: return "\(column) IS NULL"
        case .prefix(let bytes):
            return "\(column) BEGINS \(ComparisonKey.text(bytes))\(collation)"
        case .within(let interval):
            let ends = [
                interval.lower.map { "\(column) >\($0)\(collation)" },
                interval.upper.map { "\(column) <\($0)\(collation)" },
            ].compactMap(\.self)
            return ends.isEmpty ? "\(column) IS NOT NULL" : ends.joined(separator: " AND ")
        }
    }
}

extension TestedColumn: CustomStringConvertible {
    var description: String {
        switch column {
        case .rowID: "rowid"
        case .named(let name): name.spelling
        }
    }
}

extension Interval.End: CustomStringConvertible {
    /// The text after `<` or `>`.
    var description: String { (isIncluded ? "= " : " ") + key.description }
}

extension ComparisonKey: CustomStringConvertible {
    /// The key as SQL.
    var description: String {
        switch self {
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let bytes):
            "'" + String(decoding: bytes.flatMap { $0 == 0x27 ? [$0, $0] : [$0] }, as: UTF8.self) + "'"
        case .blob(let bytes): "x'\(bytes.hexDigits)'"
        }
    }
}
