import VigilEngine

/// Encodes the coding keys of a record to columns.
struct RecordKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RecordEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { encoder.encode(.null, key) }

    func encode(_ value: Bool, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode(_ value: Int, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode(_ value: Int8, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode(_ value: Int16, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode(_ value: Int32, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode(_ value: Int64, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode(_ value: UInt, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode(_ value: UInt8, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode(_ value: UInt16, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode(_ value: UInt32, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode(_ value: UInt64, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode(_ value: Float, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode(_ value: Double, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode(_ value: String, forKey key: Key) throws { encoder.encode(value.databaseValue, key) }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder.encode(value, key) }

    // Without these methods, `nil` would leave a column out instead of storing NULL in it.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { encode(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { encode(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { encode(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { encode(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { encode(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { encode(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { encode(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { encode(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { encode(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { encode(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { encode(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { encode(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { encode(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { encode(value, key) }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        if let value { try encoder.encode(value, key) } else { encoder.encode(.null, key) }
    }

    @inline(__always)  // bench: insert-records
    private func encode(_ value: (some DatabaseValueConvertible)?, _ key: Key) {
        encoder.encode(value?.databaseValue ?? .null, key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let value = encoder.encodeNested(key)
        return KeyedEncodingContainer(NestedKeyedContainer<NestedKey>(value: value, codingPath: [key]))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        NestedUnkeyedContainer(value: encoder.encodeNested(key), codingPath: [key])
    }

    /// Returns the encoder of the record: the properties of a superclass have separate columns.
    func superEncoder() -> any Encoder { encoder }

    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// Encodes a record as another record, for example a wrapper as its content.
struct RecordSingleValueContainer: SingleValueEncodingContainer {
    let encoder: RecordEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws { try refuse("nil") }
    func encode(_ value: Bool) throws { try refuse(value) }
    func encode(_ value: Int) throws { try refuse(value) }
    func encode(_ value: Int8) throws { try refuse(value) }
    func encode(_ value: Int16) throws { try refuse(value) }
    func encode(_ value: Int32) throws { try refuse(value) }
    func encode(_ value: Int64) throws { try refuse(value) }
    func encode(_ value: UInt) throws { try refuse(value) }
    func encode(_ value: UInt8) throws { try refuse(value) }
    func encode(_ value: UInt16) throws { try refuse(value) }
    func encode(_ value: UInt32) throws { try refuse(value) }
    func encode(_ value: UInt64) throws { try refuse(value) }
    func encode(_ value: Float) throws { try refuse(value) }
    func encode(_ value: Double) throws { try refuse(value) }
    func encode(_ value: String) throws { try refuse(value) }

    func encode<T: Encodable>(_ value: T) throws {
        if let record = value as? any EncodableRecord {
            try encoder.encodeColumns(of: record)
        } else {
            try value.encode(to: encoder)
        }
    }

    private func refuse(_ value: Any) throws {
        throw EncodingError.invalidValue(
            value, .init(codingPath: [], debugDescription: "a single value is not a record: encode keys"))
    }
}
