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
            + conditions.joined(separator: " AND ")
    }
}
