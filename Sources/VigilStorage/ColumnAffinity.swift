/// What a column makes of the values that it is compared with, in SQL dialects where a value has a type of its own.
public enum ColumnAffinity: Sendable, Hashable {
    /// Values are compared as they are.
    case none
    /// A number is compared as its text.
    case text
    /// Text that is a number is compared as that number. For columns that keep integers as integers.
    case numeric
    /// As ``numeric``, for columns that make reals of integers.
    case real
}

extension ColumnAffinity {
    /// What a column compares its values with, in place of the value that was written or bound.
    enum Compared: Hashable {
        case exactly(StorageValue)
        /// A decimal number that was rounded to a real: to this one, or to one close by.
        case near(Double)
    }

    /// The value as the column compares it; `nil` if that is not certain.
    func compared(_ value: StorageValue) -> Compared? {
        switch value {
        case .null, .blob: return .exactly(value)
        case .integer(let integer): return compared(integer)
        case .real(let real):
            if real.isNaN { return .exactly(.null) }
            // How a real is written depends on the version of the library.
            if self == .text { return nil }
            return .exactly(.real(real == 0 ? 0 : real))
        case .text(let text):
            switch self {
            case .none, .text: return .exactly(value)
            case .numeric, .real: return compared(numeric: text)
            }
        }
    }

    /// As ``compared(_:)-(StorageValue)``, for a decimal number of which only a real close by is known.
    func compared(near real: Double) -> Compared? {
        self == .text ? nil : .near(real)
    }

    private func compared(_ integer: Int64) -> Compared? {
        switch self {
        case .none, .numeric: .exactly(.integer(integer))
        case .text: .exactly(.text(String(integer)))
        // Beyond, whether it is rounded to a real depends on the index that is used.
        case .real: integer.magnitude <= 1 << 53 ? .exactly(.integer(integer)) : nil
        }
    }

    private func compared(numeric text: String) -> Compared? {
        switch NumericText(text) {
        case .notANumber: .exactly(.text(text))
        case .integer(let integer): compared(integer)
        case .decimal(let decimal):
            decimal.isExact ? compared(.real(decimal.nearest)) : .near(decimal.nearest)
        case .unclear: nil
        }
    }
}
