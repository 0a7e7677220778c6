public import VigilEngine
import VigilStorage

/// The columns stored by a record, and their values.
///
/// A record fills the container in ``EncodableRecord/encode(to:)-(PersistenceContainer)``:
///
/// ```swift
/// extension Place: PersistableRecord {
///     func encode(to container: inout PersistenceContainer) {
///         container["id"] = id
///         container["name"] = name
///         container["latitude"] = coordinate.latitude
///         container["longitude"] = coordinate.longitude
///     }
/// }
/// ```
///
/// Column names are compared by their UTF-8 bytes, ignoring the case of ASCII letters, as in SQLite. A
/// container is a collection of its columns and values, in the order in which they were first set.
public struct PersistenceContainer: Sendable {
    /// The columns. The first ones, as many as there are ``values``, are set. The others are expected next,
    /// because the previous record of the same type set them in this order: a record with the same columns
    /// only adds values.
    private(set) var columns: [String]
    /// The values of the first columns.
    private(set) var values: [DatabaseValue] = []
    /// The encoder of `Encodable` records of one type.
    ///
    /// Guard: only a connection's plan passes a container with an encoder to a record, and removes the
    /// encoder before the container leaves the access.
    nonisolated(unsafe) var encoder: RecordEncoder?

    /// Creates an empty container.
    ///
    /// - Parameter columns: The columns expected to be set, in this order.
    init(expecting columns: [String] = [], encoder: RecordEncoder? = nil) {
        self.columns = columns
        self.encoder = encoder
        values.reserveCapacity(columns.count)
    }

    init(_ record: some EncodableRecord) throws {
        self.init()
        try record.encode(to: &self)
        finish()
    }

    /// The value of a column. It is `nil` if the column was not set, or set to `nil`.
    ///
    /// Set a column to `nil` to store NULL in it. A column never set is not written: an inserted row then has
    /// its default value.
    public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
        get { index(of: column).map { values[$0] } }
        set { set(column, newValue?.databaseValue ?? .null) }
    }

    /// The value of a column. See ``subscript(_:)-(String)``.
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
        get { self[column.name] }
        set { self[column.name] = newValue }
    }

    /// Sets the value of a column.
    @inline(__always)  // bench: insert-records
    mutating func set(_ column: String, _ value: DatabaseValue) {
        let position = values.count
        if position < columns.count, columns[position].isIdentical(to: column) {
            values.append(value)
        } else {
            setUnexpected(column, value)
        }
    }

    private mutating func setUnexpected(_ column: String, _ value: DatabaseValue) {
        if let index = index(of: column) {
            values[index] = value
            return
        }
        removeExpectations()
        columns.append(column)
        values.append(value)
    }

    /// Removes the encoder, and the expected columns without a value.
    mutating func finish() {
        encoder = nil
        removeExpectations()
    }

    private mutating func removeExpectations() {
        if columns.count > values.count { columns.removeSubrange(values.count...) }
    }

    /// Returns the position of a column; `nil` if it was not set.
    func index(of column: String) -> Int? {
        columns.prefix(values.count).firstIndex { $0.isSameName(as: column) }
    }

    /// Returns the value of a column; NULL if it was not set.
    func databaseValue(of column: String) -> DatabaseValue { index(of: column).map { values[$0] } ?? .null }

    /// Returns the columns with different values in another container, with the other values. A column
    /// without a value counts as NULL.
    func changes(from other: PersistenceContainer) -> [(column: String, old: DatabaseValue)] {
        indices.compactMap { index in
            let (column, value) = self[index]
            let isAligned = index < other.count && other.columns[index].isSameName(as: column)
            let old = isAligned ? other.values[index] : other.databaseValue(of: column)
            return value == old ? nil : (column, old)
        }
    }
}

extension Dictionary where Key == String {
    /// Creates a dictionary of values by column. Of columns with canonically equivalent names,
    /// indistinguishable in a dictionary, it contains the first one.
    init(byColumn columns: some Sequence<(String, Value)>) {
        self.init(columns, uniquingKeysWith: { first, _ in first })
    }
}

extension PersistenceContainer: RandomAccessCollection {
    /// The position of the first column: 0.
    public var startIndex: Int { 0 }

    /// The number of columns.
    public var endIndex: Int { values.count }

    /// The column at a position, and its value.
    public subscript(position: Int) -> (String, DatabaseValue) { (columns[position], values[position]) }
}
