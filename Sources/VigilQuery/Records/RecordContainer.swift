import VigilEngine

/// A container of the columns, scopes and prefetched rows of a row, accessed by coding keys.
struct RecordContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RecordDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }
    private var row: Row { decoder.row }
    private var plan: RecordPlan { decoder.plan }

    var allKeys: [Key] {
        plan.columnKeys(row).union(row.scopesTree.names).union(row.prefetchedRows.keys).sorted()
            .compactMap(Key.init(stringValue:))
    }

    func contains(_ key: Key) -> Bool {
        let name = key.stringValue
        return plan.column(name, row) != nil || row.scopesTree[name] != nil || row.prefetchedRows[name] != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        let name = key.stringValue
        if let column = plan.column(name, row) { return row.hasNull(atIndex: column) }
        if let scope = row.scopesTree[name] { return !scope.containsNonNullValue }
        return row.prefetchedRows[name] == nil
    }

    // MARK: - Any type

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let name = key.stringValue
        let step = plan.step(name, row)
        if let column = plan.column(step: step) {
            return try decoder.value(type, step: step, column: column, key: key)
        }
        if let scope = row.scopesTree[name] { return try decoder.value(type, scope: scope, key: key) }
        if let rows = row.prefetchedRows[name] {
            return try T(from: PrefetchedRowsDecoder(rows: rows, plan: plan, codingPath: codingPath + [key]))
        }
        return try missingValue(type, key, step: step)
    }

    /// Returns the value of a key without column, scope or prefetched rows: `nil` for an optional, or else a
    /// record decoded from the whole row, such as `book` in `struct BookInfo { var book: Book; var author:
    /// Author }` when only the author has a scope.
    private func missingValue<T: Decodable>(_ type: T.Type, _ key: Key, step: Int) throws -> T {
        let name = key.stringValue
        if let convertible = type as? any DatabaseValueConvertible.Type {
            guard let value = convertible.fromMissingColumn() as? T else { throw row.missing(name) }
            return value
        }
        if let none = (type as? any OptionalValue.Type)?.none as? T { return none }
        if let rootStep = plan.rootStep, rootStep != step {
            // Either of them may be the one that is missing.
            let keys = [plan.key(step: rootStep), name].sorted().joined(separator: " or ")
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: codingPath, debugDescription: "No such key: \(keys)"))
        }
        plan.rootStep = step
        return try RecordDecoder.value(type, row, codingPath: codingPath + [key], plan: plan.root(row))
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        let name = key.stringValue
        let step = plan.step(name, row)
        if let column = plan.column(step: step) {
            // Some types, such as `DatabaseValue`, have a value for NULL.
            if row.hasNull(atIndex: column) {
                return (type as? any DatabaseValueConvertible.Type)?.fromNull as? T
            }
            return try decoder.value(type, step: step, column: column, key: key)
        }
        if let scope = row.scopesTree[name] {
            return scope.containsNonNullValue ? try decoder.value(type, scope: scope, key: key) : nil
        }
        guard row.prefetchedRows[name] != nil else { return nil }
        return try decode(type, forKey: key)
    }

    // MARK: - Nested rows

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        guard let scope = row.scopesTree[key.stringValue] else {
            throw missing("scope", for: key, as: KeyedDecodingContainer<NestedKey>.self)
        }
        return try nestedDecoder(scope, key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        guard let rows = row.prefetchedRows[key.stringValue] else {
            throw missing("prefetched rows", for: key, as: (any UnkeyedDecodingContainer).self)
        }
        return PrefetchedRowsContainer(rows: rows, plan: plan, codingPath: codingPath + [key])
    }

    private func nestedDecoder(_ scope: Row, _ key: Key) -> RecordDecoder {
        RecordDecoder(row: scope, plan: RecordPlan(plan.record, scope), codingPath: codingPath + [key])
    }

    private func missing(_ source: String, for key: Key, as type: Any.Type) -> DecodingError {
        DecodingError.typeMismatch(
            type,
            DecodingError.Context(
                codingPath: codingPath, debugDescription: "the row has no \(source) for \(key.stringValue)"))
    }

    func superDecoder() throws -> any Decoder { decoder }

    /// Returns the decoder of the scope named by the key, or else a decoder of the whole row, with the key's
    /// column for single values.
    func superDecoder(forKey key: Key) throws -> any Decoder {
        if let scope = row.scopesTree[key.stringValue] { return nestedDecoder(scope, key) }
        return RecordDecoder(row: row, plan: plan, codingPath: codingPath + [key])
    }
}

extension DatabaseValueConvertible {
    fileprivate static var fromNull: Self? { fromDatabaseValue(.null) }
}

/// `Optional`, for any wrapped type.
private protocol OptionalValue {
    static var none: Self { get }
}

extension Optional: OptionalValue {}

// Overloads for standard types, without the lookup of how to read a generic type.
extension RecordContainer {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try decoder.value(type, key.stringValue)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try decoder.value(type, key.stringValue)
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try decoder.value(type, key.stringValue)
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try decoder.value(type, key.stringValue)
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try decoder.value(type, key.stringValue)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try decoder.value(type, key.stringValue)
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try decoder.value(type, key.stringValue)
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try decoder.value(type, key.stringValue)
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try decoder.value(type, key.stringValue)
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try decoder.value(type, key.stringValue)
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try decoder.value(type, key.stringValue)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try decoder.value(type, key.stringValue)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try decoder.value(type, key.stringValue)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try decoder.value(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try decoder.valueIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try decoder.valueIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try decoder.valueIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try decoder.valueIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try decoder.valueIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try decoder.valueIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try decoder.valueIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try decoder.valueIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try decoder.valueIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try decoder.valueIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try decoder.valueIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try decoder.valueIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try decoder.valueIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try decoder.valueIfPresent(type, key.stringValue)
    }
}
