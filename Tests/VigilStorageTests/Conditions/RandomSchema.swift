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

    private static let types = [
        "", "", "INTEGER", "INTEGER", "INT", "TEXT", "TEXT", "VARCHAR(10)", "REAL", "DOUBLE", "NUMERIC",
        "DATETIME",
        "BLOB", "BOOLEAN", "CHARINT", "FLOATING POINT", "ANY", "STRING",
        "TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM", "COLLATE NOCASE", "INTEGER COLLATE NOCASE",
        "TEXT DEFAULT 'a'", "INTEGER DEFAULT 5", "INTEGER NOT NULL DEFAULT 0",
    ]

    init(_ random: inout SplitMix64) {
        for name in ["t", "u", "V"] { add(name, &random) }
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
            let values = columns.map { _ in RandomValue.sql(&random) }
            let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
            sql.append("INSERT OR IGNORE INTO \(name)(\(names)) VALUES (\(values.joined(separator: ", ")))")
        }
        tables.append(table)
    }
}

/// Values, as SQL and to be bound.
enum RandomValue {
    private static let literals = [
        "NULL", "NULL", "0", "1", "1", "2", "5", "5", "-1", "7", "9007199254740992", "9007199254740993",
        "9223372036854775807", "-9223372036854775808", "1.0", "5.0", "2.5", "0.1", "-0.0",
        "9007199254740992.0",
        "0.30000000000000004", "9e999", "-9e999", "1e19", "0x10", "'a'", "'A'", "'a '", "'ab'", "'aB'",
        "'abc'",
        "'b'", "'5'", "'5.0'", "'05'", "' 5'", "'5 '", "'1e1'", "'0x5'", "''", "'0.1'", "'-1'", "'+5'",
        "'1.'",
        "'.5'", "'_'", "'Z'", "'2024-01-01'", "'9007199254740993'", "'it''s'", "x''", "x'61'", "x'35'",
        "'9223372036854775808'", "'inf'", "' '", "'a\u{e9}'",
    ]

    private static let values: [StorageValue] = [
        .null, .integer(0), .integer(1), .integer(2), .integer(5), .integer(-1), .integer(.max),
        .integer(.min),
        .integer(1 << 53), .integer((1 << 53) + 1), .real(1), .real(5), .real(2.5), .real(0.1), .real(-0.0),
        .real(0x1p53), .real(.infinity), .real(-.infinity), .real(.nan), .real(1e19), .real(0.1 + 0.2),
        .text("a"), .text("A"), .text("a "), .text("ab"), .text("abc"), .text("5"), .text("5.0"), .text("05"),
        .text(" 5"), .text("5 "), .text("1e1"), .text(""), .text("0.1"), .text("-1"), .text("b\0c"),
        .text("a\0"),
        .text("5\0"), .text("2024-01-01"), .text("9007199254740993"), .text("1."), .text("_"), .text("Z"),
        .blob([]), .blob([0x61]), .blob([0x35]),
    ]

    static func sql(_ random: inout SplitMix64) -> String {
        literals.randomElement(using: &random) ?? "NULL"
    }

    static func bound(_ random: inout SplitMix64) -> StorageValue {
        values.randomElement(using: &random) ?? .null
    }
}
