package import VigilStorage
package import VigilTesting

/// Values that are equal in some columns and different in others. Each schema uses a few, so that they often
/// meet.
package struct RandomValues {
    private static let literals = [
        [
            "'a'", "'A'", "'a '", "'ab'", "'aB'", "'AB '", "x'61'", "'b'", "'_'", "'Z'", "'a\u{e9}'", "' '",
            "''", "x''",
        ],
        [
            "5", "5.0", "'5'", "'5.0'", "'05'", "' 5'", "'5 '", "'+5'", "'5.'", "'0x5'", "0x5", "x'35'",
            "'5e0'",
            "'.5'", "0.5", "6", "'6'", "-5", "'-5'",
        ],
        [
            "9007199254740992", "9007199254740993", "9007199254740992.0", "'9007199254740993'",
            "9223372036854775807",
            "'9223372036854775808'", "9e999", "1e19", "-9223372036854775808", "'inf'", "'1e19'",
            "9223372036854775807.0",
        ],
        [
            "0.1", "'0.1'", "0.30000000000000004", "0.3", "1", "0", "-0.0", "'-0'", "0.0", "1.0", "'1e0'",
            "0.7", "8.41",
        ],
        ["'2024-01-01'", "'2024-01-02'", "'2024'", "2024", "'2024-01'", "20240101", "'it''s'"],
        [
            "'abc'", "'ABC'", "'aBx'", "'ab'", "'a'", "'b'", "'a%'", "'a*'", "'A_'", "'a[b'", "'%'", "''",
            "'a\u{e9}'", "'\u{e9}a'", "'\u{212a}a'", "'ka'", "x'6162'", "x'4142'", "x'62'", "12", "'12'",
            "1.25", "2",
        ],
    ]

    /// Texts that contain a zero byte.
    package static let interrupted = [
        "CAST(x'610062' AS TEXT)", "CAST(x'410041' AS TEXT)", "CAST(x'00' AS TEXT)",
    ]

    /// Texts that are not valid UTF-8. Swift repairs them, which changes their order.
    package static let malformed = [
        "CAST(x'61ff62' AS TEXT)", "CAST(x'c1a1' AS TEXT)", "CAST(x'6162e0' AS TEXT)",
        "CAST(x'41e081' AS TEXT)",
    ]

    /// Patterns for `LIKE` and `GLOB`.
    package static let patterns = [
        "'a%'", "'A%'", "'ab%'", "'aB_'", "'a'", "'ABC'", "'%a'", "'%'", "'_'", "''", "'a*'", "'ab?'", "'A*'",
        "'a[bB]*'", "'*'", "'abc'", "'\u{e9}%'", "'a\u{e9}*'", "'k%'", "'5%'", "'1_'", "'2024-*'", "'b%b%'",
        "' %'", "NULL", "12", "x'6125'", "'a' || '%'", "('a%')", "'a%' COLLATE NOCASE", "?", "?", ":a",
    ]

    private static let bound: [[StorageValue]] = [
        [
            .text("a"), .text("A"), .text("a "), .text("ab"), .text("AB"), .text("a\0"), .text("a\0b"),
            .blob([0x61]),
        ],
        [
            .integer(5), .real(5), .text("5"), .text("5.0"), .text("05"), .text(" 5 "), .text("5\0"),
            .text("+5"),
            .blob([0x35]), .real(0.5), .integer(6), .text("-5"),
        ],
        [
            .integer(1 << 53), .integer((1 << 53) + 1), .real(0x1p53), .text("9007199254740993"),
            .integer(.max),
            .integer(.min), .real(.infinity), .real(-.infinity), .real(1e19), .real(0x1p63), .real(.nan),
        ],
        [
            .real(0.1), .text("0.1"), .real(0.1 + 0.2), .real(0.3), .integer(1), .real(-0.0), .real(1),
            .integer(0),
        ],
        [.text("2024-01-01"), .text("2024"), .integer(2024), .text("2024-01"), .text("it's")],
        [
            .text("a%"), .text("A%"), .text("ab*"), .text("a*"), .text("aB_"), .text("a?"), .text("ab"),
            .text("a\0%"), .text("a\u{e9}%"), .text("%"), .text(""), .text("k%"), .text("1%"), .integer(12),
            .blob([0x61, 0x25]), .text("a[b]*"),
        ],
    ]

    private var literals = ["NULL"]
    private var bound: [StorageValue] = [.null]

    package init(_ random: inout SplitMix64) {
        for _ in 0..<2 { add(Int.random(in: Self.literals.indices, using: &random), &random) }
        // Texts that are similar to others.
        add(Self.literals.count - 1, &random)
    }

    private mutating func add(_ family: Int, _ random: inout SplitMix64) {
        literals += Self.literals[family].shuffled(using: &random).prefix(5)
        bound += Self.bound[family].shuffled(using: &random).prefix(4)
    }

    package func sql(_ random: inout SplitMix64) -> String {
        literals.randomElement(using: &random) ?? "NULL"
    }

    package func parameter(_ random: inout SplitMix64) -> StorageValue {
        bound.randomElement(using: &random) ?? .null
    }
}
