/// The column that a result is sorted by first. The last row that was read bounds the rows that matter: a row
/// further back in this order, before and after its change, is behind all rows that were read.
///
/// ```swift
/// // SELECT name, date FROM message ORDER BY date DESC LIMIT 50
/// ResultOrder(
///     TableName(name: "message"), .named("date"), resultColumn: 1, isDescending: true,
///     limit: .value(.integer(50)))
/// ```
///
/// The maximum and the minimum of a column are results of one row: `MAX(date)` is the first row of the order
/// above, and of `MIN(date)` in the other direction NULL comes last.
public struct ResultOrder: Sendable, Hashable {
    /// The table of the column. The statement reads the table once, and not on the right of a LEFT JOIN.
    public var table: TableName
    /// The column, whose values are stored, not computed.
    public var column: RowCondition.Column
    /// The index of the column in the result.
    public var resultColumn: Int
    /// How text is compared.
    public var collation: RowCondition.Collation
    /// Whether greater values come first.
    public var isDescending: Bool
    /// Whether rows with NULL come after all others, or make no difference.
    public var nullsAreLast: Bool
    /// The maximum number of rows: a literal integer or a parameter; `nil` without one, or if it is not
    /// known.
    public var limit: RowConditionTemplate.Operand?

    /// Creates an order. With `nil` for `nullsAreLast`, the direction decides the place of NULL.
    public init(
        _ table: TableName, _ column: RowCondition.Column, resultColumn: Int,
        collation: RowCondition.Collation = .binary, isDescending: Bool = false, nullsAreLast: Bool? = nil,
        limit: RowConditionTemplate.Operand? = nil
    ) {
        self.table = table
        self.column = column
        self.resultColumn = resultColumn
        self.collation = collation
        self.isDescending = isDescending
        self.nullsAreLast = nullsAreLast ?? isDescending
        self.limit = limit
    }

    /// The maximum length of a bound, in bytes of UTF-8 or of a blob.
    private static let maximumLength = 1_000

    /// Returns the conditions that rows up to the last row that was read meet; `nil` if any row may.
    ///
    /// - Parameter last: the value of the column in that row.
    package func conditions(through last: StorageCell) -> [[RowCondition]]? {
        let isNull = RowCondition(column, .isNull, collation: collation)
        guard last.kind != .null else { return nullsAreLast ? nil : [[isNull]] }
        guard let value = comparableValue(last) else { return nil }
        let bound = RowCondition.Bound(value, isIncluded: true)
        let range = RowCondition(
            column, isDescending ? .range(lower: bound, upper: nil) : .range(lower: nil, upper: bound),
            collation: collation)
        return nullsAreLast ? [[range]] : [[range], [isNull]]
    }

    /// Returns the value of a cell; `nil` if a copy may compare differently from the stored value.
    private func comparableValue(_ cell: StorageCell) -> StorageValue? {
        switch cell.kind {
        case .null: return nil
        case .integer, .real: return cell.value
        case .blob: return cell.bytes.count <= Self.maximumLength ? cell.value : nil
        case .text:
            // SQLite compares text without case only up to a zero byte.
            guard cell.bytes.count <= Self.maximumLength, !cell.bytes.contains(0),
                let value = cell.exactValue
            else { return nil }
            return value
        }
    }
}

extension ResultOrder {
    /// The condition of the rows that matter, for display: `date >= …`.
    public var text: String {
        let name =
            switch column {
            case .rowID: "rowid"
            case .named(let name): name
            }
        return "\(name) \(isDescending ? ">=" : "<=") …" + (nullsAreLast ? "" : " OR \(name) IS NULL")
    }
}
