import Foundation
import Vigil
import XCTest

/// The SQL text that errors contain.
final class ErrorSQLTests: XCTestCase {
    private func sql(_ body: () throws -> Void) -> String? {
        do {
            try body()
            XCTFail("it did not throw")
        } catch let error as DatabaseError {
            return error.sql
        } catch {
            XCTFail("\(error)")
        }
        return nil
    }

    private let schema = twoTables + "INSERT INTO artist VALUES (1, '');"

    func testTheErrorOfAFailedStatementContainsOnlyItsText() throws {
        let failing = "INSERT INTO artist /* again; */ VALUES (1, '-- no; comment')"
        let texts = [
            failing, " \n\t\(failing)\r\n", "\(failing);", "\(failing) ; ;\n", "-- first\n\(failing)",
            "/* before; */ \(failing)\n-- after", "\(failing) /* after */ ;", ";; \(failing); -- after",
            "SELECT 1; -- between; \n \(failing); SELECT 2", "\u{FEFF}\(failing)",
        ]
        try onEachWriter(schema: schema) { writer in
            for text in texts {
                XCTAssertEqual(sql { try writer.run(text) }, failing, text)
                XCTAssertEqual(sql { try writer.commit(text) }, failing, text)
            }
            for text in texts.dropLast(2) {
                let cursor = sql { try writer.write { db in _ = try Row.fetchCursor(db, sql: text).next() } }
                XCTAssertEqual(cursor, failing, text)
                let cached = sql { try writer.write { db in try db.cachedStatement(sql: text).execute() } }
                XCTAssertEqual(cached, failing, text)
            }
        }
    }

    func testACompilationErrorContainsOnlyTheTextOfItsStatement() throws {
        let texts = [
            "SELEC 1", "SELECT nope FROM artist", "SELECT 'a;b', \"c;d\", [e;f], `g;h` FROM nowhere",
            "SELECT /* in; the middle */ 1 FROM nowhere -- here;\n WHERE 1", "SELECT 'it''s;', nope",
            "CREATE TRIGGER x AFTER INSERT ON nowhere BEGIN SELECT 1; SELECT 2; END",
            "CREATE TEMP TRIGGER x AFTER INSERT ON artist BEGIN SELECT CASE WHEN 1 THEN 2 END FROM; END",
            "create trigger nonsense", "SELECT nom\u{e9} FROM nowhere",
        ]
        try onEachWriter(schema: schema) { writer in
            for text in texts {
                for around in [
                    "%", " % ", "%;", "-- before;\n%;", "/* before */ % ;\n-- after", "SELECT 1; %; SELECT 2",
                ] {
                    let whole = around.replacingOccurrences(of: "%", with: text)
                    XCTAssertEqual(sql { try writer.run(whole) }, text, whole)
                    XCTAssertEqual(sql { try writer.commit(whole) }, text, whole)
                    guard !around.hasPrefix("SELECT") else { continue }
                    let prepared = sql {
                        try writer.read { db in _ = try db.makeStatement(sql: whole) }
                    }
                    XCTAssertEqual(prepared, text, whole)
                }
            }
        }
    }

    func testTheTextOfAnUnterminatedStatementExtendsToTheEnd() throws {
        try onEachWriter(schema: schema) { writer in
            for text in ["SELECT 'open; SELECT 2", "SELECT nope FROM \"open;", "SELECT [open; x"] {
                XCTAssertEqual(sql { try writer.run("SELECT 1; \(text)") }, text)
            }
            XCTAssertEqual(sql { try writer.run("SELECT nope /* open; SELECT 2") }, "SELECT nope")
        }
    }

    func testTheErrorOfARefusedStatementContainsOnlyItsText() throws {
        let text = "/* before */ INSERT INTO artist VALUES (?, '') -- after"
        let own = "INSERT INTO artist VALUES (?, '')"
        try onEachWriter(schema: schema) { writer in
            XCTAssertEqual(sql { try writer.read { db in try db.execute(sql: text, arguments: [2]) } }, own)
            XCTAssertEqual(sql { try writer.run(text) }, own)
            let refused = sql {
                try writer.write { db in
                    try db.rollback()
                    try db.execute(sql: text, arguments: [2])
                }
            }
            XCTAssertEqual(refused, own)
        }
    }

    func testTheErrorOfAFailedCommitContainsTheCommit() throws {
        let schema = """
            CREATE TABLE parent(id INTEGER PRIMARY KEY);
            CREATE TABLE child(parent INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
            """
        try onEachWriter(schema: schema) { writer in
            let committed = sql { try writer.commit("INSERT INTO child VALUES (1)") }
            XCTAssertEqual(committed, "COMMIT TRANSACTION")
            let text = "BEGIN; INSERT INTO child VALUES (1); /* now */ COMMIT; SELECT 1"
            let ended = sql {
                try writer.writeWithoutTransaction { db in
                    defer { try? db.rollback() }
                    try db.execute(sql: text)
                }
            }
            XCTAssertEqual(ended, "COMMIT")
        }
    }

    func testTheSQLOfErrorsCreatedByTheProgramIsTrimmed() {
        XCTAssertEqual(DatabaseError(sql: " -- c\n SELECT 1 ;").sql, "SELECT 1")
        XCTAssertEqual(DatabaseError(sql: "").sql, "")
        XCTAssertNil(DatabaseError().sql)
    }
}
