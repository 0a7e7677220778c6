import Vigil
import XCTest

final class TypicalRequestsTests: XCTestCase {
    func testTypicalRequestsRun() throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                try db.create(table: "musician") { t in
                    t.primaryKey("id", .integer)
                    t.column("bandId", .integer)
                    t.column("name", .text)
                    t.column("email", .text)
                    t.column("score", .integer)
                    t.column("bonus", .double)
                    t.column("info", .text)
                }
                for id in 1...20 {
                    var musician = Musician(
                        id: Int64(id), bandId: 3, name: id % 2 == 0 ? "Anna" : "Bob",
                        email: id < 18 ? "e" : nil, score: id, bonus: 2,
                        info: #"{"city": "Paris", "age": \#(id), "tags": [1, 2, 3]}"#)
                    try musician.insert(db)
                }
                let ids: [(QueryInterfaceRequest<Musician>, [Int64])] = [
                    (TypicalRequests.filteredByClosure, Array(11...17)),
                    (TypicalRequests.filteredByColumns, Array(11...17)),
                    (TypicalRequests.filteredByAlternatives, [2, 4]),
                    (TypicalRequests.filteredByArithmetic, (9...20).filter { $0 & 7 != 0 }),
                    (TypicalRequests.filteredByVariables(3, minimum: 11, prefix: "A"), [12, 14, 16]),
                    (TypicalRequests.withSubqueries, [20]),
                ]
                for (request, expected) in ids {
                    let found = try request.fetchIdentifiers(db)
                    let sql = try request.makePreparedRequest(db).statement.sql
                    XCTAssertEqual(found, expected, sql)
                }
                if db.supports(.jsonOperators) {
                    XCTAssertEqual(try TypicalRequests.withJSON.fetchIdentifiers(db), [19, 20])
                }
                if db.supports(.nullsOrdering) {
                    XCTAssertEqual(try TypicalRequests.composed.fetchAll(db), [])
                    let best = try TypicalRequests.composed.limit(1).fetchOne(db)?["best"] as Int?
                    XCTAssertEqual(best, 17)
                }
                XCTAssertEqual(try Musician.filter(key: 1).updateAll(db, TypicalRequests.assignments), 1)
                let updated = try XCTUnwrap(Musician.fetchOne(db, key: 1))
                XCTAssertEqual(updated.score, 11)
                XCTAssertEqual(updated.bonus, 3)
                XCTAssertEqual(updated.name, "BOB")
                XCTAssertNil(updated.email)
            }
        }
    }
}
