public import Foundation
public import VigilStorage

extension String: DatabaseValueConvertible, StatementColumnConvertible {
    /// Text.
    public var databaseValue: DatabaseValue { DatabaseValue(.text(self)) }

    /// Returns text, or a blob that is valid UTF-8. Returns `nil` for numbers.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> String? {
        switch dbValue.storageValue {
        case .text(let text): text
        case .blob(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }

    /// Reads text, replacing invalid UTF-8, or a blob that is valid UTF-8.
    @inlinable  // bench: decode-rows
    public init?(cell: StorageCell) {
        switch cell.kind {
        case .text: self = cell.text
        case .blob: self.init(validating: cell.bytes, as: UTF8.self)
        default: return nil
        }
    }
}

extension Data: DatabaseValueConvertible, StatementColumnConvertible {
    /// A blob, possibly empty.
    public var databaseValue: DatabaseValue { DatabaseValue(.blob(Array(self))) }

    /// Returns the bytes of a blob, or the UTF-8 bytes of text. Returns `nil` for numbers.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Data? {
        switch dbValue.storageValue {
        case .text(let text): Data(text.utf8)
        case .blob(let bytes): Data(bytes)
        default: nil
        }
    }

    /// Copies a blob, or the bytes of text as they are stored.
    @inlinable  // bench: decode-rows
    public init?(cell: StorageCell) {
        switch cell.kind {
        case .text, .blob: self.init(cell.bytes)
        default: return nil
        }
    }
}
