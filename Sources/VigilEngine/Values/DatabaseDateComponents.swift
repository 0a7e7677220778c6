public import Foundation
import VigilStorage

/// A date, a time of day, or both, stored as text in a given format.
///
/// ```swift
/// let birthday = DatabaseDateComponents(DateComponents(year: 1973, month: 9, day: 18), format: .YMD)
/// try db.execute(sql: "INSERT INTO player (birthday) VALUES (?)", arguments: [birthday])  // 1973-09-18
/// ```
///
/// Use `Date` to store a point in time.
public struct DatabaseDateComponents: Sendable {
    /// The text format of a stored date.
    public enum Format: String, Sendable {
        /// A date.
        case YMD = "yyyy-MM-dd"
        /// A date and a time, with minute precision.
        case YMD_HM = "yyyy-MM-dd HH:mm"
        /// A date and a time, with second precision: the format of SQLite's `CURRENT_TIMESTAMP`.
        case YMD_HMS = "yyyy-MM-dd HH:mm:ss"
        /// A date and a time, with millisecond precision.
        case YMD_HMSS = "yyyy-MM-dd HH:mm:ss.SSS"
        /// A time of day, with minute precision.
        case HM = "HH:mm"
        /// A time of day, with second precision.
        case HMS = "HH:mm:ss"
        /// A time of day, with millisecond precision.
        case HMSS = "HH:mm:ss.SSS"
    }

    /// The year, month, day, hour, minute, second and nanosecond, as far as they are known.
    public let dateComponents: DateComponents

    /// The text format.
    public let format: Format

    /// Creates a value with the components of the format.
    ///
    /// Missing components are stored as 0, missing months and days as 1. The calendar and the time zone are
    /// not stored.
    public init(_ dateComponents: DateComponents, format: Format) {
        self.dateComponents = dateComponents
        self.format = format
    }

    init(_ text: DateText) {
        var components = DateComponents()
        components.year = text.date?.year
        components.month = text.date?.month
        components.day = text.date?.day
        if text.precision != .none {
            components.hour = text.hour
            components.minute = text.minute
        }
        if text.precision == .seconds || text.precision == .milliseconds { components.second = text.second }
        if text.precision == .milliseconds { components.nanosecond = text.millisecond * 1_000_000 }
        components.timeZone = text.utcOffset.flatMap(TimeZone.init(secondsFromGMT:))
        self.init(components, format: Format(hasDate: text.date != nil, text.precision))
    }
}

extension DatabaseDateComponents: DatabaseValueConvertible, StatementColumnConvertible {
    /// Text in the ``format``. If a component does not fit in its digits, the text cannot be read back.
    public var databaseValue: DatabaseValue {
        var text = DateText()
        text.precision = format.precision
        if format.hasDate {
            text.date = CivilDate(
                year: dateComponents.year ?? 0, month: dateComponents.month ?? 1, day: dateComponents.day ?? 1
            )
        }
        text.hour = dateComponents.hour ?? 0
        text.minute = dateComponents.minute ?? 0
        text.second = dateComponents.second ?? 0
        // Rounds to milliseconds, because calendars return 122,999,966 nanoseconds for 123 milliseconds.
        text.millisecond = min(((dateComponents.nanosecond ?? 0) + 500_000) / 1_000_000, 999)
        return text.text.databaseValue
    }

    /// Returns the components in text of any ``Format``, and sets the ``format`` to it. Returns `nil` for any
    /// other value.
    ///
    /// The date and the time may be separated by a space or a `T`. A time may end with `Z`, `+HH:MM` or
    /// `-HH:MM` as its time zone, perhaps with seconds. Only three decimals of the second are kept.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseDateComponents? {
        String.fromDatabaseValue(dbValue).flatMap { DateText($0) }.map { DatabaseDateComponents($0) }
    }
}

extension DatabaseDateComponents: Codable {
    /// Decodes the text stored in databases. Throws `DecodingError` if it is not a date or a time.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = DateText(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a date or time")
        }
        self.init(text)
    }

    /// Encodes the text stored in databases, or throws the error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String.fromDatabaseValue(databaseValue))
    }
}

extension DatabaseDateComponents.Format {
    fileprivate init(hasDate: Bool, _ precision: DateText.TimePrecision) {
        self =
            switch precision {
            case .none: .YMD
            case .minutes: hasDate ? .YMD_HM : .HM
            case .seconds: hasDate ? .YMD_HMS : .HMS
            case .milliseconds: hasDate ? .YMD_HMSS : .HMSS
            }
    }

    fileprivate var hasDate: Bool {
        switch self {
        case .YMD, .YMD_HM, .YMD_HMS, .YMD_HMSS: true
        case .HM, .HMS, .HMSS: false
        }
    }

    fileprivate var precision: DateText.TimePrecision {
        switch self {
        case .YMD: .none
        case .YMD_HM, .HM: .minutes
        case .YMD_HMS, .HMS: .seconds
        case .YMD_HMSS, .HMSS: .milliseconds
        }
    }
}
