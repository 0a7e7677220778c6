import Foundation

/// Formats numbers for readers, with three significant digits.
public enum Figure {
    /// Returns a duration such as `1.25 µs`.
    public static func duration(nanoseconds: Double) -> String {
        scaled(nanoseconds, by: 1_000, ["ns", "µs", "ms", "s"])
    }

    /// Returns a size such as `1.50 KiB`.
    public static func size(bytes: Double) -> String {
        scaled(bytes, by: 1_024, ["B", "KiB", "MiB", "GiB"])
    }

    /// Returns a value in a scenario's unit: a size if the unit begins with `bytes`, otherwise a duration.
    public static func text(_ value: Double, unit: String) -> String {
        unit.hasPrefix("bytes") ? size(bytes: value) : duration(nanoseconds: value)
    }

    /// Returns a further measurement of a scenario, in the unit that its name begins with or contains.
    public static func metric(_ value: Double, name: String) -> String {
        if name.hasPrefix("ns,") { return duration(nanoseconds: value) }
        if name.hasPrefix("ratio") { return ratio(value) }
        if name.contains("bytes") { return size(bytes: value) }
        return count(value.rounded())
    }

    /// Returns a ratio such as `0.97`, `1.25`, `12.5` or `1,250`; below a hundredth, a fraction such as
    /// `1/250`.
    public static func ratio(_ value: Double) -> String {
        value > 0 && value < 0.00995 ? "1/\(digits(1 / value, small: 2))" : digits(value, small: 2)
    }

    /// Returns a count such as `0`, `1`, `0.25` or `1,000`.
    public static func count(_ value: Double) -> String {
        value == value.rounded() ? grouped(value) : digits(value, small: 2)
    }

    private static func scaled(_ value: Double, by step: Double, _ units: [String]) -> String {
        var value = value
        var place = 0
        // A value that would be printed as 1,000 is 1 of the next unit.
        while abs(value) >= step - 0.5, place < units.count - 1 {
            value /= step
            place += 1
        }
        return "\(digits(value, small: 2)) \(units[place])"
    }

    private static func digits(_ value: Double, small: Int) -> String {
        switch abs(value) {
        case ..<9.995: String(format: "%.\(small)f", value)
        case ..<99.95: String(format: "%.1f", value)
        default: grouped(value.rounded())
        }
    }

    private static func grouped(_ value: Double) -> String {
        var text = String(format: "%.0f", abs(value))
        var place = text.count - 3
        while place > 0 {
            text.insert(",", at: text.index(text.startIndex, offsetBy: place))
            place -= 3
        }
        return value < 0 ? "-" + text : text
    }
}
