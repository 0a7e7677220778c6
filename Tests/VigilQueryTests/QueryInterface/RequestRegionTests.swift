import Foundation
import Synchronization
import Vigil
import VigilEngine
import XCTest

final class RequestRegionTests: QueryInterfaceTestCase {
    /// The region of a request, and the region that is observed when it is fetched.
    private func regions(_ db: Database, _ request: QueryInterfaceRequest<Patron>) throws -> [String] {
        var region = DatabaseRegion()
        _ = try db.recordingSelection(&region) { try request.fetchAll(db) }
        return [try request.databaseRegion(db).description, region.description]
    }

    func testRowIDsAreThoseOfTheConditions() throws {
        let one = "reader(age,id,name)[1]", oneAndTwo = "reader(age,id,name)[1,2]",
            all = "reader(age,id,name)"
        let requests: [(QueryInterfaceRequest<Patron>, String)] = [
            (Patron.all(), all), (Patron.filter(key: 1), one), (Patron.filter(keys: [1, 2]), oneAndTwo),
            (Patron.filter(id: 1), one), (Patron.filter(Col.id == 1), one), (Patron.filter(1 == Col.id), one),
            (Patron.filter(Col.id === 1), one), (Patron.filter(Column.rowID == 1), one),
            (Patron.filter(Column("_ROWID_") == 1), one), (Patron.filter(Column("ID") == 1), one),
            (Patron.filter([1, 2].contains(Col.id)), oneAndTwo),
            (Patron.filter(Col.id == 1 || Col.id == 2), oneAndTwo),
            (Patron.filter(Col.id == 1 && Col.age > 3), one), (Patron.filter(id: 1).filter(Col.age > 3), one),
            (Patron.filter(keys: [1, 2]).filter(keys: [1, 3]), one),
            (Patron.filter(Col.id == 1 || Col.age > 3), all), (Patron.filter(Col.id >= 1), all),
            (Patron.filter(Col.id != 1), all), (Patron.filter(!(Col.id == 1)), all),
            (Patron.filter(Col.id == Col.age), all), (Patron.filter(Col.id == "1"), all),
            (Patron.filter(Col.age == 1), all), (Patron.filter(key: 1).order(Col.name).limit(1), one),
            (Patron.none(), "empty"), (Patron.filter(key: nil as Int?), "empty"),
            (Patron.filter(keys: [Int]()), "empty"), (Patron.filter(Col.id == nil), "empty"),
            (Patron.filter([Int]().contains(Col.age)), "empty"),
            (Patron.filter(Col.id == 1 && Col.id == 2), "empty"),
            (Patron.filter(key: 1).filter(key: 2), "empty"), (Patron.all().none(), "empty"),
            (Patron.filter(key: 1).select(Col.name), "reader(id,name)[1]"),
        ]
        try makeDatabase().read { db in
            for (request, region) in requests {
                let sql = try request.makePreparedRequest(db).statement.sql
                guard !sql.contains("SELECT \"name\"") else {
                    XCTAssertEqual(try request.databaseRegion(db).description, region, sql)
                    continue
                }
                XCTAssertEqual(try regions(db, request), [region, region], sql)
            }
        }
    }

    func testStatementsOfRequestsReadTheirRows() throws {
        try makeDatabase().read { db in
            func region(_ request: QueryInterfaceRequest<Patron>) throws -> String {
                try request.makePreparedRequest(db).statement.databaseRegion.description
            }
            XCTAssertEqual(try region(Patron.all()), "reader(age,id,name)")
            XCTAssertEqual(try region(Patron.filter(Col.age == 1)), "reader(age,id,name)")
            XCTAssertEqual(try region(Patron.filter(key: 1)), "reader(age,id,name)[1]")
            XCTAssertEqual(try region(Patron.filter(keys: [Int]())), "empty")
            XCTAssertEqual(try region(Patron.none()), "empty")
        }
    }

    func testFetchesByKeyAreObservedAsTheirRow() throws {
        let fetches: [(@Sendable (Database) throws -> Void, String)] = [
            ({ _ = try Patron.fetchOne($0, key: 1) }, "reader(age,id,name)[1]"),
            ({ _ = try Patron.find($0, key: 1) }, "reader(age,id,name)[1]"),
            ({ _ = try Patron.fetchAll($0, keys: [1, 2]) }, "reader(age,id,name)[1,2]"),
            ({ _ = try Patron.fetchAll($0, keys: [Int]()) }, "empty"),
            ({ _ = try Patron.fetchOne($0, key: nil as Int?) }, "empty"),
            ({ _ = try Patron.exists($0, key: 1) }, "reader(age,id,name)[1]"),
            ({ _ = try Patron.filter(id: 1).fetchCount($0) }, "reader(id)[1]"),
            ({ _ = try Patron.filter(id: 1).isEmpty($0) }, "reader(age,id,name)[1]"),
        ]
        try makeDatabase().read { db in
            for (fetch, expected) in fetches {
                // The second time, the statement and the metadata come from the caches.
                for _ in 0..<2 {
                    var region = DatabaseRegion()
                    try db.recordingSelection(&region) { try fetch(db) }
                    let description = region.description
                    if expected.contains("(id)") {
                        // Old libraries report other columns for `COUNT(*)`.
                        XCTAssertTrue(
                            description.hasPrefix("reader(") && description.hasSuffix("[1]"), description)
                    } else {
                        XCTAssertTrue(
                            description == expected
                                || description
                                    == expected.replacingOccurrences(of: "(age,id,name)", with: "(id)"),
                            description)
                    }
                }
            }
        }
    }

