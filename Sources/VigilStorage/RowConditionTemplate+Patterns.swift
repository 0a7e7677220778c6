extension RowConditionTemplate {
    /// Returns the condition certainly implied by a pattern: the prefix of the text. `nil` without a prefix.
    func matching(
        _ operand: Operand, by patternOperator: PatternOperator, _ argument: (Int) -> [StorageValue]?
    ) -> RowCondition? {
        let pattern: StorageValue
        switch operand {
        case .value(let value): pattern = value
        case .parameter(let index):
            guard let values = argument(index), values.count == 1 else { return nil }
            pattern = values[0]
        case .near, .elements: return nil
        }
        switch pattern {
        // No value matches NULL.
        case .null: return RowCondition(column, .oneOf([]))
        case .text(let text):
            let prefix = patternOperator.prefix(of: text)
            guard !prefix.isEmpty else { return nil }
            return RowCondition(
                column, .prefix(prefix), collation: patternOperator == .like ? .nocase : .binary)
        case .integer, .real, .blob: return nil
        }
    }
}

extension RowConditionTemplate.PatternOperator {
    /// Returns the characters before the first wildcard, zero byte or character outside of ASCII.
    ///
    /// How a library matches other characters, and bytes that are not valid UTF-8, is not certain.
    package func prefix(of pattern: String) -> String {
        let bytes = pattern.utf8.prefix { $0 > 0 && $0 < 0x80 && !wildcards.contains($0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private var wildcards: [UInt8] {
        switch self {
        case .like: [UInt8(ascii: "%"), UInt8(ascii: "_")]
        case .glob: [UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "[")]
        }
    }
}
