package import VigilTesting

extension RandomQuery {
    /// Returns a query of the rows that match a pattern.
    package static func matching(_ schema: RandomSchema, _ random: inout SplitMix64) -> String {
        let table = pick(schema.tables.filter { !$0.isView }, &random)
        func condition(_ random: inout SplitMix64) -> String {
            let pattern = chance(3, &random) ? "?" : pick(RandomValues.patterns, &random)
            return "\"\(pick(table.columns, &random))\"" + pick([" LIKE ", " GLOB "], &random) + pattern
        }
        let conditions = (0..<pick([1, 1, 2], &random)).map { _ in condition(&random) }
        return "SELECT \(pick(["*", "COUNT(*)"], &random)) FROM \(table.qualifiedName) WHERE "
            + conditions.joined(separator: " AND ")
    }

    /// Returns a query of the rows of one or two tables that meet nested alternatives of conditions.
    package static func alternatives(_ schema: RandomSchema, _ random: inout SplitMix64) -> String {
        let tables = (0..<pick([1, 1, 2], &random)).map { _ in
            pick(schema.tables.filter { !$0.isView }, &random)
        }
        let names = ["x", "y"]
        func comparison(_ random: inout SplitMix64) -> String {
            let index = Int.random(in: tables.indices, using: &random)
            let column = "\(names[index]).\"\(pick(tables[index].columns + [tables[index].key], &random))\""
            let value = chance(2, &random) ? "?" : schema.values.sql(&random)
            return switch Int.random(in: 0..<14, using: &random) {
            case 0: "\(column) IN (\(value), \(schema.values.sql(&random)))"
            case 1: "\(column) BETWEEN \(value) AND \(schema.values.sql(&random))"
            case 2: column + pick([" IS NULL", " IS NOT NULL"], &random)
            case 3, 4: column + pick([" < ", " >= ", " <= ", " > "], &random) + value
            case 5: column + pick([" LIKE ", " GLOB "], &random) + pick(RandomValues.patterns, &random)
            case 6 where chance(3, &random): "NOT (\(column) = \(value))"
            case 7 where chance(3, &random): "\(column) + 0 = \(value)"
            default: "\(column) = \(value)"
            }
        }
        func condition(_ depth: Int, _ random: inout SplitMix64) -> String {
            if depth == 0 || chance(4, &random) { return comparison(&random) }
            let parts = (0..<pick([2, 2, 3], &random)).map { _ in condition(depth - 1, &random) }
            let text = parts.joined(separator: pick([" AND ", " OR ", " OR "], &random))
            return chance(5, &random) ? text : "(\(text))"
        }
        var text = "SELECT \(pick(["*", "COUNT(*)"], &random)) FROM \(tables[0].qualifiedName) x"
        if tables.count > 1 {
            text += pick([", ", " JOIN ", " LEFT JOIN "], &random) + "\(tables[1].qualifiedName) y"
            if text.contains("LEFT") { text += " ON \(condition(2, &random))" }
        }
        return text + " WHERE \(condition(3, &random))"
    }

    /// Returns a typical query: rows of one table with one or two conditions.
    package static func simple(_ schema: RandomSchema, _ random: inout SplitMix64) -> String {
        let table = pick(schema.tables, &random)
        let columns = table.columns + (table.isView ? [] : [table.key])
        func column(_ random: inout SplitMix64) -> String { "\"\(pick(columns, &random))\"" }
        func value(_ random: inout SplitMix64) -> String {
            chance(2, &random) ? "?" : schema.values.sql(&random)
        }
        let conditions = (0..<pick([1, 1, 2], &random)).map { _ in
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 5: "\(column(&random)) IN (\(value(&random)), \(value(&random)))"
            case 1: "\(column(&random)) BETWEEN \(value(&random)) AND \(value(&random))"
            case 2: column(&random) + pick([" IS NULL", " IS NOT NULL"], &random)
            case 3, 4: column(&random) + pick([" < ", " >= ", " <= ", " > "], &random) + value(&random)
            case 10, 11:
                column(&random) + pick([" LIKE ", " GLOB "], &random)
                    + (chance(3, &random) ? value(&random) : pick(RandomValues.patterns, &random))
            default: "\(column(&random)) = \(value(&random))"
            }
        }
        if chance(5, &random) {
            // The table occurs twice: rows that meet either condition affect the result.
            let name = table.qualifiedName
            return "SELECT COUNT(*) FROM \(name) x, \(name) y "
                + "WHERE x.\(column(&random)) >= \(value(&random)) AND y.\(column(&random)) \(pick(["=", "<="], &random)) \(value(&random))"
        }
        let results = pick(["*", "COUNT(*)", column(&random)], &random)
        return "SELECT \(results) FROM \(table.qualifiedName) WHERE "
            + conditions.joined(separator: pick([" AND ", " AND ", " OR "], &random))
    }
}
