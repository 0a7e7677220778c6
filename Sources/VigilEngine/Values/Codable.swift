import Foundation
import VigilStorage

// Codable types with a single encoded value are stored as this value: a wrapper around a `String` is text
// without quotes. All other types are stored as JSON.

extension DatabaseValueConvertible where Self: Encodable {
    /// The single encoded value, or else JSON text, encoded by ``databaseJSONEncoder()``.
    ///
    /// - Precondition: Encoding does not throw an error.
    public var databaseValue: DatabaseValue {
        do {
            return try DatabaseValueEncoder.encode(self, jsonEncoder: Self.databaseJSONEncoder)
        } catch {
            trap("\(Self.self) cannot be stored, because encoding it failed: \(error)")
        }
    }
}

extension DatabaseValueConvertible where Self: Decodable {
    /// Returns the value decoded from a single value, or else from JSON, by ``databaseJSONDecoder()``.
    /// Returns `nil` if decoding fails.
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
    /// Returns the value with the stored raw value, or `nil` for an unknown one.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
    }
}

/// Thrown when a type requests keys or elements, because only JSON can store them.
package struct NotASingleValue: Error {}
