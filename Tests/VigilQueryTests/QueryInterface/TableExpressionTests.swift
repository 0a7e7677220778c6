import Vigil
import XCTest

/// Requests of common table expressions whose name is also that of a table.
final class TableExpressionTests: QueryInterfaceTestCase {
    private func namesake(_ name: String = "reader") -> CommonTableExpression<Patron> {
        CommonTableExpression<Patron>(
            named: name, sql: "SELECT 7 AS id, 'Ada' AS name, 36 AS age UNION ALL SELECT 8, 'Bob', NULL")
    }

    private func missingKey(_ name: String = "reader") -> String {
        "the common table expression \(name) has no primary key: use its columns instead"
    }

    func testAnExpressionHasNoPrimaryKey() throws {
        try makeDatabase().read { db in
            for name in ["reader", "READER", "other"] {
                let expression = namesake(name)
                let all = expression.all().with(expression)
                for request in [
                    all.filter(key: 7), all.filter(key: ["id": 7]), all.orderByPrimaryKey(),
                    all.groupByPrimaryKey(), expression.all().filter(id: 7).with(expression),
                ] {
                    assertError(.SQLITE_MISUSE, missingKey(name)) { _ = try request.fetchAll(db) }
                }
                assertError(.SQLITE_MISUSE, missingKey(name)) { _ = try all.selectID().fetchAll(db) }
            }
        }
    }

    func testARequestOfATableThatAnExpressionHidesReadsTheExpression() throws {
        try makeDatabase().read { db in
            let expression = namesake("READER")
            XCTAssertEqual(try Patron.all().with(expression).order(Col.id).fetchAll(db).map(\.id), [7, 8])
            // The row id of the table has no meaning here.
            XCTAssertEqual(try Patron.filter(Col.id == 7).with(expression).fetchAll(db).map(\.name), ["Ada"])
            assertError(.SQLITE_MISUSE, missingKey()) {
                _ = try Patron.filter(id: 7).with(expression).fetchAll(db)
            }
            // Without the expression, the same request reads the table.
            XCTAssertEqual(try Patron.filter(id: 1).fetchAll(db).map(\.name), ["Arthur"])
        }
    }

    func testAStableOrderIsThatOfAllColumns() throws {
        try makeDatabase().read { db in
            for columns in [nil, ["a", "b", "c"]] as [[String]?] {
                let expression = CommonTableExpression<Row>(
                    named: "reader", columns: columns, sql: "SELECT 7 AS id, 'Ada' AS name, 36 AS age")
                let quoted = (columns ?? ["id", "name", "age"]).map { "\"\($0)\"" }
                let definition = columns == nil ? "" : "(\(quoted.joined(separator: ", ")))"
                try assertSQL(
                    db, expression.all().with(expression).withStableOrder(),
                    "WITH \"reader\"\(definition) AS (SELECT 7 AS id, 'Ada' AS name, 36 AS age) "
                        + "SELECT * FROM \"reader\" ORDER BY \(quoted.joined(separator: ", "))")
            }
        }
    }

    func testColumnsOfAnExpressionCanBeExcluded() throws {
        try makeDatabase().read { db in
            let expression = CommonTableExpression<Row>(named: "reader", sql: "SELECT 7 AS x, 8 AS y, 9 AS z")
            let request = expression.all().with(expression).select(.allColumns(excluding: ["y"]))
            XCTAssertEqual(try Row.fetchOne(db, request), ["x": 7, "z": 9])
        }
    }

    func testSubqueriesSeeTheExpressionsOfTheQueryThatContainsThem() throws {
        try makeDatabase().write { db in
            try db.execute(sql: "CREATE TABLE one(x); INSERT INTO one VALUES (1)")
            let expression = namesake()
            let ids = expression.all().select(Col.id)
            let request = Table<Row>("one").all().with(expression)
                .select(ids.filter(Col.name == "Bob"), as: Int.self)
            XCTAssertEqual(try request.fetchAll(db), [8])
            assertError(.SQLITE_MISUSE, missingKey()) {
                let keyed = Table<Row>("one").all().with(expression)
                    .select(Patron.filter(id: 7).select(Col.name), as: String.self)
                _ = try keyed.fetchAll(db)
            }
        }
    }

    func testAnExpressionCannotBeDeletedOrUpdated() throws {
        try makeDatabase().write { db in
            let expression = namesake()
            let request = expression.all().with(expression)
            let message = """
                the rows of the common table expression reader cannot be deleted or updated: use a request of the \
                table that contains them
                """
            assertError(.SQLITE_MISUSE, message) { _ = try request.deleteAll(db) }
            assertError(.SQLITE_MISUSE, message) { _ = try request.updateAll(db, Col.age.set(to: 1)) }
            if db.supports(.returning) {
                assertError(.SQLITE_MISUSE, message) { _ = try request.deleteAndFetchIds(db) }
            }
            XCTAssertEqual(try Patron.fetchCount(db), 3)
            XCTAssertEqual(try Patron.find(db, id: 1).age, 40)
        }
    }

    // MARK: - Updates with a subquery

    func testAssignmentsReferToExpressions() throws {
        try makeDatabase().write { db in
            let best = CommonTableExpression<Int>(named: "best", sql: "SELECT 99 AS age")
            // Groups always need a subquery.
            let request = Patron.all().with(best).filter(Col.id < 3).groupByPrimaryKey()
            XCTAssertEqual(
                try request.updateAll(db, Col.age.set(to: best.all().select(Col.age).limit(1))), 2)
            XCTAssertEqual(try Patron.order(Col.id).fetchAll(db).map(\.age), [99, 99, 12])
            let filtered = Patron.all().with(best).filter(Col.age == best.all().select(Col.age))
                .groupByPrimaryKey()
            XCTAssertEqual(try filtered.deleteAll(db), 2)
        }
    }

    func testAssignmentsReferToAliases() throws {
        for alias in [TableAlias(name: "r"), TableAlias()] {
            try makeDatabase().write { db in
                let request = Patron.aliased(alias).filter(alias[Col.id] < 3).groupByPrimaryKey()
                XCTAssertEqual(try request.updateAll(db, Col.age.set(to: alias[Col.id] + 1)), 2)
                XCTAssertEqual(try Patron.order(Col.id).fetchAll(db).map(\.age), [2, 3, 12])
            }
        }
    }

    func testASubqueryOfTheSameTableInAnAssignmentRefersToTheAlias() throws {
        try makeDatabase().write { db in
            guard db.supports(.upsert) else { throw XCTSkip("an alias in UPDATE needs SQLite 3.24") }
            let reader = TableAlias(name: "r")
            let older = Patron.filter(Col.id > reader[Col.id]).select(count(Col.id))
            let request = Patron.aliased(reader).groupByPrimaryKey()
            XCTAssertEqual(try request.updateAll(db, Col.age.set(to: older)), 3)
            XCTAssertEqual(try Patron.order(Col.id).fetchAll(db).map(\.age), [2, 1, 0])
        }
    }
}
