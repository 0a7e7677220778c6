import VigilTesting

// MARK: - Odd names

extension Hazard {
    /// Table names. Some are canonically equal to each other, but name different tables.
    private static let names = [
        "caf\u{e9}", "cafe\u{301}", "K", "\u{212a}", "\u{feff}bom", "bom", "select", "a\"b", "it's", "a b",
        "x;y", "--c",
    ]
    private static let oddColumns = ["\u{e9}", "e\u{301}", "order", "a\"\u{e9}"]

    private static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    static func setUpOddNames() -> [String] {
        let columns = oddColumns.map(quoted).joined(separator: ", ")
        return names.flatMap { name in
            [
                "CREATE TABLE \(quoted(name))(id INTEGER PRIMARY KEY, \(columns))",
                "INSERT INTO \(quoted(name)) VALUES (1, 1, 2, 3, 4), (2, 5, 6, 1, 2)",
            ]
        } + [
            "CREATE TABLE plain(id INTEGER PRIMARY KEY, a, b)",
            "INSERT INTO plain VALUES (1, 1, 2), (2, 3, 4)",
        ]
    }

    /// Returns one of two canonically equal names, or any other.
    private static func oddName(_ random: inout SplitMix64) -> String {
        quoted(pick(chance(2, &random) ? Array(names.prefix(2)) : names, &random))
    }

    static func queryOfOddNames(_ random: inout SplitMix64) -> String {
        let (a, b) = (number(&random), number(&random))
        let column = quoted(pick(oddColumns, &random))
        let space = "\u{feff}"
        switch number(1...8, &random) {
        case 1:
            return pick(
                [
                    // After a letter or a digit, U+FEFF would be part of the word.
                    "SELECT * FROM plain WHERE a = \(a) \(space)OR b = \(b)",
                    "SELECT * FROM plain WHERE a = \(a) \(space)OR \(space)b = \(b)",
                    "SELECT id FROM plain \(space)WHERE a IN (\(a),\(space)\(b))",
                    "SELECT \(space)b FROM plain WHERE a = \(a) \(space)\(space)OR \(space)id = \(b)",
                ], &random)
        case 2: return "SELECT COUNT(*) FROM \(oddName(&random))"
        case 3, 4: return "SELECT \(column) FROM \(oddName(&random))"
        case 5: return "SELECT id FROM \(oddName(&random)) WHERE \(column) = \(a)"
        case 6: return "SELECT x.\(column) FROM \(oddName(&random)) x WHERE id = \(number(1...2, &random))"
        case 7: return "SELECT '\u{e9}', \(column) FROM \(oddName(&random))"
        default: return "SELECT 'e\u{301}', \(column) FROM \(oddName(&random))"
        }
    }

    static func writesOfOddNames(_ random: inout SplitMix64) -> Unit {
        Unit(
            together(1...2, &random) { random in
                let (id, a) = (number(1...3, &random), number(&random))
                let (table, column) = (oddName(&random), quoted(pick(oddColumns, &random)))
                switch number(1...10, &random) {
                case 1, 2: return "UPDATE plain SET \(pick(["a", "b"], &random)) = \(a) WHERE id = \(id)"
                case 3: return "INSERT OR REPLACE INTO plain VALUES (\(id), \(a), \(number(&random)))"
                case 4: return "DELETE FROM \(table) WHERE id = \(id)"
                case 5: return "DELETE FROM \(table)"
                case 6, 7: return "INSERT OR REPLACE INTO \(table)(id, \(column)) VALUES (\(id), \(a))"
                default: return "UPDATE \(table) SET \(column) = \(a) WHERE id = \(id)"
                }
            })
    }

    // MARK: - Moved rows

    static func setUpMovedRows() -> [String] {
        [
            "CREATE TABLE queue(a, b)", "INSERT INTO queue VALUES (1, 1), (2, 1), (3, 2), (4, 2), (5, 1)",
            "CREATE TABLE keyed(id INTEGER PRIMARY KEY, a, b)",
            "INSERT INTO keyed VALUES (1, 1, 1), (2, 2, 1), (3, 3, 2), (5, 4, 2)",
        ]
    }

