import Foundation

/// Finds out what a type encodes: a single value, or something that takes JSON.
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

    /// The single value that `value` encodes, or else JSON text; NULL if it encodes nothing.
    ///
    /// - Throws: what the value, or the JSON encoder, throws.
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

    /// Values that know how they are stored decide; a `Date` is then stored as other dates are.
    mutating func encode<T: Encodable>(_ value: T) throws {
        if let convertible = value as? any DatabaseValueConvertible {
            encoder.outcome = .single(convertible.databaseValue)
        } else {
            try value.encode(to: encoder)
        }
    }
}

/// Takes nothing: what it is given will be encoded again, as JSON.
private struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: DatabaseValueEncoder
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) throws { throw NotASingleValue() }
    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw NotASingleValue() }
    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> { encoder.container(keyedBy: keyType) }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { encoder }
    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

private struct RefusingUnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: DatabaseValueEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    mutating func encodeNil() throws { throw NotASingleValue() }
    mutating func encode<T: Encodable>(_ value: T) throws { throw NotASingleValue() }
    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> { encoder.container(keyedBy: keyType) }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { encoder }
}
