import VigilTesting

// Statements that change the schema, and others that do not change rows
extension RandomWrites {
    /// Returns a statement that does not change any observed data.
    func harmless(_ random: inout SplitMix64) -> Statement {
        Statement(
            sql: pick(
                [
                    "PRAGMA user_version = \(Int.random(in: 1...9, using: &random))", "PRAGMA user_version",
                    "PRAGMA application_id = \(Int.random(in: 1...9, using: &random))",
                    "PRAGMA recursive_triggers = \(Int.random(in: 0...1, using: &random))",
                    "PRAGMA foreign_keys = \(Int.random(in: 0...1, using: &random))",
                    "PRAGMA defer_foreign_keys = 1", "PRAGMA incremental_vacuum",
                    "PRAGMA ignore_check_constraints = \(Int.random(in: 0...1, using: &random))",
                    "PRAGMA wal_checkpoint", "PRAGMA optimize", "PRAGMA foreign_key_check", "ANALYZE",
                    "REINDEX", "VACUUM", "VACUUM", "SELECT changes(), last_insert_rowid()",
                ], &random))
    }

    mutating func definition(_ random: inout SplitMix64) -> Statement {
        guard let table = schema.tables.filter({ !$0.isView }).randomElement(using: &random) else {
            return harmless(&random)
        }
        if let renamed, chance(2, &random) {
            self.renamed = nil
            return Statement(
                sql: "ALTER TABLE \(renamed.table) RENAME COLUMN \(renamed.to) TO \"\(renamed.from)\"")
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            return Statement(sql: pick(["DROP INDEX IF EXISTS t_0", "CREATE INDEX t_0 ON t(a)"], &random))
        case 2 where features.renamesColumns: return rename(table, &random)
        case 3 where features.renamesColumns:
            let name = table.qualifiedName
            let renamings = [("a", "b_"), ("b", "a"), ("b_", "b")].map { old, new in
                "ALTER TABLE \(name) RENAME COLUMN \(old) TO \(new)"
            }
            return Statement(sql: renamings.joined(separator: "; "))
        case 4 where features.dropsColumns:
            let added = table.columns.filter { $0 == "late" || $0.hasPrefix("n") && $0 != renamed?.to }
            guard let column = added.randomElement(using: &random) else { return add(table, &random) }
            return Statement(sql: "ALTER TABLE \(table.qualifiedName) DROP COLUMN \(column)")
        case 5: return rebuild(table, &random)
        case 6: return moveAway(table, &random)
        default: return add(table, &random)
        }
    }

    private mutating func add(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        addedColumns += 1
        return Statement(
            sql: "ALTER TABLE \(table.qualifiedName) ADD COLUMN n\(addedColumns) "
                + pick(["", "DEFAULT 5", "TEXT DEFAULT 'a'", "INTEGER NOT NULL DEFAULT 0"], &random))
    }

    /// Renames a column. Queries that read it fail until it is renamed back.
    private mutating func rename(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        guard renamed == nil else { return add(table, &random) }
        let old = pick(table.columns, &random)
        addedColumns += 1
        renamed = (table.qualifiedName, old, "n\(addedColumns)")
        return Statement(
            sql: "ALTER TABLE \(table.qualifiedName) RENAME COLUMN \"\(old)\" TO n\(addedColumns)")
    }

    /// Replaces a table by a copy of its rows, except for `t`: the copy lacks the key that other tables
    /// reference.
    private mutating func rebuild(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        guard table.name != "t" else { return add(table, &random) }
        let name = table.qualifiedName
        let copy = name + "_"
        return Statement(
            sql: "DROP TABLE IF EXISTS \(copy); "
                + "CREATE TABLE \(copy) AS SELECT * FROM \(name)\(schema.condition(on: table, &random)); "
                + "DROP TABLE \(name); ALTER TABLE \(copy) RENAME TO \(table.name)")
    }

    /// Renames a table, changes it, and renames it back.
    private mutating func moveAway(_ table: RandomSchema.Table, _ random: inout SplitMix64) -> Statement {
        let prefix = table.schema ?? "main"
        return Statement(
            sql: "ALTER TABLE \(table.qualifiedName) RENAME TO away; DELETE FROM \(prefix).away"
                + schema.condition(on: table, &random)
                + "; ALTER TABLE \(prefix).away RENAME TO \(table.name)")
    }
}
