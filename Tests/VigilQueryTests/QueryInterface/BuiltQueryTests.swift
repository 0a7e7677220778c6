import Vigil
import XCTest

/// Requests that differ only in their values share their SQL.
final class BuiltQueryTests: QueryInterfaceTestCase {
    private let table = Table("reader")

    private func ids(_ db: Database, _ request: QueryInterfaceRequest<Row>) throws -> [Int64] {
        try request.fetchAll(db).map { $0["id"] }
    }

    func testRequestsThatDifferInTheirValuesFetchTheirOwnRows() throws {
        try makeDatabase().read { db in
            for _ in 1...3 {
                for age in [12, 40, 41] {
                    let request = table.filter(Column("age") >= age && Column("name") != "Barbara")
                        .order(Column("age").desc).limit(5)
                    XCTAssertEqual(try ids(db, request), age == 12 ? [1, 3] : age == 40 ? [1] : [])
                }
                let text = table.filter(Column("age") == "40")
                XCTAssertEqual(try ids(db, text), [1])
                XCTAssertEqual(try ids(db, table.filter(Column("age") == 12.0)), [3])
                XCTAssertEqual(try ids(db, table.filter(Column("age") == nil)), [2])
                XCTAssertEqual(try ids(db, table.filter(Column("age") == (nil as Int?))), [2])
                XCTAssertEqual(try ids(db, table.filter(Column("age") > DatabaseValue.null)), [])
            }
        }
    }

    func testRequestsThatDifferInTheirSQLAreDistinguished() throws {
        let (id, age, name) = (Column("id"), Column("age"), Column("name"))
        let base = table.filter(age > 1)
        let requests: [(QueryInterfaceRequest<Row>, String)] = [
            (base, "WHERE \"age\" > 1"),
            (table.filter(age >= 1), "WHERE \"age\" >= 1"),
            (table.filter(id > 1), "WHERE \"id\" > 1"),
            (table.filter(age == 1), "WHERE \"age\" = 1"),
            (table.filter(age != 1), "WHERE \"age\" <> 1"),
            (table.filter(age === 1), "WHERE \"age\" IS 1"),
            (table.filter(1 == age), "WHERE 1 = \"age\""),
            (table.filter(age == id), "WHERE \"age\" = \"id\""),
            (table.filter(age > 1 && id > 1), "WHERE (\"age\" > 1) AND (\"id\" > 1)"),
            (table.filter(age > 1 || id > 1), "WHERE (\"age\" > 1) OR (\"id\" > 1)"),
            (base.filter(id > 1), "WHERE (\"age\" > 1) AND (\"id\" > 1)"),
            (table.filter(!(age > 1)), "WHERE NOT (\"age\" > 1)"),
            (table.filter((1...2).contains(age)), "WHERE \"age\" BETWEEN 1 AND 2"),
            (table.filter(!(1...2).contains(age)), "WHERE \"age\" NOT BETWEEN 1 AND 2"),
            (table.filter([1, 2].contains(age)), "WHERE \"age\" IN (1, 2)"),
            (table.filter([1, 2, 3].contains(age)), "WHERE \"age\" IN (1, 2, 3)"),
            (table.filter([1, nil].contains(age)), "WHERE \"age\" IN (1, NULL)"),
            (table.filter(![1, 2].contains(age)), "WHERE \"age\" NOT IN (1, 2)"),
            (table.filter(name.like("a")), "WHERE \"name\" LIKE 'a'"),
            (table.filter(name.like("a", escape: "!")), "WHERE \"name\" LIKE 'a' ESCAPE '!'"),
            (table.filter(!name.like("a")), "WHERE \"name\" NOT LIKE 'a'"),
            (table.filter(age + 1 > 1), "WHERE (\"age\" + 1) > 1"),
            (table.filter(age - 1 > 1), "WHERE (\"age\" - 1) > 1"),
            (table.filter(age.detached > 1), "WHERE \"age\" > 1"),
            (base.limit(1), "WHERE \"age\" > 1 LIMIT 1"),
            (base.limit(2), "WHERE \"age\" > 1 LIMIT 2"),
            (base.limit(1, offset: 0), "WHERE \"age\" > 1 LIMIT 1 OFFSET 0"),
            (base.order(age), "WHERE \"age\" > 1 ORDER BY \"age\""),
            (base.order(age.asc), "WHERE \"age\" > 1 ORDER BY \"age\" ASC"),
            (base.order(age).reversed(), "WHERE \"age\" > 1 ORDER BY \"age\" DESC"),
            (base.order(age, id), "WHERE \"age\" > 1 ORDER BY \"age\", \"id\""),
            (base.order(sql: "age"), "WHERE \"age\" > 1 ORDER BY age"),
            (table.order(age + 1), "ORDER BY \"age\" + 1"),
            (table.filter(sql: "age > 1"), "WHERE age > 1"),
            (table.filter(sql: "age > 2"), "WHERE age > 2"),
            (table.filter(false.sqlExpression), "WHERE 0"),
            (table.filter(true.sqlExpression), "WHERE 1"),
        ]
        try makeDatabase().read { db in
            // Each request is compared with those before it.
            let half = requests.count / 2
            for order in [
                requests, requests, requests.reversed(), Array(requests[half...] + requests[..<half]),
            ] {
                for (request, sql) in order {
                    for _ in 1...2 { try assertSQL(db, request, "SELECT * FROM \"reader\" \(sql)") }
                }
            }
            try assertSQL(db, base.distinct(), "SELECT DISTINCT * FROM \"reader\" WHERE \"age\" > 1")
            try assertSQL(db, base.select(age), "SELECT \"age\" FROM \"reader\" WHERE \"age\" > 1")
            try assertSQL(db, base.select(age + 1), "SELECT \"age\" + 1 FROM \"reader\" WHERE \"age\" > 1")
            try assertSQL(db, base.select(age + 2), "SELECT \"age\" + 2 FROM \"reader\" WHERE \"age\" > 1")
        }
    }

