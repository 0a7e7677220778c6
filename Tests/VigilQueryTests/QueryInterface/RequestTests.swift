import Vigil
import XCTest

/// A wrapper that can be selected and ordered by if its raw value can. Swift requires all four lines.
private struct Wrapped<RawValue>: RawRepresentable { var rawValue: RawValue }
extension Wrapped: SQLExpressible where RawValue: SQLExpressible {}
extension Wrapped: SQLSelectable where RawValue: SQLSelectable {}
extension Wrapped: SQLOrderingTerm where RawValue: SQLOrderingTerm {}
extension Wrapped: SQLSpecificExpressible where RawValue: SQLSpecificExpressible {}

final class RequestTests: QueryInterfaceTestCase {
    private func assertSQL(_ requests: [(QueryInterfaceRequest<Patron>, String)], line: UInt = #line) throws {
        try makeDatabase().read { db in
            for (request, sql) in requests { try assertSQL(db, request, sql, line: line) }
        }
    }

    func testSelectionsReplaceEachOtherUnlessAnnotated() throws {
        try assertSQL([
            (Patron.all(), "SELECT * FROM \"reader\""),
            (Patron.select(Col.name, Col.id - 1), "SELECT \"name\", \"id\" - 1 FROM \"reader\""),
            (Patron.select(Col.name).select(Col.age), "SELECT \"age\" FROM \"reader\""),
            (Patron.select(Col.name.forKey("n")), "SELECT \"name\" AS \"n\" FROM \"reader\""),
            (Patron.select(.allColumns, .rowID), "SELECT *, \"rowid\" FROM \"reader\""),
            (Patron.select(.allColumns(excluding: ["AGE"])), "SELECT \"id\", \"name\" FROM \"reader\""),
            (Patron.select(.allColumns(excluding: ["x"])), "SELECT * FROM \"reader\""),
            (Patron.select(sql: "name, id - ?", arguments: [1]), "SELECT name, id - 1 FROM \"reader\""),
            (Patron.select(literal: "\("x") AS x"), "SELECT 'x' AS x FROM \"reader\""),
            (Patron.annotated(with: Col.id + 1), "SELECT *, \"id\" + 1 FROM \"reader\""),
            (
                Patron.select(Col.name).annotated(with: [Col.id, Col.age]),
                "SELECT \"name\", \"id\", \"age\" FROM \"reader\""
            ),
            (Patron.select(Col.name).distinct(), "SELECT DISTINCT \"name\" FROM \"reader\""),
        ])
    }

    func testWrappersAreSelectedAndOrderedByTheirRawValues() throws {
        let name = Wrapped(rawValue: Col.name)
        try assertSQL([
            (
                Patron.select(name, Wrapped(rawValue: Col.age.forKey("years"))).order(name),
                "SELECT \"name\", \"age\" AS \"years\" FROM \"reader\" ORDER BY \"name\""
            ),
            (
                Patron.select(Wrapped(rawValue: AllColumns())).order(
                    Wrapped(rawValue: Col.age.desc), name.desc),
                "SELECT * FROM \"reader\" ORDER BY \"age\" DESC, \"name\" DESC"
            ),
            (
                Patron.select(name.forKey("n")).filter(name == "Arthur"),
                "SELECT \"name\" AS \"n\" FROM \"reader\" WHERE \"name\" = 'Arthur'"
            ),
        ])
    }

