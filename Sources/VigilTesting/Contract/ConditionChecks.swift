import VigilStorage

/// Checks the conditions that statements declare on rows. A backend need not declare any.
enum ConditionChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "conditionsNameWhatIsRead",
            promise: "Conditions name columns of tables that the statement reads.",
            conditionsNameWhatIsRead),
        .init(
            "conditionsAreNecessary",
            promise: "Rows that do not meet the conditions of a statement make no difference to its result.",
            conditionsAreNecessary),
        .init(
            "conditionsAreCurrent",
            promise:
                "The conditions of a statement hold until accessRevision changes, whatever happens to the schema.",
            conditionsAreCurrent),
    ]

    /// Statements, with values for their parameters. Statements that do not compile are skipped.
    private static let queries: [(sql: String, values: [[StorageValue]])] = [
        ("SELECT id FROM player WHERE score = ?", [[.integer(10)], [.real(10)], [.text("10")], [.null]]),
        ("SELECT * FROM player WHERE score > ? AND score <= 40", [[.integer(10)], [.null], [.text("a")]]),
        ("SELECT COUNT(*) FROM player WHERE name = ?", [[.text("p1")], [.text("P1")], [.blob([0x70])]]),
        ("SELECT MAX(score) FROM player WHERE id >= 2 AND name < ?", [[.text("p2")], [.blob([])]]),
        ("SELECT name FROM player WHERE score IS NULL", [[]]),
        ("SELECT name FROM player WHERE id IN (1, 5, ?) ORDER BY name", [[.integer(2)], [.null]]),
        ("SELECT id FROM player WHERE score BETWEEN 5 AND ? OR id = 2", [[.integer(20)]]),
        ("SELECT id FROM player WHERE score BETWEEN 5 AND ?", [[.integer(20)], [.null]]),
        ("SELECT id FROM player WHERE name LIKE 'p%'", [[]]),
        ("SELECT id FROM player WHERE name GLOB 'p*'", [[]]),
        ("SELECT id FROM player WHERE name LIKE ?", [[.text("P_")], [.text("%")], [.null], [.integer(5)]]),
        ("SELECT id FROM player WHERE score LIKE '1%'", [[]]),
        ("SELECT id FROM player WHERE name = ? COLLATE NOCASE", [[.text("P1")]]),
        ("SELECT a.id, b.id FROM player a, player b WHERE a.score = 10 AND b.id < ?", [[.integer(3)]]),
        (
            "SELECT a.id, b.id FROM player a LEFT JOIN player b ON b.score = 10 AND b.id = a.id WHERE a.id < 4",
            [[]]
        ),
        ("SELECT id, (SELECT COUNT(*) FROM player) FROM player WHERE score = ?", [[.integer(10)]]),
        ("SELECT id FROM player WHERE NOT (score = 10)", [[]]),
        // These fail for a player without the name 'q'.
        ("SELECT id FROM player WHERE abs(score) >= 0 AND name = 'q'", [[]]),
        ("SELECT id, abs(score) AS points FROM player WHERE points >= 0 AND name = ?", [[.text("q")]]),
    ]

    private static func players(_ fixture: ContractFixture) throws -> ContractConnection {
        let connection = try fixture.players()
        for (index, (name, score)) in [
            ("p1", .integer(10)), ("P1", .integer(20)), ("q", .null), ("P", .integer(40)), ("", .integer(-5)),
            ("5", .integer(5)), ("pq", .integer(10)),
        ].enumerated() as EnumeratedSequence<[(String, StorageValue)]> {
            try connection.execute(
                "INSERT INTO player VALUES (?, ?, ?)", [.integer(Int64(index + 1)), .text(name), score])
        }
        if connection.hasUntypedColumns {
            try connection.execute(
                "INSERT INTO player VALUES (?, ?, ?)", [.integer(8), .blob([0x70]), .integer(10)])
        }
        try connection.execute(
            "INSERT INTO player VALUES (?, ?, ?)", [.integer(9), .text("min"), .integer(.min)])
        return connection
    }

    /// Calls `body` with each compiled query of ``queries``.
    private static func onEachQuery(
        _ connection: ContractConnection, _ body: (any StorageStatement, [[StorageValue]]) throws -> Void
    ) throws {
        for (sql, values) in queries {
            guard let preparation = try? connection.storage.prepare(sql, fromUTF8Offset: 0, isCached: false),
                let statement = preparation.statement
            else { continue }
            defer { statement.finalize() }
            try body(statement, values)
        }
    }

    private static func conditionsNameWhatIsRead(_ fixture: ContractFixture) throws {
        let connection = try players(fixture)
        try onEachQuery(connection) { statement, _ in
            for conditions in statement.rowConditions.tables {
                let table = conditions.table
                try expectTrue(
                    statement.access.reads.contains { $0.table == table },
                    "\(statement.sql) reads \(table), on which it has conditions")
                try expectTrue(
                    !conditions.alternatives.isEmpty,
                    "\(statement.sql) has at least one list of conditions on \(table)")
                try expectTrue(
                    !conditions.alternatives.contains(where: \.isEmpty),
                    "\(statement.sql) has no empty list of conditions")
                let columns =
                    try connection.storage.table(table.name, in: table.schema)?.columns.map(\.name) ?? []
                for case .named(let name) in conditions.alternatives.joined().map(\.column) {
                    try expectTrue(columns.contains(name), "\(table) has the column \(name)")
                }
            }
        }
    }

    private static func conditionsAreNecessary(_ fixture: ContractFixture) throws {
        let connection = try players(fixture)
        try onEachQuery(connection) { statement, choices in
            for values in choices {
                try statement.bind(values)
                let conditions = statement.rowConditions(boundTo: values)
                try expectNecessary(conditions, of: statement, "\(values)", on: connection)
            }
        }
    }

    private static func conditionsAreCurrent(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 3)
        try fixture.require(connection.hasUntypedColumns, "columns of text are not compared with numbers")
        try connection.withStatement("SELECT id FROM player WHERE score = 10") { statement in
            let (revision, known) = (statement.accessRevision, statement.rowConditions)
            _ = try statement.allRows()
            statement.reset()
            // In this table, unlike in the first one, `score = 10` is true for the text '10'.
            try connection.execute(
                "DROP TABLE player; CREATE TABLE player(id INTEGER PRIMARY KEY, score TEXT)")
            try connection.execute("INSERT INTO player VALUES (1, '10'); INSERT INTO player VALUES (2, '20')")
            _ = try statement.allRows()
            statement.reset()
            let conditions = statement.accessRevision == revision ? known : statement.rowConditions
            try expectNecessary(
                conditions.bound { _ in .null }, of: statement, "after the table was replaced", on: connection
            )
        }
        guard let host = connection.storage as? any FunctionHosting else { return }
        for name in ["like", "glob"] {
            try expectCurrent(name, on: connection, host)
        }
    }

    /// Replaces the function behind an operator, and expects necessary conditions with the new function.
    private static func expectCurrent(
        _ name: String, on connection: ContractConnection, _ host: any FunctionHosting
    ) throws {
        let sql = "SELECT id FROM player WHERE score \(name) '1'"
        try connection.withStatement(sql) { statement in
            let (revision, known) = (statement.accessRevision, statement.rowConditions)
            let functions = host.functionRevision
            try host.add(
                StorageFunction(
                    name: name, argumentCount: 2, isPure: true, body: .scalar { _ in .integer(1) }))
            try expectTrue(
                host.functionRevision > functions, "functionRevision is the same after \(name) was added")
            let conditions = statement.accessRevision == revision ? known : statement.rowConditions
            try expectNecessary(
                conditions.bound { _ in .null }, of: statement, "after the function was replaced",
                on: connection)
        }
    }

    // MARK: - Rows

    /// Expects the same result after the rows that do not meet the conditions are deleted, in a transaction
    /// that is rolled back.
    private static func expectNecessary(
        _ conditions: [TableName: [[RowCondition]]], of statement: any StorageStatement,
        _ circumstance: String, on connection: ContractConnection
    ) throws {
        guard let alternatives = conditions[ContractConnection.player] else { return }
        let expected = outcome(statement)
        let names = try connection.storage.table("player", in: nil)?.columns.map(\.name) ?? []
        let rows = try connection.rows("SELECT \(names.joined(separator: ", ")) FROM player")
        try connection.begin()
        for row in rows where !alternatives.contains(where: { row.meets($0, names) }) {
            try connection.execute("DELETE FROM player WHERE id = ?", [row[0]])
        }
        let found = outcome(statement)
        try connection.storage.perform(.rollback)
        try expectEqual(
            found, expected,
            "\(statement.sql), \(circumstance), without rows that do not meet its conditions")
    }

    /// Returns the rows of a statement; `nil` if it fails.
    private static func outcome(_ statement: any StorageStatement) -> [[StorageValue]]? {
        defer { statement.reset() }
        return try? statement.allRows()
    }
}

