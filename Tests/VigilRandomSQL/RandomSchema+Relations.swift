package import VigilTesting

extension RandomSchema {
    /// Creates a schema of tables with foreign keys, triggers that write to other tables, views, and a second
    /// database with a table of the same name as in the first one.
    ///
    /// - Parameter second: The name of the second database.
    package init(relatedIn second: String?, _ features: SQLFeatures, _ random: inout SplitMix64) {
        self.init(values: RandomValues(&random))
        add("t", with: Additions(constraints: constraints(&random), isParent: true), &random)
        for name in ["u", "V"] {
            var additions = reference(&random)
            additions.constraints = constraints(&random)
            if features.hasGeneratedColumns, chance(2, &random) {
                additions.definitions.append(
                    pick(["g AS (a || 'x')", "g AS (a) STORED", "g TEXT AS (b || a) STORED"], &random))
                additions.generated = ["g"]
            }
            add(name, with: additions, &random)
        }
        if let second { add(pick(["u", "t"], &random), in: second, &random) }
        for number in 0..<pick([0, 1, 2, 2, 3], &random) {
            if let trigger = trigger(number, &random) { sql.append(trigger) }
        }
        if chance(2, &random) { addView(&random) }
    }

    /// Returns a column `ref` that references a row of `t`.
    private mutating func reference(_ random: inout SplitMix64) -> Additions {
        guard !chance(4, &random) else { return Additions() }
        let actions = ["", "CASCADE", "SET NULL", "SET DEFAULT", "RESTRICT", "NO ACTION", "CASCADE"]
        var definition = "ref REFERENCES t(id)"
        for event in ["DELETE", "UPDATE"] {
            let action = pick(actions, &random)
            if !action.isEmpty { definition += " ON \(event) \(action)" }
        }
        if chance(3, &random) { definition += " DEFERRABLE INITIALLY DEFERRED" }
        return Additions(definitions: [definition], columns: ["ref"])
    }

    /// Returns UNIQUE and CHECK constraints, some with a conflict clause.
    private func constraints(_ random: inout SplitMix64) -> [String] {
        guard chance(3, &random) else { return [] }
        let action = ["", "", "", " ON CONFLICT REPLACE", " ON CONFLICT IGNORE", " ON CONFLICT FAIL"]
        return (0..<pick([1, 2, 2], &random)).map { _ in
            switch Int.random(in: 0..<6, using: &random) {
            case 0: "UNIQUE(a, b)\(pick(action, &random))"
            case 1: "CHECK (a IS NOT \(values.sql(&random)))"
            case 2, 3: "UNIQUE(a)\(pick(action, &random))"
            default: "UNIQUE(b)\(pick(action, &random))"
            }
        }
    }

    private func trigger(_ number: Int, _ random: inout SplitMix64) -> String? {
        let own = tables.filter { $0.schema == nil && !$0.isView }
        guard let table = own.randomElement(using: &random), let other = own.randomElement(using: &random)
        else { return nil }
        let column = pick(table.columns, &random)
        let event = pick(["INSERT", "DELETE", "UPDATE", "UPDATE OF \"\(column)\""], &random)
        let row = event == "DELETE" ? "OLD" : pick(event == "INSERT" ? ["NEW"] : ["NEW", "OLD"], &random)
        let value = "\(row).\"\(column)\""
        let target = pick(other.columns, &random)
        let action =
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: "UPDATE \(other.name) SET \"\(target)\" = \(value)\(condition(on: other, &random))"
            case 2: "DELETE FROM \(other.name) WHERE \"\(target)\" = \(value)"
            case 3: "INSERT OR IGNORE INTO \(other.name)(\"\(target)\") VALUES (\(value))"
            case 4: "REPLACE INTO \(other.name)(\"\(target)\") VALUES (\(value))"
            case 5:
                "SELECT RAISE(\(pick(["IGNORE", "ABORT, 'no'", "FAIL, 'no'", "ROLLBACK, 'no'"], &random)))"
                    + " WHERE \(value) = \(values.sql(&random))"
            default:
                "UPDATE \(other.name) SET \"\(target)\" = \(values.sql(&random))"
                    + condition(on: other, &random)
            }
        let when = chance(3, &random) ? " WHEN \(value) IS NOT \(values.sql(&random))" : ""
        let time = pick(["BEFORE", "AFTER"], &random)
        return "CREATE TRIGGER r\(number) \(time) \(event) ON \(table.name)\(when) BEGIN \(action); END"
    }

    /// Returns a WHERE clause on one table, or an empty string.
    package func condition(on table: Table, _ random: inout SplitMix64) -> String {
        guard !chance(4, &random) else { return "" }
        let column = pick(table.columns + [table.key, table.key], &random)
        let symbol = pick(["=", "=", "IS", "<", ">=", "<>", "IS NOT"], &random)
        return " WHERE \"\(column)\" \(symbol) \(values.sql(&random))"
    }

    private mutating func addView(_ random: inout SplitMix64) {
        var view = pick(tables.filter { $0.schema == nil }, &random)
        view.viewed = view.name
        view.name = "w"
        tables.append(view)
        sql += definitions(of: view, &random)
    }

    /// Returns the statements that create a view with a random condition, and a trigger that makes it
    /// insertable.
    func definitions(of view: Table, _ random: inout SplitMix64) -> [String] {
        guard let table = view.viewed else { return [] }
        let columns = view.columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let values = view.columns.map { "NEW.\"\($0)\"" }.joined(separator: ", ")
        return [
            "CREATE VIEW \(view.name) AS SELECT \(columns) FROM \(table)\(condition(on: view, &random))",
            """
            CREATE TRIGGER r\(view.name) INSTEAD OF INSERT ON \(view.name) BEGIN \
            INSERT OR REPLACE INTO \(table)(\(columns)) VALUES (\(values)); END
            """,
        ]
    }
}

func chance(_ n: Int, _ random: inout SplitMix64) -> Bool {
    Int.random(in: 0..<n, using: &random) == 0
}

func pick<T>(_ values: [T], _ random: inout SplitMix64) -> T {
    values[Int.random(in: values.indices, using: &random)]
}
