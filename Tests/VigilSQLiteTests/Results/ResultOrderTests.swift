import VigilStorage
import XCTest

/// The orders of results whose last row bounds the rows that matter.
final class ResultOrderTests: RecognitionTestCase {
    private func assertFinds(
        _ expected: String?, inQuery sql: String, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        for (name, connection) in try sharedConnections() {
            // Old libraries have no places of NULL, and no window functions.
            let preparation = try? connection.prepare(sql, fromUTF8Offset: 0, isCached: false)
            guard let statement = preparation?.statement else {
                XCTAssertTrue(sql.contains("NULLS") || sql.contains("OVER"), "\(name): \(sql)")
                continue
            }
            defer { statement.finalize() }
            XCTAssertEqual(
                statement.rowConditions.order?.text, expected, "\(name): \(sql)", file: file, line: line)
        }
    }

    func testTheFirstTermOfTheOrderBoundsTheResult() throws {
        for (order, expected) in [
            ("score", "score <= … OR score IS NULL"), ("player.score DESC", "score >= …"),
            ("score ASC, name", "score <= … OR score IS NULL"), ("id DESC", "rowid >= …"),
            ("rowid DESC", "rowid >= …"), ("name COLLATE NOCASE DESC", "name >= …"),
            ("nick DESC", "nick >= …"),
            ("score NULLS LAST", "score <= …"), ("score DESC NULLS FIRST", "score >= … OR score IS NULL"),
        ] {
            try assertFinds(expected, inQuery: "SELECT * FROM player ORDER BY \(order)")
        }
        try assertFinds("score >= …", inQuery: "SELECT name, score AS s FROM player ORDER BY s DESC LIMIT 3")
        try assertFinds("score >= …", inQuery: "SELECT name, score FROM player ORDER BY 2 DESC LIMIT ?")
        try assertFinds("v >= …", inQuery: "SELECT * FROM keyed ORDER BY v DESC")
    }

    func testTheMaximumAndTheMinimumBoundTheResult() throws {
        for (result, expected) in [
            ("MAX(score)", "score >= …"), ("min(player.score)", "score <= …"), ("MAX(id) AS m", "rowid >= …"),
            ("MAX(score) + 1", nil), ("MAX(score), name", nil), ("MAX(score + 1)", nil),
            ("MAX(score, 1)", nil),
            ("DISTINCT MAX(score)", nil), ("MAX(DISTINCT score)", nil), ("SUM(score)", nil),
            ("MAX(score) OVER ()", nil), ("MAX(code)", nil),
        ] {
            try assertFinds(expected, inQuery: "SELECT \(result) FROM player")
        }
        try assertFinds("score >= …", inQuery: "SELECT MAX(score) FROM player WHERE team = 1")
        try assertFinds(nil, inQuery: "SELECT MAX(score) FROM player GROUP BY team")
        try assertFinds(nil, inQuery: "SELECT (SELECT MAX(score) FROM player)")
    }

    func testOrdersThatAreNotCertainBoundNothing() throws {
        for order in [
            "score + 1", "-score", "random()", "score, random()", "code", "lower(name)", "score || 1",
        ] {
            try assertFinds(nil, inQuery: "SELECT * FROM player ORDER BY \(order) LIMIT 2")
        }
        // Without the value, nothing is known about the last row.
        try assertFinds(nil, inQuery: "SELECT name FROM player ORDER BY score LIMIT 2")
        // An expression may fail for a row that is not among the first ones.
        try assertFinds(nil, inQuery: "SELECT score, abs(age) FROM player ORDER BY score LIMIT 2")
        try assertFinds(nil, inQuery: "SELECT * FROM player WHERE abs(age) > 1 ORDER BY score LIMIT 2")
        try assertFinds(nil, inQuery: "SELECT DISTINCT score FROM player ORDER BY score LIMIT 2")
        try assertFinds(nil, inQuery: "SELECT score FROM player GROUP BY score ORDER BY score LIMIT 2")
        try assertFinds(nil, inQuery: "SELECT score FROM player UNION SELECT 1 ORDER BY score LIMIT 2")
        try assertFinds(nil, inQuery: "SELECT score FROM best ORDER BY score LIMIT 2")
    }

