/// Rejects all values, because the value will be encoded again, as JSON.
package struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let encoder: any Encoder
    package var codingPath: [any CodingKey] { encoder.codingPath }

    package init(encoder: any Encoder) { self.encoder = encoder }

    package func encodeNil(forKey key: Key) throws { throw NotASingleValue() }
    package func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw NotASingleValue() }
    package func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> { encoder.container(keyedBy: keyType) }
    package func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.unkeyedContainer()
    }
    package func superEncoder() -> any Encoder { encoder }
    package func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// Rejects all values, because the value will be encoded again, as JSON.
package struct RefusingUnkeyedContainer: UnkeyedEncodingContainer {
    private let encoder: any Encoder
    package var codingPath: [any CodingKey] { encoder.codingPath }
    package var count: Int { 0 }

    package init(encoder: any Encoder) { self.encoder = encoder }

    package func encodeNil() throws { throw NotASingleValue() }
    package func encode<T: Encodable>(_ value: T) throws { throw NotASingleValue() }
    package func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> { encoder.container(keyedBy: keyType) }
    package func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
    package func superEncoder() -> any Encoder { encoder }
}
