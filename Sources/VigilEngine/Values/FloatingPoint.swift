public import Foundation
public import VigilStorage

extension DatabaseValueConvertible where Self: BinaryFloatingPoint & Codable {
    /// A real. Databases store NaN as NULL.
    public var databaseValue: DatabaseValue { DatabaseValue(.real(Double(self))) }

    /// A number, rounded to the nearest that this type can hold.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        switch dbValue.storageValue {
        case .integer(let integer): Self(integer)
        case .real(let real): Self(real)
        default: nil
        }
    }
}

extension StatementColumnConvertible where Self: DatabaseValueConvertible & BinaryFloatingPoint & Codable {
    /// Reads a number, rounded to the nearest that this type can hold.
    @inlinable  // bench: decode-rows
    public init?(cell: StorageCell) {
        switch cell.kind {
        case .integer: self.init(cell.integer)
        case .real: self.init(cell.real)
        default: return nil
        }
    }
}

extension Double: DatabaseValueConvertible, StatementColumnConvertible {}
extension Float: DatabaseValueConvertible, StatementColumnConvertible {}
extension CGFloat: DatabaseValueConvertible, StatementColumnConvertible {}
