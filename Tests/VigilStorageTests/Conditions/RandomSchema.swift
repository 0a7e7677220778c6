import VigilStorage
import VigilTesting

/// Small tables of all affinities, collations and keys, with values that are often equal or nearly so.
struct RandomSchema {
    struct Table {
        var name: String
        var columns: [String]
        /// What identifies a row.
        var key: String
        var hasRowID: Bool
    }

    var sql: [String] = []
    var tables: [Table] = []
    let values: RandomValues

    private static let types = [
        "", "", "INTEGER", "INTEGER", "INT", "TEXT", "TEXT", "VARCHAR(10)", "REAL", "DOUBLE", "NUMERIC",
        "DATETIME",
        "BLOB", "BOOLEAN", "CHARINT", "FLOATING POINT", "ANY", "STRING",
        "TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM", "COLLATE NOCASE", "INTEGER COLLATE NOCASE",
        "TEXT DEFAULT 'a'", "INTEGER DEFAULT 5", "INTEGER NOT NULL DEFAULT 0",
    ]

    init(_ random: inout SplitMix64) {
        values = RandomValues(&random)
        for name in ["t", "u", "V"] { add(name, &random) }
        addCopy(&random)
    }

    /// A table of what a query returned: its columns may hold what no insertion would put there.
    private mutating func addCopy(_ random: inout SplitMix64) {
        let types = ["INT", "TEXT", "REAL", "BLOB"]
        let first = types.randomElement(using: &random) ?? ""
        let second = types.randomElement(using: &random) ?? ""
        sql.append(
            """
            CREATE TABLE w AS SELECT CAST(a AS \(first)) AS a, CAST(b AS \(second)) AS b FROM t
            UNION ALL SELECT b, a FROM u
            """)
        tables.append(Table(name: "w", columns: ["a", "b"], key: "_rowid_", hasRowID: true))
    }

    private mutating func add(_ name: String, _ random: inout SplitMix64) {
        var columns = ["a", "b", "C", "select"].prefix(Int.random(in: 2...4, using: &random)).map { $0 }
        var parts = columns.map { "\"\($0)\" \(Self.types.randomElement(using: &random) ?? "")" }
        var table = Table(name: name, columns: [], key: "_rowid_", hasRowID: true)
        var ending = ""
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1, 2:
            columns.append("id")
            parts.append("id INTEGER PRIMARY KEY")
        case 3:
            columns.append("id")
            parts.append("id INT PRIMARY KEY")
        case 4:
            columns.append("id")
            parts.append("id \(Bool.random(using: &random) ? "TEXT" : "INTEGER") PRIMARY KEY")
            ending = " WITHOUT ROWID"
            table.key = "id"
            table.hasRowID = false
        case 5:
            columns.append("rowid")
            parts.append("rowid \(Self.types.randomElement(using: &random) ?? "")")
        case 6:
            columns.append("id")
            parts.append("id INTEGER PRIMARY KEY DESC")
        default: break
        }
        table.columns = columns
        sql.append("CREATE TABLE \(name)(\(parts.joined(separator: ", ")))\(ending)")
        for (number, column) in columns.enumerated() where Int.random(in: 0..<3, using: &random) == 0 {
            let order = ["", " DESC", " COLLATE NOCASE"].randomElement(using: &random) ?? ""
            sql.append("CREATE INDEX \(name)_\(number) ON \(name)(\"\(column)\"\(order))")
        }
        for _ in 0..<Int.random(in: 3...9, using: &random) {
            let values = columns.map { _ in self.values.sql(&random) }
            let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
            sql.append("INSERT OR IGNORE INTO \(name)(\(names)) VALUES (\(values.joined(separator: ", ")))")
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            let type =
                ["INTEGER", "TEXT", "REAL", "", "TEXT COLLATE NOCASE"].randomElement(using: &random) ?? ""
            sql.append("ALTER TABLE \(name) ADD COLUMN late \(type) DEFAULT \(values.sql(&random))")
            table.columns.append("late")
        }
        tables.append(table)
    }
}

/// Values that some columns take for the same, and others do not: a few for each schema, so that they meet.
struct RandomValues {
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
    ]

    private var literals = ["NULL"]
    private var bound: [StorageValue] = [.null]

    init(_ random: inout SplitMix64) {
        for family in [Int.random(in: 0..<5, using: &random), Int.random(in: 0..<5, using: &random)] {
            literals += Self.literals[family].shuffled(using: &random).prefix(5)
            bound += Self.bound[family].shuffled(using: &random).prefix(4)
        }
    }

    func sql(_ random: inout SplitMix64) -> String {
        literals.randomElement(using: &random) ?? "NULL"
    }

    func parameter(_ random: inout SplitMix64) -> StorageValue {
        bound.randomElement(using: &random) ?? .null
    }
}
