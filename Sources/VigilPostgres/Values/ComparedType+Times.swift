extension ComparedType {
    /// Returns the days or microseconds since 2000-01-01 of a date or time in the format `ISO`; `nil` for
    /// other texts, and for texts whose meaning depends on the settings of a session.
    func time(_ text: String) -> Int64? {
        if text == "infinity" { return self == .date ? Int64(Int32.max) : Int64.max }
        if text == "-infinity" { return self == .date ? Int64(Int32.min) : Int64.min }
        var reader = TimeReader(text)
        guard var date = reader.date() else { return nil }
        let time: Int64? = self == .date ? 0 : reader.time()
        let offset: Int64? = self == .zonedTimestamp ? reader.offset() : 0
        guard let time, let offset, let isBeforeChrist = reader.era() else { return nil }
        if isBeforeChrist { date.year = 1 - date.year }
        // The range of the server. Microseconds of later years overflow.
        guard self == .date || (-4713...294_276).contains(date.year) else { return nil }
        guard let days = Self.days(until: date) else { return nil }
        return self == .date ? days : days * 86_400_000_000 + time - offset * 1_000_000
    }

    /// Returns the number of days since 2000-01-01 in the Gregorian calendar (H. Hinnant, "chrono-Compatible
    /// Low-Level Date Algorithms").
    private static func days(until date: CalendarDate) -> Int64? {
        let (year, month, day) = (date.year, date.month, date.day)
        let isLeapYear = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
        let lengths: [Int64] = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), day >= 1, day <= lengths[Int(month) - 1], year.magnitude < 300_000
        else { return nil }
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 730_425
    }
}

private struct CalendarDate {
    var year: Int64
    var month: Int64
    var day: Int64
}

/// Reads the parts of a time in the format `ISO`, such as `2026-11-27 06:42:12.5+00`.
private struct TimeReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    mutating func date() -> CalendarDate? {
        guard let year = number(4...6), skip("-"), let month = number(2...2), skip("-"),
            let day = number(2...2), year > 0
        else { return nil }
        return CalendarDate(year: year, month: month, day: day)
    }

    /// Returns the time of the day in microseconds.
    mutating func time() -> Int64? {
        guard skip(" ") || skip("T"), let hour = number(2...2), hour < 24, skip(":"),
            let minute = number(2...2), minute < 60
        else { return nil }
        var seconds: Int64 = 0
        var fraction: Int64 = 0
        if skip(":") {
            guard let number = number(2...2), number < 60 else { return nil }
            seconds = number
            if skip(".") {
                let count = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }.count
                guard let digits = self.number(1...6) else { return nil }
                fraction = (count..<6).reduce(digits) { value, _ in value * 10 }
            }
        }
        return ((hour * 60 + minute) * 60 + seconds) * 1_000_000 + fraction
    }

    /// Returns the distance from UTC in seconds.
    mutating func offset() -> Int64? {
        if skip("Z") { return 0 }
        let isNegative = rest.first == UInt8(ascii: "-")
        guard skip("+") || skip("-"), let hours = number(2...2), hours < 16 else { return nil }
        var seconds = hours * 3_600
        if skip(":") {
            guard let minutes = number(2...2), minutes < 60 else { return nil }
            seconds += minutes * 60
            if skip(":") {
                guard let number = number(2...2), number < 60 else { return nil }
                seconds += number
            }
        }
        return isNegative ? -seconds : seconds
    }

    /// Reads the end of the text. Returns whether the year is before Christ; `nil` for any other rest.
    mutating func era() -> Bool? {
        if rest.isEmpty { return false }
        return rest.elementsEqual(" BC".utf8) ? true : nil
    }

    private mutating func skip(_ character: Character) -> Bool {
        guard rest.first == character.asciiValue else { return false }
        rest.removeFirst()
        return true
    }

    /// Reads all digits; returns `nil` for another number of them.
    private mutating func number(_ counts: ClosedRange<Int>) -> Int64? {
        let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
        guard counts.contains(digits.count) else { return nil }
        rest.removeFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}