    func testFiltersAreJoinedByAND() throws {
        try assertSQL([
            (Patron.filter(Col.id == 1), "SELECT * FROM \"reader\" WHERE \"id\" = 1"),
            (
                Patron.filter(Col.id > 1).filter(Col.age > 2).filter(Col.age < 4),
                "SELECT * FROM \"reader\" WHERE (\"id\" > 1) AND (\"age\" > 2) AND (\"age\" < 4)"
            ),
            (
                Patron.filter(sql: "id > :id", arguments: ["id": 1]).filter(literal: "name = \("x")"),
                "SELECT * FROM \"reader\" WHERE (id > 1) AND (name = 'x')"
            ),
            (Patron.none(), "SELECT * FROM \"reader\" WHERE 0"),
            (Patron.filter(Col.id == 1).none().all(), "SELECT * FROM \"reader\" WHERE (\"id\" = 1) AND 0"),
            (
                Patron.all().filterWhenConnected { try Column($0.primaryKey("reader").columns[0]) > 1 },
                "SELECT * FROM \"reader\" WHERE \"id\" > 1"
            ),
        ])
    }

    func testGroupsReplaceEachOtherAndHaveConditions() throws {
        let byName = Patron.select(Col.name).group(Col.name)
        try assertSQL([
            (byName, "SELECT \"name\" FROM \"reader\" GROUP BY \"name\""),
            (byName.group(Col.age, Col.name), "SELECT \"name\" FROM \"reader\" GROUP BY \"age\", \"name\""),
            (byName.group(sql: "lower(name)"), "SELECT \"name\" FROM \"reader\" GROUP BY lower(name)"),
            (
                byName.having(min(Col.age) > 18).having(sql: "max(age) < ?", arguments: [50]),
                "SELECT \"name\" FROM \"reader\" GROUP BY \"name\" HAVING (MIN(\"age\") > 18) AND (max(age) < 50)"
            ),
            (Patron.all().groupByPrimaryKey(), "SELECT * FROM \"reader\" GROUP BY \"id\""),
        ])
    }

    func testOrdersReplaceEachOtherAndCanBeReversed() throws {
        try assertSQL([
            (Patron.order(Col.age), "SELECT * FROM \"reader\" ORDER BY \"age\""),
            (
                Patron.order(Col.age.desc, Col.name.asc),
                "SELECT * FROM \"reader\" ORDER BY \"age\" DESC, \"name\" ASC"
            ),
            (Patron.order(Col.age).order(Col.name), "SELECT * FROM \"reader\" ORDER BY \"name\""),
            (
                Patron.order(Col.age, Col.name.desc).reversed(),
                "SELECT * FROM \"reader\" ORDER BY \"age\" DESC, \"name\" ASC"
            ),
            (Patron.order(Col.age).reversed().reversed(), "SELECT * FROM \"reader\" ORDER BY \"age\""),
            (Patron.order(Col.age).reversed().order(Col.id), "SELECT * FROM \"reader\" ORDER BY \"id\""),
            (Patron.order(Col.age).unordered().reversed(), "SELECT * FROM \"reader\""),
            (Patron.order(sql: "lower(name) desc"), "SELECT * FROM \"reader\" ORDER BY lower(name) desc"),
            (Patron.order(literal: "age + \(1)"), "SELECT * FROM \"reader\" ORDER BY age + 1"),
            (
                Patron.order(Col.name.collating(.nocase).desc),
                "SELECT * FROM \"reader\" ORDER BY \"name\" COLLATE NOCASE DESC"
            ),
            (Patron.orderByPrimaryKey(), "SELECT * FROM \"reader\" ORDER BY \"id\""),
            (Patron.order(Col.age).withStableOrder(), "SELECT * FROM \"reader\" ORDER BY \"age\", \"id\""),
            (Patron.limit(2), "SELECT * FROM \"reader\" LIMIT 2"),
            (Patron.limit(2, offset: 1).limit(3, offset: 4), "SELECT * FROM \"reader\" LIMIT 3 OFFSET 4"),
        ])
    }

    func testMissingSelectionsAndOrdersAreNull() throws {
        let missing: (selection: SQLSelection?, order: SQLOrdering?) = (nil, nil)
        try assertSQL([
            (
                Patron.select(Optional(Col.name.forKey("n")), missing.selection, AllColumns?.none),
                "SELECT \"name\" AS \"n\", NULL, NULL FROM \"reader\""
            ),
            (
                Patron.order(Optional(Col.age.desc), missing.order),
                "SELECT * FROM \"reader\" ORDER BY \"age\" DESC, NULL"
            ),
            (
                Patron.all().order(missing.order).withStableOrder(),
                "SELECT * FROM \"reader\" ORDER BY NULL, \"id\""
            ),
        ])
    }

