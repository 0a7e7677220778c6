import Vigil
import XCTest

private struct Team: TableRecord, FetchableRecord, Codable, Hashable {
    var id: Int64
    var color: String
}

final class InterpolationTests: QueryInterfaceTestCase {
    func testPartsOfRequestsCanBeInterpolated() throws {
        let patron = Patron(id: 1, name: "a", age: nil)
        let older = CommonTableExpression<Patron>(named: "older", request: Patron.filter(Col.age > 20))
        let pieces: [(SQL, String)] = [
            ("SELECT \(Col.name) FROM \(Patron.self)", "SELECT \"name\" FROM \"reader\""),
            ("SELECT * FROM \(tableOf: patron)", "SELECT * FROM \"reader\""),
            ("SELECT * FROM \(Table("reader"))", "SELECT * FROM \"reader\""),
            ("SELECT \(columnsOf: Patron.self) FROM reader", "SELECT \"reader\".* FROM reader"),
            (
                "SELECT \(columnsOf: Patron.self, tableAlias: "r") FROM reader r",
                "SELECT \"r\".* FROM reader r"
            ),
            ("SELECT \(Col.name.forKey("n")) FROM reader", "SELECT \"name\" AS \"n\" FROM reader"),
            ("SELECT \(AllColumns()) FROM reader", "SELECT * FROM reader"),
            ("SELECT * FROM reader ORDER BY \(Col.age.desc)", "SELECT * FROM reader ORDER BY \"age\" DESC"),
            ("SELECT * FROM reader WHERE \(Col.age > 3)", "SELECT * FROM reader WHERE \"age\" > 3"),
            ("SELECT \(nil as Int?), \(7 as Int?)", "SELECT NULL, 7"),
            (
                "SELECT * FROM reader WHERE id IN (\(Patron.select(Col.id).filter(Col.age > 3)))",
                "SELECT * FROM reader WHERE id IN (SELECT \"id\" FROM \"reader\" WHERE \"age\" > 3)"
            ),
            (
                "WITH \(definitionFor: older) SELECT * FROM \(older)",
                "WITH \"older\" AS (SELECT * FROM \"reader\" WHERE \"age\" > 20) SELECT * FROM \"older\""
            ),
            (
                "SELECT name COLLATE \(DatabaseCollation.localizedCompare), id COLLATE \(.nocase) FROM reader",
                "SELECT name COLLATE swiftLocalizedCompare, id COLLATE NOCASE FROM reader"
            ),
        ]
        try makeDatabase().read { db in
            for (sql, expected) in pieces {
                let run = try statements(db) { _ = try Row.fetchAll(db, SQLRequest<Row>(literal: sql)) }
                XCTAssertEqual(run.last, expected)
            }
        }
    }

    func testSelectionsAreInterpolatedWhateverTheirStaticType() throws {
        let selection: any SQLSelectable = Col.name
        let (some, none): ((any SQLSelectable)?, (any SQLSelectable)?) = (Col.age.forKey("n"), nil)
        let ordering: any SQLOrderingTerm = Col.id.desc
        let expression: any SQLExpressible = Col.id
        let (value, noValue): ((any SQLExpressible)?, (any SQLExpressible)?) = (1, nil)
        let pieces: [(SQL, String)] = [
            ("SELECT \(selection) FROM reader", "SELECT \"name\" FROM reader"),
            ("SELECT \(some), \(none) FROM reader", "SELECT \"age\" AS \"n\", NULL FROM reader"),
            ("SELECT * FROM reader ORDER BY \(ordering)", "SELECT * FROM reader ORDER BY \"id\" DESC"),
            ("SELECT \(expression), \(value), \(noValue) FROM reader", "SELECT \"id\", 1, NULL FROM reader"),
        ]
        try makeDatabase().read { db in
            for (sql, expected) in pieces {
                let run = try statements(db) { _ = try Row.fetchAll(db, SQLRequest<Row>(literal: sql)) }
                XCTAssertEqual(run.last, expected)
            }
        }
    }

    func testCoalescedColumnsReturnTheFirstValue() {
        let row: Row = ["a": nil, "b": 2, "c": 3]
        XCTAssertEqual(row.coalesce([Column("missing"), Column("a"), Column("b"), Column("c")]), 2)
        XCTAssertNil(row.coalesce([Column("a"), Column("missing")]) as Int?)
    }

    func testValuesAreReadByColumn() throws {
        try makeDatabase().read { db in
            let row = try XCTUnwrap(Row.fetchOne(db, Patron.filter(id: 1)))
            XCTAssertEqual(row[Col.name], "Arthur")
            XCTAssertEqual(row[Col.age] as Int?, 40)
            XCTAssertNil(row[Column("missing")] as Int?)
            XCTAssertEqual(row[Col.id] as? Int64, 1)
            XCTAssertEqual(try row.decode(Int.self, forColumn: Col.age), 40)
            XCTAssertThrowsError(try row.decode(Int.self, forColumn: Col.name))
        }
    }

    func testRecordsAreReadFromScopes() throws {
        let request = SQLRequest<Row>(
            sql:
                "SELECT 1 AS id, 'Arthur' AS name, 40 AS age, 7 AS id, 'red' AS color, NULL AS id, NULL AS color",
            adapter: ScopeAdapter([
                "team": RangeRowAdapter(3..<5), "former": RangeRowAdapter(5..<7),
            ]))
        try makeDatabase().read { db in
            let row = try XCTUnwrap(request.fetchOne(db))
            let team: Team = row["team"]
            XCTAssertEqual(team, Team(id: 7, color: "red"))
            XCTAssertEqual(try row.decode(Team.self, forKey: "team"), team)
            XCTAssertNil(row["former"] as Team?)
            XCTAssertNil(try row.decodeIfPresent(Team.self, forKey: "missing"))
            XCTAssertThrowsError(try row.decode(Team.self, forKey: "missing")) { error in
                XCTAssertTrue("\(error)".hasPrefix("key not found: \"missing\""), "\(error)")
            }
        }
    }
}