extension [StorageValue] {
    /// Returns whether the row meets all conditions. The first column is also the row id.
    fileprivate func meets(_ conditions: [RowCondition], _ columns: [String]) -> Bool {
        conditions.allSatisfy { condition in
            switch condition.column {
            case .rowID: condition.isMet(by: self[0])
            case .named(let name):
                columns.firstIndex(of: name).map { condition.isMet(by: self[$0]) } ?? false
            }
        }
    }
}

extension RowCondition {
    fileprivate func isMet(by value: StorageValue) -> Bool {
        func order(_ other: StorageValue) -> Int { collated(value).order(to: collated(other)) }
        switch test {
        case .isNull: return value == .null
        case _ where value == .null: return false
        case .isNotNull: return true
        case .oneOf(let others): return others.contains { order($0) == 0 }
        case .range(let lower, let upper):
            let isAbove = lower.map { order($0.value) > 0 || ($0.isIncluded && order($0.value) == 0) }
            let isBelow = upper.map { order($0.value) < 0 || ($0.isIncluded && order($0.value) == 0) }
            return isAbove ?? true && isBelow ?? true
        case .prefix(let prefix):
            guard case .text(let text) = value else { return true }
            guard collation == .nocase else { return text.utf8.starts(with: prefix.utf8) }
            return text.foldedName.utf8.starts(with: prefix.foldedName.utf8)
        }
    }

    /// Returns text with bytes in the order of the collation.
    private func collated(_ value: StorageValue) -> StorageValue {
        guard case .text(let text) = value else { return value }
        switch collation {
        case .binary: return value
        case .nocase: return .text(text.foldedName)
        case .rtrim:
            return .text(String(decoding: text.utf8.reversed().drop { $0 == 0x20 }.reversed(), as: UTF8.self))
        }
    }
}
