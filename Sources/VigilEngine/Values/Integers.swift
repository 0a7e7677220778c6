public import VigilStorage

extension DatabaseValueConvertible where Self: FixedWidthInteger & Codable {
    /// An integer.
    ///
    /// - Precondition: The value fits in an `Int64`, the integer type of databases. Only `UInt` and `UInt64`
    ///   have values that do not: store such numbers as text.
    public var databaseValue: DatabaseValue {
        guard let integer = Int64(exactly: self) else {
            trap("\(self) does not fit in the integers of a database")
        }
        return DatabaseValue(.integer(integer))
    }

    /// Returns an integer of this type, or a real without its fraction (1 for 1.5); `nil` for other values.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        switch dbValue.storageValue {
        case .integer(let integer): Self(exactly: integer)
        case .real(let real): Self(exactly: real.rounded(.towardZero))
        default: nil
        }
    }
}

extension StatementColumnConvertible where Self: DatabaseValueConvertible & FixedWidthInteger & Codable {
    /// Reads an integer that this type can represent, or a real without its fraction.
    @inlinable  // bench: decode-rows
    public init?(cell: StorageCell) {
        switch cell.kind {
        case .integer: self.init(exactly: cell.integer)
        case .real: self.init(exactly: cell.real.rounded(.towardZero))
        default:
            guard let number = cell.roundedNumber else { return nil }
            self.init(exactly: number.rounded(.towardZero))
        }
    }
}

extension Int: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int8: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int16: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int32: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int64: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt8: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt16: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt32: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt64: DatabaseValueConvertible, StatementColumnConvertible {}

extension Bool: DatabaseValueConvertible, StatementColumnConvertible {
    /// The integer 1 or 0.
    public var databaseValue: DatabaseValue { DatabaseValue(.integer(self ? 1 : 0)) }

    /// Returns whether a number is not zero. Returns `nil` for any other value, even for text such as
    /// `'true'`, which SQL considers false.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Bool? {
        switch dbValue.storageValue {
        case .integer(let integer): integer != 0
        case .real(let real): real != 0
        default: nil
        }
    }

    /// Reads whether a number is not zero.
    @inlinable  // bench: decode-rows
    public init?(cell: StorageCell) {
        switch cell.kind {
        case .integer: self = cell.integer != 0
        case .real: self = cell.real != 0
        default: return nil
        }
    }
}
