import VigilStorage

/// A row that evaluates conditions with a second, deliberately simple implementation.
struct NaiveRow {
    var rowID: Int64?
    var values: [String: StorageValue]

    /// Returns whether the row meets all conditions of one of the lists.
    func meets(_ alternatives: [[RowCondition]]) -> Bool {
        alternatives.contains { $0.allSatisfy { meets($0) } }
    }

    func meets(_ condition: RowCondition) -> Bool {
        let value: StorageValue
        switch condition.column {
        case .rowID: value = rowID.map { .integer($0) } ?? .null
        case .named(let name): value = values[name] ?? .null
        }
        func compared(with other: StorageValue) -> Int { value.compared(with: other, condition.collation) }
        switch condition.test {
        case .isNull: return value == .null
        case .isNotNull: return value != .null
        case .prefix(let prefix):
            guard case .text(let text) = value else { return value != .null }
            return text.hasBytes(prefix, ignoringCase: condition.collation == .nocase)
        case .oneOf(let others): return value != .null && others.contains { compared(with: $0) == 0 }
        case .range(let lower, let upper):
            if value == .null { return false }
            if let lower {
                let order = compared(with: lower.value)
                if order < 0 || (order == 0 && !lower.isIncluded) { return false }
            }
            if let upper {
                let order = compared(with: upper.value)
                if order > 0 || (order == 0 && !upper.isIncluded) { return false }
            }
            return true
        }
    }
}

extension String {
    fileprivate func hasBytes(_ prefix: String, ignoringCase: Bool) -> Bool {
        func folded(_ byte: UInt8) -> UInt8 {
            ignoringCase && byte >= 0x41 && byte <= 0x5A ? byte + 0x20 : byte
        }
        return utf8.map(folded).starts(with: prefix.utf8.map(folded))
    }
}

extension StorageValue {
    /// Returns a negative number, 0 or a positive number, in SQLite's sort order.
    fileprivate func compared(with other: StorageValue, _ collation: RowCondition.Collation) -> Int {
        if rank != other.rank { return rank - other.rank }
        switch (self, other) {
        case (.integer(let a), .integer(let b)): return a < b ? -1 : a > b ? 1 : 0
        case (.real(let a), .real(let b)): return a < b ? -1 : a > b ? 1 : 0
        case (.integer(let a), .real(let b)): return Self.compare(a, b)
        case (.real(let a), .integer(let b)): return -Self.compare(b, a)
        case (.text(let a), .text(let b)):
            return Self.compare(Self.key(a, collation), Self.key(b, collation))
        case (.blob(let a), .blob(let b)): return Self.compare(a, b)
        default: return 0
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private static func compare(_ integer: Int64, _ real: Double) -> Int {
        if real >= 0x1p63 { return -1 }
        if real < -0x1p63 { return 1 }
        let whole = Int64(real.rounded(.towardZero))
        if integer != whole { return integer < whole ? -1 : 1 }
        let rest = real - real.rounded(.towardZero)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }

    private static func key(_ text: String, _ collation: RowCondition.Collation) -> [UInt8] {
        var bytes = Array(text.utf8)
        switch collation {
        case .binary: break
        case .nocase: bytes = bytes.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }
        case .rtrim: while bytes.last == 0x20 { bytes.removeLast() }
        }
        return bytes
    }

    private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a.lexicographicallyPrecedes(b) ? -1 : b.lexicographicallyPrecedes(a) ? 1 : 0
    }
}
