public import Foundation
public import VigilEngine
import VigilStorage

// Values by column
extension Row {
    /// The value of the leftmost column of the given name, as an `Int64`, `Double`, `String` or `Data`. It is
    /// `nil` for NULL, and if the column does not exist.
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? { self[column.name] }

    /// The value of the leftmost column of the given name, converted to the requested type. An optional is
    /// `nil` if the column does not exist.
    ///
    /// ```swift
    /// let name: String = row[Column("name")]
    /// ```
    ///
    /// - Precondition: The value can be converted.
    public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value {
        self[column.name]
    }

    /// The value of the leftmost column of the given name, converted directly to the requested type. An
    /// optional is `nil` if the column does not exist.
    ///
    /// - Precondition: The value can be converted.
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ column: some ColumnExpression
    ) -> Value {
        self[column.name]
    }

    /// Returns the value of the leftmost column of the given name, converted to the requested type.
    ///
    /// - Throws: `RowDecodingError` if the column does not exist or the value cannot be converted.
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
    ) throws -> Value {
        try decode(type, forColumn: column.name)
    }

    /// Returns the value of the leftmost column of the given name, converted directly to the requested type.
    ///
    /// - Throws: `RowDecodingError` if the column does not exist or the value cannot be converted.
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
    ) throws -> Value {
        try decode(type, forColumn: column.name)
    }

    /// Returns the first value other than NULL in some columns. Skips missing columns.
    ///
    /// ```swift
    /// let name: String? = row.coalesce([Column("nickname"), Column("name")])
    /// ```
    ///
    /// - Precondition: The value can be converted.
    public func coalesce<T: DatabaseValueConvertible>(_ columns: some Collection<any ColumnExpression>) -> T?
    {
        coalesce(columns.lazy.map(\.name))
    }

    /// Calls a closure with the bytes of a column, without copying them. Calls it with `nil` for NULL, and if
    /// the column does not exist.
    ///
    /// - Parameters:
    ///   - column: The column to read.
    ///   - body: The closure. It must not let the data escape: the data is valid only during the call.
    /// - Throws: `RowDecodingError` if the value is a number, and the error of `body`.
    public func withUnsafeData<T>(at column: some ColumnExpression, _ body: (Data?) throws -> T) throws -> T {
        try withUnsafeData(named: column.name, body)
    }

    /// Returns the bytes of the leftmost column of the given name without copying them, or `nil` for NULL,
    /// and if the column does not exist. They are valid as long as the row is.
    ///
    /// - Precondition: The value is not a number.
    @available(*, deprecated, message: "Use withUnsafeData(at:_:): the data must not outlive the row.")
    public func dataNoCopy(_ column: some ColumnExpression) -> Data? {
        dataNoCopy(named: column.name)
    }
}

// Records of scopes, and of associations fetched along with a row
extension Row {
    /// Returns the record of a scope.
    ///
    /// ```swift
    /// let team = try row.decode(Team.self, forKey: "team")
    /// ```
    ///
    /// - Throws: `RowDecodingError` if the row does not have the scope, or if all its columns are NULL, as
    ///   after an optional association without a row; and the error of the record's `init(row:)`.
    public func decode<Record: FetchableRecord>(_ type: Record.Type = Record.self, forKey scope: String)
        throws
        -> Record
    {
        guard let row = scopesTree[scope] else { throw keyNotFound(scope) }
        guard row.containsNonNullValue else {
            throw RowDecodingError.valueMismatch(type, kind: .null, row.context())
        }
        return try Record(row: row)
    }

    /// Returns the record of a scope, or `nil` if the row does not have it, or all its columns are NULL.
    ///
    /// - Throws: The error of the record's `init(row:)`.
    public func decodeIfPresent<Record: FetchableRecord>(
        _ type: Record.Type = Record.self, forKey scope: String
    ) throws -> Record? {
        guard let row = scopesTree[scope], row.containsNonNullValue else { return nil }
        return try Record(row: row)
    }

    /// Returns the records fetched along with the row, for the association with a key.
    ///
    /// - Throws: `RowDecodingError` if no rows were fetched for the key, and the errors of `init(row:)`.
    public func decode<Records>(_ type: Records.Type = Records.self, forKey key: String) throws -> Records
    where Records: RangeReplaceableCollection, Records.Element: FetchableRecord {
        guard let rows = prefetchedRows[key] else { throw keyNotFound(key) }
        var records = Records()
        records.reserveCapacity(rows.count)
        for row in rows { records.append(try Records.Element(row: row)) }
        return records
    }

    /// Returns the distinct records fetched along with the row, for the association with a key.
    ///
    /// - Throws: `RowDecodingError` if no rows were fetched for the key, and the errors of `init(row:)`.
    public func decode<Record: FetchableRecord & Hashable>(
        _ type: Set<Record>.Type = Set<Record>.self, forKey key: String
    ) throws -> Set<Record> {
        guard let rows = prefetchedRows[key] else { throw keyNotFound(key) }
        return try Set(rows.map { try Record(row: $0) })
    }

    /// The record of a scope.
    ///
    /// ```swift
    /// let team: Team = row["team"]
    /// ```
    ///
    /// - Precondition: The scope exists, and the record can be decoded.
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
        orTrap { try decode(Record.self, forKey: scope) }
    }

    /// The record of a scope, or `nil` if the row does not have it, or all its columns are NULL.
    ///
    /// - Precondition: The record can be decoded.
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
        orTrap { try decodeIfPresent(Record.self, forKey: scope) }
    }

    /// The records fetched along with the row, for the association with a key.
    ///
    /// - Precondition: The association was fetched, and the records can be decoded.
    public subscript<Records>(_ key: String) -> Records
    where Records: RangeReplaceableCollection, Records.Element: FetchableRecord {
        orTrap { try decode(Records.self, forKey: key) }
    }

    /// The distinct records fetched along with the row, for the association with a key.
    ///
    /// - Precondition: The association was fetched, and the records can be decoded.
    public subscript<Record: FetchableRecord & Hashable>(_ key: String) -> Set<Record> {
        orTrap { try decode(Set<Record>.self, forKey: key) }
    }

    private func keyNotFound(_ key: String) -> RowDecodingError {
        RowDecodingError(.keyNotFound(key), context())
    }
}
