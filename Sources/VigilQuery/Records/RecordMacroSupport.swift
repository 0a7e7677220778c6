import Foundation
public import VigilEngine
import VigilStorage

// Called by the code of the macros `Record` and `FetchedRecord`, in the nested package Macros. The overloads
// choose how the type of a property is stored: as itself, as its raw value, or as JSON.

extension Row {
    /// Returns the value of a column, as `decode(_:forColumn:)` does.
    public func _recordValue<Value: DatabaseValueConvertible>(
        _ column: String, _ cells: UnsafePointer<Int>?, at position: Int
    ) throws -> Value {
        try decode(forColumn: column)
    }

    /// Returns the value with the raw value in a column.
    @_disfavoredOverload
    public func _recordValue<Value: RawRepresentable>(
        _ column: String, _ cells: UnsafePointer<Int>?, at position: Int
    ) throws -> Value where Value.RawValue: DatabaseValueConvertible & StatementColumnConvertible {
        let rawValue = try _recordValue(column, cells, at: position) as Value.RawValue
        guard let value = Value(rawValue: rawValue) else {
            throw index(ofColumn: column).map { mismatch(Value.self, $0) } ?? missing(column)
        }
        return value
    }

    /// Returns the value with the raw value in a column; `nil` for NULL, and without the column.
    @_disfavoredOverload
    public func _recordValue<Value: RawRepresentable>(
        _ column: String, _ cells: UnsafePointer<Int>?, at position: Int
    ) throws -> Value? where Value.RawValue: DatabaseValueConvertible & StatementColumnConvertible {
        guard let index = index(ofColumn: column), !hasNull(atIndex: index) else { return nil }
        return try _recordValue(column, cells, at: position) as Value
    }

    /// Not available, so that the error names the choices.
    @available(
        *, unavailable,
        message:
            "the type of this property is neither DatabaseValueConvertible nor RawRepresentable: mark the property with @RecordColumn(.json), @RecordNested or @RecordIgnored"
    )
    @_disfavoredOverload
    public func _recordValue<Value>(
        _ column: String, _ cells: UnsafePointer<Int>?, at position: Int
    ) throws -> Value {
        throw missing(column)
    }

    /// Returns the value that the JSON in a column describes.
    public func _recordJSON<Value: Decodable>(
        _ column: String, in record: any FetchableRecord.Type
    ) throws -> Value {
        guard let index = index(ofColumn: column) else { throw missing(column) }
        guard let json = Data.fromDatabaseValue(databaseValue(at: index)) else {
            throw mismatch(Value.self, index)
        }
        return try CursorDecoder.plan(of: record, self).jsonDecoder(column).decode(Value.self, from: json)
    }

    /// Returns the value that the JSON in a column describes; `nil` for NULL, and without the column.
    public func _recordJSONIfPresent<Value: Decodable>(
        _ column: String, in record: any FetchableRecord.Type
    ) throws -> Value? {
        guard let index = index(ofColumn: column), !hasNull(atIndex: index) else { return nil }
        return try _recordJSON(column, in: record)
    }
}

extension TableRecord {
    /// Returns the selection of a nested record. Its type may have no name outside of the declaration.
    public static func _recordSelection<Nested: TableRecord>(
        of property: KeyPath<Self, Nested>
    ) -> [any SQLSelectable] {
        Nested.databaseSelection
    }
}

extension PersistenceContainer {
    /// Sets the value of a column.
    public mutating func _setRecordValue(_ column: String, _ value: some DatabaseValueConvertible) {
        set(column, value.databaseValue)
    }

    /// Sets a column to a raw value.
    @_disfavoredOverload
    public mutating func _setRecordValue<Value: RawRepresentable>(_ column: String, _ value: Value)
    where Value.RawValue: DatabaseValueConvertible {
        set(column, value.rawValue.databaseValue)
    }

    /// Sets a column to a raw value, or to NULL.
    @_disfavoredOverload
    public mutating func _setRecordValue<Value: RawRepresentable>(_ column: String, _ value: Value?)
    where Value.RawValue: DatabaseValueConvertible {
        set(column, value?.rawValue.databaseValue ?? .null)
    }

    /// Not available, so that the error names the choices.
    @available(
        *, unavailable,
        message:
            "the type of this property is neither DatabaseValueConvertible nor RawRepresentable: mark the property with @RecordColumn(.json), @RecordNested or @RecordIgnored"
    )
    @_disfavoredOverload
    public mutating func _setRecordValue<Value>(_ column: String, _ value: Value) {}

    /// Sets a column to JSON.
    public mutating func _setRecordJSON(
        _ column: String, _ value: some Encodable, in record: any EncodableRecord.Type
    ) throws {
        // A nested record is encoded to the container of another type.
        let encoder = if let encoder, encoder.isFor(record) { encoder } else { RecordEncoder(record) }
        set(column, try encoder.json(value, column))
    }

    /// Sets a column to JSON, or to NULL.
    public mutating func _setRecordJSON<Value: Encodable>(
        _ column: String, _ value: Value?, in record: any EncodableRecord.Type
    ) throws {
        guard let value else { return set(column, .null) }
        try _setRecordJSON(column, value, in: record)
    }
}

extension InsertionSuccess {
    /// The primary key with the ``rowID``: a column, or the row id of a table without a declared key.
    public var _recordKeyColumn: String? { rowIDColumn ?? rowIDName }
}