    func testRequestsOfRecordsFollowTheirSelection() throws {
        struct Reader: TableRecord {
            nonisolated(unsafe) static var selectsName = false
            static var databaseSelection: [any SQLSelectable] {
                selectsName ? [Column("id"), Column("name")] : [Column("id")]
            }
        }
        try makeDatabase().read { db in
            for selectsName in [false, true, false] {
                Reader.selectsName = selectsName
                for age in [1, 20] {
                    let columns = selectsName ? "\"id\", \"name\"" : "\"id\""
                    try assertSQL(
                        db, Reader.filter(Column("age") > age).asRequest(of: Row.self),
                        "SELECT \(columns) FROM \"reader\" WHERE \"age\" > \(age)")
                }
            }
        }
    }

    func testSingleResultsAreDistinguished() throws {
        try makeDatabase().read { db in
            for age in [1, 20, 1] {
                let request = table.filter(Column("age") > age).order(Column("id"))
                XCTAssertEqual(try request.fetchAll(db).count, age == 1 ? 2 : 1)
                let run = try statements(db) { XCTAssertEqual(try request.fetchOne(db)?["id"], 1) }
                XCTAssertEqual(
                    run, ["SELECT * FROM \"reader\" WHERE \"age\" > \(age) ORDER BY \"id\" LIMIT 1"])
            }
        }
    }

    func testRegionsDependOnTheValues() throws {
        try makeDatabase().read { db in
            for id in [1, 2, 3] as [Int64] {
                XCTAssertEqual(
                    try table.filter(Column("id") == id).databaseRegion(db).description,
                    "reader(age,id,name)[\(id)]")
                XCTAssertEqual(
                    try table.filter([id, 7].contains(Column.rowID)).databaseRegion(db).description,
                    "reader(age,id,name)[\(id),7]")
            }
            let regions = try [10, 20].map { try table.filter(Column("age") == $0).databaseRegion(db) }
            XCTAssertNotEqual(regions[0], regions[1])
            XCTAssertEqual(try table.filter(false.sqlExpression).databaseRegion(db), DatabaseRegion())
            XCTAssertNotEqual(try table.filter(true.sqlExpression).databaseRegion(db), DatabaseRegion())
        }
    }

    func testSchemaChangesAreNoticed() throws {
        let dbQueue = try makeDatabase()
        let request = table.filter(Column("age") == 40)
        try dbQueue.write { db in
            XCTAssertEqual(try ids(db, request), [1])
            // A single result needs no limit if the column is unique.
            let first = try statements(db) { _ = try request.fetchOne(db) }
            XCTAssertEqual(first, ["SELECT * FROM \"reader\" WHERE \"age\" = 40 LIMIT 1"])
            try db.execute(sql: "CREATE UNIQUE INDEX byAge ON reader(age)")
            let second = try statements(db) { _ = try request.fetchOne(db) }
            XCTAssertEqual(second, ["SELECT * FROM \"reader\" WHERE \"age\" = 40"])
            try db.execute(sql: "CREATE TEMP TABLE reader AS SELECT 5 AS id, 40 AS age")
            XCTAssertEqual(try ids(db, request), [5])
            try db.execute(sql: "DROP TABLE temp.reader; DROP TABLE main.reader")
            XCTAssertThrowsError(try ids(db, request))
        }
    }
}
