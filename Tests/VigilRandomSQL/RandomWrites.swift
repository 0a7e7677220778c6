package import VigilStorage
package import VigilTesting

/// Writes of all kinds to the tables of a schema: many fail, and many change nothing.
package struct RandomWrites {
    package struct Statement: Sendable, CustomStringConvertible {
        package var sql: String
        package var values: [StorageValue]

        package init(sql: String, values: [StorageValue] = []) {
            self.sql = sql
            self.values = values
        }

        /// Whether it changes the schema.
        package var isDefinition: Bool { ["ALTER", "CREATE", "DROP"].contains(where: sql.hasPrefix) }

        package var description: String {
            values.isEmpty ? sql : "\(sql) -- \(values.map(\.sqlLiteral).joined(separator: ", "))"
        }
    }

    package private(set) var schema: RandomSchema
    private var addedColumns = 0

    package init(_ schema: RandomSchema) {
        self.schema = schema
    }

    /// What is run in one go. Whoever runs it goes on after a failure, and ends a transaction that is left open.
    package mutating func unit(_ random: inout SplitMix64) -> [Statement] {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: return [statement(&random)]
        case 4: return (0..<2).map { _ in statement(&random) }
        default: return transaction(&random)
        }
    }

    // MARK: - Transactions

    private mutating func transaction(_ random: inout SplitMix64) -> [Statement] {
        var unit = [Statement(sql: pick(["BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT a"], &random))]
        var open: [String] = unit[0].sql == "SAVEPOINT a" ? ["a"] : []
        let isSavepoint = !open.isEmpty
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                let name = pick(["a", "b", "c"], &random)
                open.append(name)
                unit.append(Statement(sql: "SAVEPOINT \(name)"))
            case 1:
                guard let name = open.randomElement(using: &random) else { break }
                // It stays open, those after it do not.
                if let place = open.lastIndex(of: name) { open.removeSubrange((place + 1)...) }
                unit.append(Statement(sql: "ROLLBACK TO \(name)"))
            case 2 where open.count > (isSavepoint ? 1 : 0):
                unit.append(Statement(sql: "RELEASE \(open.removeLast())"))
            default: break
            }
            unit.append(statement(&random))
        }
        unit.append(Statement(sql: chance(6, &random) ? "ROLLBACK" : isSavepoint ? "RELEASE a" : "COMMIT"))
        return unit
    }

    // MARK: - Statements

    private mutating func statement(_ random: inout SplitMix64) -> Statement {
        let table = pick(schema.tables, &random)
        if table.isView {
            guard chance(6, &random) else { return insert(table, &random) }
            let definitions = schema.definitions(of: table, &random)
            return Statement(sql: (["DROP VIEW \(table.name)"] + definitions).joined(separator: "; "))
        }
        switch Int.random(in: 0..<40, using: &random) {
        case 0...11: return insert(table, &random)
        case 12...24: return update(table, &random)
        case 25...31: return delete(table, &random)
        case 32: return Statement(sql: "DELETE FROM \(table.qualifiedName)")
        case 33, 34: return copy(table, &random)
        case 35, 36: return upsert(table, &random)
        case 37: return moveKey(table, &random)
        case 38: return setToItself(table, &random)
        default: return chance(3, &random) ? alter(table, &random) : update(table, &random)
        }
    }

    private func conflict(_ random: inout SplitMix64) -> String {
        pick(["", "", "", " OR REPLACE", " OR IGNORE", " OR FAIL", " OR ABORT", " OR ROLLBACK"], &random)
    }

    private func names(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> [String] {
        chance(4, &random) ? Array(table.columns.shuffled(using: &random).prefix(2)) : table.columns
    }

    private func insert(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let columns = names(table, &random)
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let start = "INSERT\(conflict(&random)) INTO \(table.qualifiedName)(\(names)) "
        if chance(3, &random) {
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

    private func update(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        var sets: [String] = []
        for column in table.columns.shuffled(using: &random).prefix(pick([1, 1, 2], &random)) {
            let other = pick(table.columns, &random)
            let value = pick(
                [schema.values.sql(&random), schema.values.sql(&random), "\"\(other)\""], &random)
            sets.append("\"\(column)\" = \(value)")
        }
        let condition = schema.condition(on: table, &random)
        return Statement(
            sql: "UPDATE\(conflict(&random)) \(table.qualifiedName) SET "
                + sets.joined(separator: ", ") + condition)
    }

    private func delete(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let condition = schema.condition(on: table, &random)
        return Statement(
            sql: "DELETE FROM \(table.qualifiedName)" + (condition.isEmpty ? " WHERE 0" : condition))
    }

    /// Rows of one table for another: all columns where they fit, which some libraries copy as they are stored.
    private func copy(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let source = pick(schema.tables, &random)
        let conflict = conflict(&random)
        if source.columns.count == table.columns.count, chance(2, &random) {
            return Statement(
                sql: "INSERT\(conflict) INTO \(table.qualifiedName) SELECT * FROM \(source.qualifiedName)")
        }
        let (a, b) = (pick(table.columns, &random), pick(source.columns, &random))
        return Statement(
            sql: "INSERT\(conflict) INTO \(table.qualifiedName)(\"\(a)\") SELECT \"\(b)\" FROM "
                + "\(source.qualifiedName) LIMIT 3")
    }

    private func upsert(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        var statement = insert(table, &random)
        let column = pick(table.columns, &random)
        let value = pick([schema.values.sql(&random), "excluded.\"\(column)\""], &random)
        statement.sql +=
            " ON CONFLICT(id) DO "
            + pick(["NOTHING", "UPDATE SET \"\(column)\" = \(value)"], &random)
        return statement
    }

    private func moveKey(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let (old, new) = (Int.random(in: 0...6, using: &random), Int.random(in: 0...6, using: &random))
        return Statement(
            sql: "UPDATE\(conflict(&random)) \(table.qualifiedName) SET \(table.key) = \(new)"
                + " WHERE \(table.key) >= \(old)")
    }

    private func setToItself(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let column = pick(table.columns, &random)
        return Statement(sql: "UPDATE \(table.qualifiedName) SET \"\(column)\" = \"\(column)\"")
    }

    private mutating func alter(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        if chance(3, &random) {
            return Statement(sql: pick(["DROP INDEX IF EXISTS t_0", "CREATE INDEX t_0 ON t(a)"], &random))
        }
        addedColumns += 1
        let name = "n\(addedColumns)"
        for index in schema.tables.indices
        where schema.tables[index].qualifiedName == table.qualifiedName {
            schema.tables[index].columns.append(name)
        }
        return Statement(
            sql: "ALTER TABLE \(table.qualifiedName) ADD COLUMN \(name) "
                + pick(["", "DEFAULT 5", "TEXT DEFAULT 'a'", "INTEGER NOT NULL DEFAULT 0"], &random))
    }
}
