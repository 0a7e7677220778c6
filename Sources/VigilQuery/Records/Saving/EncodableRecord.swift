public import Foundation
public import VigilEngine

/// A type that can be encoded to the columns of a database row.
///
/// `Encodable` types do not need to implement any requirement: each coding key is a column, and values too
/// complex for a column, such as arrays and nested types, are stored as JSON.
///
/// ```swift
/// struct Player: Codable, PersistableRecord {
///     var id: Int64
///     var name: String
///     var score: Int?       // nil is NULL
///     var address: Address  // a nested Codable type: a JSON column
/// }
/// ```
///
/// Conform to ``PersistableRecord`` or ``MutablePersistableRecord`` to save records. Other types implement
/// ``encode(to:)-(PersistenceContainer)``.
public protocol EncodableRecord: _SendableMetatype {
    /// Sets the columns of the record.
    ///
    /// ```swift
    /// func encode(to container: inout PersistenceContainer) {
    ///     container["id"] = id
    ///     container["name"] = name
    /// }
    /// ```
    ///
    /// - Throws: Any error. Saving the record rethrows it.
    func encode(to container: inout PersistenceContainer) throws

    /// The `userInfo` of the encoder of `Encodable` records. Empty by default.
    static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// Returns the encoder of a JSON column. By default, it encodes dates as milliseconds since 1970, and
    /// data as Base64, and sorts keys.
    static func databaseJSONEncoder(for column: String) -> JSONEncoder

    /// Returns the strategy for encoding a `Data` property of an `Encodable` record to a column. By default,
    /// it is ``DatabaseDataEncodingStrategy/deferredToData``.
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

    /// Returns the strategy for encoding a `Date` property of an `Encodable` record to a column. By default,
    /// it is ``DatabaseDateEncodingStrategy/deferredToDate``.
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

    /// Returns the strategy for encoding a `UUID` property of an `Encodable` record to a column. By default,
    /// it is ``DatabaseUUIDEncodingStrategy/deferredToUUID``.
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

    /// The strategy for converting the coding keys of an `Encodable` record to columns. By default, it is
    /// ``DatabaseColumnEncodingStrategy/useDefaultKeys``.
    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }
}

extension EncodableRecord {
    /// An empty dictionary.
    public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns an encoder of dates as milliseconds since 1970 and of data as Base64, with
    /// ``databaseEncodingUserInfo`` as its `userInfo`. It sorts keys, so equal values are stored as equal
    /// text.
    public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.dataEncodingStrategy = .base64
        encoder.nonConformingFloatEncodingStrategy = .throw
        encoder.outputFormatting = .sortedKeys
        let userInfo = databaseEncodingUserInfo
        // The setter requires `Sendable` values. Marker protocols do not affect how a value is stored, and
        // the encoder never leaves the thread of the access.
        if !userInfo.isEmpty {
            encoder.userInfo = unsafeBitCast(userInfo, to: [CodingUserInfoKey: any Sendable].self)
        }
        return encoder
    }

    /// Returns ``DatabaseDataEncodingStrategy/deferredToData``.
    public static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
        .deferredToData
    }

    /// Returns ``DatabaseDateEncodingStrategy/deferredToDate``.
    public static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .deferredToDate
    }

    /// Returns ``DatabaseUUIDEncodingStrategy/deferredToUUID``.
    public static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        .deferredToUUID
    }

    /// The strategy ``DatabaseColumnEncodingStrategy/useDefaultKeys``.
    public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .useDefaultKeys }
}

extension EncodableRecord where Self: Encodable {
    /// Sets a column for each coding key.
    ///
    /// - Throws: `EncodingError` if the record does not encode keys, and any error thrown by its properties.
    public func encode(to container: inout PersistenceContainer) throws {
        let type = type(of: self)
        let encoder =
            if let known = container.encoder, known.isFor(type) { known } else { RecordEncoder(type) }
        container.encoder = nil
        try encoder.encode(to: &container) { try encode(to: $0) }
        container.encoder = encoder
    }
}

// MARK: - Values

extension EncodableRecord {
    /// The columns of the record and their stored values.
    ///
    /// - Throws: Any error thrown while the record is encoded.
    public var databaseDictionary: [String: DatabaseValue] {
        get throws { try Dictionary(byColumn: PersistenceContainer(self)) }
    }

    /// Returns whether two records store equal values in the same columns; `false` if encoding one fails.
    public func databaseEquals(_ record: Self) -> Bool {
        do {
            return try PersistenceContainer(self).changes(from: PersistenceContainer(record)).isEmpty
        } catch {
            return false
        }
    }

    /// Returns the columns with different values in another record, with the values of the other record.
    ///
    /// ```swift
    /// let changes = try newPlayer.databaseChanges(from: oldPlayer)
    /// if let oldScore = changes["score"] { print("was \(oldScore)") }
    /// ```
    ///
    /// - Throws: Any error thrown while the records are encoded.
    public func databaseChanges(from record: some EncodableRecord) throws -> [String: DatabaseValue] {
        let changes = try PersistenceContainer(self).changes(from: PersistenceContainer(record))
        return Dictionary(byColumn: changes.lazy.map { ($0.column, $0.old) })
    }

    /// Modifies the record, and returns the changed columns, with their old values.
    ///
    /// - Throws: The error of `modify`, and any error thrown while the record is encoded.
    public mutating func databaseChanges(modify: (inout Self) throws -> Void) throws
        -> [String: DatabaseValue]
    {
        let old = try PersistenceContainer(self)
        try modify(&self)
        let changes = try PersistenceContainer(self).changes(from: old)
        return Dictionary(byColumn: changes.lazy.map { ($0.column, $0.old) })
    }
}
