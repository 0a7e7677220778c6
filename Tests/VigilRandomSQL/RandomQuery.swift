package import VigilTesting

/// A query with much more syntax than the recognizer of conditions understands. Some queries do not compile.
package struct RandomQuery {
    /// The state that the rows of a query may depend on.
    package enum Style {
        /// Anything, including the order in which the library reads rows.
        case any
        /// Only the stored data: each run returns the same rows, in any order.
        case determinate
    }

    private struct Source {
        var table: RandomSchema.Table
        var alias: String
    }

    let schema: RandomSchema
    let style: Style
    private var sources: [Source] = []
    private var aliasCount = 0

    private init(_ schema: RandomSchema, _ style: Style) {
        self.schema = schema
        self.style = style
    }

    package static func sql(
        _ schema: RandomSchema, style: Style = .any, _ random: inout SplitMix64
    ) -> String {
        var query = RandomQuery(schema, style)
        let text = query.select(depth: 2, &random)
        switch Int.random(in: 0..<40, using: &random) {
        case 0:
            var other = RandomQuery(schema, style)
            let word = pick(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"], &random)
            return "\(text) \(word) \(other.select(depth: 1, &random))"
        case 1: return "WITH t AS (SELECT * FROM u) \(text)"
        case 2: return "WITH x AS (\(text)) SELECT * FROM x"
        case 3: return "SELECT * FROM (\(text)) WHERE 1 = 1"
        default: return text
        }
    }

    // MARK: - Statements

    private mutating func select(depth: Int, _ random: inout SplitMix64) -> String {
        let outer = sources
        sources = []
        defer { sources = outer }
        let from = from(depth: depth, &random)
        sources += outer
        if style == .determinate, depth == 2, chance(5, &random) { return summary(from, &random) }
        var text = "SELECT \(results(depth: depth, &random)) FROM \(from)"
        if !chance(12, &random) {
            text += Self.pick([" WHERE ", " where /* AND */ "], &random) + condition(depth: depth, &random)
        }
        if style == .determinate { return text }
        if chance(10, &random) { text += " GROUP BY \(column(&random))" }
        if text.contains("GROUP BY"), chance(2, &random) { text += " HAVING \(condition(depth: 0, &random))" }
        if chance(6, &random) { text += " ORDER BY \(column(&random))" + Self.pick(["", " DESC"], &random) }
        if chance(6, &random) { text += " LIMIT \(Int.random(in: 0...3, using: &random))" }
        if text.contains("LIMIT"), chance(2, &random) { text += " OFFSET 1" }
        return text
    }

    private mutating func from(depth: Int, _ random: inout SplitMix64) -> String {
        var text = source(depth: depth, &random)
        for _ in 0..<Self.pick([0, 0, 0, 0, 1, 1, 2], &random) {
            let join = Self.pick(
                [
                    ", ", " JOIN ", " INNER JOIN ", " CROSS JOIN ", " LEFT JOIN ", " LEFT JOIN ",
                    " left outer join ", " NATURAL JOIN ",
                    " RIGHT JOIN ", " FULL JOIN ",
                ], &random)
            text += join + source(depth: depth, &random)
            if join.contains("NATURAL") { continue }
            if join.contains("FT JOIN") || join.contains("outer") || chance(2, &random) {
                text += " ON " + condition(depth: depth - 1, &random)
            } else if chance(12, &random) {
                text += " USING (a)"
            }
        }
        return text
    }

    private mutating func source(depth: Int, _ random: inout SplitMix64) -> String {
        let table = Self.pick(schema.tables, &random)
        if depth > 0, chance(25, &random) {
            var inner = RandomQuery(schema, style)
            return "(\(inner.select(depth: 0, &random))) AS sub"
        }
        aliasCount += 1
        let alias = chance(2, &random) ? table.name : "x\(aliasCount)"
        sources.append(Source(table: table, alias: alias))
        let name =
            table.schema.map { "\($0).\(table.name)" }
            ?? Self.pick(
                [
                    table.name, "main.\(table.name)", "\"\(table.name)\"", "[\(table.name)]",
                    "'\(table.name)'",
                ],
                &random)
        return alias == table.name ? name : name + Self.pick([" ", " AS "], &random) + alias
    }

    /// Returns a query that aggregates rows, or selects one of several.
    private mutating func summary(_ from: String, _ random: inout SplitMix64) -> String {
        let (key, other) = (column(&random), column(&random))
        let rows = " FROM \(from) WHERE \(condition(depth: 1, &random))"
        if chance(2, &random) { return firstRows(from, &random) }
        if chance(2, &random) {
            let order = chance(2, &random) ? "" : "\(key) DESC, "
            return "SELECT \(key), \(other)\(rows) ORDER BY \(order)quote(\(key)), quote(\(other)) LIMIT 2"
                + Self.pick(["", " OFFSET 1"], &random)
        }
        let having = Self.pick(
            ["", " HAVING COUNT(*) > 1", " HAVING max(quote(\(other))) < \(constant(&random))"], &random)
        return "SELECT \(key), COUNT(*), max(\(other))\(rows) GROUP BY \(key)\(having)"
    }

    /// Returns a query for the first rows in the order of a column, or for its maximum or minimum.
    private mutating func firstRows(_ from: String, _ random: inout SplitMix64) -> String {
        let rows = " FROM \(from)" + (chance(2, &random) ? "" : " WHERE \(condition(depth: 1, &random))")
        let first = column(&random)
        if chance(4, &random) { return "SELECT \(Self.pick(["MAX", "min"], &random))(\(first))\(rows)" }
        let order = Self.pick(["", " DESC", " ASC", " COLLATE NOCASE", " NULLS LAST"], &random)
        let keys = sources.map { ", \($0.alias).\($0.table.key)" }.joined()
        let limit = Self.pick(["1", "2", "3", "2 OFFSET 1"], &random)
        return "SELECT *, \(first) AS first\(rows) ORDER BY \(first)\(order)\(keys) LIMIT \(limit)"
    }

    private mutating func determinateResults(depth: Int, _ random: inout SplitMix64) -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: "*"
        case 2: "COUNT(*)"
        case 3 where depth == 2: "max(\(column(&random))), min(\(column(&random)))"
        case 4 where depth == 2: "DISTINCT \(column(&random))"
        case 5 where depth == 2: "count(\(column(&random))), total(length(\(column(&random))))"
        case 6 where depth > 0:
            "\(column(&random)), (SELECT COUNT(*) FROM (\(select(depth: depth - 1, &random))))"
        case 7 where depth == 2: "\(column(&random)), COUNT(*) OVER (PARTITION BY \(column(&random)))"
        default: column(&random)
        }
    }

    private mutating func results(depth: Int, _ random: inout SplitMix64) -> String {
        if style == .determinate { return determinateResults(depth: depth, &random) }
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: return "*"
        case 2: return "COUNT(*)"
        case 3: return "max(\(column(&random)))"
        case 4: return "DISTINCT \(column(&random))"
        case 5: return "group_concat(\(column(&random))), total(\(column(&random)))"
        case 6 where depth > 0: return "\(column(&random)), (\(nested(depth, &random)))"
        case 7: return "\(column(&random)) AS \(Self.pick(["a", "rowid", "b"], &random)), 1 AS true"
        default: return column(&random)
        }
    }

    private mutating func nested(_ depth: Int, _ random: inout SplitMix64) -> String {
        let text = select(depth: depth - 1, &random)
        return chance(2, &random) ? "SELECT COUNT(*) FROM (\(text))" : text
    }

    // MARK: - Expressions

    private mutating func condition(depth: Int, _ random: inout SplitMix64) -> String {
        let count = Self.pick([1, 1, 2, 2, 3], &random)
        var text = conjunct(depth: depth, &random)
        for _ in 1..<count {
            text += chance(5, &random) ? " OR " : Self.pick([" AND ", " and ", "\nAND --x\n"], &random)
            text += conjunct(depth: depth, &random)
        }
        return text
    }

    private mutating func conjunct(depth: Int, _ random: inout SplitMix64) -> String {
        switch Int.random(in: 0..<24, using: &random) {
        case 0 where depth > 0: return "(\(condition(depth: depth - 1, &random)))"
        case 1 where depth > 0: return "NOT (\(condition(depth: depth - 1, &random)))"
        case 2 where depth > 0: return "EXISTS (\(nested(depth, &random)))"
        case 3 where depth > 0: return "\(column(&random)) IN (\(nested(depth, &random)))"
        case 4 where depth > 0:
            return
                "CASE WHEN \(condition(depth: 0, &random)) THEN \(comparison(&random)) ELSE \(constant(&random)) END"
        case 5: return "NOT \(comparison(&random))"
        case 6: return "\(comparison(&random)) = \(constant(&random))"
        case 7: return "(\(comparison(&random)))"
        case 8: return "\(comparison(&random)) COLLATE NOCASE"
        case 9: return "\(comparison(&random)) IS NULL"
        default: return comparison(&random)
        }
    }

    private mutating func comparison(_ random: inout SplitMix64) -> String {
        let column = column(&random)
        let symbol = Self.pick(["=", "==", "<", "<=", ">", ">=", "IS", "=", "<>", "IS NOT", "is"], &random)
        switch Int.random(in: 0..<34, using: &random) {
        case 0: return "\(column) IN (\(list(&random)))"
        case 1: return "\(column) IN (\(list(&random)))"
        case 2: return "\(column) BETWEEN \(constant(&random)) AND \(constant(&random))"
        case 3: return "\(column) NOT IN (\(list(&random)))"
        case 4: return "\(column) NOT BETWEEN \(constant(&random)) AND \(constant(&random))"
        case 5, 26, 27:
            return column
                + Self.pick([" IS NULL", " ISNULL", " NOTNULL", " NOT NULL", " IS NOT NULL"], &random)
        case 6: return "\(constant(&random)) \(symbol) \(column)"
        case 7: return "\(column) \(symbol) \(self.column(&random))"
        case 8: return "+\(column) \(symbol) \(constant(&random))"
        case 9: return "\(column) + 0 \(symbol) \(constant(&random))"
        case 10: return "\(column) COLLATE NOCASE \(symbol) \(constant(&random))"
        case 11: return "\(column) \(symbol) \(constant(&random)) COLLATE RTRIM"
        case 12: return "CAST(\(column) AS TEXT) \(symbol) \(constant(&random))"
        case 13:
            return column
                + Self.pick([" LIKE 'a%'", " GLOB 'a*'", " IS TRUE", " = TRUE", " IS NOT FALSE"], &random)
        case 14: return "(\(column)) \(symbol) \(constant(&random))"
        case 15: return "\(column) \(symbol) (\(constant(&random)))"
        case 16: return "\(column) \(symbol) -\(constant(&random))"
        case 17: return "lower(\(column)) \(symbol) \(constant(&random))"
        case 18: return "(\(column), 1) = (\(constant(&random)), 1)"
        case 19: return column
        case 20...23 where style != .determinate:
            let call = Self.pick(["abs(\(column))", "json(\(column))", "'a' || \(column)"], &random)
            return "\(call) \(symbol) \(constant(&random))"
        case 30...33: return matching(column, &random)
        default: return "\(column) \(symbol) \(constant(&random))"
        }
    }

    private func matching(_ column: String, _ random: inout SplitMix64) -> String {
        let symbol = Self.pick(["LIKE", "like", "LIKE", "GLOB", "GLOB", "NOT LIKE", "NOT GLOB"], &random)
        let text =
            "\(column) \(symbol) "
            + (chance(3, &random) ? constant(&random) : Self.pick(RandomValues.patterns, &random))
        return text + (chance(12, &random) ? " ESCAPE 'a'" : "")
    }

    private func list(_ random: inout SplitMix64) -> String {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in constant(&random) }.joined(separator: ", ")
    }

    private func constant(_ random: inout SplitMix64) -> String {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...7: Self.pick(["?", "?", "?2", ":a", "@b", "$c", "$c::d(e)"], &random)
        case 8:
            Self.pick(["TRUE", "false", "CURRENT_DATE", "\"a\"", "-5", "+5", "1 + 4", "5 || ''"], &random)
        default: schema.values.sql(&random)
        }
    }

    private func column(_ random: inout SplitMix64) -> String {
        guard let source = sources.randomElement(using: &random) else { return "1" }
        // Old libraries crash if a query reads the row id of a view.
        let rowIDs = source.table.isView ? [] : ["rowid", "OID"]
        let name = Self.pick(source.table.columns + source.table.generated + rowIDs, &random)
        var forms = ["\"\(name)\"", "`\(name)`", "[\(name)]"]
        if name != "select" { forms += [name, name, name.uppercased()] }
        let column = Self.pick(forms, &random)
        if sources.count == 1, chance(2, &random) { return column }
        return chance(15, &random) ? column : "\(source.alias).\(column)"
    }

    private func chance(_ n: Int, _ random: inout SplitMix64) -> Bool {
        Int.random(in: 0..<n, using: &random) == 0
    }

    private static func pick<T>(_ values: [T], _ random: inout SplitMix64) -> T {
        values[Int.random(in: values.indices, using: &random)]
    }
}
