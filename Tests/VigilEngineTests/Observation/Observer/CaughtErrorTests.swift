import Vigil
import XCTest

/// Fetches that catch an error, so that their dependencies are unknown.
final class CaughtErrorTests: XCTestCase {
    private let schema = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, team INTEGER, score INTEGER);
        INSERT INTO player VALUES (1, 5, 0), (2, 6, 0);
        """

    func testARowOutsideTheConditionsMatchesAfterACaughtError() throws {
        let codes: [ResultCode] = [.SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH]
        for code in codes {
            try onEachWriter(schema: schema) { writer in
                // SQLite calls the function for each row, before it compares the row.
                let values = Values<String>()
                let cancellable = ValueObservation.tracking { db -> String in
                    db.add(
                        function: DatabaseFunction("check_score", argumentCount: 1) { arguments in
                            guard arguments[0] == 0.databaseValue else {
                                throw DatabaseError(resultCode: code, message: "no score")
                            }
                            return 1
                        })
                    do {
                        return try Row.fetchAll(
                            db, sql: "SELECT id FROM player WHERE check_score(score) AND team = 5"
                        ).map { "\($0[0] as Int)" }.joined()
                    } catch let error as DatabaseError {
                        XCTAssertEqual(error.resultCode, code)
                        return "failed"
                    }
                }
                .start(
                    in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                    onChange: { values.append($0) })
                defer { cancellable.cancel() }
                try writer.run("UPDATE player SET score = 1, team = 5 WHERE id = 2")
                try writer.waitForFetches()
                XCTAssertEqual(values.all.last, "failed")
                // The failing row no longer meets the condition.
                try writer.run("UPDATE player SET team = 6 WHERE id = 2")
                try writer.waitForFetches()
                try writer.run("UPDATE player SET score = 0 WHERE id = 2")
                try writer.waitForFetches()
                XCTAssertEqual(values.all.last, "1")
            }
        }
    }

    func testAnOverlongValueOutsideTheConditionsMatchesAfterACaughtError() throws {
        try onEachWriter(schema: schema + "INSERT INTO player VALUES (3, 7, 2000000000)") { writer in
            let values = Values<String>()
            let cancellable = ValueObservation.tracking { db -> String in
                do {
                    return try String.fetchAll(
                        db,
                        sql:
                            "SELECT CAST(id AS TEXT) FROM player WHERE length(zeroblob(score)) >= 0 AND team = 5"
                    ).joined()
                } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
                    return "too long"
                }
            }
            .start(
                in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            defer { cancellable.cancel() }
            try writer.waitForFetches()
            XCTAssertEqual(values.all, ["too long"])
            try writer.run("UPDATE player SET score = 0 WHERE id = 3")
            try writer.waitForFetches()
            XCTAssertEqual(values.all.last, "1")
        }
    }
}
