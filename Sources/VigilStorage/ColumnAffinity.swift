/// A column's conversion of compared values, in SQL dialects where values have types of their own.
public enum ColumnAffinity: Sendable, Hashable {
    /// Values are not converted.
    case none
    /// A number is converted to text.
    case text
    /// Text that looks like a number is converted to it. For columns that store integers as integers.
    case numeric
    /// Text that looks like a number is converted to it. For columns that store integers as reals.
    case real
}

extension ColumnAffinity {
    /// Creates the affinity of a column from its declared type (https://www.sqlite.org/datatype3.html, 3.1).
    ///
    /// `nil` for ANY: it depends on whether the table is STRICT.
    package init?(declaredType: String) {
        let type = declaredType.foldedName
        func has(_ part: String) -> Bool {
            type.utf8.count >= part.utf8.count
                && type.utf8.indices.contains { type.utf8[$0...].starts(with: part.utf8) }
        }
        if type == "any" { return nil }
        if has("int") {
            self = .numeric
        } else if has("char") || has("clob") || has("text") {
            self = .text
        } else if type.isEmpty || has("blob") {
            self = .none
        } else {
            self = has("real") || has("floa") || has("doub") ? .real : .numeric
        }
    }

    /// Returns the stored value in a column of this affinity, apart from the choice between an integer and an
    /// equal real; `nil` if it is not certain.
    package func stored(_ value: StorageValue) -> StorageValue? {
        guard case .exactly(let stored)? = compared(value) else { return nil }
        return stored
    }

    /// The value to compare the column's values with, after the conversion.
    enum Compared: Hashable {
        case exactly(StorageValue)
        /// A decimal number. The library rounds it to this real, or to one close to it.
        case near(Double)
    }

    /// Returns the converted value; `nil` if it is not certain.
    func compared(_ value: StorageValue) -> Compared? {
        switch value {
        case .null, .blob: return .exactly(value)
        case .integer(let integer): return compared(integer)
        case .real(let real):
            if real.isNaN { return .exactly(.null) }
            // The text of a real depends on the version of the library.
            if self == .text { return nil }
            return .exactly(.real(real == 0 ? 0 : real))
        case .text(let text):
            switch self {
            case .none, .text: return .exactly(value)
            case .numeric, .real: return compared(numeric: text)
            }
        }
    }

    /// Returns the converted value of a decimal number known as a real close to it; `nil` if it is uncertain.
    func compared(near real: Double) -> Compared? {
        self == .text ? nil : .near(real)
    }

    private func compared(_ integer: Int64) -> Compared? {
        switch self {
        case .none, .numeric: .exactly(.integer(integer))
        case .text: .exactly(.text(String(integer)))
        // Whether the library rounds a larger integer to a real depends on the index that it uses.
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
