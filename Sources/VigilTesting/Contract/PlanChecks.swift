import VigilStorage

/// Checks the plans by which the rows of statements are updated one by one. A backend need not have any.
enum PlanChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "plansReturnTheSameRows",
            promise:
                "The statement of a plan returns the rows of the planned statement, in the order of the plan. With a window, it returns the first rows.",
            plansReturnTheSameRows),
        .init(
            "plansFindRowsByTheirIDs",
            promise:
                "The statement of a source returns the rows of the result that contain a row of this source.",
            plansFindRowsByTheirIDs),
        .init(
            "plansNameAllDependencies",
            promise:
                "Rows of the result change only if a row of a source that they contain or a watched table does.",
            plansNameAllDependencies),
    ]

    /// Statements, with values for their parameters. Statements without a plan are skipped.
    private static let queries: [(sql: String, values: [StorageValue])] = [
        ("SELECT id, name FROM player", []),
        ("SELECT name, score FROM player ORDER BY score", []),
        ("SELECT * FROM player WHERE score > ? ORDER BY name DESC", [.integer(10)]),
        (
            "SELECT * FROM player WHERE score > ? OR name = ? ORDER BY score DESC",
            [.integer(20), .text("p1")]
        ),
        ("SELECT name FROM player ORDER BY name COLLATE NOCASE, score DESC", []),
        ("SELECT score AS name, name AS score FROM player ORDER BY score, id DESC", []),
        ("SELECT a.name, b.name FROM player a, player b WHERE b.score = a.score ORDER BY a.name, b.id", []),
        (
            "SELECT a.id, b.name FROM player a JOIN player b ON b.id = a.id + 1 WHERE a.score < ?",
            [.integer(40)]
        ),
        ("SELECT a.id, b.name FROM player a LEFT JOIN player b ON b.id = a.id + 1 ORDER BY b.score", []),
        ("SELECT id, (SELECT COUNT(*) FROM team WHERE team.rank < player.score) FROM player ORDER BY id", []),
        ("SELECT id FROM player WHERE EXISTS (SELECT 1 FROM team WHERE team.rank = player.score)", []),
        ("SELECT name, title FROM player JOIN team ON team.rank = player.score ORDER BY title, name", []),
        ("SELECT MAX(score) FROM player", []),
        ("SELECT name FROM player ORDER BY score LIMIT 2", []),
        (
            "SELECT name FROM player WHERE score < ? ORDER BY score DESC LIMIT ? OFFSET 1",
            [.integer(50), .integer(2)]
        ),
        ("SELECT a.id FROM player a JOIN player b ON b.id = a.id + 1 ORDER BY b.score LIMIT 1, 2", []),
    ]

    private static func players(_ fixture: ContractFixture) throws -> ContractConnection {
        let connection = try fixture.players()
        for (index, (name, score)) in [
            ("p1", .integer(10)), ("P2", .integer(20)), ("q", .null), ("p4", .integer(40)),
            ("p5", .integer(10)),
        ].enumerated() as EnumeratedSequence<[(String, StorageValue)]> {
            try connection.execute(
                "INSERT INTO player VALUES (?, ?, ?)", [.integer(Int64(index + 1)), .text(name), score])
        }
        let (integer, text) = (connection.dialect.type("INTEGER"), connection.dialect.type("TEXT"))
        try connection.execute("CREATE TABLE team(\(connection.key), title \(text), rank \(integer))")
        try connection.execute("INSERT INTO team VALUES (1, 'Reds', 10)")
        try connection.execute("INSERT INTO team VALUES (2, 'Blues', 40)")
        return connection
    }

    /// Calls `body` with each planned query of ``queries``.
    private static func onEachPlan(
        _ fixture: ContractFixture, _ body: (ContractConnection, PlannedQuery) throws -> Void
    ) throws {
        let connection = try players(fixture)
        var count = 0
        for (sql, values) in queries {
            guard let preparation = try? connection.storage.prepare(sql, fromUTF8Offset: 0, isCached: false),
                let statement = preparation.statement
            else { continue }
            defer { statement.finalize() }
            guard case .plan(let plan) = statement.listPlan else { continue }
            count += 1
            try body(connection, PlannedQuery(statement: statement, values: values, plan: plan))
        }
        try fixture.require(count > 0, "it has no plans")
    }

    private static func plansReturnTheSameRows(_ fixture: ContractFixture) throws {
        try onEachPlan(fixture) { connection, query in
            let (statement, plan) = (query.statement, query.plan)
            try expectEqual(plan.columnCount, statement.columnNames.count, "the columns of \(statement.sql)")
            try expectEqual(
                plan.parameterCount, statement.parameterCount, "the parameters of \(statement.sql)")
            try statement.bind(query.values)
            let expected = try statement.allRows()
            statement.reset()
            let rows = try query.rows(connection)
            let (visible, others) = (
                rows.map { "\($0.prefix(plan.columnCount))" }, expected.map { "\($0[...])" }
            )
            if let window = plan.window {
                let range = try WindowRange(window) { query.values[$0 - 1] }
                let end = min(range.limit.map { range.offset + $0 } ?? .max, rows.count)
                let first = try query.rows(connection, first: Int64(end))
                try expectEqual(
                    first.map { "\($0)" }, rows.prefix(end).map { "\($0)" }, "the first rows of \(plan.sql)")
                // The statement may return any of the rows with equal values.
                try expectEqual(
                    others.count, max(0, end - range.offset), "the number of rows of \(statement.sql)")
                try expectTrue(
                    others.allSatisfy(visible.contains), "\(plan.sql) returns the rows of \(statement.sql)")
            } else {
                try expectEqual(
                    visible.sorted(), others.sorted(), "the rows of \(plan.sql), for \(statement.sql)")
            }
            for row in rows {
                try expectEqual(
                    row.count, plan.width,
                    "the width of \(plan.sql)")
                for (source, id) in zip(plan.sources, query.ids(row)) {
                    try expectTrue(
                        id != nil || source.isOptional, "\(plan.sql) returns the row id of \(source.table)")
                }
            }
            for (row, next) in zip(rows, rows.dropFirst()) {
                try expectTrue(
                    query.order(row, next) <= 0, "\(plan.sql) returns \(row) before \(next), by its terms")
            }
        }
    }

    private static func plansFindRowsByTheirIDs(_ fixture: ContractFixture) throws {
        try onEachPlan(fixture) { connection, query in
            let rows = try query.rows(connection)
            for (index, source) in query.plan.sources.enumerated() {
                guard let sql = source.rowSQL else { continue }
                for id in 1...Int64(6) {
                    let found = try connection.rows(sql, query.values + [.integer(id)])
                    let expected = rows.filter { query.ids($0)[index] == id }
                    try expectEqual(
                        found.map { "\($0)" }.sorted(), expected.map { "\($0)" }.sorted(),
                        "the rows with row \(id) of \(source.table), by \(sql)")
                }
            }
        }
    }

    private static func plansNameAllDependencies(_ fixture: ContractFixture) throws {
        let changes: [(sql: String, table: String, id: Int64)] = [
            ("UPDATE player SET score = 40 WHERE id = 1", "player", 1),
            ("UPDATE player SET name = 'q9' WHERE id = 3", "player", 3),
            ("DELETE FROM player WHERE id = 4", "player", 4),
            ("INSERT INTO player VALUES (6, 'p6', 10)", "player", 6),
            ("UPDATE team SET rank = 20 WHERE id = 1", "team", 1),
            ("DELETE FROM team WHERE id = 2", "team", 2),
            ("INSERT INTO team VALUES (3, 'Greens', 10)", "team", 3),
        ]
        try onEachPlan(fixture) { connection, query in
            let rows = try query.rows(connection)
            let beside = (query.plan.watched.map(\.table) + query.plan.links.map(\.table)).map(\.name)
            for change in changes where !beside.contains(change.table) {
                try connection.begin()
                try connection.execute(change.sql)
                let changed = try query.rows(connection)
                try connection.storage.perform(.rollback)
                let others = [rows, changed].map { rows in
                    rows.filter { !query.contains(change.id, of: change.table, in: $0) }.map { "\($0)" }
                        .sorted()
                }
                try expectEqual(
                    others[1], others[0],
                    "the rows of \(query.plan.sql) without row \(change.id) of \(change.table), after \(change.sql)"
                )
            }
        }
    }
}

