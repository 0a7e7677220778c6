public import Foundation
public import VigilEngine

/// A type whose values are made of rows.
///
/// `Decodable` types need no code: the columns have the names of the coding keys.
///
/// ```swift
/// struct Player: Codable, FetchableRecord {
///     var id: Int64
///     var name: String
///     var score: Int?      // NULL is nil
///     var address: Address // a nested Decodable type: a JSON column, or the scope `address` of an adapter
/// }
/// let players = try Player.fetchAll(db, sql: "SELECT * FROM player")
/// ```
///
/// Others read the row:
///
/// ```swift
/// extension Team: FetchableRecord {
///     init(row: Row) {
///         self.init(id: row["id"], name: row["name"])
///     }
/// }
/// ```
public protocol FetchableRecord {
    /// Makes a record of a row.
    ///
    /// - Parameter row: may be the row of a cursor, which is valid during the call only: copy it to keep it.
    init(row: Row) throws

    /// What a `Decodable` record finds in its decoder's `userInfo`. Nothing by default.
    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// Decodes the JSON of a column. By default dates are milliseconds since 1970, and data is Base64.
    static func databaseJSONDecoder(for column: String) -> JSONDecoder

    /// How a `Decodable` record reads the data of a column. By default, as `Data` does.
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

    /// How a `Decodable` record reads the date of a column. By default, as `Date` does.
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

    /// How a `Decodable` record finds the columns of its coding keys. By default, they have the same names.
    static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}

extension FetchableRecord {
    /// Nothing.
    public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    /// A decoder with the defaults that the requirement states, and with ``databaseDecodingUserInfo``.
    public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.dataDecodingStrategy = .base64
        decoder.nonConformingFloatDecodingStrategy = .throw
        let userInfo = databaseDecodingUserInfo
        // The setter asks for values that are `Sendable`, which is no part of how they are stored; the decoder stays on
        // the thread of the access.
        if !userInfo.isEmpty {
            decoder.userInfo = userInfo.mapValues { unsafeBitCast($0, to: (any Sendable).self) }
        }
        return decoder
    }

    /// ``DatabaseDataDecodingStrategy/deferredToData``
    public static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
        .deferredToData
    }

    /// ``DatabaseDateDecodingStrategy/deferredToDate``
    public static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .deferredToDate
    }

    /// ``DatabaseColumnDecodingStrategy/useDefaultKeys``
    public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .useDefaultKeys }
}

extension FetchableRecord where Self: Decodable {
    /// Decodes a record.
    ///
    /// - Throws: ``RowDecodingError`` if a column is missing or cannot be converted, and what decoding throws.
    public init(row: Row) throws {
        try self.init(from: RecordDecoder(row: row, plan: RecordPlan.of(Self.self, row), codingPath: []))
    }
}

/// Decodes records the way `Decodable` records decode themselves, for those that do something else besides.
///
/// ```swift
/// extension Player: FetchableRecord {
///     init(row: Row) throws {
///         self = try FetchableRecordDecoder().decode(Player.self, from: row)
///         rank = row["rank"]
///     }
/// }
/// ```
public final class FetchableRecordDecoder: Sendable {
    public init() {}

    /// Decodes a record.
    ///
    /// - Throws: ``RowDecodingError`` if a column is missing or cannot be converted, and what decoding throws.
    public func decode<T: FetchableRecord & Decodable>(_ type: T.Type, from row: Row) throws -> T {
        try T(from: RecordDecoder(row: row, plan: RecordPlan.of(type, row), codingPath: []))
    }
}
