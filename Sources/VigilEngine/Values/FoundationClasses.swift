public import Foundation
import VigilStorage

extension NSNull: DatabaseValueConvertible {
    /// NULL.
    public var databaseValue: DatabaseValue { .null }

    /// Returns `nil`. To read NULL, read an optional of another type.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
}

extension NSNumber: DatabaseValueConvertible {
    /// An integer. Floating-point numbers, and decimals outside of the range of `Int64`, are stored as reals.
    ///
    /// - Precondition: Unsigned numbers fit in an `Int64`.
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

    /// Returns a number, or the decimal number in text that contains nothing else.
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

    /// Returns the text read by `String`.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        String.fromDatabaseValue(dbValue).map(NSString.init(string:)) as? Self
    }
}

extension NSData: DatabaseValueConvertible {
    /// A blob, possibly empty.
    public var databaseValue: DatabaseValue { Data(referencing: self).databaseValue }

    /// Returns the bytes read by `Data`.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Data.fromDatabaseValue(dbValue).map(NSData.init(data:)) as? Self
    }
}

extension NSDate: DatabaseValueConvertible {
    /// Text, in the format of `Date`.
    public var databaseValue: DatabaseValue {
        Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate).databaseValue
    }

    /// Returns the date read by `Date`.
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

    /// Returns the UUID read by `UUID`.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        UUID.fromDatabaseValue(dbValue).flatMap { NSUUID(uuidString: $0.uuidString) } as? Self
    }
}

extension NSURL: DatabaseValueConvertible {
    /// The absolute URL, as text.
    public var databaseValue: DatabaseValue {
        let text: String? = absoluteString
        return text.databaseValue
    }

    /// Returns the URL read by `URL`.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        String.fromDatabaseValue(dbValue).flatMap { NSURL(string: $0) } as? Self
    }
}
