public import Foundation
public import VigilStorage

extension Date: DatabaseValueConvertible, StatementColumnConvertible {
    /// Text in UTC to the millisecond, such as `2024-02-29 17:30:00.125`, so that text sorts as time.
    ///
    /// Text has four digits for the year. Dates before the year 0 or after 9999 are stored as reals,
    /// seconds since 1970, which are read back but do not sort among text. A date that is not a
    /// number is NULL.
    public var databaseValue: DatabaseValue {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
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

    /// Text with a date, in UTC unless it ends with an offset, or a number: seconds since 1970.
    ///
    /// The formats are those of ``DatabaseDateComponents/fromDatabaseValue(_:)`` that have a date.
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
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// The moment of a Julian day, to the millisecond: the days since noon in Greenwich on 1 January
    /// 4713 BC, in the Julian calendar. `nil` if that is not a number.
    ///
    /// SQLite's `julianday()` returns such numbers.
    public init?(julianDay: Double) {
        guard julianDay.isFinite else { return nil }
        let milliseconds = ((julianDay - 2_440_587.5) * 86_400_000).rounded()
        self.init(timeIntervalSince1970: milliseconds / 1000)
    }
}

extension DateText {
    /// The date and time in UTC, to the millisecond.
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
