public import Foundation
public import VigilEngine

/// How an `Encodable` record encodes its `Data` properties.
///
/// Return a strategy from ``EncodableRecord/databaseDataEncodingStrategy(for:)``.
///
/// ```swift
/// static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
///     column == "source" ? .text : .deferredToData
/// }
/// ```
public enum DatabaseDataEncodingStrategy: Sendable {
    /// Encodes a blob, as `Data` does outside of records.
    case deferredToData
    /// Encodes text. Saving a record fails if the data is not UTF-8.
    case text
    /// Calls a function. If it returns `nil`, NULL is stored.
    case custom(@Sendable (Data) -> (any DatabaseValueConvertible)?)

    func databaseValue(_ data: Data) throws -> DatabaseValue {
        switch self {
        case .deferredToData: return data.databaseValue
        case .text:
            // `String(data:encoding:)` would remove a byte order mark.
            guard let text = String(validating: data, as: UTF8.self) else {
                throw EncodingError.invalidValue(
                    data, .init(codingPath: [], debugDescription: "the data is not text in UTF-8"))
            }
            return text.databaseValue
        case .custom(let value): return value(data)?.databaseValue ?? .null
        }
    }
}

/// How an `Encodable` record encodes its `Date` properties.
///
/// Return a strategy from ``EncodableRecord/databaseDateEncodingStrategy(for:)``.
///
/// ```swift
/// static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
///     .timeIntervalSince1970
/// }
/// ```
public enum DatabaseDateEncodingStrategy: Sendable {
    /// Encodes text in UTC such as `2024-02-29 17:30:00.125`, as `Date` does outside of records.
    case deferredToDate
    /// Encodes the number of seconds since January 1st, 2001, at midnight UTC.
    case timeIntervalSinceReferenceDate
    /// Encodes the number of seconds since January 1st, 1970, at midnight UTC.
    case timeIntervalSince1970
    /// Encodes the number of whole seconds since January 1st, 1970, at midnight UTC, rounded down.
    case secondsSince1970
    /// Encodes the number of whole milliseconds since January 1st, 1970, at midnight UTC, rounded down.
    case millisecondsSince1970
    /// Encodes ISO 8601 text such as `2024-02-29T17:30:00Z`.
    case iso8601
    /// Encodes text with a formatter.
    case formatted(DateFormatter)
    /// Calls a function. If it returns `nil`, NULL is stored.
    case custom(@Sendable (Date) -> (any DatabaseValueConvertible)?)

    func databaseValue(_ date: Date) throws -> DatabaseValue {
        switch self {
        case .deferredToDate: return date.databaseValue
        case .timeIntervalSinceReferenceDate: return date.timeIntervalSinceReferenceDate.databaseValue
        case .timeIntervalSince1970: return date.timeIntervalSince1970.databaseValue
        case .secondsSince1970: return try integer(date.timeIntervalSince1970, date)
        case .millisecondsSince1970:
            // A date made from a whole millisecond, by either computation, may be before it.
            let milliseconds = date.millisecondsSince1970
            let nearest = milliseconds.rounded()
            let isWhole =
                date == Date(timeIntervalSince1970: nearest / 1000)
                || date == Date(millisecondsSince1970: nearest)
            return try integer(isWhole ? nearest : milliseconds, date)
        case .iso8601: return date.formatted(.iso8601).databaseValue
        case .formatted(let formatter): return formatter.string(from: date).databaseValue
        case .custom(let value): return value(date)?.databaseValue ?? .null
        }
    }

    private func integer(_ number: Double, _ date: Date) throws -> DatabaseValue {
        guard let integer = Int64(exactly: number.rounded(.down)) else {
            throw EncodingError.invalidValue(
                date, .init(codingPath: [], debugDescription: "the date does not fit in an integer"))
        }
        return integer.databaseValue
    }
}

/// How an `Encodable` record encodes its `UUID` properties.
///
/// Return a strategy from ``EncodableRecord/databaseUUIDEncodingStrategy(for:)``. All forms can be decoded.
///
/// ```swift
/// static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
///     .uppercaseString
/// }
/// ```
public enum DatabaseUUIDEncodingStrategy: Sendable {
    /// Encodes a blob of 16 bytes, as `UUID` does outside of records.
    case deferredToUUID
    /// Encodes text such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
    case uppercaseString
    /// Encodes text such as `e621e1f8-c36c-495a-93fc-0c247a3e6e5f`.
    case lowercaseString

    func databaseValue(_ uuid: UUID) -> DatabaseValue {
        switch self {
        case .deferredToUUID: uuid.databaseValue
        case .uppercaseString: uuid.uuidString.databaseValue
        case .lowercaseString: uuid.uuidString.lowercased().databaseValue
        }
    }
}

/// How an `Encodable` record converts its coding keys to columns.
///
/// Return a strategy from ``EncodableRecord/databaseColumnEncodingStrategy``.
///
/// ```swift
/// static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
/// static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .convertFromSnakeCase }
/// ```
public enum DatabaseColumnEncodingStrategy: Sendable {
    /// Uses the name of a key.
    case useDefaultKeys
    /// Converts the key `teamId` to the column `team_id`, and `imageURLPath` to `image_url_path`.
    case convertToSnakeCase
    /// Calls a function from coding keys to column names.
    case custom(@Sendable (any CodingKey) -> String)

    func column(_ key: some CodingKey) -> String {
        switch self {
        case .useDefaultKeys: key.stringValue
        case .convertToSnakeCase: Self.snakeCase(key.stringValue)
        case .custom(let column): column(key)
        }
    }

    /// Returns the words of a name in lower case, separated by underscores, as Foundation's strategies
    /// convert them. A capital begins a word. Up to the next small letter, whatever follows it belongs to
    /// that word, except the letter before the small one: `myURLPath` has the words `my`, `url`, `path`.
    static func snakeCase(_ name: String) -> String {
        let letters = Array(name)
        var starts: [Int] = []
        var rest = letters.dropFirst()
        while let capital = rest.firstIndex(where: \.isUppercase) {
            starts.append(capital)
            guard let small = rest[capital...].firstIndex(where: \.isLowercase) else { break }
            if small - 1 > capital { starts.append(small - 1) }
            rest = rest[(small + 1)...]
        }
        let words = zip([0] + starts, starts + [letters.count]).map { String(letters[$0..<$1]).lowercased() }
        return words.joined(separator: "_")
    }
}