    func testNullsCanBeOrderedFirstOrLast() throws {
        try require(.nullsOrdering)
        try assertSQL([
            (Patron.order(Col.age.ascNullsLast), "SELECT * FROM \"reader\" ORDER BY \"age\" ASC NULLS LAST"),
            (
                Patron.order(Col.age.ascNullsLast).reversed(),
                "SELECT * FROM \"reader\" ORDER BY \"age\" DESC NULLS FIRST"
            ),
        ])
    }

    func testLiteralOrdersCannotBeReversed() throws {
        try makeDatabase().read { db in
            assertError(
                .SQLITE_MISUSE,
                "an SQL literal cannot be reversed: order by SQL(\"…\").sqlExpression or by columns instead"
            ) { _ = try Patron.order(sql: "name").reversed().fetchAll(db) }
            let reversed = Patron.order(SQL(sql: "name || ''").sqlExpression).reversed()
            XCTAssertEqual(try reversed.fetchAll(db).map(\.id), [3, 2, 1])
        }
    }

    func testClosuresAndKeyPathsDenoteColumns() throws {
        try assertSQL([
            (
                Patron.filter { $0.age > 10 && $0.name != "x" }.order(\.age.desc),
                "SELECT * FROM \"reader\" WHERE (\"age\" > 10) AND (\"name\" <> 'x') ORDER BY \"age\" DESC"
            ),
            (
                Patron.order { [$0.age, $0.id.desc] },
                "SELECT * FROM \"reader\" ORDER BY \"age\", \"id\" DESC"
            ),
            (Patron.select { [$0.id, $0.name] }, "SELECT \"id\", \"name\" FROM \"reader\""),
            (Patron.annotated { ($0.age + 1).forKey("x") }, "SELECT *, \"age\" + 1 AS \"x\" FROM \"reader\""),
            (
                Patron.all().select { $0.name }.group { $0.name }.having { max($0.age) > 1 },
                "SELECT \"name\" FROM \"reader\" GROUP BY \"name\" HAVING MAX(\"age\") > 1"
            ),
        ])
    }

    func testRowsAreDecodedToTheTypeOfTheSelection() throws {
        try makeDatabase().read { db in
            let names: QueryInterfaceRequest<String> = Patron.select(Col.name).order(Col.id)
            XCTAssertEqual(try names.fetchAll(db), ["Arthur", "Barbara", "Craig"])
            XCTAssertEqual(
                try Patron.select({ $0.name }, as: String.self).fetchSet(db), ["Arthur", "Barbara", "Craig"])
            XCTAssertEqual(
                try Patron.select(Col.age, as: Int?.self).order(Col.id).fetchAll(db), [40, nil, 12])
            XCTAssertEqual(try Patron.select(sql: "max(age)", as: Int.self).fetchOne(db), 40)
            XCTAssertEqual(try Patron.selectID().fetchSet(db), [1, 2, 3])
            XCTAssertEqual(try Patron.selectPrimaryKey(as: Int.self).fetchAll(db), [1, 2, 3])
            XCTAssertEqual(
                try Patron.select(Col.id, Col.age).asRequest(of: Row.self).fetchOne(db), ["id": 1, "age": 40])
            XCTAssertEqual(try Table("reader").filter(Col.id == 2).fetchOne(db)?["name"], "Barbara")
            XCTAssertEqual(try Table<Patron>("reader").filter(id: 3).fetchAll(db).map(\.name), ["Craig"])
            XCTAssertEqual(try Table<Patron>("reader").order(\.age).fetchAll(db).map(\.id), [2, 3, 1])
        }
    }