    func testSubqueriesOfTheSameTableAreNotRestricted() throws {
        try makeDatabase().read { db in
            let best = Patron.select(max(Col.age))
            let requests = [
                Patron.filter(id: 1).filter(Col.age == best),
                Patron.filter(id: 1).filter(best.contains(Col.age)),
                Patron.filter(id: 1).filter(sql: "age = (SELECT MAX(age) FROM reader)"),
                Patron.filter(id: 1).annotated(with: SQL("(SELECT MAX(age) FROM reader)")),
                Patron.filter(id: 1).order(SQL("(SELECT MAX(age) FROM reader)")),
            ]
            for request in requests {
                let region = try request.databaseRegion(db)
                XCTAssertTrue(
                    region.isModified(
                        by: DatabaseEvent(
                            kind: .delete, rowID: 3, databaseNameCString: nil, tableNameCString: nil))
                        || !region.description.contains("["), region.description)
            }
        }
    }

    func testAStatementWithOtherArgumentsHasOtherRows() throws {
        try makeDatabase().read { db in
            let statement = try Patron.filter(id: 1).makePreparedRequest(db).statement
            var region = DatabaseRegion()
            _ = try db.recordingSelection(&region) { try Patron.fetchAll(statement, arguments: [2]) }
            XCTAssertEqual(region.description, "reader(age,id,name)")
        }
    }

    func testRequestsAreNeverCoarserThanTheirSQL() throws {
        let requests: [(QueryInterfaceRequest<Patron>, String)] = [
            (Patron.all(), "SELECT * FROM reader"),
            (Patron.filter(Col.age == 3), "SELECT * FROM reader WHERE age = 3"),
            (
                Patron.filter(Col.age > 3 && Col.name == "x"),
                "SELECT * FROM reader WHERE age > 3 AND name = 'x'"
            ),
            (Patron.filter([1, 2].contains(Col.age)), "SELECT * FROM reader WHERE age IN (1, 2)"),
            (Patron.filter((1...3).contains(Col.age)), "SELECT * FROM reader WHERE age BETWEEN 1 AND 3"),
            (Patron.filter((1..<3).contains(Col.age)), "SELECT * FROM reader WHERE age >= 1 AND age < 3"),
            (Patron.filter(Col.age == nil), "SELECT * FROM reader WHERE age IS NULL"),
            (Patron.filter(Col.age != nil), "SELECT * FROM reader WHERE age IS NOT NULL"),
            (Patron.filter(Col.name.like("A%")), "SELECT * FROM reader WHERE name LIKE 'A%'"),
            (Patron.filter(Col.name.glob("A*")), "SELECT * FROM reader WHERE name GLOB 'A*'"),
            (
                Patron.filter(Col.age == 3).order(Col.name).limit(2),
                "SELECT * FROM reader WHERE age = 3 ORDER BY name LIMIT 2"
            ),
            (Patron.select(max(Col.age)).filter(Col.age < 9), "SELECT MAX(age) FROM reader WHERE age < 9"),
            (
                Patron.select(Col.name, count(Col.id)).filter(Col.age == 3).group(Col.name),
                "SELECT name, COUNT(id) FROM reader WHERE age = 3 GROUP BY name"
            ),
            (Patron.filter(id: 2), "SELECT * FROM reader WHERE id = 2"),
            (
                Patron.filter(Col.age == 3).filter(Patron.filter(Col.age == 4).exists()),
                "SELECT * FROM reader WHERE age = 3 AND EXISTS (SELECT * FROM reader WHERE age = 4)"
            ),
        ]
        try makeDatabase().read { db in
            for (request, sql) in requests {
                let region = try request.databaseRegion(db)
                let reference = try SQLRequest<Row>(sql: sql).databaseRegion(db)
                // The intersection with the region of the SQL removes nothing.
                XCTAssertEqual(
                    region.intersection(reference).description, region.description, sql)
                let conditions = region.debugDescription.contains("{"),
                    expected = reference.debugDescription.contains("{")
                XCTAssertTrue(conditions || !expected, "\(sql): \(region.debugDescription)")
            }
        }
    }

    func testObservationsOfRowsIgnoreOtherRows() throws {
        let dbQueue = try makeDatabase()
        let values = Mutex<[[Int?]]>([])
        let observations: [ValueObservation<ValueReducers.Fetch<Patron?>>] = [
            .tracking { try Patron.fetchOne($0, key: 1) }, .tracking(Patron.filter(id: 1).fetchOne),
        ]
        for observation in observations {
            values.withLock { $0 = [] }
            let cancellable = observation.start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { value in values.withLock { $0.append([value?.age]) } })
            try dbQueue.write { db in try db.execute(sql: "UPDATE reader SET age = age + 1 WHERE id = 3") }
            try dbQueue.write { db in try db.execute(sql: "UPDATE reader SET age = age + 1 WHERE id = 1") }
            XCTAssertEqual(values.withLock { $0.count }, 2)
            cancellable.cancel()
        }
    }
}
