import VigilStorage

/// A literal value in the text of a statement, or a parameter.
struct SQLConstant {
    var operand: RowConditionTemplate.Operand
    /// Whether the constant is written TRUE or FALSE. `IS` does not compare it.
    var isTruthValue = false
    /// The number of tokens.
    var length = 1

    /// The properties of a statement that determine the meaning of its constants.
    struct Context {
        var parameters: ParameterNumbers
        /// Whether TRUE and FALSE are the values 1 and 0 instead of names.
        var hasTruthValues: Bool
    }

    init?(_ tokens: ArraySlice<SQLToken>, _ context: Context) {
        guard let first = tokens.first else { return nil }
        switch first.kind {
        case .parameter:
            guard let number = context.parameters[first] else { return nil }
            operand = .parameter(number)
        case .string: operand = .value(.text(first.content))
        case .blob: operand = .value(.blob(Self.bytes(hex: first.content)))
        case .number:
            guard let number = Self.number(first.text, isNegative: false) else { return nil }
            operand = number
        case .symbol where first.isSymbol("-") || first.isSymbol("+"):
            guard let next = tokens.dropFirst().first, next.kind == .number,
                let number = Self.number(next.text, isNegative: first.isSymbol("-"))
            else { return nil }
            operand = number
            length = 2
        case .word where first.isWord("NULL"): operand = .value(.null)
        case .word where context.hasTruthValues && (first.isWord("TRUE") || first.isWord("FALSE")):
            operand = .value(.integer(first.isWord("TRUE") ? 1 : 0))
            isTruthValue = true
        default: return nil
        }
    }

    private static func number(_ text: String, isNegative: Bool) -> RowConditionTemplate.Operand? {
        if text.count > 2, text.hasPrefix("0x") || text.hasPrefix("0X") {
            // Hexadecimal literals are 64 bits in two's complement.
            guard let bits = UInt64(text.dropFirst(2), radix: 16) else { return nil }
            let value = Int64(bitPattern: bits)
            guard isNegative else { return .value(.integer(value)) }
            return value > 0 ? .value(.integer(-value)) : nil
        }
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // An integer of more than 64 bits becomes a real.
            return Int64(isNegative ? "-" + text : text).map { .value(.integer($0)) }
        }
        guard let decimal = DecimalNumber(digits: Array(text.utf8)[...], isNegative: isNegative) else {
            return nil
        }
        return decimal.isExact ? .value(.real(decimal.nearest)) : .near(decimal.nearest)
    }

    private static func bytes(hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
    }
}
