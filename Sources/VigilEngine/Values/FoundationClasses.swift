public import Foundation
import VigilStorage

extension NSNull: DatabaseValueConvertible {
    /// NULL.
    public var databaseValue: DatabaseValue { .null }

    /// `nil`: read an optional instead, whose `nil` stands for NULL.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
}

extension NSNumber: DatabaseValueConvertible {
    /// An integer, or a real for numbers that were made of one and for decimals that no integer can hold.
    ///
    /// - Precondition: an unsigned number fits in 64 signed bits.
    public var databaseValue: DatabaseValue {
        if let decimal = self as? NSDecimalNumber { return Self.databaseValue(of: decimal) }
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"): return doubleValue.databaseValue
        case UInt8(ascii: "Q"), UInt8(ascii: "L"): return uint64Value.databaseValue
        default: return int64Value.databaseValue
        }
    }

    private static func databaseValue(of number: NSDecimalNumber) -> DatabaseValue {
        let integer = number.int64Value
        let isInteger = NSDecimalNumber(value: integer).compare(number) == .orderedSame
        return isInteger ? integer.databaseValue : number.doubleValue.databaseValue
    }

    /// A number, or text that is nothing but a number with a decimal point.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        if self is NSDecimalNumber.Type {
            return Decimal.fromDatabaseValue(dbValue).map(NSDecimalNumber.init(decimal:)) as? Self
        }
        switch dbValue.storageValue {
        case .integer(let integer): return NSNumber(value: integer) as? Self
        case .real(let real): return NSNumber(value: real) as? Self
        default: return Decimal.fromDatabaseValue(dbValue).map(NSDecimalNumber.init(decimal:)) as? Self
        }
    }
}

extension NSString: DatabaseValueConvertible {
    /// Text.
    public var databaseValue: DatabaseValue { String(describing: self).databaseValue }

    /// What a `String` reads.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        String.fromDatabaseValue(dbValue).map(NSString.init(string:)) as? Self
    }
}

extension NSData: DatabaseValueConvertible {
    /// A blob, which may be empty.
    public var databaseValue: DatabaseValue { Data(referencing: self).databaseValue }

    /// What a `Data` reads.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Data.fromDatabaseValue(dbValue).map(NSData.init(data:)) as? Self
    }
}

extension NSDate: DatabaseValueConvertible {
    /// Text; see `Date`.
    public var databaseValue: DatabaseValue {
        Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate).databaseValue
    }

    /// What a `Date` reads.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Date.fromDatabaseValue(dbValue).map {
            NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate)
        } as? Self
    }
}

extension NSUUID: DatabaseValueConvertible {
    /// A blob of 16 bytes.
    public var databaseValue: DatabaseValue {
        UUID(uuidString: uuidString)?.databaseValue ?? .null
    }

    /// What a `UUID` reads.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        UUID.fromDatabaseValue(dbValue).flatMap { NSUUID(uuidString: $0.uuidString) } as? Self
    }
}

extension NSURL: DatabaseValueConvertible {
    /// Text: the absolute URL.
    public var databaseValue: DatabaseValue {
        let text: String? = absoluteString
        return text.databaseValue
    }

    /// What a `URL` reads.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        String.fromDatabaseValue(dbValue).flatMap { NSURL(string: $0) } as? Self
    }
}
