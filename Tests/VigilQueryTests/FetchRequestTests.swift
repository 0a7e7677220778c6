import Vigil
import XCTest

/// A custom request type.
private struct PlayerNames: FetchRequest {
    typealias RowDecoder = String
    var minimum: Int
    private var request: SQLRequest<String> { "SELECT name FROM player WHERE score >= \(minimum)" }
    var sqlSubquery: SQLSubquery { request.sqlSubquery }
    func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
        try request.makePreparedRequest(db, forSingleResult: singleResult)
    }
}

final class FetchRequestTests: XCTestCase {
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                    INSERT INTO player VALUES (1, 'a', 10), (2, 'b', 20);
                    """)
            try body(db)
        }
    }

    func testCustomRequestCanBeFetched() throws {
        try inDatabase { db in
            XCTAssertEqual(try PlayerNames(minimum: 0).fetchAll(db), ["a", "b"])
            XCTAssertEqual(try PlayerNames(minimum: 15).fetchOne(db), "b")
            XCTAssertEqual(try PlayerNames(minimum: 0).fetchCount(db), 2)
            XCTAssertEqual(
                try PlayerNames(minimum: 0).databaseRegion(db).description, "player(name,score)")
            let nested: SQLRequest<Int> = "SELECT id FROM player WHERE name IN (\(PlayerNames(minimum: 15)))"
            XCTAssertEqual(try nested.fetchAll(db), [2])
        }
    }

    func testTypeErasedRequestBehavesLikeItsBase() throws {
        try inDatabase { db in
            let request = AnyFetchRequest(PlayerNames(minimum: 15))
            XCTAssertEqual(try request.fetchAll(db), ["b"])
            XCTAssertEqual(try request.fetchOne(db), "b")
            XCTAssertEqual(try request.fetchCount(db), 1)
            XCTAssertEqual(try request.databaseRegion(db).description, "player(name,score)")
            XCTAssertEqual(try AnyFetchRequest(request).asRequest(of: Row.self).fetchOne(db), ["name": "b"])
            let nested: SQLRequest<Int> = "SELECT id FROM player WHERE name IN (\(request))"
            XCTAssertEqual(try nested.fetchAll(db), [2])
        }
    }

    func testAdaptedRequestChangesColumnsAndKeepsRegion() throws {
        try inDatabase { db in
            let request = SQLRequest(
                sql: "SELECT id, name, score FROM player", adapter: SuffixRowAdapter(fromIndex: 1)
            ).adapted { _ in ColumnMapping(["points": "score"]) }
            XCTAssertEqual(try request.fetchAll(db), [["points": 10], ["points": 20]])
            XCTAssertEqual(try request.fetchOne(db)?.unadapted, ["id": 1, "name": "a", "score": 10])
            XCTAssertEqual(try Int.fetchAll(db, request), [10, 20])
            XCTAssertEqual(try request.fetchCount(db), 2)
            XCTAssertEqual(try request.databaseRegion(db).description, "player(id,name,score)")
            XCTAssertThrowsError(try request.adapted { _ in ColumnMapping(["x": "id"]) }.fetchAll(db))
        }
    }

    func testAdapterCanReadTheDatabase() throws {
        try inDatabase { db in
            let request = SQLRequest<Row>("SELECT 1 AS a, player.* FROM player WHERE id = 1").adapted { db in
                let count = try db.makeStatement(sql: "SELECT * FROM player").columnCount
                return ScopeAdapter(["player": RangeRowAdapter(1..<(1 + count))])
            }
            XCTAssertEqual(try request.fetchOne(db)?.scopes["player"], ["id": 1, "name": "a", "score": 10])
        }
    }
}
