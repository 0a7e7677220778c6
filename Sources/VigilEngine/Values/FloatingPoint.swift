public import Foundation
public import VigilStorage

extension DatabaseValueConvertible where Self: BinaryFloatingPoint & Codable {
    /// A real. NaN is stored as NULL.
    public var databaseValue: DatabaseValue { DatabaseValue(.real(Double(self))) }

    /// Returns a number, rounded to the nearest one of this type; `nil` for text and blobs.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        switch dbValue.storageValue {
        case .integer(let integer): Self(integer)
        case .real(let real): Self(real)
        default: nil
        }
    }
}

extension StatementColumnConvertible where Self: DatabaseValueConvertible & BinaryFloatingPoint & Codable {
    /// Reads a number, rounded to the nearest one that this type can represent.
    @inlinable  // bench: decode-rows
    public init?(cell: StorageCell) {
        switch cell.kind {
        case .integer: self.init(cell.integer)
        case .real: self.init(cell.real)
        default:
            guard let number = cell.roundedNumber else { return nil }
            self.init(number)
        }
    }
}

extension Double: DatabaseValueConvertible, StatementColumnConvertible {}
extension Float: DatabaseValueConvertible, StatementColumnConvertible {}
extension CGFloat: DatabaseValueConvertible, StatementColumnConvertible {}
