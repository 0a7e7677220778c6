import VigilStorage
import XCTest

/// The plans of statements with LIMIT.
final class WindowPlanTests: XCTestCase {
    private static let schema = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, team, score);
        CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
        CREATE INDEX byScore ON player(score);
        INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
        INSERT INTO player VALUES (5, 'Ann', 1, 10), (6, 'Bob', 2, 30), (7, 'Cid', 2, 10), (8, 'dan', 2, NULL);
        """

    private func onEachPlan(
        _ sql: String, _ body: (any StorageConnection, ListPlan, String) throws -> Void
    ) throws {
        for named in NamedBackend.all {
            let connection = try named.open(Self.schema)
            guard case .plan(let plan) = try connection.withStatement(sql, { $0.listPlan }) else {
                XCTFail("\(named.name): no plan of \(sql)")
                continue
            }
            try body(connection, plan, named.name)
        }
    }

    /// Asserts the statement for the first rows, behind its result columns.
    private func assertWindow(
        _ sql: String, _ window: ListPlan.Window, _ end: String, file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        try onEachPlan(sql) { _, plan, name in
            XCTAssertEqual(plan.window, window, name, file: file, line: line)
            let text = plan.sql.split(separator: " FROM ", maxSplits: 1).last.map(String.init)
            XCTAssertEqual(text, end, name, file: file, line: line)
        }
    }

    func testTheRowIDsCompleteTheOrder() throws {
        let three = RowConditionTemplate.Operand.value(.integer(3))
        try assertWindow(
            "SELECT * FROM player ORDER BY score DESC LIMIT 3;", .init(limit: three),
            "player ORDER BY score DESC, \"player\".rowid DESC LIMIT ?1")
        try assertWindow(
            "SELECT name FROM player p ORDER BY score DESC, name /* x */ LIMIT 3 OFFSET 4 -- y",
            .init(limit: three, offset: .value(.integer(4))),
            "player p ORDER BY score DESC, name, \"p\".rowid LIMIT ?1")
        try assertWindow(
            "SELECT name FROM player WHERE team = ? LIMIT :offset, :limit",
            .init(limit: .parameter(3), offset: .parameter(2)),
            "player WHERE team = ? ORDER BY \"player\".rowid LIMIT ?4")
        try assertWindow(
            "SELECT name FROM player LIMIT -1", .init(limit: .value(.integer(-1))),
            "player ORDER BY \"player\".rowid LIMIT ?1")
    }

    func testTheRowIDsOfTheTableSortedFirstPrecedeOthers() throws {
        let sql = "SELECT team.name, p.name FROM team JOIN player p ON p.team = team.id"
        try onEachPlan(sql + " ORDER BY p.score DESC LIMIT 2") { _, plan, name in
            XCTAssertEqual(plan.sources.map(\.table.name), ["player", "team"], name)
            XCTAssertTrue(
                plan.sql.hasSuffix("ORDER BY p.score DESC, \"p\".rowid DESC, \"team\".rowid DESC LIMIT ?1"),
                plan.sql)
        }
        try onEachPlan(sql + " LIMIT 2") { _, plan, name in
            XCTAssertEqual(plan.sources.map(\.table.name), ["team", "player"], name)
        }
        try onEachPlan(sql + " ORDER BY p.score") { _, plan, name in
            XCTAssertEqual(plan.sources.map(\.table.name), ["team", "player"], name)
        }
    }

    func testTheStatementReturnsTheFirstRows() throws {
        let sql = "SELECT name FROM player WHERE id > ? ORDER BY score LIMIT ?"
        try onEachPlan(sql) { connection, plan, name in
            func names(_ count: Int64) throws -> [StorageValue] {
                try connection.run(plan.sql, [.integer(0), .integer(1), .integer(count)]).map { $0[0] }
            }
            XCTAssertEqual(try names(3), ["dan", "Ann", "Cid"].map { .text($0) }, name)
            XCTAssertEqual(try names(-1).count, 4, name)
            let row = try XCTUnwrap(plan.sources[0].rowSQL)
            XCTAssertEqual(
                try connection.run(row, [.integer(0), .integer(1), .integer(6)]).map { $0[0] }, [.text("Bob")]
            )
        }
    }

    func testAnIndexSuppliesTheOrder() throws {
        for sql in [
            "SELECT name, score FROM player ORDER BY score DESC LIMIT 3",
            "SELECT p.name, t.name FROM team t JOIN player p ON t.id = p.team ORDER BY p.score LIMIT 3",
        ] {
            try onEachPlan(sql) { connection, plan, name in
                let steps = try connection.run("EXPLAIN QUERY PLAN " + plan.sql, [.integer(3)])
                XCTAssertFalse("\(steps)".contains("TEMP B-TREE"), "\(name): \(steps)")
            }
        }
    }

    func testTheLastRowBoundsTheRegion() throws {
        try onEachPlan("SELECT name FROM player ORDER BY score DESC LIMIT 3") { connection, plan, name in
            let order = try connection.withStatement(plan.sql) { $0.rowConditions.order }
            XCTAssertEqual(order?.limit, .parameter(1), name)
            XCTAssertEqual(order?.column, .named("score"), name)
        }
    }

    func testJoinsWithAPlaceOfNullAreRefused() throws {
        for named in NamedBackend.all {
            let connection = try named.open(Self.schema)
            let sql = "SELECT 1 FROM player p JOIN team t ON t.id = p.team ORDER BY score NULLS LAST LIMIT 2"
            // Old libraries do not have these words.
            guard let report = try? connection.withStatement(sql, { $0.listPlan }) else { continue }
            XCTAssertEqual(report, .refused("it is a join with LIMIT and a place of NULL"))
        }
    }
}