    /// Returns a query in the order of the row ids, which does not depend on indexes and statistics.
    static func orderedQuery(_ random: inout SplitMix64) -> String {
        let (table, b) = (pick(["queue", "keyed"], &random), number(1...3, &random))
        return pick(
            [
                "SELECT a FROM \(table)", "SELECT a FROM \(table) WHERE b = \(b)",
                "SELECT group_concat(a) FROM \(table)", "SELECT group_concat(a) FROM \(table) WHERE b = \(b)",
                "SELECT a FROM \(table) LIMIT 2", "SELECT b FROM \(table) WHERE a > \(b) LIMIT 1",
                "SELECT a, b FROM \(table) ORDER BY b LIMIT 2", "SELECT a, b FROM \(table) ORDER BY b",
                "SELECT b, group_concat(a) FROM \(table) GROUP BY b",
                "SELECT x.a, y.a FROM queue x CROSS JOIN keyed y WHERE x.b = y.a",
                "SELECT (SELECT a FROM \(table) WHERE b = \(b))",
                "SELECT a FROM \(table) UNION ALL SELECT b FROM keyed WHERE b = \(b)",
                "SELECT * FROM (SELECT a FROM \(table) LIMIT 3)",
            ], &random)
    }

    static func writesOfMovedRows(_ random: inout SplitMix64) -> Unit {
        Unit(
            together(1...2, &random) { random in
                let (id, other, a) = (number(&random), number(0...9, &random), number(&random))
                let table = pick(["queue", "keyed"], &random)
                switch number(1...10, &random) {
                case 1, 2: return "UPDATE \(table) SET rowid = \(other) WHERE rowid = \(id)"
                case 3: return "UPDATE \(table) SET rowid = -rowid WHERE rowid = \(id)"
                case 4: return "UPDATE OR REPLACE \(table) SET rowid = \(other) WHERE rowid = \(id)"
                case 5: return "UPDATE \(table) SET rowid = 20 - rowid"
                case 6: return "UPDATE \(table) SET _rowid_ = \(other), b = \(a) WHERE rowid = \(id)"
                case 7: return "UPDATE \(table) SET a = \(a) WHERE rowid = \(id)"
                case 8: return "DELETE FROM \(table) WHERE rowid = \(id)"
                default:
                    return "INSERT OR IGNORE INTO \(table)(a, b) VALUES (\(a), \(number(1...3, &random)))"
                }
            })
    }

    // MARK: - Attached databases

    static func setUpAttachedDatabases() -> [String] {
        ["one", "two"].flatMap {
            [
                "ATTACH ':memory:' AS \($0)", "CREATE TABLE \($0).far(id INTEGER PRIMARY KEY, a)",
                "INSERT INTO \($0).far VALUES (1, '\($0)'), (2, 2)",
            ]
        }
    }

    static func queryOfAttachedDatabases(_ random: inout SplitMix64) -> String {
        simpleQuery(of: pick(["far", "far", "one.far", "two.far"], &random), &random)
    }

    static func writesOfAttachedDatabases(_ random: inout SplitMix64) -> Unit {
        let name = pick(["one", "two"], &random)
        let (id, a) = (number(&random), number(&random))
        switch number(1...8, &random) {
        case 1, 2, 3: return Unit(["DETACH \(name)"])
        case 4, 5:
            return Unit([
                "ATTACH ':memory:' AS \(name)", "CREATE TABLE \(name).far(id INTEGER PRIMARY KEY, a)",
                "INSERT INTO \(name).far VALUES (\(id), \(a))",
            ])
        case 6: return Unit(["UPDATE far SET a = \(a) WHERE id = \(id)"])
        case 7: return Unit(["DELETE FROM \(name).far"])
        default:
            return Unit(
                together(1...2, &random) {
                    "INSERT OR REPLACE INTO far VALUES (\(number(&$0)), \(number(&$0)))"
                })
        }
    }
}
