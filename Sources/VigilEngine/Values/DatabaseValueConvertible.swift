public import Foundation
public import VigilStorage

/// A type whose values are stored in one column.
///
/// Standard types are, and so can be your own. Enums with raw values and `Codable` types need no code:
///
/// ```swift
/// enum Color: String, DatabaseValueConvertible { case red, white, rosé }       // stored as text
/// struct Address: Codable, DatabaseValueConvertible { var street, city: String }  // stored as JSON
/// ```
///
/// Others say how they are stored. An optional is then convertible too:
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
/// Arrays, sets and dictionaries are no such types, so that `arguments: [ids]` is a compiler error
/// rather than a query for a JSON text. Wrap them in a `Codable` type to store them.
public protocol DatabaseValueConvertible: SQLExpressible, StatementBinding {
    /// The value as it is stored.
    var databaseValue: DatabaseValue { get }

    /// The value that is stored as `dbValue`; `nil` if there is none, which readers turn into an error.
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

    /// What a column that a row does not have stands for. Not for you to implement.
    static func fromMissingColumn() -> Self?

    /// Decodes values of `Codable` types that are stored as JSON.
    ///
    /// By default dates are milliseconds since 1970, and data is Base64.
    static func databaseJSONDecoder() -> JSONDecoder

    /// Encodes values of `Codable` types that are stored as JSON.
    ///
    /// By default dates are milliseconds since 1970, data is Base64, and keys are sorted, so that
    /// equal values are stored as equal text.
    static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
    /// The value, to be bound.
    public var sqlExpression: SQLExpression { SQLExpression(.value(databaseValue)) }

    /// ``databaseValue`` in the form that backends use.
    public var boundValue: StorageValue { databaseValue.storageValue }

    /// `nil`: a missing column is an error.
    public static func fromMissingColumn() -> Self? { nil }

    /// A decoder with the defaults that the requirement states.
    public static func databaseJSONDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.dataDecodingStrategy = .base64
        decoder.nonConformingFloatDecodingStrategy = .throw
        return decoder
    }

    /// An encoder with the defaults that the requirement states.
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

    /// The value whose raw value is stored; `nil` if no value has it.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
    }
}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    /// The database value of the wrapped value, or NULL.
    public var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

    /// The wrapped value. NULL that the wrapped type does not read is `.some(nil)`; a value that
    /// cannot be converted is `nil`.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Wrapped?? {
        if let value = Wrapped.fromDatabaseValue(dbValue) { return .some(.some(value)) }
        return dbValue.isNull ? .some(nil) : nil
    }

    /// `.some(nil)`: a missing column reads as NULL.
    public static func fromMissingColumn() -> Wrapped?? { .some(nil) }
}
