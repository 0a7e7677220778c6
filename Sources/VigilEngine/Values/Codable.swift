import Foundation

// Codable types that encode themselves as one value are stored as that value, so that a wrapper
// around a `String` is text without quotes. All others are stored as JSON.

extension DatabaseValueConvertible where Self: Encodable {
    /// The single value that the type encodes, or else JSON text, made by ``databaseJSONEncoder()``.
    ///
    /// - Precondition: encoding does not throw.
    public var databaseValue: DatabaseValue {
        do {
            return try DatabaseValueEncoder.encode(self, jsonEncoder: Self.databaseJSONEncoder)
        } catch {
            preconditionFailure("\(Self.self) cannot be stored, because encoding it failed: \(error)")
        }
    }
}

extension DatabaseValueConvertible where Self: Decodable {
    /// The value that is decoded from a single value, or else from JSON, by ``databaseJSONDecoder()``.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        do {
            return try Self(from: DatabaseValueDecoder(dbValue: dbValue))
        } catch is NotASingleValue {
            guard let json = Data.fromDatabaseValue(dbValue) else { return nil }
            return try? databaseJSONDecoder().decode(Self.self, from: json)
        } catch {
            return nil
        }
    }
}

extension DatabaseValueConvertible
where Self: Encodable & RawRepresentable, RawValue: DatabaseValueConvertible {
    /// The database value of the raw value.
    public var databaseValue: DatabaseValue { rawValue.databaseValue }
}

extension DatabaseValueConvertible
where Self: Decodable & RawRepresentable, RawValue: DatabaseValueConvertible {
    /// The value whose raw value is stored; `nil` if no value has it.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
    }
}

/// Thrown when a type asks for keys or elements: it takes JSON to store those.
struct NotASingleValue: Error {}
