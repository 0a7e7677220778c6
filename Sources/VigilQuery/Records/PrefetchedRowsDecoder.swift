import VigilEngine

/// Decodes an array of prefetched associated rows.
struct PrefetchedRowsDecoder: Decoder {
    let rows: [Row]
    let plan: RecordPlan
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { plan.record.databaseDecodingUserInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw notRows("keyed values")
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        PrefetchedRowsContainer(rows: rows, plan: plan, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw notRows("a single value") }

    private func notRows(_ what: String) -> any Error {
        DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: codingPath, debugDescription: "associated rows cannot be decoded as \(what)"))
    }
}

/// A container with rows as elements.
struct PrefetchedRowsContainer: UnkeyedDecodingContainer {
    let rows: [Row]
    let plan: RecordPlan
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    var count: Int? { rows.count }
    var isAtEnd: Bool { currentIndex >= rows.count }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let next = try nextDecoder(columns: .useDefaultKeys)
        let decoder = RecordDecoder(row: next.row, plan: next.plan, codingPath: [])
        // A value without required coding keys could be decoded from the row too, and would be empty.
        if !(type is any FetchableRecord.Type), next.row.hasOneOwnColumn,
            let value = try? decoder.databaseValue(type, 0)
        {
            return value
        }
        return try decoder.singleValueContainer().decode(type)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nextDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try nextDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try nextDecoder() }

    private mutating func nextDecoder(columns: DatabaseColumnDecodingStrategy? = nil) throws -> RecordDecoder
    {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Row.self,
                DecodingError.Context(
                    codingPath: codingPath, debugDescription: "there are no more associated rows"))
        }
        defer { currentIndex += 1 }
        let row = rows[currentIndex]
        return RecordDecoder(
            row: row, plan: RecordPlan(plan.record, row, columns: columns), codingPath: codingPath)
    }
}

extension Row {
    /// Whether the row has one column, besides the keys added by the prefetch.
    fileprivate var hasOneOwnColumn: Bool {
        count > 0 && columnNames.dropFirst().allSatisfy { $0.hasPrefix("grdb_") }
    }
}
