import Vigil
import VigilTesting
import XCTest

@testable import Vigil

/// Explanations of observations. `VigilToolTests` compares more of them, as text.
final class ExplanationTests: XCTestCase {
    func testStatementsOtherThanQueriesAreRejectedBeforeCompilation() {
        for sql in [
            "PRAGMA rekey = 'a'", "\u{feff}pragma rekey('a')", "--a\nPRAGMA rekey", "EXPLAIN PRAGMA rekey",
            "explain query plan /* b */ PRAGMA rekey", ";PRAGMA rekey", "SELECT 1; PRAGMA rekey",
            "SELECT ';'; PRAGMA rekey", "SELECT \"a\"\";\"; PRAGMA rekey", "SELECT [;];PRAGMA rekey",
            " \u{b}PRAGMA rekey", "SELECT 1;\u{feff}PRAGMA rekey", "SELECT x'00'; PRAGMA rekey",
            "VACUUM", "",
        ] {
            XCTAssertThrowsError(try QueryOutline(sql).check(), sql)
        }
        for sql in [
            "SELECT 1", "select ';--' ; -- more\n /* ; */ ;", "WITH a AS (SELECT 1) SELECT * FROM a",
            "VALUES (1)",
            "EXPLAIN QUERY PLAN SELECT 1", "SELECT 'it''s; a' \";\" `;` [;]", "SELEC 1", "(SELECT 1)",
            "SELECT 1 -- ; PRAGMA rekey", "SELECT 'unfinished; PRAGMA rekey",
        ] {
            XCTAssertNoThrow(try QueryOutline(sql).check(), sql)
        }
    }

    func testQueriesAreExplainedWithoutASchemaReader() throws {
        var configuration = Configuration()
        configuration.backend = SimulatedBackend()
        let dbQueue = try DatabaseQueue(configuration: configuration)
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, score INTEGER)")
            let explanation = try db.explainObservation(sql: "SELECT score FROM player")
            XCTAssertEqual(explanation.region.description, "player(score)")
        }
    }

    #if SQLite || SQLCipher
        private func withPlayers(
            _ configuration: Configuration = Configuration(), _ body: (Database) throws -> Void
        ) throws {
            let dbQueue = try DatabaseQueue(configuration: configuration)
            try dbQueue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                        CREATE VIEW best AS SELECT name FROM player WHERE score > 40;
                        """)
                try body(db)
            }
        }

        func testConditionsAndOmissionsHaveTheValuesOfParameters() throws {
            try withPlayers { db in
                let explanation = try db.explainObservation(
                    sql: "SELECT name FROM player WHERE score > ? AND length(name) < :other",
                    arguments: [40, 90])
                XCTAssertEqual(explanation.region.description, "player(name,score)")
                XCTAssertEqual(
                    explanation.conditions, [TableName(schema: "main", name: "player"): ["score > 40"]])
                XCTAssertEqual(explanation.omissions.map(\.text), ["length(name) < :other"])
                XCTAssertFalse(explanation.isAnyCommit)
            }
        }

        func testConditionsWithTooManyValuesAreOmitted() throws {
            try withPlayers { db in
                for count in [1_024, 1_025] {
                    let values = (1...count).map { "\($0)" }.joined(separator: ", ")
                    let explanation = try db.explainObservation(
                        sql: "SELECT name FROM player WHERE score IN (\(values))")
                    XCTAssertEqual(explanation.conditions.isEmpty, count > 1_024)
                    XCTAssertEqual(
                        explanation.omissions.map(\.reason),
                        count > 1_024 ? ["there are more than 64 alternatives or 1,024 values"] : [])
                }
            }
        }

        func testConditionsAreOmittedIfUpdatesWithoutAnEffectCount() throws {
            var configuration = Configuration()
            configuration.ignoresNoOpUpdates = false
            try withPlayers(configuration) { db in
                let explanation = try db.explainObservation(
                    sql: "SELECT name FROM player WHERE score > 40")
                XCTAssertEqual(explanation.conditions, [:])
                XCTAssertEqual(explanation.omissions.map(\.text), ["score > 40"])
                let first = try db.explainObservation(
                    sql: "SELECT id, name FROM player ORDER BY id LIMIT 1")
                XCTAssertNil(first.order)
            }
        }

        func testConditionsOfViewsAreOmitted() throws {
            try withPlayers { db in
                let explanation = try db.explainObservation(sql: "SELECT name FROM best")
                XCTAssertEqual(explanation.conditions, [:])
                XCTAssertEqual(explanation.omissions.last?.reason, "a condition of the view best")
            }
        }

        func testViewsWithoutTextAreIgnored() throws {
            try withPlayers { db in
                try db.execute(
                    sql: """
                        CREATE TABLE team(name UNIQUE);
                        PRAGMA writable_schema = ON;
                        UPDATE sqlite_master SET type = 'view' WHERE name = 'sqlite_autoindex_team_1';
                        """)
                let explanation = try db.explainObservation(sql: "SELECT name FROM best")
                XCTAssertEqual(explanation.omissions.last?.reason, "a condition of the view best")
            }
        }

        func testListsAreExplained() throws {
            try withPlayers { db in
                guard case .plan = try db.explainObservation(sql: "SELECT * FROM player").list else {
                    return XCTFail("the rows can be followed one by one")
                }
                let counts = try db.explainObservation(sql: "SELECT name, COUNT(*) FROM player GROUP BY name")
                XCTAssertEqual(counts.list, .refused("it has GROUP BY or HAVING"))
            }
        }

        func testOnlyQueriesWithTheirArgumentsAreExplained() throws {
            try withPlayers { db in
                for sql in ["DELETE FROM player RETURNING id", "BEGIN", "PRAGMA user_version", ""] {
                    XCTAssertThrowsError(try db.explainObservation(sql: sql), sql) { error in
                        XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE, sql)
                    }
                }
                XCTAssertThrowsError(try db.explainObservation(sql: "SELECT ?")) { error in
                    XCTAssertEqual(
                        (error as? DatabaseError)?.message, "wrong number of statement arguments: 0")
                }
                XCTAssertThrowsError(try db.explainObservation(sql: "SELECT nmae FROM player"))
            }
        }
    #endif
}
