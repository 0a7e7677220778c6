public import Foundation
public import VigilStorage

/// A type whose values can be stored in one column.
///
/// Many standard types conform. Your own types can conform as well. Enums with raw values, and `Codable`
/// types, require no code:
///
/// ```swift
/// enum Color: String, DatabaseValueConvertible { case red, white, rosé }          // stored as text
/// struct Address: Codable, DatabaseValueConvertible { var street, city: String }  // stored as JSON
/// ```
///
/// Other types implement the conversions:
///
/// ```swift
/// struct Percentage: DatabaseValueConvertible {
///     var value: Int
///     var databaseValue: DatabaseValue { value.databaseValue }
///     static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Percentage? {
///         guard let value = Int.fromDatabaseValue(dbValue), (0...100).contains(value) else { return nil }
///         return Percentage(value: value)
///     }
/// }
/// ```
///
/// Optionals of convertible types are convertible, with `nil` as NULL. Arrays, sets and dictionaries are not,
/// so that `arguments: [ids]` is a compiler error instead of a query for JSON text. Wrap them in a `Codable`
/// type to store them.
public protocol DatabaseValueConvertible: SQLExpressible, StatementBinding {
    /// The value as it is stored.
    var databaseValue: DatabaseValue { get }

    /// Returns the value stored in `dbValue`; `nil` if it cannot be converted: reading then throws an error.
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

    /// Returns the value of a missing column, or `nil` to report an error. Do not implement this method.
    static func fromMissingColumn() -> Self?

    /// Returns the decoder of values stored as JSON.
    ///
    /// The default decoder reads dates as milliseconds since 1970, and data as Base64.
    static func databaseJSONDecoder() -> JSONDecoder

    /// Returns the encoder of values stored as JSON.
    ///
    /// The default encoder writes dates as milliseconds since 1970, and data as Base64. It sorts keys, so
    /// that equal values are stored as equal text.
    static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
    /// The value as an SQL expression.
    public var sqlExpression: SQLExpression { SQLExpression(.value(databaseValue)) }

    /// The ``databaseValue`` in the form of the backends.
    public var boundValue: StorageValue { databaseValue.storageValue }

    /// Returns `nil`: reading a missing column is an error.
    public static func fromMissingColumn() -> Self? { nil }

    /// Returns the default decoder: dates are milliseconds since 1970, data is Base64.
    public static func databaseJSONDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.dataDecodingStrategy = .base64
        decoder.nonConformingFloatDecodingStrategy = .throw
        return decoder
    }

    /// Returns the default encoder: dates are milliseconds since 1970, data is Base64, and keys are sorted.
    public static func databaseJSONEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.dataEncodingStrategy = .base64
        encoder.nonConformingFloatEncodingStrategy = .throw
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
    /// The database value of the raw value.
    public var databaseValue: DatabaseValue { rawValue.databaseValue }

    /// Returns the value with the stored raw value, or `nil` for an unknown one.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
    }
}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    /// The database value of the wrapped value; NULL for `nil`.
    public var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

    /// Returns the wrapped value. Returns `.some(nil)` for NULL, unless the wrapped type reads NULL, and
    /// `nil` if the value cannot be converted.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Wrapped?? {
        if let value = Wrapped.fromDatabaseValue(dbValue) { return .some(.some(value)) }
        return dbValue.isNull ? .some(nil) : nil
    }

    /// Returns `.some(nil)`: a missing column is read as NULL.
    public static func fromMissingColumn() -> Wrapped?? { .some(nil) }
}
