public import Foundation
public import VigilStorage

extension Date: DatabaseValueConvertible, StatementColumnConvertible {
    /// The date in UTC, as text with millisecond precision, such as `2024-02-29 17:30:00.125`. Its order as
    /// text is chronological.
    ///
    /// Years have four digits. Dates before the year 0 and after 9999 are stored as reals, in seconds since
    /// 1970: they can be read back, but are not sorted correctly among text. A date that is not a number is
    /// stored as NULL.
    public var databaseValue: DatabaseValue {
        let milliseconds = millisecondsSince1970.rounded()
        if milliseconds.isNaN { return .null }
        guard Self.textRange.contains(milliseconds) else { return timeIntervalSince1970.databaseValue }
        return DateText(millisecondsSince1970: Int64(milliseconds)).text.databaseValue
    }

    /// The years 0 to 9999, in milliseconds since 1970.
    private static let textRange: ClosedRange<Double> = {
        let first = CivilDate(year: 0, month: 1, day: 1).daysSince1970
        let end = CivilDate(year: 10_000, month: 1, day: 1).daysSince1970
        return Double(first) * 86_400_000...(Double(end) * 86_400_000 - 1)
    }()

    /// Returns the date in text, or in a number of seconds since 1970. Text is in UTC, unless it ends with an
    /// offset. Returns `nil` for any other value.
    ///
    /// The formats are the ones of ``DatabaseDateComponents/fromDatabaseValue(_:)`` with a date.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Date? {
        switch dbValue.storageValue {
        case .null: nil
        case .integer(let seconds): Date(timeIntervalSince1970: Double(seconds))
        case .real(let seconds): Date(timeIntervalSince1970: seconds)
        case .text(let text): DateText(text).flatMap(Date.init(text:))
        case .blob(let bytes): bytes.withUnsafeBytes { DateText($0).flatMap(Date.init(text:)) }
        }
    }

    /// Reads text with a date, or a number of seconds since 1970.
    public init?(cell: StorageCell) {
        switch cell.kind {
        case .null: return nil
        case .integer: self.init(timeIntervalSince1970: Double(cell.integer))
        case .real: self.init(timeIntervalSince1970: cell.real)
        case .text, .blob:
            guard let text = DateText(cell.bytes) else { return nil }
            self.init(text: text)
        }
    }

    private init?(text: DateText) {
        guard let milliseconds = text.millisecondsSince1970 else { return nil }
        self.init(millisecondsSince1970: Double(milliseconds))
    }

    /// Creates a date from a Julian day, with millisecond precision. Returns `nil` if the day is not finite.
    ///
    /// A Julian day is the number of days since noon in Greenwich on 1 January 4713 BC, in the Julian
    /// calendar. SQLite's `julianday()` returns such numbers.
    ///
    /// ```swift
    /// let date = try Double.fetchOne(db, sql: "SELECT julianday('now')").flatMap(Date.init(julianDay:))
    /// ```
    public init?(julianDay: Double) {
        guard julianDay.isFinite else { return nil }
        let milliseconds = ((julianDay - 2_440_587.5) * 86_400_000).rounded()
        self.init(millisecondsSince1970: milliseconds)
    }
}

// A date is a number of seconds since 2001. A number of seconds since 1970 is greater, and less precise.
extension Date {
    private static let millisecondsBetween1970And2001 = timeIntervalBetween1970AndReferenceDate * 1000

    /// Creates the date closest to a number of milliseconds since 1970.
    package init(millisecondsSince1970 milliseconds: Double) {
        self.init(
            timeIntervalSinceReferenceDate: (milliseconds - Self.millisecondsBetween1970And2001) / 1000)
    }

    /// The number of milliseconds since 1970.
    package var millisecondsSince1970: Double {
        timeIntervalSinceReferenceDate * 1000 + Self.millisecondsBetween1970And2001
    }
}

extension DateText {
    /// Creates the date and time in UTC, with millisecond precision.
    init(millisecondsSince1970 milliseconds: Int64) {
        let (days, inDay) = Int(milliseconds).dividedDown(by: 86_400_000)
        date = CivilDate(daysSince1970: days)
        hour = inDay / 3_600_000
        minute = inDay / 60_000 % 60
        second = inDay / 1000 % 60
        millisecond = inDay % 1000
        precision = .milliseconds
    }
}
