public import Foundation
public import VigilEngine

/// How a `Decodable` record decodes its `Data` properties.
///
/// Return a strategy from ``FetchableRecord/databaseDataDecodingStrategy(for:)``.
public enum DatabaseDataDecodingStrategy: Sendable {
    /// Decodes blobs, and the bytes of text, as `Data` does outside of records.
    case deferredToData
    /// Calls a function. It returns `nil` for inconvertible values, and is not called for NULL.
    case custom(@Sendable (DatabaseValue) -> Data?)
}

/// How a `Decodable` record decodes its `Date` properties.
///
/// Return a strategy from ``FetchableRecord/databaseDateDecodingStrategy(for:)``.
public enum DatabaseDateDecodingStrategy: Sendable {
    /// Decodes text in UTC, and numbers of seconds since 1970, as `Date` does outside of records.
    case deferredToDate
    /// Decodes numbers of seconds since January 1st, 2001, at midnight UTC.
    case timeIntervalSinceReferenceDate
    /// Decodes numbers of seconds since January 1st, 1970, at midnight UTC.
    case timeIntervalSince1970
    /// Decodes numbers of milliseconds since January 1st, 1970, at midnight UTC.
    case millisecondsSince1970
    /// Decodes ISO 8601 text such as `2024-02-29T17:30:00Z`.
    case iso8601
    /// Decodes text with a formatter.
    case formatted(DateFormatter)
    /// Calls a function. It returns `nil` for inconvertible values, and is not called for NULL.
    case custom(@Sendable (DatabaseValue) -> Date?)

    func date(_ dbValue: DatabaseValue) -> Date? {
        switch self {
        case .deferredToDate: return Date.fromDatabaseValue(dbValue)
        case .timeIntervalSinceReferenceDate:
            return Double.fromDatabaseValue(dbValue).map(Date.init(timeIntervalSinceReferenceDate:))
        case .timeIntervalSince1970:
            return Double.fromDatabaseValue(dbValue).map(Date.init(timeIntervalSince1970:))
        case .millisecondsSince1970:
            return Double.fromDatabaseValue(dbValue).map { Date(timeIntervalSince1970: $0 / 1000) }
        case .iso8601:
            return String.fromDatabaseValue(dbValue).flatMap { try? Date($0, strategy: .iso8601) }
        case .formatted(let formatter):
            return String.fromDatabaseValue(dbValue).flatMap(formatter.date(from:))
        case .custom(let date): return date(dbValue)
        }
    }
}

/// How a `Decodable` record matches its coding keys with columns.
///
/// Return a strategy from ``FetchableRecord/databaseColumnDecodingStrategy``.
public enum DatabaseColumnDecodingStrategy: Sendable {
    /// Matches a key with the column of the same name, regardless of the case of ASCII letters.
    case useDefaultKeys
    /// Matches the key `teamId` with the column `team_id`. Leading and trailing underscores are kept.
    case convertFromSnakeCase
    /// Calls a function from column names to coding keys.
    case custom(@Sendable (String) -> any CodingKey)

    /// Returns the index of the leftmost column of each key, or `nil` if keys are looked up as column names.
    func columns(of row: Row) -> [String: Int]? {
        let key: (String) -> String
        switch self {
        case .useDefaultKeys: return nil
        case .convertFromSnakeCase: key = Self.camelCase
        case .custom(let codingKey): key = { codingKey($0).stringValue }
        }
        return Dictionary(
            row.columnNames.enumerated().map { (key($1), $0) }, uniquingKeysWith: { first, _ in first })
    }

    static func camelCase(_ name: String) -> String {
        let start = name.prefix { $0 == "_" }
        guard start.count < name.count else { return name }
        let end = name.reversed().prefix { $0 == "_" }.count
        let words = name.dropFirst(start.count).dropLast(end).split(separator: "_")
        guard words.count > 1 else { return name }
        let camel = words[0].lowercased() + words.dropFirst().map(\.capitalized).joined()
        return start + camel + String(repeating: "_", count: end)
    }
}
