import Foundation

/// Determines whether a type encodes a single value, or requires JSON.
final class DatabaseValueEncoder: Encoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    fileprivate enum Outcome {
        case nothing
        case single(DatabaseValue)
        case needsJSON
    }
    fileprivate var outcome = Outcome.nothing

    private init() {}

    /// Returns the single encoded value, or else JSON text. Returns NULL if nothing is encoded.
    static func encode(
        _ value: some Encodable, jsonEncoder: () -> JSONEncoder
    ) throws -> DatabaseValue {
        let encoder = DatabaseValueEncoder()
        do {
            try value.encode(to: encoder)
        } catch is NotASingleValue {
            encoder.outcome = .needsJSON
        }
        switch encoder.outcome {
        case .nothing: return .null
        case .single(let dbValue): return dbValue
        case .needsJSON:
            return String(decoding: try jsonEncoder().encode(value), as: UTF8.self).databaseValue
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        outcome = .needsJSON
        return KeyedEncodingContainer(RefusingKeyedContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        outcome = .needsJSON
        return RefusingUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleContainer(encoder: self)
    }
}

private struct SingleContainer: SingleValueEncodingContainer {
    let encoder: DatabaseValueEncoder
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil() throws { encoder.outcome = .single(.null) }

    /// Encodes by the database conversion of the type, if it has one, so that a `Date` is stored like other
    /// dates.
    mutating func encode<T: Encodable>(_ value: T) throws {
        if let convertible = value as? any DatabaseValueConvertible {
            encoder.outcome = .single(convertible.databaseValue)
        } else {
            try value.encode(to: encoder)
        }
    }
}
