package import VigilStorage
package import VigilTesting

/// Writes of all kinds to the tables of a schema. Many of them fail, and many do not change anything.
///
/// Statements may call functions that the runner must add: `nested(sql)` runs another statement and returns
/// 1, or NULL if that one fails. `stop(n)` and `refuse(n)` return 1, until the n-th call in a statement
/// interrupts it or fails.
package struct RandomWrites {
    package struct Statement: Sendable, CustomStringConvertible {
        /// How far a statement is run.
        package enum Extent: Sendable, Hashable {
            case whole
            /// Reset after the given number of rows.
            case rows(Int)
            /// Reset only after the other statements of its unit.
            case leftOpen
        }

        package var sql: String
        package var values: [StorageValue]
        package var extent = Extent.whole

        package init(sql: String, values: [StorageValue] = []) {
            self.sql = sql
            self.values = values
        }

        /// Whether the statement changes the schema, or is treated as if it did.
        package var isDefinition: Bool {
            ["ALTER", "CREATE", "DROP", "VACUUM", "ATTACH", "DETACH"].contains(where: sql.contains)
        }

        package var description: String {
            let extent =
                switch extent {
                case .whole: ""
                case .rows(let count): " -- reset after \(count) rows"
                case .leftOpen: " -- left open after a row"
                }
            let values = values.isEmpty ? "" : " -- \(values.map(\.sqlLiteral).joined(separator: ", "))"
            return sql + values + extent
        }
    }

    package internal(set) var schema: RandomSchema
    let features: SQLFeatures
    var addedColumns = 0
    /// The column that is renamed at the moment, if any.
    var renamed: (table: String, from: String, to: String)?

    package init(_ schema: RandomSchema, _ features: SQLFeatures) {
        self.schema = schema
        self.features = features
    }

    /// Returns statements that are run together. The runner continues after failures, and ends a transaction
    /// that is left open.
    package mutating func unit(_ random: inout SplitMix64) -> [Statement] {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: return [statement(&random)]
        case 4: return (0..<2).map { _ in statement(&random) }
        default: return transaction(&random)
        }
    }

    /// Returns a unit for a connection that has neither attached databases nor temporary tables.
    package mutating func unitOfMain(_ random: inout SplitMix64) -> [Statement] {
        let others = schema.tables.filter { $0.schema != nil }
        schema.tables.removeAll { $0.schema != nil }
        defer { schema.tables += others }
        return unit(&random)
    }

    /// Updates the columns of the tables after a change of the schema.
    ///
    /// - Parameter columns: Returns the writable columns of a table, or an empty array if they are unknown.
    package mutating func updateColumns(_ columns: (RandomSchema.Table) -> [String]) {
        for index in schema.tables.indices where !schema.tables[index].isView {
            let known = columns(schema.tables[index])
            if !known.isEmpty { schema.tables[index].columns = known }
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
                // The savepoint stays open, later ones are closed.
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
        switch Int.random(in: 0..<60, using: &random) {
        case 0: return harmless(&random)
        case 1: return chance(2, &random) ? definition(&random) : opened(&random)
        case 2: return Statement(sql: "SELECT \(nested(&random))")
        default: return returning(change(&random), &random)
        }
    }

    /// Returns a statement that changes rows, unless it fails or does not find any.
    mutating func change(_ random: inout SplitMix64) -> Statement {
        let table = pick(schema.tables, &random)
        if table.isView {
            guard chance(6, &random) else { return insert(table, &random) }
            let definitions = schema.definitions(of: table, &random)
            return Statement(sql: (["DROP VIEW \(table.name)"] + definitions).joined(separator: "; "))
        }
        switch Int.random(in: 0..<46, using: &random) {
        case 0...9: return insert(table, &random)
        case 10...19: return update(table, &random)
        case 20...25: return delete(table, &random)
        case 26: return Statement(sql: "DELETE FROM \(table.qualifiedName)")
        case 27...29: return copy(table, &random)
        case 30...33: return features.hasUpserts ? upsert(table, &random) : insert(table, &random)
        case 34, 35: return moveKey(table, &random)
        case 36: return setToItself(table, &random)
        case 37: return replaceSeveral(table, &random)
        case 38...40: return joined(table, &random)
        case 41, 42: return withTable(table, &random)
        case 43: return features.hasLimitedWrites ? limited(table, &random) : delete(table, &random)
        case 44: return copyOfItself(table, &random)
        default: return chance(3, &random) ? definition(&random) : update(table, &random)
        }
    }

    // MARK: - Partly run statements

    /// Returns the change with a `RETURNING` clause, some of whose rows may not be read, or the change
    /// itself.
    private mutating func returning(_ change: Statement, _ random: inout SplitMix64) -> Statement {
        guard features.hasReturning, chance(5, &random), !change.sql.contains("LIMIT"),
            ["INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"].contains(where: change.sql.hasPrefix)
        else { return change }
        var statement = change
        let results = [
            "*", "1", "a, b", "(SELECT COUNT(*) FROM t)", chance(4, &random) ? nested(&random) : "b",
            pick(["stop(2)", "refuse(2)"], &random),
        ]
        statement.sql += " RETURNING \(pick(results, &random))"
        statement.extent = pick([.whole, .rows(1), .rows(1), .rows(2), .leftOpen], &random)
        return statement
    }

    /// Returns a query that stays open while other statements run.
    private func opened(_ random: inout SplitMix64) -> Statement {
        let table = pick(schema.tables, &random)
        var statement = Statement(sql: "SELECT * FROM \(table.qualifiedName)")
        statement.extent = .leftOpen
        return statement
    }

    /// Returns a function call that runs another statement.
    mutating func nested(_ random: inout SplitMix64) -> String {
        let table = pick(schema.tables.filter { !$0.isView }, &random)
        let inner =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: insert(table, canStop: false, &random).sql
            case 1: delete(table, canStop: false, &random).sql
            default: update(table, canStop: false, &random).sql
            }
        let parts = inner.split(separator: "'", omittingEmptySubsequences: false)
        return "nested('\(parts.joined(separator: "''"))')"
    }

    /// Returns a WHERE clause that may have side effects.
    mutating func condition(
        on table: RandomSchema.Table, canStop: Bool = true, _ random: inout SplitMix64
    ) -> String {
        let condition = schema.condition(on: table, &random)
        guard canStop, chance(12, &random) else { return condition }
        let call =
            switch Int.random(in: 0..<5, using: &random) {
            case 0: "stop(\(Int.random(in: 1...4, using: &random)))"
            case 1, 2: "refuse(\(Int.random(in: 1...4, using: &random)))"
            default: "\(nested(&random)) IS NOT 2"
            }
        return condition + (condition.isEmpty ? " WHERE " : " AND ") + call
    }
}
