import Synchronization
import Vigil
import XCTest

/// Requests are observed exactly as the same query in SQL, on each backend.
final class RequestPrecisionTests: XCTestCase {
    private struct Case {
        var request: QueryInterfaceRequest<Row>
        var sql: String
        /// A statement that may change the result, and one that cannot.
        var matching: String
        var other: String

        init<T>(
            _ request: QueryInterfaceRequest<T>, _ sql: String, matching: String, other: String
        ) {
            (self.request, self.sql) = (request.asRequest(of: Row.self), sql)
            (self.matching, self.other) = (matching, other)
        }
    }

    private let (id, nameColumn, age) = (Column("id"), Column("name"), Column("age"))
    private let patrons = Table("patron")

    private func makeDatabase(_ dbQueue: DatabaseQueue) throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE patron(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT);
                    CREATE TABLE pass(code TEXT, country TEXT, patronId INT, PRIMARY KEY (code, country));
                    INSERT INTO patron VALUES (1, 'Arthur', 40), (2, 'Barbara', NULL), (3, 'Craig', 12);
                    INSERT INTO pass VALUES ('a', 'FR', 1), ('b', 'FR', 2), ('a', 'DE', 3);
                    """)
        }
    }

    private static let older = "UPDATE patron SET age = age + 1 WHERE id = 1"
    private static let younger = "UPDATE patron SET age = 13 WHERE id = 3"

    /// Requests with conditions.
    private var filtered: [Case] {
        [
            Case(
                patrons.filter(age == 40), "SELECT * FROM patron WHERE age = 40", matching: Self.older,
                other: Self.younger),
            Case(
                patrons.filter(age == 40 || age == 41), "SELECT * FROM patron WHERE age = 40 OR age = 41",
                matching: Self.older, other: Self.younger),
            Case(
                patrons.filter(age > 30 && nameColumn == "Arthur" || age == nil),
                "SELECT * FROM patron WHERE age > 30 AND name = 'Arthur' OR age IS NULL",
                matching: "UPDATE patron SET age = 1 WHERE id = 2", other: Self.younger),
            Case(
                patrons.filter([age == 40, age == 50, nameColumn == "x"].joined(operator: .or)),
                "SELECT * FROM patron WHERE age = 40 OR age = 50 OR name = 'x'", matching: Self.older,
                other: Self.younger),
            Case(
                patrons.filter([40, 41].contains(age)), "SELECT * FROM patron WHERE age IN (40, 41)",
                matching: Self.older, other: Self.younger),
            Case(
                patrons.filter((30...50).contains(age)), "SELECT * FROM patron WHERE age BETWEEN 30 AND 50",
                matching: Self.older, other: Self.younger),
            Case(
                patrons.filter((30..<50).contains(age)), "SELECT * FROM patron WHERE age >= 30 AND age < 50",
                matching: Self.older, other: Self.younger),
            Case(
                patrons.filter(age === nil), "SELECT * FROM patron WHERE age IS NULL",
                matching: "INSERT INTO patron VALUES (9, '', NULL)", other: Self.older),
            Case(
                patrons.filter(age != nil), "SELECT * FROM patron WHERE age IS NOT NULL",
                matching: Self.older, other: "UPDATE patron SET name = 'y' WHERE id = 2"),
            Case(
                patrons.filter(sql: "age = ? OR age = ?", arguments: [40, 41]),
                "SELECT * FROM patron WHERE age = 40 OR age = 41", matching: Self.older, other: Self.younger),
            Case(
                patrons.filter(literal: "age = \(40)"), "SELECT * FROM patron WHERE age = 40",
                matching: Self.older, other: Self.younger),
            Case(
                Table("pass").filter(keys: [["code": "a", "country": "FR"], ["code": "b", "country": "FR"]]),
                """
                SELECT * FROM pass
                WHERE code = 'a' AND country = 'FR' OR code = 'b' AND country = 'FR'
                """,
                matching: "UPDATE pass SET patronId = 7 WHERE code = 'b'",
                other: "UPDATE pass SET patronId = 7 WHERE country = 'DE'"),
        ]
    }

    /// Requests with other clauses.
    private var composed: [Case] {
        let strong = CommonTableExpression(
            named: "strong", request: patrons.filter(age > 30))
        let patron = TableAlias(name: "p")
        return [
            Case(
                patrons.select(nameColumn).distinct().filter(age > 30).order(nameColumn.desc).limit(3),
                "SELECT DISTINCT name FROM patron WHERE age > 30 ORDER BY name DESC LIMIT 3",
                matching: Self.older, other: Self.younger),
            Case(
                patrons.select(max(age)).filter(age > 30), "SELECT MAX(age) FROM patron WHERE age > 30",
                matching: Self.older, other: Self.younger),
            Case(
                patrons.select(nameColumn, count(id)).filter(age > 30 || age < 0).group(nameColumn)
                    .having(count(id) > 0),
                """
                SELECT name, COUNT(id) FROM patron WHERE age > 30 OR age < 0 GROUP BY name HAVING COUNT(id) > 0
                """, matching: Self.older, other: Self.younger),
            Case(
                patrons.select(nameColumn, (age + 1).forKey("next")).filter(age == 40),
                "SELECT name, age + 1 AS next FROM patron WHERE age = 40", matching: Self.older,
                other: Self.younger),
            Case(
                patrons.aliased(patron).filter(patron[age] == 40 || patron[age] == 41),
                "SELECT p.* FROM patron p WHERE p.age = 40 OR p.age = 41", matching: Self.older,
                other: Self.younger),
            Case(
                patrons.select(nameColumn).filter(Table("pass").select(Column("patronId")).contains(id)),
                "SELECT name FROM patron WHERE id IN (SELECT patronId FROM pass)",
                matching: "UPDATE patron SET name = 'z' WHERE id = 1",
                other: "UPDATE patron SET age = 7 WHERE id = 1"),
            Case(
                patrons.filter(age == 40 && Table("pass").all().exists()),
                "SELECT * FROM patron WHERE age = 40 AND EXISTS (SELECT * FROM pass)",
                matching: Self.older, other: Self.younger),
            Case(
                strong.all().with(strong),
                "WITH strong AS (SELECT * FROM patron WHERE age > 30) SELECT * FROM strong",
                matching: Self.older, other: "UPDATE pass SET patronId = 8"),
            Case(
                patrons.all(), "SELECT * FROM patron", matching: Self.younger,
                other: "UPDATE pass SET patronId = 8"),
        ]
    }

    /// Requests of which the keys of the rows are known.
    private var keyed: [Case] {
        [
            Case(
                patrons.filter(key: 1), "SELECT * FROM patron WHERE id = 1", matching: Self.older,
                other: Self.younger),
            Case(
                patrons.filter(keys: [1, 2]), "SELECT * FROM patron WHERE id IN (1, 2)",
                matching: Self.older, other: Self.younger),
            Case(
                patrons.filter(id == 1 || id == 2), "SELECT * FROM patron WHERE id = 1 OR id = 2",
                matching: Self.older, other: Self.younger),
            Case(
                patrons.filter(id == 1 || id == 2 && age == 7),
                "SELECT * FROM patron WHERE id = 1 OR id = 2 AND age = 7", matching: Self.older,
                other: Self.younger),
            Case(
                patrons.filter(id == 1 || age == 50), "SELECT * FROM patron WHERE id = 1 OR age = 50",
                matching: Self.older, other: Self.younger),
        ]
    }

    func testRegionsAreThoseOfTheSameSQL() throws {
        try onEachQueue { dbQueue in
            try makeDatabase(dbQueue)
            try dbQueue.read { db in
                for item in filtered + composed {
                    let region = try item.request.databaseRegion(db)
                    let reference = try SQLRequest<Row>(sql: item.sql).databaseRegion(db)
                    XCTAssertEqual(region, reference, item.sql)
                    XCTAssertEqual(region.debugDescription, reference.debugDescription, item.sql)
                    XCTAssertEqual(
                        try Row.fetchAll(db, item.request).map { Array($0.databaseValues) },
                        try Row.fetchAll(db, sql: item.sql).map { Array($0.databaseValues) }, item.sql)
                }
                for item in keyed {
                    let region = try item.request.databaseRegion(db)
                    let reference = try SQLRequest<Row>(sql: item.sql).databaseRegion(db)
                    XCTAssertEqual(
                        region.intersection(reference).debugDescription, region.debugDescription, item.sql)
                }
            }
        }
    }

    /// Returns the numbers of fetches that each of two statements causes.
    private func fetches(
        _ dbQueue: DatabaseQueue, _ statements: [String],
        _ fetch: @escaping @Sendable (Database) throws -> Int
    ) throws -> [Int] {
        let count = Mutex(0)
        let observation = ValueObservation.tracking { db in
            count.withLock { $0 += 1 }
            return try fetch(db)
        }
        let cancellable = observation.start(
            in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { _ in })
        defer { cancellable.cancel() }
        // The first fetch runs on the queue.
        dbQueue.writeWithoutTransaction { _ in }
        return try statements.map { sql in
            let before = count.withLock { $0 }
            try dbQueue.write { db in try db.execute(sql: sql) }
            dbQueue.writeWithoutTransaction { _ in }
            return count.withLock { $0 } - before
        }
    }

    func testOnlyMatchingWritesCauseFetches() throws {
        for item in filtered + composed + keyed {
            try onEachQueue { dbQueue in
                try makeDatabase(dbQueue)
                let (request, sql) = (item.request, item.sql)
                let statements = [item.other, item.matching]
                XCTAssertEqual(
                    try fetches(dbQueue, statements) { try request.fetchAll($0).count }, [0, 1], sql)
            }
            try onEachQueue { dbQueue in
                try makeDatabase(dbQueue)
                let sql = item.sql
                let statements = [item.other, item.matching]
                XCTAssertEqual(
                    try fetches(dbQueue, statements) { try Row.fetchAll($0, sql: sql).count }, [0, 1], sql)
            }
        }
    }

    func testRequestsWithoutRowsAreNeverFetchedAgain() throws {
        let requests = [
            patrons.none(), patrons.filter([Int]().contains(age)), patrons.filter(key: nil as Int?),
        ]
        for request in requests {
            try onEachQueue { dbQueue in
                try makeDatabase(dbQueue)
                XCTAssertEqual(
                    try fetches(dbQueue, [Self.older, "DELETE FROM patron"]) { try request.fetchCount($0) },
                    [0, 0])
            }
        }
    }

    func testCollectionsOfRegionsAreTheirUnion() throws {
        try onEachQueue { dbQueue in
            try makeDatabase(dbQueue)
            try dbQueue.read { db in
                let tables = [Table("patron"), Table("pass")]
                XCTAssertEqual(
                    try tables.databaseRegion(db),
                    try tables[0].databaseRegion(db).union(tables[1].databaseRegion(db)))
                let requests = [patrons.filter(key: 1), patrons.filter(key: 2)]
                XCTAssertEqual(
                    try requests.databaseRegion(db).description,
                    try patrons.filter(keys: [1, 2]).databaseRegion(db).description)
                XCTAssertTrue(try [Table<Row>]().databaseRegion(db).isEmpty)
                XCTAssertEqual(
                    try AnyDatabaseRegionConvertible(tables).databaseRegion(db), try tables.databaseRegion(db)
                )
                XCTAssertEqual(
                    try AnyDatabaseRegionConvertible { try tables.databaseRegion($0) }.databaseRegion(db),
                    try tables.databaseRegion(db))
            }
            let tables = [Table("patron"), Table("pass")]
            let count = Mutex(0)
            let cancellable = DatabaseRegionObservation(tracking: tables).start(
                in: dbQueue, onError: { XCTFail("\($0)") }, onChange: { _ in count.withLock { $0 += 1 } })
            try dbQueue.write { db in try db.execute(sql: "UPDATE pass SET patronId = 8") }
            try dbQueue.write { db in try db.execute(sql: Self.older) }
            XCTAssertEqual(count.withLock { $0 }, 2)
            cancellable.cancel()
        }
    }

    func testIdentifiersAreFetchedInTheOrderOfTheRequest() throws {
        struct Patron: TableRecord, Identifiable { var id: Int64 }
        try onEachQueue { dbQueue in
            try makeDatabase(dbQueue)
            try dbQueue.read { db in
                XCTAssertEqual(try Patron.order(Column("name").desc).fetchIdentifiers(db), [3, 2, 1])
                XCTAssertEqual(try Patron.filter(ids: [1, 7]).fetchIdentifiers(db), [1])
            }
        }
    }
}
