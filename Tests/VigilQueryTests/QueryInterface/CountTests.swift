import Vigil
import XCTest

/// Counts of requests are the numbers of their rows.
final class CountTests: QueryInterfaceTestCase {
    func testHiddenAggregatesHaveOneRow() throws {
        let alias = TableAlias(name: "r")
        let requests = [
            Patron.aliased(alias).select(alias[max(Col.age)]), Patron.select(SQL("MAX(age)") + 1),
            Patron.select(max(Col.age) + 1), Patron.select(SQL("MAX(age)").sqlExpression),
            Patron.select(sql: "MAX(age)"), Patron.select(abs(SQL("MAX(age)"))),
            Patron.aliased(alias).select(alias[SQL("MAX(age)") + 1]),
            Patron.select(SQL("MAX(age)") + 1).distinct(),
            Patron.aliased(alias).select(alias[max(Col.age)]).distinct(),
        ]
        try makeDatabase().read { db in
            for (index, request) in requests.enumerated() {
                XCTAssertEqual(try Row.fetchAll(db, request).count, 1, "\(index)")
                XCTAssertEqual(try request.fetchCount(db), 1, "\(index)")
            }
        }
    }

    func testAFilterMayReferToANamedExpression() throws {
        try makeDatabase().read { db in
            let named = Patron.select((Col.id / 2).forKey("half")).filter(Column("half") < 1)
            XCTAssertEqual(try named.fetchCount(db), 1)
            XCTAssertEqual(try named.distinct().fetchCount(db), 1)
            let halves = Patron.select((Col.id / 2).forKey("half")).distinct()
            XCTAssertEqual(try halves.fetchCount(db), 2)
            XCTAssertEqual(try Patron.select(Col.age.forKey("x")).distinct().fetchCount(db), 3)
        }
    }

    func testCertainRequestsAreCountedWithoutSubquery() throws {
        let alias = TableAlias(name: "r")
        let counts = [
            (Patron.all(), "SELECT COUNT(*) FROM \"reader\""),
            (Patron.select(Col.name, abs(Col.id)).order(Col.id), "SELECT COUNT(*) FROM \"reader\""),
            (Patron.select(Col.name).distinct(), "SELECT COUNT(DISTINCT \"name\") FROM \"reader\""),
            (
                Patron.select((Col.id + 1).forKey("next")).distinct(),
                "SELECT COUNT(DISTINCT \"id\" + 1) FROM \"reader\""
            ),
            (Patron.select((Col.id + 1).forKey("next")), "SELECT COUNT(*) FROM \"reader\""),
            (
                Patron.aliased(alias).select(alias[Col.id + 1]).distinct(),
                "SELECT COUNT(DISTINCT \"r\".\"id\" + 1) FROM \"reader\" \"r\""
            ),
        ]
        try makeDatabase().read { db in
            for (request, sql) in counts {
                let run = try statements(db) { XCTAssertEqual(try request.fetchCount(db), 3) }
                XCTAssertEqual(run.last, sql)
            }
        }
    }
}
