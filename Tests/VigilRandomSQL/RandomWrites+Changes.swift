import VigilStorage
import VigilTesting

// Statements that change rows of one table
extension RandomWrites {
    func conflict(_ random: inout SplitMix64) -> String {
        pick(["", "", "", " OR REPLACE", " OR IGNORE", " OR FAIL", " OR ABORT", " OR ROLLBACK"], &random)
    }

    func column(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> String {
        "\"\(pick(table.columns, &random))\""
    }

    private func names(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> [String] {
        chance(4, &random) ? Array(table.columns.shuffled(using: &random).prefix(2)) : table.columns
    }

    mutating func insert(
        _ table: RandomSchema.Table, canStop: Bool = true, _ random: inout SplitMix64
    ) -> Statement {
        if chance(30, &random) {
            return Statement(sql: "INSERT\(conflict(&random)) INTO \(table.qualifiedName) DEFAULT VALUES")
        }
        let columns = names(table, &random)
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let start = "INSERT\(conflict(&random)) INTO \(table.qualifiedName)(\(names)) "
        if canStop, chance(3, &random) {
            let marks = columns.map { _ in "?" }.joined(separator: ", ")
            return Statement(
                sql: start + "VALUES (\(marks))",
                values: columns.map { _ in schema.values.parameter(&random) })
        }
        let rows = (0..<pick([1, 1, 2, 3], &random)).map { _ in
            "(" + columns.map { _ in schema.values.sql(&random) }.joined(separator: ", ") + ")"
        }
        return Statement(sql: start + "VALUES " + rows.joined(separator: ", "))
    }

    mutating func update(
        _ table: RandomSchema.Table, canStop: Bool = true, _ random: inout SplitMix64
    ) -> Statement {
        let start = "UPDATE\(conflict(&random)) \(table.qualifiedName) SET "
        if chance(12, &random) {
            let (a, b) = (column(table, &random), column(table, &random))
            let source = pick(schema.tables, &random)
            let values = "SELECT \(column(source, &random)), \(schema.values.sql(&random))"
            return Statement(
                sql: start + "(\(a), \(b)) = (\(values) FROM \(source.qualifiedName) ORDER BY 1)"
                    + condition(on: table, canStop: canStop, &random))
        }
        let sets = table.columns.shuffled(using: &random).prefix(pick([1, 1, 2], &random)).map { name in
            let value = pick(
                [schema.values.sql(&random), schema.values.sql(&random), column(table, &random)], &random)
            return "\"\(name)\" = \(value)"
        }
        return Statement(
            sql: start + sets.joined(separator: ", ") + condition(on: table, canStop: canStop, &random))
    }

    mutating func delete(
        _ table: RandomSchema.Table, canStop: Bool = true, _ random: inout SplitMix64
    ) -> Statement {
        let condition = condition(on: table, canStop: canStop, &random)
        return Statement(
            sql: "DELETE FROM \(table.qualifiedName)" + (condition.isEmpty ? " WHERE 0" : condition))
    }

    /// Returns an insertion that updates or keeps existing rows.
    mutating func upsert(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        var statement = insert(table, &random)
        let count = features.hasSeveralUpserts ? pick([1, 1, 2, 3], &random) : 1
        for number in 1...count {
            // Only the last clause may omit the columns, and it may update since 3.35.
            let isWithout = number == count && chance(4, &random)
            let target = isWithout ? "" : pick(["(id)", "(id)", "(a)", "(b)", "(a, b)"], &random)
            let changes = !chance(3, &random) && (!isWithout || features.hasSeveralUpserts)
            statement.sql += " ON CONFLICT\(target) DO " + (changes ? assignment(table, &random) : "NOTHING")
        }
        return statement
    }

    private func assignment(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> String {
        let (target, other) = (column(table, &random), column(table, &random))
        let value = pick([schema.values.sql(&random), "excluded.\(other)", other], &random)
        let condition = pick(
            ["", "", schema.condition(on: table, &random), " WHERE excluded.\(other) IS NOT \(target)"],
            &random)
        return "UPDATE SET \(target) = \(value)" + condition
    }

    func moveKey(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let (old, new) = (Int.random(in: 0...6, using: &random), Int.random(in: 0...6, using: &random))
        let value = pick(["\(new)", "\(table.key) + 1", "\(table.key) - 1", "-\(table.key)"], &random)
        let more = chance(3, &random) ? ", \(column(table, &random)) = \(schema.values.sql(&random))" : ""
        return Statement(
            sql: "UPDATE\(conflict(&random)) \(table.qualifiedName) SET \(table.key) = \(value)\(more)"
                + " WHERE \(table.key) \(pick([">=", "="], &random)) \(old)")
    }

    func setToItself(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let column = column(table, &random)
        return Statement(sql: "UPDATE \(table.qualifiedName) SET \(column) = \(column)")
    }

    /// Returns a change with `ORDER BY` and `LIMIT`, which only some libraries support.
    func limited(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let name = table.qualifiedName
        let order = " ORDER BY \(column(table, &random)) LIMIT \(pick(["1", "2", "2 OFFSET 1"], &random))"
        let condition = schema.condition(on: table, &random) + order
        guard chance(2, &random) else { return Statement(sql: "DELETE FROM \(name)\(condition)") }
        return Statement(
            sql: "UPDATE\(conflict(&random)) \(name) SET \(column(table, &random)) = "
                + schema.values.sql(&random) + condition)
    }
}
