import Foundation

/// Numbers as people read them, with three significant digits.
public enum Figure {
    /// `1.25 µs`.
    public static func duration(nanoseconds: Double) -> String {
        scaled(nanoseconds, by: 1_000, ["ns", "µs", "ms", "s"])
    }

    /// `1.5 KiB`.
    public static func size(bytes: Double) -> String {
        scaled(bytes, by: 1_024, ["B", "KiB", "MiB", "GiB"])
    }

    /// A value in a scenario's unit.
    public static func text(_ value: Double, unit: String) -> String {
        unit.hasPrefix("bytes") ? size(bytes: value) : duration(nanoseconds: value)
    }

    /// `0.97`, `1.25`, `12.5`, `1,250`; and `1/250` of what is less than a hundredth.
    public static func ratio(_ value: Double) -> String {
        value > 0 && value < 0.00995 ? "1/\(digits(1 / value, small: 2))" : digits(value, small: 2)
    }

    /// `0`, `1`, `0.25`, `1,000`.
    public static func count(_ value: Double) -> String {
        value == value.rounded() ? grouped(value) : digits(value, small: 2)
    }

    private static func scaled(_ value: Double, by step: Double, _ units: [String]) -> String {
        var value = value
        var place = 0
        // What would be printed as 1,000 is 1 of the next unit.
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
