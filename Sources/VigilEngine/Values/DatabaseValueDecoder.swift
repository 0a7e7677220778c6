/// Decodes a type encoded as a single value.
struct DatabaseValueDecoder: Decoder {
    let dbValue: DatabaseValue
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw NotASingleValue()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NotASingleValue() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleContainer(dbValue: dbValue)
    }
}

private struct SingleContainer: SingleValueDecodingContainer {
    let dbValue: DatabaseValue
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { dbValue.isNull }

    /// Decodes by the database conversion of the type, if it has one, because it was encoded in the same way.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard let convertible = type as? any DatabaseValueConvertible.Type else {
            return try T(from: DatabaseValueDecoder(dbValue: dbValue))
        }
        guard let value = convertible.fromDatabaseValue(dbValue) as? T else {
            throw DecodingError.dataCorruptedError(
                in: self, debugDescription: "the database value is not a \(type)")
        }
        return value
    }
}
