import Foundation
import VigilEngine
import VigilStorage

/// Encodes the records of one type to persistence containers.
///
/// It keeps its lookups from one record to the next. Record types usually encode their coding keys in the
/// same order, so comparing a key with the expected next one is enough to find its column.
final class RecordEncoder: Encoder {
    /// The lookups for a coding key.
    private struct Step {
        let key: String
        let column: String
        /// The type for ``writing``.
        var type: ObjectIdentifier?
        var writing = ValueWriting.encodable
    }

    private let record: any EncodableRecord.Type
    @exclusivity(unchecked)  // bench: insert-records
    private var container = PersistenceContainer()
    @exclusivity(unchecked)  // bench: insert-records
    private var steps: [Step] = []
    @exclusivity(unchecked)  // bench: insert-records
    private var next = 0
    private var jsonEncoders: [String: JSONEncoder] = [:]
    /// Values of nested containers, encoded after the record has filled them.
    private var nestedValues: [(column: String, value: NestedJSON)] = []
    /// The error of a non-throwing method.
    private var error: (any Error)?

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { record.databaseEncodingUserInfo }

    init(_ record: any EncodableRecord.Type) {
        self.record = record
    }

    func isFor(_ type: any EncodableRecord.Type) -> Bool { record == type }

    /// Runs `encode` with this encoder, and adds the encoded values to a container.
    func encode(to container: inout PersistenceContainer, _ encode: (RecordEncoder) throws -> Void) throws {
        next = 0
        // A failed record may have left an error.
        if error != nil { error = nil }
        if !nestedValues.isEmpty { nestedValues = [] }
        swap(&self.container, &container)
        defer { swap(&self.container, &container) }
        try encode(self)
        if !nestedValues.isEmpty { try encodeNestedValues() }
        if let error {
            self.error = nil
            throw error
        }
    }

    private func encodeNestedValues() throws {
        defer { nestedValues = [] }
        for (column, value) in nestedValues { container.set(column, try json(value, column)) }
    }

    // MARK: - Containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RecordKeyedContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        fail("\(record) encodes elements without keys, which have no columns")
        return NestedUnkeyedContainer(value: NestedJSON(userInfo: [:]), codingPath: [])
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        RecordSingleValueContainer(encoder: self)
    }

    /// Adds the columns of another record, the single value of this one.
    func encodeColumns(of record: some EncodableRecord) throws {
        var columns = PersistenceContainer()
        swap(&columns, &container)
        defer { swap(&columns, &container) }
        try record.encode(to: &columns)
    }

    func fail(_ message: String) {
        error = EncodingError.invalidValue(record, .init(codingPath: [], debugDescription: message))
    }

    // MARK: - Values

    /// Encodes a value of a type without strategies.
    func encode(_ value: DatabaseValue, _ key: some CodingKey) {
        container.set(steps[step(key)].column, value)
    }

    func encode<T: Encodable>(_ value: T, _ key: some CodingKey) throws {
        let index = step(key)
        let id = ObjectIdentifier(T.self)
        let column = steps[index].column
        if steps[index].type != id {
            steps[index].type = id
            steps[index].writing = ValueWriting(T.self, record, column: column)
        }
        container.set(column, try databaseValue(value, steps[index].writing, column: column, key: key))
    }

    /// Encodes the values of a nested container as JSON.
    func encodeNested(_ key: some CodingKey) -> NestedJSON {
        let column = steps[step(key)].column
        if let known = nestedValues.first(where: { $0.column.isIdentical(to: column) }) { return known.value }
        let value = NestedJSON(userInfo: userInfo)
        container.set(column, .null)
        nestedValues.append((column, value))
        return value
    }

    /// Returns the stored form of a value of any type, outside of a key.
    func databaseValue<T: Encodable>(_ value: T, column: String, key: some CodingKey) throws
        -> DatabaseValue
    {
        try databaseValue(value, ValueWriting(T.self, record, column: column), column: column, key: key)
    }

    private func databaseValue<T: Encodable>(
        _ value: T, _ writing: ValueWriting, column: String, key: some CodingKey
    ) throws -> DatabaseValue {
        switch writing {
        // The casts convert a type to itself. The compiler cannot prove it.
        case .date(let strategy): return try strategy.databaseValue(unsafeBitCast(value, to: Date.self))
        case .data(let strategy): return try strategy.databaseValue(unsafeBitCast(value, to: Data.self))
        case .uuid(let strategy): return strategy.databaseValue(unsafeBitCast(value, to: UUID.self))
        case .value(let type): return Self.converted(value, type)
        case .optional:
            guard let value = value as? any OptionalEncodable else { return .null }
            return try value.unwrapped { try databaseValue($0, column: column, key: key) } ?? .null
        case .encodable:
            let encoder = ColumnEncoder(record: self, column: column, key: key)
            do {
                try value.encode(to: encoder)
                if !encoder.needsJSON { return encoder.value }
            } catch is NotASingleValue {
                // Encode the value again, as JSON.
            }
            return try json(value, column)
        }
    }

    private static func converted<T, V: DatabaseValueConvertible>(_ value: T, _ type: V.Type)
        -> DatabaseValue
    {
        // `T` is `V`. The compiler cannot prove it.
        unsafeBitCast(value, to: V.self).databaseValue
    }

    func json(_ value: some Encodable, _ column: String) throws -> DatabaseValue {
        let encoder = jsonEncoders[column] ?? record.databaseJSONEncoder(for: column)
        jsonEncoders[column] = encoder
        return String(decoding: try encoder.encode(value), as: UTF8.self).databaseValue
    }

    /// Returns the index of a key in ``steps``, after adding it if needed.
    private func step(_ key: some CodingKey) -> Int {
        let name = key.stringValue
        if next < steps.count, steps[next].key.isIdentical(to: name) {
            next += 1
            return next - 1
        }
        let step: Int
        if let known = steps.firstIndex(where: { $0.key.isIdentical(to: name) }) {
            step = known
        } else {
            step = steps.count
            steps.append(Step(key: name, column: record.databaseColumnEncodingStrategy.column(key)))
        }
        next = step + 1
        return step
    }
}

/// How values of a type are stored in a column.
enum ValueWriting {
    case date(DatabaseDateEncodingStrategy)
    case data(DatabaseDataEncodingStrategy)
    case uuid(DatabaseUUIDEncodingStrategy)
    case value(any DatabaseValueConvertible.Type)
    /// As the wrapped value, or NULL.
    case optional
    /// By the type's `Encodable` implementation, as a single value or as JSON.
    case encodable

    init<T>(_ type: T.Type, _ record: any EncodableRecord.Type, column: String) {
        if type == Date.self {
            self = .date(record.databaseDateEncodingStrategy(for: column))
        } else if type == Data.self {
            self = .data(record.databaseDataEncodingStrategy(for: column))
        } else if type == UUID.self {
            self = .uuid(record.databaseUUIDEncodingStrategy(for: column))
        } else if type is any OptionalEncodable.Type {
            self = .optional
        } else if let type = type as? any DatabaseValueConvertible.Type {
            self = .value(type)
        } else {
            self = .encodable
        }
    }
}

/// An optional of an encodable type.
protocol OptionalEncodable {
    /// Calls a function with the wrapped value; returns `nil` for `nil`.
    func unwrapped<T>(_ body: (any Encodable) throws -> T) rethrows -> T?
}

extension Optional: OptionalEncodable where Wrapped: Encodable {
    func unwrapped<T>(_ body: (any Encodable) throws -> T) rethrows -> T? { try map { try body($0) } }
}
