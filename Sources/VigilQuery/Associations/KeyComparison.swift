import VigilEngine
import VigilRegions
import VigilStorage

/// How SQL compares the columns of two tables linked by a foreign key: with the conversions of both columns,
/// and with the collation of the column in the right table.
struct KeyComparison {
    /// The conversion of the values of a column.
    enum Conversion {
        case none
        /// Text in the form of a number is converted to the number.
        case toNumber(isTextColumn: Bool)
    }

    private struct Pair {
        let left: ColumnAffinity
        let right: ColumnAffinity
        /// The collation; `nil` if it is unknown.
        let collation: RowCondition.Collation?

        var convertsLeft: Bool { right.isNumeric && !left.isNumeric }
        var convertsRight: Bool { left.isNumeric && !right.isNumeric }

        /// Whether SQL would convert a number to text before comparing it with the right column, although it
        /// does not convert the values of the left column.
        var excludesNumbers: Bool { left == .none && right == .text }
    }

    private let pairs: [Pair]

    /// - Parameters:
    ///   - left: The table of the first columns.
    ///   - right: The table of the other columns.
    init(_ columns: [JoinedColumns], left: String, right: String, _ db: Database) throws {
        pairs = try db.withoutRecording {
            guard let connection = db.embedded else {
                return columns.map { _ in Pair(left: .none, right: .none, collation: .binary) }
            }
            let (left, right) = try (QueryTable.named(left, db), QueryTable.named(right, db))
            return columns.map { pair in
                let table = right.metadata?.name
                let collation = table.flatMap { connection.collation(of: pair.right, in: $0) }
                return Pair(
                    left: left.affinity(of: pair.left), right: right.affinity(of: pair.right),
                    collation: collation)
            }
        }
    }

    /// The conversions of the values of the right columns.
    var conversions: [Conversion] {
        pairs.map { $0.convertsRight ? .toNumber(isTextColumn: $0.right == .text) : .none }
    }

    /// Whether SQL converts values of the right columns.
    var convertsRight: Bool { pairs.contains(where: \.convertsRight) }

    /// Returns values as stored in the left columns.
    func stored(_ values: [DatabaseValue]) -> [DatabaseValue] {
        zip(pairs, values).map { pair, value in
            pair.left.stored(value.storageValue).map { DatabaseValue($0) } ?? value
        }
    }

    /// Returns values of the left columns, with NULL in place of numbers that differ from all values of the
    /// right column, but would not differ as constants.
    func compared(_ values: [DatabaseValue]) -> [DatabaseValue] {
        guard pairs.contains(where: \.excludesNumbers) else { return values }
        return zip(pairs, values).map { $0.excludesNumbers && $1.isNumber ? .null : $1 }
    }

    /// Returns normalized values of the left columns; `nil` if uncertain. Keys of both tables considered
    /// equal by SQL have equal normalized values.
    func left(_ values: [DatabaseValue]) -> [DatabaseValue]? { comparable(values, \.convertsLeft) }

    /// Returns normalized values of the right columns. See ``left(_:)``.
    func right(_ values: [DatabaseValue]) -> [DatabaseValue]? { comparable(values, \.convertsRight) }

    private func comparable(_ values: [DatabaseValue], _ isConverted: (Pair) -> Bool) -> [DatabaseValue]? {
        var result = values
        for (index, pair) in pairs.enumerated() {
            if isConverted(pair) {
                guard let number = ColumnAffinity.numeric.stored(result[index].storageValue) else {
                    return nil
                }
                result[index] = DatabaseValue(number)
            }
            guard pair.collation != .binary, case .text(var text) = result[index].storageValue else {
                continue
            }
            guard let collation = pair.collation else { return nil }
            let folded = text.withUTF8 { bytes in
                withCollated(UnsafeRawBufferPointer(bytes), by: collation) {
                    String(decoding: $0, as: UTF8.self)
                }
            }
            result[index] = folded.databaseValue
        }
        return result
    }
}

extension ColumnAffinity {
    fileprivate var isNumeric: Bool { self == .numeric || self == .real }
}

extension DatabaseValue {
    var isNumber: Bool {
        switch storage {
        case .int64, .double: true
        case .null, .string, .blob: false
        }
    }
}