    func testFetchOneReadsOneRow() throws {
        let requests: [(QueryInterfaceRequest<Patron>, String)] = [
            (Patron.all(), " LIMIT 1"), (Patron.filter(Col.age > 1), " WHERE \"age\" > 1 LIMIT 1"),
            (Patron.limit(2), " LIMIT 2"), (Patron.filter(Col.id == 1), " WHERE \"id\" = 1"),
            (Patron.filter(Col.id == 1 && Col.age > 1), " WHERE (\"id\" = 1) AND (\"age\" > 1)"),
            (Patron.filter(Col.id == Col.age), " WHERE \"id\" = \"age\" LIMIT 1"),
            (Patron.filter(Column.rowID == 1), " WHERE \"rowid\" = 1"),
        ]
        try makeDatabase().read { db in
            for (request, sql) in requests {
                let run = try statements(db) { _ = try request.fetchOne(db) }
                XCTAssertEqual(run, ["SELECT * FROM \"reader\"" + sql])
            }
        }
    }

    func testCountsAreThoseOfTheFetchedRows() throws {
        let requests: [(QueryInterfaceRequest<Patron>, Int, String)] = [
            (Patron.all(), 3, "SELECT COUNT(*) FROM \"reader\""),
            (Patron.order(Col.name).reversed(), 3, "SELECT COUNT(*) FROM \"reader\""),
            (Patron.limit(2), 2, "SELECT COUNT(*) FROM (SELECT * FROM \"reader\" LIMIT 2)"),
            (Patron.filter(Col.age > 20), 1, "SELECT COUNT(*) FROM \"reader\" WHERE \"age\" > 20"),
            (Patron.all().distinct(), 3, "SELECT COUNT(*) FROM (SELECT DISTINCT * FROM \"reader\")"),
            (Patron.select(Col.name), 3, "SELECT COUNT(*) FROM \"reader\""),
            (Patron.select(Col.name).distinct(), 3, "SELECT COUNT(DISTINCT \"name\") FROM \"reader\""),
            (Patron.select(Col.age).distinct(), 3, "SELECT COUNT(DISTINCT \"age\") FROM \"reader\""),
            (
                Patron.filter(Col.age > 0).select(Col.age * 2).distinct(), 2,
                "SELECT COUNT(DISTINCT \"age\" * 2) FROM \"reader\" WHERE \"age\" > 0"
            ),
            (
                Patron.select(max(Col.age)).group(Col.name), 3,
                "SELECT COUNT(*) FROM (SELECT MAX(\"age\") FROM \"reader\" GROUP BY \"name\")"
            ),
            (
                Patron.annotated(with: Col.age.forKey("alt")).filter(Column("alt").detached), 2,
                "SELECT COUNT(*) FROM (SELECT *, \"age\" AS \"alt\" FROM \"reader\" WHERE \"alt\")"
            ),
            (Patron.select(max(Col.age)), 1, "SELECT COUNT(*) FROM (SELECT MAX(\"age\") FROM \"reader\")"),
            (Patron.select(sql: "max(age)"), 1, "SELECT COUNT(*) FROM (SELECT max(age) FROM \"reader\")"),
        ]
        try makeDatabase().read { db in
            for (request, count, sql) in requests {
                let run = try statements(db) { XCTAssertEqual(try request.fetchCount(db), count, sql) }
                XCTAssertEqual(run.last, sql)
                XCTAssertEqual(try Row.fetchAll(db, request).count, count, sql)
            }
        }
    }

    func testIsEmptyTestsExistence() throws {
        try makeDatabase().read { db in
            XCTAssertTrue(try Patron.none().isEmpty(db))
            XCTAssertFalse(try Patron.filter(Col.age == nil).isEmpty(db))
            let run = try statements(db) { _ = try Patron.filter(Col.id == 7).isEmpty(db) }
            XCTAssertEqual(run, ["SELECT EXISTS (SELECT * FROM \"reader\" WHERE \"id\" = 7)"])
        }
    }

