/// A date, a time of day, or both, as database text: the format of `DatabaseDateComponents` and `Date`.
struct DateText: Equatable {
    /// The date; `nil` for a time of day without a date.
    var date: CivilDate?
    var hour = 0
    var minute = 0
    var second = 0
    var millisecond = 0
    /// The offset from UTC in seconds, positive to the east; `nil` if the text has none.
    var utcOffset: Int?
    /// The precision of the time of day.
    var precision = TimePrecision.none

    enum TimePrecision: Sendable {
        case none
        case minutes
        case seconds
        case milliseconds
    }

    /// The milliseconds since 1 January 1970, 00:00 UTC; `nil` without a date.
    var millisecondsSince1970: Int64? {
        guard let date else { return nil }
        let seconds = ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second - (utcOffset ?? 0)
        return Int64(seconds) * 1000 + Int64(millisecond)
    }
}

extension DateText {
    /// Reads `YYYY-MM-DD`, `HH:MM`, `HH:MM:SS`, `HH:MM:SS.S…`, or a date and a time, separated by a space or
    /// a `T`. A time may end with `Z`, `+HH:MM` or `-HH:MM`. An offset may have seconds, such as `+00:09:21`
    /// in Paris in 1900.
    ///
    /// Only three decimals of the second are kept. Returns `nil` for any other text, and for months, days,
    /// hours, minutes and seconds out of range. The hour 24, the second 60, and the days 29 to 31 of any
    /// month are accepted: 30 February is 1 or 2 March.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 5 else { return nil }
        var reader = DateTextReader(bytes: bytes)
        if bytes[4] == UInt8(ascii: "-") {
            guard reader.readDate(into: &self) else { return nil }
            if reader.isAtEnd { return }
            guard reader.skip(" ") || reader.skip("T") else { return nil }
        }
        guard reader.readTime(into: &self), reader.isAtEnd else { return nil }
    }

    init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8({ DateText(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = value
    }
}

/// A position in the text of a date.
private struct DateTextReader {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard !isAtEnd, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func readDigit() -> Int? {
        guard !isAtEnd, case let digit = bytes[position] &- UInt8(ascii: "0"), digit < 10 else { return nil }
        position += 1
        return Int(digit)
    }

    /// Reads a number of exactly `digits` digits. Returns `nil` if it is not in `range`.
    mutating func readNumber(digits: Int, in range: ClosedRange<Int>) -> Int? {
        var number = 0
        for _ in 0..<digits {
            guard let digit = readDigit() else { return nil }
            number = number * 10 + digit
        }
        return range.contains(number) ? number : nil
    }

    mutating func readDate(into text: inout DateText) -> Bool {
        guard let year = readNumber(digits: 4, in: 0...9999), skip("-"),
            let month = readNumber(digits: 2, in: 1...12), skip("-"),
            let day = readNumber(digits: 2, in: 1...31)
        else { return false }
        text.date = CivilDate(year: year, month: month, day: day)
        return true
    }

    mutating func readTime(into text: inout DateText) -> Bool {
        guard let hour = readNumber(digits: 2, in: 0...24), skip(":"),
            let minute = readNumber(digits: 2, in: 0...59)
        else { return false }
        text.hour = hour
        text.minute = minute
        text.precision = .minutes
        if skip(":") {
            guard let second = readNumber(digits: 2, in: 0...60) else { return false }
            text.second = second
            text.precision = .seconds
            if skip(".") {
                guard let millisecond = readMilliseconds() else { return false }
                text.millisecond = millisecond
                text.precision = .milliseconds
            }
        }
        return readOffset(into: &text)
    }

    /// Reads at least one decimal of a second.
    mutating func readMilliseconds() -> Int? {
        guard let tenths = readDigit() else { return nil }
        let milliseconds = tenths * 100 + (readDigit() ?? 0) * 10 + (readDigit() ?? 0)
        while readDigit() != nil {}
        return milliseconds
    }

    /// Reads an optional offset from UTC.
    mutating func readOffset(into text: inout DateText) -> Bool {
        if skip("Z") {
            text.utcOffset = 0
            return true
        }
        let isEast = skip("+")
        guard isEast || skip("-") else { return true }
        guard let hour = readNumber(digits: 2, in: 0...14), skip(":"),
            let minute = readNumber(digits: 2, in: 0...59)
        else { return false }
        var seconds = hour * 3600 + minute * 60
        if skip(":") {
            guard let second = readNumber(digits: 2, in: 0...59) else { return false }
            seconds += second
        }
        text.utcOffset = isEast ? seconds : -seconds
        return true
    }
}

extension DateText {
    /// The text, with the ``precision`` of the time, and without the offset.
    var text: String {
        var writer = DateTextWriter()
        if let date {
            writer.write(date.year, digits: 4)
            writer.write("-", date.month)
            writer.write("-", date.day)
            if precision != .none { writer.write(" ", hour) }
        } else {
            writer.write(hour, digits: 2)
        }
        if precision != .none { writer.write(":", minute) }
        if precision == .seconds || precision == .milliseconds { writer.write(":", second) }
        if precision == .milliseconds { writer.write(".", millisecond, digits: 3) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Writes numbers with leading zeros.
private struct DateTextWriter {
    private(set) var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity("yyyy-MM-dd HH:mm:ss.SSS".utf8.count)
    }

    mutating func write(_ separator: Unicode.Scalar, _ number: Int, digits: Int = 2) {
        bytes.append(UInt8(ascii: separator))
        write(number, digits: digits)
    }

    /// Writes a number. A negative or too long one is written unchanged: this type does not validate
    /// components.
    mutating func write(_ number: Int, digits: Int) {
        var divisor = [1, 10, 100, 1000][digits - 1]
        guard number >= 0, number < divisor * 10 else { return bytes.append(contentsOf: "\(number)".utf8) }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
