public import Foundation
public import VigilEngine

/// How a `Decodable` record reads data.
public enum DatabaseDataDecodingStrategy: Sendable {
    /// As `Data` does: a blob, or the bytes of a text.
    case deferredToData
    /// By a function, which returns `nil` if the value is none of its own. It is not called for NULL.
    case custom(@Sendable (DatabaseValue) -> Data?)
}

/// How a `Decodable` record reads dates.
public enum DatabaseDateDecodingStrategy: Sendable {
    /// As `Date` does: text in UTC, or seconds since 1970.
    case deferredToDate
    /// Seconds since 2001.
    case timeIntervalSinceReferenceDate
    /// Seconds since 1970.
    case timeIntervalSince1970
    /// Milliseconds since 1970.
    case millisecondsSince1970
    /// Text such as `2024-02-29T17:30:00Z`.
    case iso8601
    /// Text that a formatter reads.
    case formatted(DateFormatter)
    /// By a function, which returns `nil` if the value is none of its own. It is not called for NULL.
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

/// How a `Decodable` record finds the columns of its coding keys.
public enum DatabaseColumnDecodingStrategy: Sendable {
    /// A column has the name of its key, whatever the case of its ASCII letters.
    case useDefaultKeys
    /// The column `team_id` is for the key `teamId`. Underscores in front and at the end stay.
    case convertFromSnakeCase
    /// A function gives the key of a column.
    case custom(@Sendable (String) -> any CodingKey)

    /// The indexes of the columns by their keys, the leftmost of each; `nil` if keys are looked up as names.
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