    func testTheSelectionOfATypeAppliesToItsRequests() throws {
        struct Name: TableRecord, FetchableRecord, Decodable, Equatable {
            static let databaseTableName = "reader"
            static var databaseSelection: [any SQLSelectable] { [Column("name")] }
            var name: String
        }
        try makeDatabase().read { db in
            try assertSQL(db, Name.all(), "SELECT \"name\" FROM \"reader\"")
            XCTAssertEqual(try Name.fetchAll(db).map(\.name), ["Arthur", "Barbara", "Craig"])
            XCTAssertEqual(try Name.fetchOne(db, key: 2), Name(name: "Barbara"))
            XCTAssertEqual(try Name.fetchCount(db), 3)
            try assertSQL(db, Table("reader").all(), "SELECT * FROM \"reader\"")
        }
    }

    func testTheSelectionOfATypeHasANumberOfColumns() throws {
        struct NoTable: TableRecord { static let databaseTableName = "missing" }
        struct Named: TableRecord {
            static let databaseTableName = "reader"
            static var databaseSelection: [any SQLSelectable] { [Col.name, .rowID, Col.age + 1] }
        }
        struct Ageless: TableRecord {
            static let databaseTableName = "reader"
            static var databaseSelection: [any SQLSelectable] { [.allColumns(excluding: ["age"])] }
        }
        try makeDatabase().write { db in
            let counts = {
                [
                    try Patron.numberOfSelectedColumns(db), try Named.numberOfSelectedColumns(db),
                    try Ageless.numberOfSelectedColumns(db),
                ]
            }
            XCTAssertEqual(try counts(), [3, 3, 2])
            try db.alter(table: "reader") { $0.add(column: "town", .text) }
            XCTAssertEqual(try counts(), [4, 3, 3])
            assertError(.SQLITE_ERROR, "no such table: missing") {
                _ = try NoTable.numberOfSelectedColumns(db)
            }
        }
    }

    func testAliasesDistinguishTheUsesOfATable() throws {
        let r = TableAlias(name: "r"), other = TableAlias<Patron>()
        let olderThan = { (alias: SQLExpression) in Patron.filter(Col.age > alias) }
        try makeDatabase().read { db in
            try assertSQL(
                db, Patron.aliased(r).filter(!olderThan(r[Col.age]).exists()).filter(Col.age != nil),
                """
                SELECT "r".* FROM "reader" "r" WHERE (NOT EXISTS (SELECT * FROM "reader" WHERE "age" > "r"."age")) \
                AND ("r"."age" IS NOT NULL)
                """)
            try assertSQL(
                db, Table<Patron>("reader").aliased(other).filter(other.age > 1 && other[Col.id] < 3),
                "SELECT * FROM \"reader\" WHERE (\"age\" > 1) AND (\"id\" < 3)")
            let oldest = Patron.aliased(r).filter(!olderThan(r[Col.age]).exists() && Col.age != nil)
            XCTAssertEqual(try oldest.fetchAll(db).map(\.name), ["Arthur"])
            assertError(
                .SQLITE_MISUSE,
                "a table alias is not part of the request: attach it to a table with aliased(_:)"
            ) { _ = try Patron.filter(other[Col.age] > 1).fetchAll(db) }
        }
    }

    func testAliasesForAllTypesHaveACommonSuperclass() throws {
        let aliases: [TableAliasBase] = [TableAlias(name: "a"), TableAlias<Patron>(name: "b")]
        XCTAssertEqual(Set(aliases).count, 2)
        let (a, b) = (aliases[0], aliases[1])
        let older = Patron.all()._aliased(b).filter(b["age"] > a[Col.age])
        try makeDatabase().read { db in
            try assertSQL(
                db,
                Patron.all()._aliased(a).filter(older.exists())
                    .select(a[AllColumns()], a[Col.id]).order(a[Col.id.desc]),
                """
                SELECT "a".*, "a"."id" FROM "reader" "a" WHERE EXISTS \
                (SELECT "b".* FROM "reader" "b" WHERE "b"."age" > "a"."age") ORDER BY "a"."id" DESC
                """)
        }
    }

