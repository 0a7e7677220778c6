import Foundation
import VigilEngine

/// A key of a type with an encoding strategy.
enum StrategyEncodedKey: Sendable {
    case data(Data)
    case date(Date)
    case uuid(UUID)

    /// Returns `nil` for keys of other types, and for `nil`.
    init?<Key: DatabaseValueConvertible>(_ key: Key) {
        guard Self.isEncodedByStrategy(Key.self) else { return nil }
        switch key as Any {
        case let data as Data: self = .data(data)
        case let date as Date: self = .date(date)
        case let uuid as UUID: self = .uuid(uuid)
        default: return nil
        }
    }

    /// Returns whether keys of a type are encoded by a strategy, if the record type is encodable.
    static func isEncodedByStrategy<Key>(_ type: Key.Type) -> Bool {
        type == Data.self || type == Date.self || type == UUID.self || type == Data?.self
            || type == Date?.self || type == UUID?.self
    }

    /// Returns the value stored by the record type in a column.
    ///
    /// - Throws: `EncodingError` if the strategy cannot encode the key.
    func databaseValue(_ recordType: any EncodableRecord.Type, column: String) throws -> DatabaseValue {
        switch self {
        case .data(let data):
            try recordType.databaseDataEncodingStrategy(for: column).databaseValue(data)
        case .date(let date):
            try recordType.databaseDateEncodingStrategy(for: column).databaseValue(date)
        case .uuid(let uuid): recordType.databaseUUIDEncodingStrategy(for: column).databaseValue(uuid)
        }
    }
}
