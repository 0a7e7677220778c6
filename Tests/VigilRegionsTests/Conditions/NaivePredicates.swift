import VigilStorage
import VigilTestSupport

/// A naive implementation of conditions, without keys, hashes or sorting.
enum NaivePredicates {
    /// The known values of a row, by column.
    typealias Values = [String: StorageValue]

    /// Returns whether a row may meet one of the conjunctions. An unknown value may be any value.
    static func mayMeet(_ conjunctions: [[RowCondition]], _ key: RowKey, _ values: Values) -> Bool {
        conjunctions.contains { conjunction in
            conjunction.allSatisfy { condition in
                switch condition.column {
                case .named(let column): values[column].map { meets($0, condition) } ?? true
                case .rowID:
                    if case .integer(let rowID) = key { meets(.integer(rowID), condition) } else { true }
                }
            }
        }
    }

    static func columns(of conjunctions: [[RowCondition]]) -> Set<String> {
        Set(
            conjunctions.joined().compactMap { condition in
                if case .named(let name) = condition.column { name } else { nil }
            })
    }

    static func testRowID(_ conjunctions: [[RowCondition]]) -> Bool {
        conjunctions.joined().contains { $0.column == .rowID }
    }

    static func meets(_ value: StorageValue, _ condition: RowCondition) -> Bool {
        switch condition.test {
        case .isNull: return value == .null
        case .isNotNull: return value != .null
        case .prefix(let prefix):
            guard case .text(let text) = value else { return value != .null }
            let collation = condition.collation == .rtrim ? .binary : condition.collation
            return bytes(text, collation).starts(with: bytes(prefix, collation))
        case .oneOf(let values):
            return value != .null && values.contains { order(value, $0, condition.collation) == 0 }
        case .range(let lower, let upper):
            if value == .null { return false }
            return [(lower, 1), (upper, -1)].allSatisfy { bound, sign in
                guard let bound else { return true }
                if condition.collation == .rtrim, case .text = bound.value, case .text = value { return true }
                let order = order(value, bound.value, condition.collation) * sign
                return order > 0 || (order == 0 && bound.isIncluded)
            }
        }
    }

    /// Returns -1, 0 or 1 for the order of two values that are not NULL.
    static func order(_ a: StorageValue, _ b: StorageValue, _ collation: RowCondition.Collation) -> Int {
        switch (a, b) {
        case (.integer(let a), .integer(let b)): return a < b ? -1 : a == b ? 0 : 1
        case (.real(let a), .real(let b)): return a < b ? -1 : a == b ? 0 : 1
        case (.integer(let a), .real(let b)):
            let floor = b.rounded(.down)
            guard let whole = Int64(exactly: floor) else { return b < 0 ? 1 : -1 }
            return a < whole ? -1 : a > whole ? 1 : b == floor ? 0 : -1
        case (.real, .integer): return -order(b, a, collation)
        case (.text(let a), .text(let b)): return order(bytes(a, collation), bytes(b, collation))
        case (.blob(let a), .blob(let b)): return order(a, b)
        default: return rank(a) < rank(b) ? -1 : 1
        }
    }

    private static func rank(_ value: StorageValue) -> Int {
        switch value {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private static func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }

    private static func bytes(_ text: String, _ collation: RowCondition.Collation) -> [UInt8] {
        var bytes = Array(text.utf8)
        switch collation {
        case .binary: break
        case .nocase:
            bytes = bytes.map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 }
            // SQLite's NOCASE compares up to a zero byte, and then the lengths.
            if let end = bytes.firstIndex(of: 0) {
                bytes = bytes[..<end] + Array(repeating: 0, count: bytes.count - end)
            }
        case .rtrim: while bytes.last == 32 { bytes.removeLast() }
        }
        return bytes
    }

    /// Returns whether two values have the same type and the same bits.
    static func isIdentical(_ a: StorageValue, _ b: StorageValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        case (.text(let a), .text(let b)): Array(a.utf8) == Array(b.utf8)
        case (.blob(let a), .blob(let b)): a == b
        default: false
        }
    }
}

/// Generates conditions and values that are easily confused.
struct RandomPredicates {
    static let values: [StorageValue] = [
        .integer(0), .integer(1), .integer(5), .real(5), .real(-0.0), .real(5.5),
        .integer(1 << 53), .integer(1 << 53 + 1), .real(0x1p53), .real(0x1p53 + 2), .integer(.max),
        .integer(.max - 1), .real(0x1p63), .integer(.min), .real(-0x1p63), .real(.infinity),
        .real(-.infinity), .text("\u{e9}"), .text("e\u{301}"), .text("E\u{301}"), .text("A"), .text("a"),
        .text("a "), .text("a  "), .text("a\t"), .text(""), .text(" "), .text("a\0b"), .text("a\0c"),
        .text("abcdefghi"), .text("ABCDEFGHJ"), .text("b"), .text("\u{10ffff}"), .text("5"), .blob([]),
        .blob([0x61]), .blob([0x61, 0]),
    ]

    private static let prefixes = [
        "", "a", "A", "ab", "a ", "a\0", "\u{e9}", "e", "abcdefgh", "5", "\u{10ffff}",
    ]

    static func value(_ random: inout SeededRandom) -> StorageValue {
        random.once(in: 8) ? .null : random.pick(values)
    }

    static func conjunctions(_ columns: [String], _ rowIDs: [Int64], _ random: inout SeededRandom)
        -> [[RowCondition]]
    {
        (0..<random.pick([0, 1, 1, 1, 1, 2, 3])).map { _ in
            var conjunction: [RowCondition] = []
            for _ in 0..<random.pick([1, 1, 1, 2, 3]) {
                let next = condition(columns, rowIDs, &random)
                // Regions detect contradictory equalities, which the naive implementation does not.
                if !next.isEquality
                    || !conjunction.contains(where: { $0.isEquality && $0.column == next.column })
                {
                    conjunction.append(next)
                }
            }
            return conjunction
        }
    }

    private static func condition(
        _ columns: [String], _ rowIDs: [Int64], _ random: inout SeededRandom
    ) -> RowCondition {
        if random.once(in: 5) {
            let picked = StorageValue.integer(random.pick(rowIDs))
            return RowCondition(
                .rowID,
                random.once(in: 2)
                    ? .oneOf([picked, random.pick(values)])
                    : .range(lower: .init(picked, isIncluded: random.once(in: 2)), upper: nil))
        }
        return RowCondition(
            .named(random.pick(columns)), test(&random), collation: random.pick([.binary, .nocase, .rtrim]))
    }

    private static func test(_ random: inout SeededRandom) -> RowCondition.Test {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .isNull
        case 1: return .isNotNull
        case 2: return .prefix(random.pick(prefixes))
        case 3..<6: return .oneOf((0..<random.pick([1, 1, 1, 3])).map { _ in random.pick(values) })
        default: return .range(lower: bound(&random), upper: bound(&random))
        }
    }

    private static func bound(_ random: inout SeededRandom) -> RowCondition.Bound? {
        random.once(in: 3) ? nil : .init(random.pick(values), isIncluded: random.once(in: 2))
    }
}

extension RowCondition {
    fileprivate var isEquality: Bool {
        if case .oneOf = test { true } else { false }
    }
}
