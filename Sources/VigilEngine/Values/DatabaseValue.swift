public import Foundation
public import VigilStorage

/// A value in a database: NULL, an integer, a real, text or a blob.
///
/// ```swift
/// let value = try DatabaseValue.fetchOne(db, sql: "SELECT score FROM player")
/// 1.databaseValue == 1.0.databaseValue                  // true: equal numbers
/// 1.databaseValue.storage == 1.0.databaseValue.storage  // false: an integer, a real
/// ```
public struct DatabaseValue: Sendable {
    /// The value in the form that backends use.
    package let storageValue: StorageValue

    package init(_ storageValue: StorageValue) {
        self.storageValue = storageValue
    }

    /// Copies a value from the current row.
    package init(copying cell: StorageCell) {
        storageValue = cell.value
    }

    /// NULL.
    public static let null = DatabaseValue(.null)

    /// Creates the database value of `value`. Returns `nil` unless its type is ``DatabaseValueConvertible``.
    public init?(value: Any) {
        guard let convertible = value as? any DatabaseValueConvertible else { return nil }
        self = convertible.databaseValue
    }

    /// Whether the value is NULL.
    public var isNull: Bool { if case .null = storageValue { true } else { false } }

    /// The value by its kind, for `switch` statements. A blob is copied.
    ///
    /// ```swift
    /// switch value.storage {
    /// case .null: print("NULL")
    /// case .int64(let integer): print(integer)
    /// case .double(let real): print(real)
    /// case .string(let text): print(text)
    /// case .blob(let data): print(data.count)
    /// }
    /// ```
    public var storage: Storage {
        switch storageValue {
        case .null: .null
        case .integer(let integer): .int64(integer)
        case .real(let real): .double(real)
        case .text(let text): .string(text)
        case .blob(let bytes): .blob(Data(bytes))
        }
    }

    /// A value by its kind. Unlike with ``DatabaseValue``, an integer never equals a real.
    @frozen
    public enum Storage: Equatable, Sendable {
        /// NULL.
        case null
        /// An integer.
        case int64(Int64)
        /// A floating-point number.
        case double(Double)
        /// Text.
        case string(String)
        /// Bytes.
        case blob(Data)

        /// The value as an `Int64`, `Double`, `String` or `Data`; `nil` for NULL.
        public var value: (any DatabaseValueConvertible)? {
            switch self {
            case .null: nil
            case .int64(let integer): integer
            case .double(let real): real
            case .string(let text): text
            case .blob(let data): data
            }
        }
    }
}

extension DatabaseValue: DatabaseValueConvertible {
    /// The value itself.
    public var databaseValue: DatabaseValue { self }

    /// Returns the value itself, including NULL.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? { dbValue }
}

extension DatabaseValue: StatementColumnConvertible {
    /// Copies the value.
    public init?(cell: StorageCell) { self.init(copying: cell) }

    /// Returns a copy of the value, including NULL.
    public static func fromCell(_ cell: StorageCell) -> DatabaseValue? { DatabaseValue(copying: cell) }
}
