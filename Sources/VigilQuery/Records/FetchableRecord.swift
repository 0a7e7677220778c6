public import Foundation
public import VigilEngine

/// A type that can be decoded from database rows.
///
/// `Decodable` types do not need to implement any requirement: coding keys are matched with column names.
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
/// Other types implement `init(row:)`:
///
/// ```swift
/// extension Team: FetchableRecord {
///     init(row: Row) {
///         self.init(id: row["id"], name: row["name"])
///     }
/// }
/// ```
public protocol FetchableRecord {
    /// Creates a record from a row.
    ///
    /// - Parameter row: The row. It is only valid during the call if it belongs to a cursor. Copy the row to
    ///   keep it.
    /// - Throws: Any error. The fetch rethrows it.
    init(row: Row) throws

    /// The `userInfo` of the decoder of `Decodable` records. Empty by default.
    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// Returns the decoder of a JSON column. By default, it decodes dates from milliseconds since 1970, and
    /// data from Base64.
    static func databaseJSONDecoder(for column: String) -> JSONDecoder

    /// Returns the strategy for decoding a `Data` property of a `Decodable` record from a column. By default,
    /// it is ``DatabaseDataDecodingStrategy/deferredToData``.
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

    /// Returns the strategy for decoding a `Date` property of a `Decodable` record from a column. By default,
    /// it is ``DatabaseDateDecodingStrategy/deferredToDate``.
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

    /// The strategy for matching the coding keys of a `Decodable` record with columns. By default, it is
    /// ``DatabaseColumnDecodingStrategy/useDefaultKeys``.
    static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}

extension FetchableRecord {
    /// An empty dictionary.
    public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns a decoder for dates in milliseconds since 1970 and data in Base64, with
    /// ``databaseDecodingUserInfo`` as its `userInfo`.
    public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.dataDecodingStrategy = .base64
        decoder.nonConformingFloatDecodingStrategy = .throw
        let userInfo = databaseDecodingUserInfo
        // The setter requires `Sendable` values. Marker protocols do not affect how a value is stored, and
        // the decoder never leaves the thread of the access.
        if !userInfo.isEmpty {
            decoder.userInfo = unsafeBitCast(userInfo, to: [CodingUserInfoKey: any Sendable].self)
        }
        return decoder
    }

    /// Returns ``DatabaseDataDecodingStrategy/deferredToData``.
    public static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
        .deferredToData
    }

    /// Returns ``DatabaseDateDecodingStrategy/deferredToDate``.
    public static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .deferredToDate
    }

    /// The strategy ``DatabaseColumnDecodingStrategy/useDefaultKeys``.
    public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .useDefaultKeys }
}

extension FetchableRecord where Self: Decodable {
    /// Decodes a record from a row.
    ///
    /// - Throws: `RowDecodingError` if a column is missing or cannot be converted, `DecodingError` if an
    ///   associated record or list of records is missing, and any error thrown by the record's `init(from:)`.
    public init(row: Row) throws {
        try self.init(from: CursorDecoder.decoder(of: Self.self, row))
    }
}

/// A decoder for `Decodable` records with an `init(row:)` extending the default decoding.
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
    /// Creates a decoder.
    public init() {}

    /// Decodes a record from a row.
    ///
    /// - Throws: `RowDecodingError` if a column is missing or cannot be converted, `DecodingError` if an
    ///   associated record or list of records is missing, and any error thrown by the record's `init(from:)`.
    public func decode<T: FetchableRecord & Decodable>(_ type: T.Type, from row: Row) throws -> T {
        try T(from: CursorDecoder.decoder(of: type, row))
    }
}

/// Decoded from `PRAGMA table_info` and `PRAGMA table_xinfo`.
extension ColumnInfo: FetchableRecord {}
