import Foundation
import VigilEngine
import VigilStorage

/// Decodes a record from a row.
///
/// A class, because a keyed container and `any Decoder` are then copied by retaining one reference. The
/// decoder of a cursor's rows is kept, see ``CursorDecoder``.
final class RecordDecoder: Decoder {
    let row: Row
    let plan: RecordPlan
    let codingPath: [any CodingKey]
    private let isKept: Bool

    init(row: Row, plan: RecordPlan, codingPath: [any CodingKey], isKept: Bool = false) {
        self.row = row
        self.plan = plan
        self.codingPath = codingPath
        self.isKept = isKept
    }

    var userInfo: [CodingUserInfoKey: Any] { plan.record.databaseDecodingUserInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        plan.rootStep = nil
        if isKept { return CursorDecoder.container(keyedBy: type, of: self) }
        return KeyedDecodingContainer(RecordContainer<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let key = codingPath.last else {
            throw DecodingError.typeMismatch(
                (any UnkeyedDecodingContainer).self,
                DecodingError.Context(
                    codingPath: codingPath, debugDescription: "a row cannot be decoded as an array"))
        }
        let keys = row.prefetchedRows.keys.sorted()
        throw DecodingError.keyNotFound(
            key,
            DecodingError.Context(
                codingPath: Array(codingPath.dropLast()),
                debugDescription: keys.isEmpty
                    ? "No available prefetched rows" : "Available keys for prefetched rows: \(keys)"))
    }

    /// Returns a container over the column named by the last coding key if the row has it, or else over the
    /// row.
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        guard let key = codingPath.last?.stringValue else {
            return RowValueContainer(decoder: self, column: row.count > 0 ? 0 : nil, isNamed: false)
        }
        return RowValueContainer(decoder: self, column: plan.column(key, row), isNamed: true)
    }

    // MARK: - Columns

    /// Decodes the value of a column, or returns `nil` if the column is missing or NULL.
    func valueIfPresent<T: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: T.Type, _ key: String
    ) throws -> T? {
        guard let column = plan.column(key, row) else { return nil }
        let cell = row.cell(at: column)
        guard cell.kind != .null else { return nil }
        guard let value = T(cell: cell) else { throw row.mismatch(type, column) }
        return value
    }

    func value<T: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: T.Type, _ key: String
    ) throws -> T {
        guard let column = plan.column(key, row) else { throw row.missing(key) }
        guard let value = T.fromCell(row.cell(at: column)) else { throw row.mismatch(type, column) }
        return value
    }

    /// Decodes a value of any type from the column of a step of the plan.
    func value<T: Decodable>(_ type: T.Type, step: Int, column: Int, key: some CodingKey) throws -> T {
        let reading = plan.reading(type, step: step, row)
        if case .decodable = reading {
            return try decodedValue(type, at: column, codingPath: codingPath + [key])
        }
        return try value(type, reading, at: column)
    }

    /// Decodes a value without the type's `Decodable` implementation, or returns `nil` if the type requires
    /// it.
    func databaseValue<T>(_ type: T.Type, _ column: Int) throws -> T? {
        let name = plan.columnName(column, of: codingPath.last?.stringValue, row)
        let reading = plan.reading(type, named: name)
        if case .decodable = reading { return nil }
        return try value(type, reading, at: column)
    }

    private func value<T>(_ type: T.Type, _ reading: RecordPlan.Reading, at column: Int) throws -> T {
        switch reading {
        case .cell(let readable):
            return try cellValue(readable, as: type, column)
        case .value(let readable):
            return try convertedValue(readable, as: type, column)
        case .date(let strategy):
            if row.hasNull(atIndex: column) { return try null(Date?.none, column) }
            return try checked(strategy.date(row.databaseValue(at: column)), column)
        case .data(let data):
            if row.hasNull(atIndex: column) { return try null(Data?.none, column) }
            return try checked(data(row.databaseValue(at: column)), column)
        case .decodable:
            trap("\(type) is Decodable and must be decoded with its own init(from:)")
        }
    }

    private func null<T, V>(_ value: V?, _ column: Int) throws -> T {
        guard T.self == V?.self else { throw row.mismatch(T.self, column) }
        // `T` is the type of `value`. The compiler cannot prove it.
        return unsafeBitCast(value, to: T.self)
    }

    private func cellValue<T, V: StatementColumnConvertible>(
        _ readable: V.Type, as type: T.Type, _ column: Int
    ) throws -> T {
        guard let value = V.fromCell(row.cell(at: column)) else { throw row.mismatch(type, column) }
        // `T` is the type of `value`. The compiler cannot prove it.
        return unsafeBitCast(value, to: T.self)
    }

    private func convertedValue<T, V: DatabaseValueConvertible>(
        _ readable: V.Type, as type: T.Type, _ column: Int
    ) throws -> T {
        try checked(row.decode(readable, atIndex: column), column)
    }

    private func checked<T, V>(_ value: V?, _ column: Int) throws -> T {
        guard let value, let result = value as? T else { throw row.mismatch(T.self, column) }
        return result
    }

    /// Decodes a value by its `Decodable` implementation, from the single value of a column, or else from its
    /// JSON.
    func decodedValue<T: Decodable>(
        _ type: T.Type, at column: Int, codingPath: [any CodingKey]
    ) throws -> T {
        do {
            return try T(
                from: ColumnDecoder(row: row, plan: plan, column: column, codingPath: codingPath))
        } catch is NoSingleValue {
            let name = plan.columnName(column, of: codingPath.last?.stringValue, row)
            guard let json = Data.fromDatabaseValue(row.databaseValue(at: column)) else {
                throw row.mismatch(type, column)
            }
            return try plan.jsonDecoder(name).decode(type, from: json)
        }
    }

    // MARK: - Rows

    /// Decodes a value from the row of a scope.
    func value<T: Decodable>(_ type: T.Type, scope: Row, key: some CodingKey) throws -> T {
        let name = key.stringValue
        scope.decoders = plan.scopes[name]
        defer { plan.scopes[name] = scope.decoders }
        return try Self.value(
            type, scope, codingPath: codingPath + [key],
            plan: CursorDecoder.plan(of: plan.record, scope).root(scope))
    }

    /// Decodes a value from a whole row. Dates, data and JSON in types other than `FetchableRecord` follow
    /// the strategies of the enclosing record.
    static func value<T: Decodable>(
        _ type: T.Type, _ row: Row, codingPath: [any CodingKey], plan: @autoclosure () -> RecordPlan
    ) throws -> T {
        guard let record = type as? any FetchableRecord.Type else {
            return try T(from: RecordDecoder(row: row, plan: plan(), codingPath: codingPath))
        }
        guard let value = try record.init(row: row) as? T else {
            trap("\(record) was decoded instead of \(type)")
        }
        return value
    }
}

/// Thrown when a type requests keys or elements from a column, to decode the column as JSON.
struct NoSingleValue: Error {}