    func testSubqueriesReferToTheTablesAroundThem() throws {
        let dbQueue = try makeDatabase()
        try dbQueue.write { db in
            try db.execute(
                sql: "CREATE TABLE book(id INTEGER PRIMARY KEY, readerId); INSERT INTO book VALUES (1, 3)")
            let reader = TableAlias()
            let books = Table("book").filter(Column("readerId") == reader[Col.id])
            let request = Patron.aliased(reader).filter(books.exists())
            try assertSQL(
                db, request,
                """
                SELECT * FROM "reader" WHERE EXISTS (SELECT * FROM "book" WHERE "readerId" = "reader"."id")
                """)
            XCTAssertEqual(try request.fetchAll(db).map(\.name), ["Craig"])
        }
    }

    func testCommonTableExpressionsAreQueriedLikeTables() throws {
        try makeDatabase().read { db in
            let adults = CommonTableExpression<Patron>(named: "adult", request: Patron.filter(Col.age > 18))
            try assertSQL(
                db, adults.all().with(adults).order(Col.name),
                "WITH \"adult\" AS (SELECT * FROM \"reader\" WHERE \"age\" > 18) SELECT * FROM \"adult\" ORDER BY \"name\""
            )
            XCTAssertEqual(try adults.all().with(adults).fetchAll(db).map(\.name), ["Arthur"])
            XCTAssertEqual(try adults.all().with(adults).fetchCount(db), 1)
            let ids = CommonTableExpression<Int64>(
                named: "ids", columns: ["id"], sql: "VALUES (?), (?)", arguments: [2, 3])
            let request = Patron.with(ids).filter(ids.contains(Col.id))
            try assertSQL(
                db, request,
                "WITH \"ids\"(\"id\") AS (VALUES (2), (3)) SELECT * FROM \"reader\" WHERE \"id\" IN \"ids\"")
            XCTAssertEqual(try request.fetchAll(db).map(\.id), [2, 3])
            let counter = CommonTableExpression<Int>(
                recursive: true, named: "counter", columns: ["x"],
                literal: "VALUES (1) UNION ALL SELECT x + 1 FROM counter WHERE x < \(4)")
            XCTAssertEqual(try counter.all().with(counter).fetchAll(db), [1, 2, 3, 4])
        }
    }

    func testEqualRequestsDoNotShareArguments() throws {
        try makeDatabase().read { db in
            let first = try Patron.filter(Col.age == 40).fetchCursor(db)
            let second = try Patron.filter(Col.age == 12).fetchCursor(db)
            XCTAssertEqual(try first.next()?.id, 1)
            XCTAssertEqual(try second.next()?.id, 3)
            let prepared = try Patron.filter(Col.age == 40).makePreparedRequest(db)
            XCTAssertEqual(try Patron.filter(Col.age == 12).fetchOne(db)?.id, 3)
            XCTAssertEqual(try Patron.fetchAll(prepared.statement).map(\.id), [1])
        }
    }

    func testNamesAreQuoted() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE \"a \"\"b\"(\"c d\" INTEGER PRIMARY KEY, \"order\")")
            try db.execute(sql: "INSERT INTO \"a \"\"b\" VALUES (1, 2)")
            let request = Table("a \"b").filter(key: 1).filter(Column("order") == 2).order(Column("c d"))
            XCTAssertEqual(try request.fetchAll(db), [["c d": 1, "order": 2]])
        }
    }

    func testAnEmptySelectionIsAnError() throws {
        try makeDatabase().read { db in
            assertError(.SQLITE_MISUSE, "a request of table reader selects nothing: select a column") {
                _ = try Patron.select([any SQLSelectable]()).fetchAll(db)
            }
        }
    }
}
