public import VigilStorage

extension DatabaseValueConvertible where Self: FixedWidthInteger & Codable {
    /// An integer.
    ///
    /// - Precondition: the value fits in 64 signed bits, which is what databases have. Only `UInt`
    ///   and `UInt64` can hold one that does not; convert such numbers to text.
    public var databaseValue: DatabaseValue {
        guard let integer = Int64(exactly: self) else {
            preconditionFailure("\(self) does not fit in the integers of a database")
        }
        return DatabaseValue(.integer(integer))
    }

    /// An integer that this type can hold, or a real without its fraction: 1.5 is 1.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        switch dbValue.storageValue {
        case .integer(let integer): Self(exactly: integer)
        case .real(let real): Self(exactly: real.rounded(.towardZero))
        default: nil
        }
    }
}

extension StatementColumnConvertible where Self: DatabaseValueConvertible & FixedWidthInteger & Codable {
    /// Reads an integer that this type can hold, or a real without its fraction.
    @inlinable  // bench: decode-rows
    public init?(cell: StorageCell) {
        switch cell.kind {
        case .integer: self.init(exactly: cell.integer)
        case .real: self.init(exactly: cell.real.rounded(.towardZero))
        default: return nil
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
    /// 1 or 0.
    public var databaseValue: DatabaseValue { DatabaseValue(.integer(self ? 1 : 0)) }

    /// Whether a number is not zero. Text is no `Bool`: what `'true'` or `'0'` mean in SQL is not
    /// what they mean to people.
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
