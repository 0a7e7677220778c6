import XCTest

@testable import VigilSQLite

final class SQLTokensTests: XCTestCase {
    func testWordsAreFoundAtEachPlaceInAnyCase() {
        for text in ["using", "USING (id)", "a JOIN b UsInG", "ususing", "a\u{e9}using"] {
            XCTAssertTrue(text.utf8.containsFolded("using"), text)
        }
        for text in ["", "usin", "us ing", "5sing", "\u{15}sing", "u\u{0}sing", "usin\u{e9}"] {
            XCTAssertFalse(text.utf8.containsFolded("using"), text)
        }
    }

    func testOnlyWordsOutsideTextsAndCommentsJoinByName() {
        for sql in ["SELECT * FROM a JOIN b USING (id)", "SELECT * FROM a natural join b", "a/**/USING(id)"] {
            XCTAssertTrue(SQLTokens.mayJoinByName(sql), sql)
        }
        for sql in [
            "SELECT 'using' FROM a", "SELECT 1 -- using natural", "SELECT unnatural FROM causing", "",
        ] {
            XCTAssertFalse(SQLTokens.mayJoinByName(sql), sql)
        }
    }

    func testTablesAfterAllColumnsAreReadAsAWhole() {
        let statements: [(sql: String, schema: String?, name: String)] = [
            ("INSERT INTO t SELECT * FROM s", nil, "s"), ("SELECT ALL * FROM main.[my s]", "main", "my s"),
            ("select/**/*from((\"s\"))", nil, "s"),
        ]
        for statement in statements {
            let tables = SQLTokens(statement.sql).tablesReadAsAWhole
            XCTAssertEqual(tables.map { $0.schema }, [statement.schema], statement.sql)
            XCTAssertEqual(tables.map { $0.name }, [statement.name], statement.sql)
        }
        for sql in ["SELECT a * b FROM s", "SELECT COUNT(*) FROM s", "SELECT s.* FROM s", "SELECT *", ""] {
            XCTAssertTrue(SQLTokens(sql).tablesReadAsAWhole.isEmpty, sql)
        }
    }

    func testOnlyTheFirstWordMakesAnExplanation() {
        for sql in [
            "EXPLAIN DELETE FROM t", "explain QUERY PLAN SELECT 1", " ;; /* x */ -- y\n Explain SELECT 1",
        ] {
            XCTAssertTrue(SQLTokens.isExplanation(sql), sql)
        }
        for sql in ["SELECT 'explain'", "DELETE FROM explain", "EXPLAINS", "\"EXPLAIN\"", ";", ""] {
            XCTAssertFalse(SQLTokens.isExplanation(sql), sql)
        }
    }
}
