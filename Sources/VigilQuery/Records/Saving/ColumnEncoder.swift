import VigilEngine

/// Encodes a value to a single column, or detects that JSON is needed.
final class ColumnEncoder: Encoder {
    private let record: RecordEncoder
    private let column: String
    private let key: any CodingKey
    fileprivate(set) var value = DatabaseValue.null
    fileprivate(set) var needsJSON = false

    var codingPath: [any CodingKey] { [key] }
    var userInfo: [CodingUserInfoKey: Any] { record.userInfo }

    init(record: RecordEncoder, column: String, key: some CodingKey) {
        self.record = record
        self.column = column
        self.key = key
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        needsJSON = true
        return KeyedEncodingContainer(RefusingKeyedContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        needsJSON = true
        return RefusingUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleContainer(encoder: self) }

    fileprivate func encode(_ value: some Encodable) throws {
        self.value = try record.databaseValue(value, column: column, key: key)
    }
}

private struct SingleContainer: SingleValueEncodingContainer {
    let encoder: ColumnEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws { encoder.value = .null }
    func encode<T: Encodable>(_ value: T) throws { try encoder.encode(value) }
}
