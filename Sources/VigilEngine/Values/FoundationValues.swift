public import Foundation
public import VigilStorage

extension UUID: DatabaseValueConvertible, StatementColumnConvertible {
    /// A blob of 16 bytes.
    public var databaseValue: DatabaseValue {
        DatabaseValue(.blob(withUnsafeBytes(of: uuid) { Array($0) }))
    }

    /// A blob of 16 bytes, or text in the usual form with hyphens.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UUID? {
        switch dbValue.storageValue {
        case .blob(let bytes): bytes.withUnsafeBytes { UUID(bytes: $0) }
        case .text(let text): UUID(uuidString: text)
        default: nil
        }
    }

    /// Reads a blob of 16 bytes, or text in the usual form with hyphens.
    public init?(cell: StorageCell) {
        switch cell.kind {
        case .blob: self.init(bytes: cell.bytes)
        case .text: self.init(uuidString: cell.text)
        default: return nil
        }
    }

    private init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}

extension URL: DatabaseValueConvertible {
    /// Text: the absolute URL.
    public var databaseValue: DatabaseValue { absoluteString.databaseValue }

    /// Text that is a URL.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
        String.fromDatabaseValue(dbValue).flatMap { URL(string: $0) }
    }
}

extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
    /// Text with all digits, so that none is lost; NULL if this is not a number.
    public var databaseValue: DatabaseValue { isNaN ? .null : description.databaseValue }

    /// A number, or text that is nothing but a number with a decimal point.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
        switch dbValue.storageValue {
        case .integer(let integer): Decimal(integer)
        case .real(let real): real.isFinite ? Decimal(real) : nil
        case .text(let text): Decimal(wholeText: text)
        default: nil
        }
    }

    /// `Decimal(string:)` reads as far as it can, so that `1.2.3` is 1.2 to it. Here that is an error.
    private init?(wholeText text: String) {
        guard Self.isNumber(text) else { return nil }
        self.init(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    /// Whether the text is an optional sign, digits with at most one point, and an optional exponent.
    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func skipSign() {
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        }
        func skipDigits() -> Int {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest.removeFirst(digits.count)
            return digits.count
        }
        skipSign()
        var digitCount = skipDigits()
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            digitCount += skipDigits()
        }
        guard digitCount > 0 else { return false }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            skipSign()
            guard skipDigits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
