package import VigilStorage
package import VigilTesting

/// Writes of all kinds to the tables of a schema: many fail, and many change nothing.
///
/// Statements may call functions that whoever runs them adds: `nested(sql)` runs another statement and makes 1, or NULL
/// if that one fails; `stop(n)` and `refuse(n)` make 1, until the n-th call in a statement interrupts it or fails.
package struct RandomWrites {
    package struct Statement: Sendable, CustomStringConvertible {
        /// How much of it is run.
        package enum Extent: Sendable, Hashable {
            case whole
            /// It is reset after some rows.
            case rows(Int)
            /// It is reset only after the statements that come with it.
            case leftOpen
        }

        package var sql: String
        package var values: [StorageValue]
        package var extent = Extent.whole

        package init(sql: String, values: [StorageValue] = []) {
            self.sql = sql
            self.values = values
        }

        /// Whether it changes the schema, or counts as if it did.
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
    /// A column that has another name for now.
    var renamed: (table: String, from: String, to: String)?

    package init(_ schema: RandomSchema, _ features: SQLFeatures) {
        self.schema = schema
        self.features = features
    }

    /// What is run in one go. Whoever runs it goes on after a failure, and ends a transaction that is left open.
    package mutating func unit(_ random: inout SplitMix64) -> [Statement] {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: return [statement(&random)]
        case 4: return (0..<2).map { _ in statement(&random) }
        default: return transaction(&random)
        }
    }

    /// The same for a connection that knows one database only, and nothing temporary.
    package mutating func unitOfMain(_ random: inout SplitMix64) -> [Statement] {
        let others = schema.tables.filter { $0.schema != nil }
        schema.tables.removeAll { $0.schema != nil }
        defer { schema.tables += others }
        return unit(&random)
    }

    /// Tells which columns the tables have by now.
    ///
    /// - Parameter columns: those of a table that can be written; none if it cannot be told.
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
        switch Int.random(in: 0..<60, using: &random) {
        case 0: return harmless(&random)
        case 1: return chance(2, &random) ? definition(&random) : opened(&random)
        case 2: return Statement(sql: "SELECT \(nested(&random))")
        default: return returning(change(&random), &random)
        }
    }

    /// A statement that changes rows, or would.
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

    // MARK: - How far they run

    /// A change that gives rows too, of which not all are read; or the change itself.
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

    /// A query in the middle of which other statements run.
    private func opened(_ random: inout SplitMix64) -> Statement {
        let table = pick(schema.tables, &random)
        var statement = Statement(sql: "SELECT * FROM \(table.qualifiedName)")
        statement.extent = .leftOpen
        return statement
    }

    /// A call that runs another statement.
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

    /// A WHERE clause that sometimes does more than to choose rows.
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