    func testEqualitiesWithOtherTypesBoundNothing() throws {
        for condition in [
            "name = team", "name == player.id", "(team) IS name", "name = CAST('1' AS INTEGER)",
            "age > 1 AND (name = team OR name = 'a')", "name = nick AND nick = team", "name = note",
        ] {
            try assertFinds(nil, inQuery: "SELECT * FROM player WHERE \(condition) ORDER BY name LIMIT 2")
            try assertFinds(nil, inQuery: "SELECT MIN(name) FROM player WHERE \(condition)")
        }
        try assertFinds(nil, inQuery: "SELECT * FROM player WHERE note = team ORDER BY note LIMIT 2")
        try assertFinds(nil, inQuery: "SELECT name AS k FROM player WHERE k = team ORDER BY k LIMIT 2")
        let join = "SELECT p.* FROM player p JOIN team t ON t.id = p.name ORDER BY p.name LIMIT 2"
        try assertFinds(nil, inQuery: join)
    }

    func testEqualitiesWithTheSameTypeKeepTheBound() throws {
        let expected = "name <= … OR name IS NULL"
        for condition in [
            "name = 'a'", "? = player.name", "name = 'a' OR name = 'b'", "name = nick", "score = team",
            "name IS NOT NULL AND team = 1",
        ] {
            try assertFinds(
                expected, inQuery: "SELECT * FROM player WHERE \(condition) ORDER BY name LIMIT 2")
        }
        let join = "SELECT p.* FROM player p JOIN team t ON t.name = p.name ORDER BY p.name LIMIT 2"
        try assertFinds(expected, inQuery: join)
        let number = "SELECT * FROM player WHERE team = name ORDER BY team DESC LIMIT 2"
        try assertFinds("team >= …", inQuery: number)
    }

    func testOnlyATableInOnePlaceIsBounded() throws {
        let order = "ORDER BY p.score DESC LIMIT 2"
        try assertFinds(
            "score >= …", inQuery: "SELECT p.* FROM player p JOIN plain t ON t.a = p.team \(order)")
        try assertFinds(
            "score >= …", inQuery: "SELECT p.* FROM player p LEFT JOIN plain t ON t.a = p.team \(order)")
        try assertFinds(nil, inQuery: "SELECT p.* FROM plain t LEFT JOIN player p ON t.a = p.team \(order)")
        try assertFinds(nil, inQuery: "SELECT p.* FROM player p JOIN player q ON p.id = q.team \(order)")
        try assertFinds(
            nil,
            inQuery: "SELECT p.* FROM player p WHERE EXISTS (SELECT 1 FROM player WHERE age > p.age) \(order)"
        )
        try assertFinds(
            nil, inQuery: "SELECT p.* FROM player p, plain t ORDER BY p.score NULLS LAST LIMIT 2")
    }

    func testAnExpressionIsNoKnownLimit() throws {
        for (limit, expected) in [
            ("2", RowConditionTemplate.Operand.value(.integer(2))), ("2 OFFSET 4", .value(.integer(2))),
            ("?", .parameter(1)), ("2, 4", .value(.integer(4))), ("1 + 1", nil), ("-1", .value(.integer(-1))),
        ] {
            for (name, connection) in try sharedConnections() {
                let statement = try connection.prepared("SELECT * FROM player ORDER BY score LIMIT \(limit)")
                defer { statement.finalize() }
                let order = try XCTUnwrap(statement.rowConditions.order, "\(name): \(limit)")
                XCTAssertEqual(order.limit, expected, "\(name): \(limit)")
            }
        }
    }

    // MARK: - Bounds

    private func conditions(_ value: StorageCell, nullsAreLast: Bool) -> [[RowCondition.Test]]? {
        ResultOrder(
            TableName(name: "t"), .named("a"), resultColumn: 0, isDescending: true, nullsAreLast: nullsAreLast
        ).conditions(through: value)?.map { $0.map(\.test) }
    }

    func testTheBoundIsIncludedBecauseOfTies() {
        let range = RowCondition.Test.range(lower: .init(.integer(5), isIncluded: true), upper: nil)
        XCTAssertEqual(conditions(StorageCell(integer: 5), nullsAreLast: true), [[range]])
        XCTAssertEqual(conditions(StorageCell(integer: 5), nullsAreLast: false), [[range], [.isNull]])
    }

    func testBehindNullIsNothingOrEverything() {
        XCTAssertNil(conditions(.null, nullsAreLast: true))
        XCTAssertEqual(conditions(.null, nullsAreLast: false), [[.isNull]])
    }

    func testTextThatACopyDoesNotEqualIsNoBound() {
        for (bytes, isBound) in [
            (Array("abc".utf8), true), ([0x61, 0xFF], false), ([0x61, 0], false),
            (Array(repeating: 0x61, count: 1_001), false),
        ] {
            bytes.withUnsafeBytes { bytes in
                let found = conditions(StorageCell(borrowingText: bytes), nullsAreLast: true)
                XCTAssertEqual(found != nil, isBound, "\(bytes.count)")
            }
        }
    }
}