/// A statement, the values of its parameters, and its plan.
private struct PlannedQuery {
    let statement: any StorageStatement
    let values: [StorageValue]
    let plan: ListPlan

    /// Returns all rows with their hidden columns, without the window of the statement.
    ///
    /// - Parameter count: the number of rows of a window; a negative one for all.
    func rows(_ connection: ContractConnection, first count: Int64 = -1) throws -> [[StorageValue]] {
        try connection.rows(plan.sql, plan.window == nil ? values : values + [.integer(count)])
    }

    /// Returns the row id of each source; `nil` if the row is missing.
    func ids(_ row: [StorageValue]) -> [Int64?] {
        plan.keyColumns.prefix(plan.sources.count).map { column in
            guard case .integer(let id) = row[column] else { return nil }
            return id
        }
    }

    func contains(_ id: Int64, of table: String, in row: [StorageValue]) -> Bool {
        zip(plan.sources, ids(row)).contains { $0.table.name == table && $1 == id }
    }

    /// Compares the places of two rows. In a window, rows with equal values have different places too.
    func order(_ a: [StorageValue], _ b: [StorageValue]) -> Int {
        for (term, column) in zip(plan.terms, plan.keyColumns.dropFirst(plan.sources.count)) {
            let order = term.order(a[column], b[column])
            if order != 0 { return order }
        }
        guard plan.window != nil else { return 0 }
        for column in plan.keyColumns.prefix(plan.sources.count) where a[column] != b[column] {
            let order = a[column] == .null ? -1 : b[column] == .null ? 1 : a[column].order(to: b[column])
            return plan.terms.last?.isDescending == true ? -order : order
        }
        return 0
    }
}

extension ListPlan.SortTerm {
    fileprivate func order(_ a: StorageValue, _ b: StorageValue) -> Int {
        if a == .null || b == .null {
            if a == b { return 0 }
            return (a == .null) == nullsAreLast ? 1 : -1
        }
        let order = folded(a).order(to: folded(b))
        return isDescending ? -order : order
    }

    private func folded(_ value: StorageValue) -> StorageValue {
        guard collation == .nocase, case .text(let text) = value else { return value }
        return .text(text.foldedName)
    }
}
