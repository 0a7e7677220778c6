import VigilStorage

/// The values of changed rows, before and after the changes, in the columns of observers' conditions and of
/// links.
///
/// With them, a commit that wrote a row of team 6 does not match an observer of team 5 registered later, and
/// a list looks up team 6 only. The values of other columns are unknown.
struct ChangedValues: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        let column: ColumnName
        /// The value; `nil` for NULL.
        let key: ComparisonKey?
    }

    /// The maximum numbers of rows, and of bytes of a value. Beyond them, no values are kept. They keep a set
    /// below a few kilobytes, and let a transaction skip most rows of a bulk change.
    static let rowLimit = 32
    static let byteLimit = 128
    /// The maximum number of rows of a table with links: without the values, all rows are fetched.
    static let linkedRowLimit = 256

    /// The columns with known values in all rows, in order.
    private(set) var columns: [ColumnName]
    private var entries: [Entry] = []
    private var rowCount = 1
    private let rowLimit: Int

    /// Returns `nil` without columns, or if a value of the row is unknown or too long.
    init?(of row: RowValues, in columns: [ColumnName], rowLimit: Int = rowLimit) {
        guard row.images != nil, let positions = row.positions, !columns.isEmpty else { return nil }
        self.columns = columns
        self.rowLimit = rowLimit
        for column in columns {
            guard let position = positions.position(of: column),
                !row.has(.old) || record(row.cell(at: position, .old), column),
                !row.has(.new) || record(row.cell(at: position, .new), column)
            else { return nil }
        }
    }

    private mutating func record(_ cell: StorageCell?, _ column: ColumnName) -> Bool {
        guard let cell else { return false }
        if cell.kind == .text || cell.kind == .blob, cell.bytes.count > Self.byteLimit { return false }
        insert(Entry(column: column, key: ComparisonKey(cell)))
        return true
    }

    private mutating func insert(_ entry: Entry) {
        if !entries.contains(entry) { entries.append(entry) }
    }

    /// Returns the values of both in their common columns; `nil` without any, or with too many rows.
    func union(_ other: ChangedValues) -> ChangedValues? {
        var union = self
        union.rowCount += other.rowCount
        guard union.rowCount <= min(rowLimit, other.rowLimit) else { return nil }
        if columns != other.columns {
            let common = columns.filter(other.columns.contains)
            if common.isEmpty { return nil }
            union.columns = common
            union.entries.removeAll { !common.contains($0.column) }
        }
        for entry in other.entries where union.columns.contains(entry.column) {
            union.insert(entry)
        }
        return union
    }

    /// Returns the values in a column, except NULL, each once; `nil` if they are unknown.
    func values(of column: ColumnName) -> [StorageValue]? {
        guard columns.contains(column) else { return nil }
        var values: [StorageValue] = []
        for entry in entries where entry.column == column {
            guard let key = entry.key else { continue }
            guard let value = key.storageValue else { return nil }
            values.append(value)
        }
        return values
    }

    /// Returns whether one of the rows may meet a test.
    func mayMeet(_ test: ColumnTest) -> Bool {
        guard case .named(let column) = test.column.column, columns.contains(column) else { return true }
        return entries.contains { entry in
            guard entry.column == column else { return false }
            guard let key = entry.key else { return test.isMet(by: nil) }
            return key.withCompared { value in
                guard case .text(let bytes) = value else { return test.isMet(by: value) }
                return withCollated(bytes, by: test.column.collation) { test.isMet(by: .text($0)) }
            }
        }
    }
}

extension ComparisonKey {
    /// Creates the key of a cell, compared by its bytes; `nil` for NULL.
    fileprivate init?(_ cell: StorageCell) {
        let key = cell.withCompared(.binary) { value -> ComparisonKey? in
            switch value {
            case nil: nil
            case .integer(let integer): .integer(integer)
            case .real(let real): .real(real)
            case .text(let bytes): .text(Array(bytes))
            case .blob(let bytes): .blob(Array(bytes))
            }
        }
        guard let key else { return nil }
        self = key
    }

    /// An equal value; `nil` for text that is not UTF-8.
    fileprivate var storageValue: StorageValue? {
        switch self {
        case .integer(let integer): .integer(integer)
        case .real(let real): .real(real)
        case .text(let bytes): String(validating: bytes, as: UTF8.self).map { .text($0) }
        case .blob(let bytes): .blob(bytes)
        }
    }
}

extension RowPredicates {
    /// Returns whether one of the changed rows may have met the tests before the change, or may meet them
    /// afterwards.
    func mayBeMet(in changes: TableChanges) -> Bool {
        alternatives.contains { conjunction in
            conjunction.tests.allSatisfy { test in
                if test.column.column == .rowID {
                    return changes.rowIDs.map { test.isMet(byOneOf: $0) } ?? true
                }
                return changes.values?.mayMeet(test) ?? true
            }
        }
    }
}

extension ColumnTest {
    fileprivate func isMet(byOneOf rowIDs: Set<Int64>) -> Bool {
        rowIDs.contains { isMet(by: .integer($0)) }
    }
}
