import VigilTesting

// Statements that change rows of one table according to other tables
extension RandomWrites {
    /// Inserts rows of one table into another. If the columns match, all are copied, which some libraries do
    /// without decoding the records.
    func copy(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let source = pick(schema.tables, &random)
        let start = "INSERT\(conflict(&random)) INTO \(table.qualifiedName)"
        if source.columns.count == table.columns.count, chance(2, &random) {
            return Statement(sql: "\(start) SELECT * FROM \(source.qualifiedName)")
        }
        let (a, b) = (column(table, &random), column(source, &random))
        return Statement(sql: "\(start)(\(a)) SELECT \(b) FROM \(source.qualifiedName) LIMIT 3")
    }

    /// Inserts rows of a table into itself.
    mutating func copyOfItself(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let (a, b) = (column(table, &random), column(table, &random))
        let condition = condition(on: table, &random)
        return Statement(
            sql: "INSERT\(conflict(&random)) INTO \(table.qualifiedName)(\(a)) SELECT \(b) "
                + "FROM \(table.qualifiedName)\(condition)")
    }

    /// Inserts a row that conflicts with several others.
    func replaceSeveral(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let columns = Array(Set(table.columns + [table.key])).sorted()
        let sources = columns.indices.map { "\(table.qualifiedName) x\($0)" }.prefix(3)
        let values = columns.indices.map { "x\($0 % sources.count).\"\(columns[$0])\"" }
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        return Statement(
            sql: "REPLACE INTO \(table.qualifiedName)(\(names)) SELECT \(values.joined(separator: ", ")) "
                + "FROM \(sources.joined(separator: ", ")) LIMIT \(Int.random(in: 1...4, using: &random))")
    }

    /// Returns `UPDATE … FROM` if the library supports it, or else a change of the rows that a subquery finds
    /// in another table.
    func joined(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let source = pick(schema.tables, &random)
        let (name, other) = (table.qualifiedName, source.qualifiedName)
        let match = column(table, &random)
        if features.hasUpdateFrom, chance(2, &random) {
            return Statement(
                sql: "UPDATE\(conflict(&random)) \(name) AS y SET \(column(table, &random)) = "
                    + "x.\(column(source, &random)) FROM \(other) AS x "
                    + "WHERE y.\(match) = x.\(column(source, &random))")
        }
        let condition = " WHERE \(match) IN (SELECT \(column(source, &random)) FROM \(other))"
        guard chance(2, &random) else { return Statement(sql: "DELETE FROM \(name)\(condition)") }
        let value = "(SELECT max(\(column(source, &random))) FROM \(other))"
        return Statement(
            sql: "UPDATE\(conflict(&random)) \(name) SET \(column(table, &random)) = \(value)\(condition)")
    }

    /// Returns a change with a common table expression.
    mutating func withTable(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let source = pick(schema.tables, &random)
        let rows = "SELECT \(column(source, &random)) FROM \(source.qualifiedName)"
        let start = "WITH x(i) AS (\(rows)\(schema.condition(on: source, &random))) "
        let (name, target) = (table.qualifiedName, column(table, &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return Statement(sql: start + "DELETE FROM \(name) WHERE \(target) IN x")
        case 1:
            return Statement(
                sql: start + "UPDATE\(conflict(&random)) \(name) SET \(target) = (SELECT min(i) FROM x)"
                    + condition(on: table, &random))
        case 2:
            return Statement(
                sql: "WITH RECURSIVE x(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM x WHERE i < 3) "
                    + "INSERT\(conflict(&random)) INTO \(name)(\(target)) SELECT i FROM x")
        default:
            return Statement(
                sql: start + "INSERT\(conflict(&random)) INTO \(name)(\(target)) SELECT i FROM x LIMIT 3")
        }
    }
}
