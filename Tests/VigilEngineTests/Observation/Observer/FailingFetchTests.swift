import Vigil
import XCTest

/// Fetches that fail because of a row that does not meet the conditions of the query.
final class FailingFetchTests: XCTestCase {
    private let schema = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, team INTEGER, score INTEGER);
        INSERT INTO player VALUES (1, 5, 0), (2, 6, 0);
        """

    /// SQLite evaluates the condition that may fail first.
    private let queries = [
        "SELECT id FROM player WHERE check_score(score) AND team = 5",
        "SELECT id FROM player WHERE abs(score) >= 0 AND team = 5",
        "SELECT id, abs(score) AS points FROM player WHERE points >= 0 AND team = 5",
        // Some versions evaluate this for each row.
        "SELECT 1 FROM player WHERE team = 5 GROUP BY score HAVING abs(score) >= 0",
    ]

    private static func fetch(_ sql: String, _ db: Database) throws -> String {
        db.add(
            function: DatabaseFunction("check_score", argumentCount: 1) { arguments in
                guard arguments[0] == 0.databaseValue else { throw DatabaseError(message: "no score") }
                return 1
            })
        return try Row.fetchAll(db, sql: sql).map { "\($0[0] as Int)" }.joined()
    }

    func testAnInsertedRowEndsAnObservationWithItsError() throws {
        for query in queries.dropLast() {
            try onEachWriter(schema: schema) { writer in
                let (values, errors) = (Values<String>(), Values<String>())
                let ended = XCTestExpectation(description: "error")
                let cancellable = ValueObservation.tracking { db in try Self.fetch(query, db) }
                    .start(
                        in: writer, scheduling: .inline,
                        onError: {
                            errors.append("\($0)")
                            ended.fulfill()
                        },
                        onChange: { values.append($0) })
                defer { cancellable.cancel() }
                try writer.waitForFetches()
                try writer.run("INSERT INTO player VALUES (3, 7, -9223372036854775807 - 1)")
                // An ended observation is not waited for by `drain`.
                wait(for: [ended], timeout: testTimeout)
                XCTAssertEqual(values.all, ["1"], query)
                XCTAssertEqual(errors.all.count, 1, query)
            }
        }
    }

    func testRowsThatFailAndRecoverAreObserved() throws {
        for query in queries {
            try onEachWriter(schema: schema) { writer in
                let values = Values<String>()
                let cancellable = ValueObservation.tracking { db in
                    (try? Self.fetch(query, db)) ?? "failed"
                }
                .start(
                    in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                    onChange: { values.append($0) })
                defer { cancellable.cancel() }
                try writer.waitForFetches()
                for score in ["-9223372036854775807 - 1", "0"] {
                    try writer.run("UPDATE player SET score = \(score) WHERE id = 2")
                    try writer.waitForFetches()
                    let isValid = (try? writer.read { db in try Self.fetch(query, db) }) != nil
                    XCTAssertEqual(values.all.last, isValid ? "1" : "failed", query)
                }
                XCTAssertEqual(values.all.last, "1", query)
            }
        }
    }

    func testRowsOutsideTheConditionsOfSafeQueriesAreNotFetched() throws {
        for condition in ["lower(score) >= ''", "score NOT LIKE '%a%' ESCAPE '!'", "length(score) > 0"] {
            try onEachWriter(schema: schema) { writer in
                let values = Values<Int>()
                let cancellable = ValueObservation.tracking { db in
                    try Int.fetchAll(db, sql: "SELECT id FROM player WHERE \(condition) AND team = 5").count
                }
                .start(
                    in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                    onChange: { values.append($0) })
                defer { cancellable.cancel() }
                try writer.waitForFetches()
                try writer.run("UPDATE player SET score = 1 WHERE id = 2")
                try writer.waitForFetches()
                XCTAssertEqual(values.all, [1], condition)
                try writer.run("UPDATE player SET score = 1 WHERE id = 1")
                try writer.waitForFetches()
                XCTAssertEqual(values.all, [1, 1], condition)
            }
        }
    }
}
