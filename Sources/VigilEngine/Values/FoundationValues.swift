public import Foundation
public import VigilStorage

extension UUID: DatabaseValueConvertible, StatementColumnConvertible {
    /// A blob of 16 bytes.
    public var databaseValue: DatabaseValue {
        DatabaseValue(.blob(withUnsafeBytes(of: uuid) { Array($0) }))
    }

    /// Returns the UUID in a blob of 16 bytes, or in text with the usual hyphens; `nil` for any other value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UUID? {
        switch dbValue.storageValue {
        case .blob(let bytes): bytes.withUnsafeBytes { UUID(bytes: $0) }
        case .text(let text): UUID(uuidString: text)
        default: nil
        }
    }

    /// Reads a blob of 16 bytes, or text with the usual hyphens.
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
    /// The absolute URL, as text.
    public var databaseValue: DatabaseValue { absoluteString.databaseValue }

    /// Returns the URL in text, or `nil` if the text is not a URL.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
        String.fromDatabaseValue(dbValue).flatMap { URL(string: $0) }
    }
}

extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
    /// Text with all digits, so that no precision is lost. NULL if the decimal is not a number.
    public var databaseValue: DatabaseValue { isNaN ? .null : description.databaseValue }

    /// Returns a number, or the decimal number that is the whole text; `nil` for any other value.
    ///
    /// A real is read with the fewest digits to distinguish it from other reals: 3.133 is stored as a real
    /// in a `NUMERIC` column, and read as 3.133.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
        switch dbValue.storageValue {
        case .integer(let integer): Decimal(integer)
        case .real(let real): Decimal(digitsOf: real)
        case .text(let text): Decimal(wholeText: text)
        default: nil
        }
    }

    /// Reads the digits of a finite number. `Decimal(_:)` multiplies it by powers of ten, and rounds: it
    /// reads 3.133 as 3.132999999999999488.
    private init?(digitsOf real: Double) {
        guard real.isFinite else { return nil }
        // The exponents of decimals have a smaller range.
        guard (1e-100...1e100).contains(real.magnitude) else {
            self.init(real)
            return
        }
        self.init(wholeText: real.description)
    }

    /// Reads the whole text. `Decimal(string:)` ignores invalid text at the end: it reads `1.2.3` as 1.2.
    private init?(wholeText text: String) {
        guard Self.isNumber(text) else { return nil }
        self.init(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    /// Returns whether the text is an optional sign, digits with at most one point, and an optional exponent.
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
