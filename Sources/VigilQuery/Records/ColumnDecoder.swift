import VigilEngine
import VigilStorage

/// Decodes a type from the value of a single column, by the type's own `Decodable` implementation.
struct ColumnDecoder: Decoder, SingleValueDecodingContainer {
    let row: Row
    let plan: RecordPlan
    let column: Int
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { plan.record.databaseDecodingUserInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw NoSingleValue()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoSingleValue() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { row.hasNull(atIndex: column) }

    func decode(_ type: String.Type) throws -> String { try row.decode(type, atIndex: column) }
    func decode(_ type: Int.Type) throws -> Int { try row.decode(type, atIndex: column) }
    func decode(_ type: Int64.Type) throws -> Int64 { try row.decode(type, atIndex: column) }
    func decode(_ type: Double.Type) throws -> Double { try row.decode(type, atIndex: column) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let decoder = RecordDecoder(row: row, plan: plan, codingPath: codingPath)
        return try decoder.databaseValue(type, column) ?? T(from: self)
    }
}
