import Vigil
import VigilStorage
import XCTest

@testable import VigilEngine

/// Tests that the rows of unchanged closures are updated one by one, in the order of their statements.
final class LiveRowTests: XCTestCase {
    private static let best = "SELECT * FROM player ORDER BY score DESC LIMIT 3"

    /// Makes changes until results are kept.
    private func warmUp(_ fixture: ResultFixture) throws {
        for score in 1...2 { try fixture.write("UPDATE player SET score = \(score) WHERE id = 1") }
    }

    /// Asserts that all results are kept, and returns the numbers of their updates.
    @discardableResult
    private func assertKept(
        _ fixture: ResultFixture, updates: Int, file: StaticString = #filePath, line: UInt = #line
    ) throws -> [ResultStatistics] {
        let all = try fixture.statistics(file: file, line: line)
        XCTAssertFalse(all.isEmpty, file: file, line: line)
        for statistics in all {
            XCTAssertNil(statistics.failure, statistics.sql, file: file, line: line)
            XCTAssertGreaterThanOrEqual(
                statistics.updateCount, updates, statistics.sql, file: file, line: line)
            XCTAssertGreaterThan(statistics.byteCount, 0, file: file, line: line)
        }
        return all
    }

    func testRowsWithEqualValuesKeepTheOrderOfTheStatement() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(
                writer,
                [
                    Self.best, "SELECT name, score FROM player ORDER BY score LIMIT 3 OFFSET 1",
                    "SELECT id, name FROM player WHERE name > 'A' ORDER BY team DESC, score",
                    "SELECT name FROM player WHERE score > 5",
                ])
            for id in 20..<26 { try fixture.write("INSERT INTO player VALUES (\(id), 2, 'Eve', 30)") }
            try fixture.write("UPDATE player SET score = 30 WHERE id IN (1, 2, 22)")
            try fixture.write("UPDATE player SET score = 29, team = 3 WHERE id = 20")
            try fixture.write("DELETE FROM player WHERE id IN (2, 21, 22)")
            try fixture.write("UPDATE player SET id = 19 WHERE id = 24")
            try fixture.write("UPDATE player SET score = NULL WHERE id = 25")
            XCTAssertEqual(try assertKept(fixture, updates: 5).count, 4)
        }
    }

    func testWritesBehindAWindowNeedNoFetch() throws {
        try onEachResultWriter { writer in
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE entry(id INTEGER PRIMARY KEY, score INTEGER)")
                for id in 1...200 { try db.execute(sql: "INSERT INTO entry VALUES (\(id), \(id))") }
            }
            // With a condition, bounds need no row images.
            let fixture = try ResultFixture(
                writer, ["SELECT * FROM entry WHERE score > 0 ORDER BY score DESC LIMIT 3"])
            for score in 500..<504 { try fixture.write("UPDATE entry SET score = \(score) WHERE id = 1") }
            let updates = try assertKept(fixture, updates: 1)[0].updateCount
            // More commits than are remembered.
            for round in 0..<300 {
                try writer.write { db in
                    try db.execute(sql: "UPDATE entry SET score = 2 + \(round % 2) WHERE id = 20")
                }
            }
            XCTAssertEqual(try fixture.statistics()[0].updateCount, updates)
            try fixture.write("UPDATE entry SET score = 505 WHERE id = 20")
            let statistics = try assertKept(fixture, updates: updates + 1)[0]
            XCTAssertEqual(statistics.fetchCounts, ["first fetch": 1])
        }
    }

    /// Another observer makes the window longer than an observer expects that has stayed.
    func testAWindowThatWasFetchedAgainIsNotMistaken() throws {
        try onEachResultWriter { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE entry(id INTEGER PRIMARY KEY, score REAL);
                        CREATE TABLE mark(id INTEGER PRIMARY KEY);
                        """)
                for id in 1...200 { try db.execute(sql: "INSERT INTO entry VALUES (\(id), \(id))") }
            }
            let window = "SELECT * FROM entry WHERE score > 0 ORDER BY score DESC LIMIT 3"
            let first = try ResultFixture(writer, [window], label: "first")
            for score in 500..<504 { try first.write("UPDATE entry SET score = \(score) WHERE id = 200") }
            try assertKept(first, updates: 1)
            // Of the rows after the window, some are left.
            try first.write("DELETE FROM entry WHERE id = 200")
            try first.write("DELETE FROM entry WHERE id = 199")
            let second = try ResultFixture(
                writer, [window, "SELECT COUNT(*) FROM mark"], label: "second")
            // More commits than are remembered.
            for round in 0..<300 {
                try writer.write { db in
                    try db.execute(sql: "UPDATE entry SET score = 2 + \(round % 2) WHERE id = 20")
                }
            }
            var count = 0
            while try second.statistics()[0].fetchCounts["first fetch"] != 2, count < 20 {
                try second.write("INSERT INTO mark DEFAULT VALUES")
                count += 1
            }
            try assertKept(second, updates: 1)
            second.cancel()
            let updates = try assertKept(first, updates: 1)[0].updateCount
            // Behind the 19 rows that were kept at first, and not behind those that are kept now.
            for (id, score) in [(50, 181.5), (60, 180.5)] {
                try first.write("UPDATE entry SET score = \(score) WHERE id = \(id)")
            }
            XCTAssertEqual(try first.statistics()[0].updateCount, updates)
            for id in (182...198).reversed() { try first.write("DELETE FROM entry WHERE id = \(id)") }
            try assertKept(first, updates: updates + 10)
        }
    }

    func testRowsThatAreRolledBackAreNotKept() throws {
        try onEachResultWriter({ $0.allowsUnsafeTransactions = true }) { writer in
            let fixture = try ResultFixture(writer, [Self.best, "SELECT name FROM player WHERE score > 5"])
            for score in 100..<104 {
                try writer.unsafeReentrantWrite { db in
                    try db.execute(sql: "UPDATE player SET score = \(score) WHERE id = 1")
                    try db.execute(sql: "BEGIN; UPDATE player SET score = \(score + 100) WHERE id = 2")
                }
                try writer.unsafeReentrantWrite { db in try db.execute(sql: "ROLLBACK") }
                try fixture.write("UPDATE player SET score = \(score), name = 'a' WHERE id = 1")
                try fixture.write("UPDATE player SET score = \(score), name = 'b' WHERE id = 3")
            }
        }
    }

    func testRowsThatLeaveAWindowAreReplaced() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(writer, [Self.best])
            try writer.write { db in
                for id in 100..<200 {
                    try db.execute(sql: "INSERT INTO player VALUES (\(id), 1, 'x', \(id))")
                }
            }
            try warmUp(fixture)
            for id in (105..<200).reversed() {
                try fixture.write("UPDATE player SET score = 1 WHERE id = \(id)")
            }
            try assertKept(fixture, updates: 80)
        }
    }

    func testQueriesInParenthesesAreFollowed() throws {
        try onEachResultWriter { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE mark(id INTEGER PRIMARY KEY, player INTEGER, n INTEGER);
                        CREATE INDEX byPlayer ON mark(player);
                        """)
            }
            let fixture = try ResultFixture(
                writer,
                [
                    "SELECT *, (SELECT COUNT(*) FROM mark WHERE mark.player = player.id) FROM player",
                    """
                    SELECT name FROM player
                    WHERE EXISTS (SELECT 1 FROM mark WHERE mark.player = player.id) ORDER BY name
                    """,
                ])
            for n in 1...6 {
                try fixture.write("INSERT INTO mark VALUES (\(n), \(n % 3 + 1), \(n))")
            }
            try fixture.write("DELETE FROM mark WHERE player = 2")
            try fixture.write("UPDATE mark SET player = 4 WHERE player = 1")
            try assertKept(fixture, updates: 4)
        }
    }

    func testAnIndexOfEqualValuesKeepsTheOrder() throws {
        try onEachResultWriter { writer in
            try writer.write { db in try db.execute(sql: "CREATE INDEX byTeam ON player(team)") }
            let fixture = try ResultFixture(
                writer, ["SELECT * FROM player WHERE team = 1 ORDER BY score DESC LIMIT 2"])
            for id in 20..<26 { try fixture.write("INSERT INTO player VALUES (\(id), 1, 'Eve', 30)") }
            try assertKept(fixture, updates: 3)
        }
    }

    func testRowsThatCostLittleAreFetched() throws {
        try onEachListWriter { writer in
            try writer.write { db in
                for id in 100..<1_000 {
                    try db.execute(sql: "INSERT INTO player VALUES (\(id), 1, 'x', \(id))")
                }
            }
            let fixture = try ResultFixture(
                writer, ["SELECT * FROM player WHERE score > 0", "SELECT * FROM player WHERE score = 101"])
            for score in 600..<606 { try fixture.write("UPDATE player SET score = \(score) WHERE id = 1") }
            let statistics = try fixture.statistics()
            XCTAssertEqual(statistics.map { $0.updateCount > 0 }, [false, true])
            XCTAssertEqual(statistics.first?.failure, "its rows are cheap to fetch")
        }
    }

    func testOrdersOfOtherIndexesAreNotKept() throws {
        for (index, sql) in [
            ("player(score)", Self.best), ("player(score DESC)", Self.best),
            ("player(team, name)", "SELECT * FROM player WHERE team IN (2, 1) ORDER BY score"),
            ("player(team DESC)", "SELECT * FROM player WHERE team IN (2, 1) ORDER BY score"),
            ("player(team, score)", "SELECT team, score FROM player WHERE score > 1"),
        ] {
            try onEachResultWriter { writer in
                try writer.write { db in try db.execute(sql: "CREATE INDEX i ON \(index)") }
                let fixture = try ResultFixture(writer, [sql])
                for id in 20..<26 {
                    try fixture.write("INSERT INTO player VALUES (\(id), \(id % 3), 'Eve', 30)")
                }
                XCTAssertEqual(try fixture.statistics(), [], index)
            }
        }
    }

    /// Asserts whether the order of the rows of a statement is certain.
    private func assertOrdered(
        _ isOrdered: Bool, _ sql: String, _ db: Database, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let ordered = try db.makeStatement(sql: sql).storage.orderedSQL
        XCTAssertEqual(ordered != nil, isOrdered, sql, file: file, line: line)
    }

    func testPlansThatDependOnArgumentsAreNotKept() throws {
        try onEachResultWriter { writer in
            try writer.write { db in
                try assertOrdered(true, "SELECT id FROM player WHERE score > ? LIMIT ?", db)
                try db.execute(sql: "CREATE INDEX byName ON player(name COLLATE NOCASE)")
                // With a prefix as its argument, the index decides about the order.
                try assertOrdered(false, "SELECT id FROM player WHERE name LIKE ?", db)
                try assertOrdered(false, "SELECT id FROM player WHERE name LIKE 'a%'", db)
                try assertOrdered(false, "SELECT id FROM player WHERE score > ? LIMIT ?", db)
                XCTAssertEqual(
                    try db.makeStatement(sql: "SELECT id FROM player WHERE score > :least LIMIT 3;").storage
                        .orderedSQL,
                    "SELECT id FROM player WHERE score > ?1 ORDER BY \"player\".rowid LIMIT 3")
                try db.execute(sql: "CREATE INDEX part ON player(score) WHERE team = 5")
                try assertOrdered(false, "SELECT id FROM player WHERE team = ? AND score > 3", db)
                try assertOrdered(true, "SELECT id FROM player WHERE team = 6 AND score > 3", db)
            }
        }
    }

    func testAutomaticIndexesOfNestedQueriesAreNotKept() throws {
        try onEachResultWriter { writer in
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE mark(id INTEGER PRIMARY KEY, player INTEGER, text TEXT)")
                for id in 1...2_000 {
                    try db.execute(sql: "INSERT INTO mark VALUES (?, ?, 't')", arguments: [id, id % 50])
                    if id > 1_900 {
                        try db.execute(sql: "INSERT INTO player(id) VALUES (?)", arguments: [id])
                    }
                }
                try db.execute(sql: "ANALYZE")
                let sql = "SELECT id, (SELECT text FROM mark WHERE player = player.id LIMIT 1) FROM player"
                let steps = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)")
                let isAutomatic = steps.contains { ($0["detail"] as String).contains("AUTOMATIC") }
                try assertOrdered(!isAutomatic, sql, db)
            }
        }
    }

    func testSettingsAndStatisticsThatChangePlansAreNoticed() throws {
        for sql in ["ANALYZE", "PRAGMA reverse_unordered_selects = 1", "PRAGMA threads = 2"] {
            try onEachResultWriter { writer in
                try writer.writeWithoutTransaction { db in
                    let statement = try db.makeStatement(sql: Self.best)
                    XCTAssertNotNil(statement.storage.orderedSQL)
                    let revision = statement.storage.accessRevision
                    try db.execute(sql: sql)
                    XCTAssertNotEqual(statement.storage.accessRevision, revision, sql)
                    try assertOrdered(sql == "ANALYZE", Self.best, db)
                }
            }
        }
    }

    func testReversedRowsAreNotKept() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(writer, ["SELECT name FROM player WHERE score > 5"])
            try warmUp(fixture)
            try fixture.write("UPDATE player SET score = 3 WHERE id = 1")
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA reverse_unordered_selects = 1")
            }
            for id in 20..<24 { try fixture.write("INSERT INTO player VALUES (\(id), 1, 'Eve', 30)") }
        }
    }

    func testANewIndexChangesTheOrderOfRowsWithEqualValues() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(writer, [Self.best])
            for id in 20..<26 { try fixture.write("INSERT INTO player VALUES (\(id), 1, 'Eve', 30)") }
            try assertKept(fixture, updates: 3)
            try fixture.write("CREATE INDEX byScore ON player(score)")
            for id in 26..<32 { try fixture.write("INSERT INTO player VALUES (\(id), 1, 'Eve', 30)") }
            try fixture.write("DROP INDEX byScore")
            for id in 32..<36 { try fixture.write("INSERT INTO player VALUES (\(id), 1, 'Eve', 30)") }
        }
    }

    func testArgumentsAndSeveralObservations() throws {
        try onEachResultWriter { writer in
            let first = try ResultFixture(writer, [Self.best], label: "first")
            try warmUp(first)
            let second = try ResultFixture(
                writer, [Self.best, "SELECT COUNT(*) FROM player WHERE score > 15"], label: "second")
            for id in 20..<30 {
                try first.write("INSERT INTO player VALUES (\(id), 1, 'Eve', \(id + 10))")
                try second.write("UPDATE player SET score = score + 20 WHERE id = \(id - 17)")
            }
            try assertKept(first, updates: 5)
            try assertKept(second, updates: 5)
        }
    }
}
