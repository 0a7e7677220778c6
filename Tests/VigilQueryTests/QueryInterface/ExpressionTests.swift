import Foundation
import Vigil
import XCTest

final class ExpressionTests: QueryInterfaceTestCase {
    func testComparisonsAreWrittenAsOperators() throws {
        try assertConditions([
            (Col.age == 10, "\"age\" = 10"), (10 == Col.age, "10 = \"age\""),
            (Col.age == Col.id, "\"age\" = \"id\""), (Col.age == (10 as Int?), "\"age\" = 10"),
            (Col.age != 10, "\"age\" <> 10"), (10 != Col.age, "10 <> \"age\""),
            (Col.age < 10, "\"age\" < 10"), (10 < Col.age, "10 < \"age\""), (Col.age <= 10, "\"age\" <= 10"),
            (Col.age > Col.id, "\"age\" > \"id\""), (10 >= Col.age, "10 >= \"age\""),
            (Col.name == "O'Brien", "\"name\" = 'O''Brien'"), (Col.age == true, "\"age\" = 1"),
            (false == Col.age, "\"age\" = 0"), (Col.age != true, "\"age\" <> 1"),
            ((Col.age > 18) == true, "(\"age\" > 18) = 1"),
        ])
    }

    func testComparisonsWithNullAreISNULL() throws {
        let none: Int? = nil
        try assertConditions([
            (Col.age == nil, "\"age\" IS NULL"), (nil == Col.age, "\"age\" IS NULL"),
            (Col.age != nil, "\"age\" IS NOT NULL"), (Col.age == none, "\"age\" IS NULL"),
            (Col.age == DatabaseValue.null, "\"age\" IS NULL"), (none != Col.age, "\"age\" IS NOT NULL"),
            (Col.age === 10, "\"age\" IS 10"), (nil === Col.age, "\"age\" IS NULL"),
            (Col.age !== Col.id, "\"age\" IS NOT \"id\""),
        ])
    }

    func testNegationsAreOppositeOperators() throws {
        try assertConditions([
            (!Col.age, "NOT \"age\""), (!(!Col.age), "NOT (NOT \"age\")"),
            (!(Col.age == 10), "\"age\" <> 10"),
            (!(Col.age == nil), "\"age\" IS NOT NULL"), (!(Col.age === 10), "\"age\" IS NOT 10"),
            (![1, 2].contains(Col.id), "\"id\" NOT IN (1, 2)"), (![1].contains(Col.id), "\"id\" <> 1"),
            (!(1...10).contains(Col.id), "\"id\" NOT BETWEEN 1 AND 10"),
            (!Col.name.like("A%"), "\"name\" NOT LIKE 'A%'"), (!(Col.age > 18), "NOT (\"age\" > 18)"),
            (!(Col.name.collating(.nocase) == "a"), "\"name\" <> 'a' COLLATE NOCASE"),
            (![Int]().contains(Col.id), "1"),
            (!(Col.age == 1 && Col.id == 2), "NOT ((\"age\" = 1) AND (\"id\" = 2))"),
        ])
    }

    func testContainsTestsMembership() throws {
        let values: [any SQLExpressible] = [1, Col.age]
        try assertConditions([
            ([Int]().contains(Col.id), "0"), ([1].contains(Col.id), "\"id\" = 1"),
            ([1, 2, 3].contains(Col.id), "\"id\" IN (1, 2, 3)"), (Set([1]).contains(Col.id), "\"id\" = 1"),
            (AnySequence([1, 2]).contains(Col.id), "\"id\" IN (1, 2)"),
            ([1, nil].contains(Col.id), "\"id\" IN (1, NULL)"),
            (values.contains(Col.id), "\"id\" IN (1, \"age\")"),
            ([Col.id].contains(Col.id), "\"id\" = \"id\""),
            ((1..<10).contains(Col.id), "(\"id\" >= 1) AND (\"id\" < 10)"),
            ((1...10).contains(Col.id), "\"id\" BETWEEN 1 AND 10"),
            ((1.5..<2.5).contains(Col.id), "(\"id\" >= 1.5) AND (\"id\" < 2.5)"),
            (("A"..."z").contains(Col.name), "\"name\" BETWEEN 'A' AND 'z'"),
            (
                Patron.select(Col.age).filter(Col.name != nil).distinct().contains(Col.age),
                "\"age\" IN (SELECT DISTINCT \"age\" FROM \"reader\" WHERE \"name\" IS NOT NULL)"
            ),
            (
                SQLRequest<Int>(sql: "SELECT ? UNION SELECT ?", arguments: [1, 2]).contains(Col.age + 1),
                "(\"age\" + 1) IN (SELECT 1 UNION SELECT 2)"
            ),
            (Patron.filter(Col.id == 7).exists(), "EXISTS (SELECT * FROM \"reader\" WHERE \"id\" = 7)"),
            (!Patron.all().exists(), "NOT EXISTS (SELECT * FROM \"reader\")"),
            (Col.age == Patron.select(max(Col.age)), "\"age\" = (SELECT MAX(\"age\") FROM \"reader\")"),
        ])
    }

    func testRangesWithoutAnEndCompareWithTheirBound() throws {
        let date = Date(timeIntervalSince1970: 0)
        let text = "'1970-01-01 00:00:00.000'"
        try assertConditions([
            ((20...).contains(Col.age), "\"age\" >= 20"), ((...20).contains(Col.age), "\"age\" <= 20"),
            ((..<20).contains(Col.age), "\"age\" < 20"), ((Int64(20)...).contains(Col.age), "\"age\" >= 20"),
            (!(20...).contains(Col.age), "NOT (\"age\" >= 20)"),
            ((1.5...).contains(Col.age), "\"age\" >= 1.5"), ((..<1.5).contains(Col.age), "\"age\" < 1.5"),
            (("M"...).contains(Col.name), "\"name\" >= 'M'"),
            ((..."M").contains(Col.name), "\"name\" <= 'M'"),
            ((date...).contains(Col.name), "\"name\" >= \(text)"),
            ((..<date).contains(Col.name), "\"name\" < \(text)"),
            ((date..<date).contains(Col.name), "(\"name\" >= \(text)) AND (\"name\" < \(text))"),
            ((20...).contains(Col.name.collating(.nocase)), "\"name\" >= 20 COLLATE NOCASE"),
        ])
        try makeDatabase().read { db in
            XCTAssertEqual(try Patron.filter((20...).contains(Col.age)).fetchAll(db).map(\.id), [1])
            XCTAssertEqual(try Patron.filter((...20).contains(Col.age)).fetchAll(db).map(\.id), [3])
            let request = SQLRequest<Patron>("SELECT * FROM reader WHERE age IN \(20...)")
            assertError(
                .SQLITE_MISUSE,
                "an endless range cannot be a list of values: use (20...).contains(Column(\"age\"))"
            ) { _ = try request.fetchAll(db) }
        }
    }

    func testConditionsAreCombinedByLogicalOperators() throws {
        let conditions = [Col.id == 1, Col.name != nil, Col.age == nil]
        try assertConditions([
            (Col.age && true, "\"age\" AND 1"), (false || Col.age, "0 OR \"age\""),
            (
                Col.age != nil || Col.name != nil && Col.id != nil,
                "(\"age\" IS NOT NULL) OR ((\"name\" IS NOT NULL) AND (\"id\" IS NOT NULL))"
            ),
            (
                Col.id == 1 && Col.id == 2 && Col.id == 3, "(\"id\" = 1) AND (\"id\" = 2) AND (\"id\" = 3)"
            ),
            (
                conditions.joined(operator: .and),
                "(\"id\" = 1) AND (\"name\" IS NOT NULL) AND (\"age\" IS NULL)"
            ),
            (
                !conditions.joined(operator: .or),
                "NOT ((\"id\" = 1) OR (\"name\" IS NOT NULL) OR (\"age\" IS NULL))"
            ),
            ([SQLExpression]().joined(operator: .and), "1"), ([SQLExpression]().joined(operator: .or), "0"),
            ([Col.id == 1].joined(operator: .or) && true, "(\"id\" = 1) AND 1"),
        ])
    }

    func testPatternsAndCollationsAreWrittenInSQL() throws {
        try assertConditions([
            (Col.name.like("%a"), "\"name\" LIKE '%a'"),
            (Col.name.like("100\\%", escape: "\\"), "\"name\" LIKE '100\\%' ESCAPE '\\'"),
            (Col.name.glob("A*"), "\"name\" GLOB 'A*'"),
            (Col.name.collating(.nocase) == "a", "\"name\" = 'a' COLLATE NOCASE"),
            ("a" == Col.name.collating(.nocase), "'a' = \"name\" COLLATE NOCASE"),
            (Col.name.collating(.nocase) == nil, "\"name\" IS NULL COLLATE NOCASE"),
            (
                ["a", "b"].contains(Col.name.collating(.nocase)), "(\"name\" COLLATE NOCASE) IN ('a', 'b')"
            ),
            (
                ["a", "b"].contains(Col.name).collating(.nocase), "(\"name\" COLLATE NOCASE) IN ('a', 'b')"
            ),
            (
                ("A"..."z").contains(Col.name.collating(.nocase)),
                "(\"name\" COLLATE NOCASE) BETWEEN 'A' AND 'z'"
            ),
            (
                !("A"..."z").contains(Col.name).collating(.nocase),
                "(\"name\" COLLATE NOCASE) NOT BETWEEN 'A' AND 'z'"
            ),
            (
                ("A"..<"z").contains(Col.name.collating(.nocase)),
                "(\"name\" >= 'A' COLLATE NOCASE) AND (\"name\" < 'z' COLLATE NOCASE)"
            ),
            (
                Col.name.collating(.caseInsensitiveCompare) < "b",
                "\"name\" < 'b' COLLATE swiftCaseInsensitiveCompare"
            ),
        ])
    }

    func testCollationsApplyToTheComparison() throws {
        try makeDatabase().read { db in
            let conditions: [SQLExpression] = [
                Col.name.collating(.nocase) == "ARTHUR", "ARTHUR" == Col.name.collating(.nocase),
                ["ARTHUR", "x"].contains(Col.name.collating(.nocase)),
                ("AR"..."AS").contains(Col.name.collating(.nocase)),
                ("ar"..."as").contains(Col.name.collating(.nocase)),
                ("ar"..."as").contains(Col.name).collating(.nocase),
                (!(Col.name > "as")).collating(.nocase),
            ]
            for condition in conditions {
                XCTAssertEqual(try Patron.filter(condition).fetchAll(db).map(\.id), [1])
            }
        }
    }

    func testArithmeticIsEvaluated() throws {
        try assertValues([
            (Col.age + 2, "\"age\" + 2", 42), (2 + Col.age, "2 + \"age\"", 42),
            (Col.age - 2, "\"age\" - 2", 38),
            (2 - (Col.age - 1), "2 - (\"age\" - 1)", -37), (Col.age * Col.id, "\"age\" * \"id\"", 40),
            (Col.age / 7, "\"age\" / 7", 5), (-Col.age, "-\"age\"", -40),
            (-(-Col.age + 1), "-((-\"age\") + 1)", 39),
            (Col.age & 12, "\"age\" & 12", 8), (Col.age | 3, "\"age\" | 3", 43), (~Col.id, "~\"id\"", -2),
            (Col.id << 3, "\"id\" << 3", 8), (Col.age >> 2, "\"age\" >> 2", 10),
            ([Col.age, Col.id, Col.id].joined(operator: .add), "\"age\" + \"id\" + \"id\"", 42),
            ((Col.age + 1) + (2 + Col.age), "(\"age\" + 1) + (2 + \"age\")", 83),
            ([Column]().joined(operator: .multiply), "1", 1),
            ([Col.name, Col.name].joined(operator: .concat), "\"name\" || \"name\"", "ArthurArthur"),
            ((Col.age + 1) * 2, "(\"age\" + 1) * 2", 82), (1 - (Col.age > 1), "1 - (\"age\" > 1)", 0),
        ])
    }

    func testFunctionsAreEvaluated() throws {
        let next = DatabaseFunction("next", argumentCount: 1, pure: true) { values in
            Int.fromDatabaseValue(values[0]).map { $0 + 1 }
        }
        XCTAssertEqual(next.name, "next")
        try assertValues([
            (abs(Col.age - 50), "ABS(\"age\" - 50)", 10), (length(Col.name), "LENGTH(\"name\")", 6),
            (Col.age ?? 2, "IFNULL(\"age\", 2)", 40),
            (cast(Col.age, as: .text), "CAST(\"age\" AS TEXT)", "40"),
            (coalesce([any SQLSpecificExpressible]()), "NULL", nil), (coalesce([Col.age]), "\"age\"", 40),
            (
                coalesce([DatabaseValue.null, Col.age] as [any SQLSpecificExpressible]),
                "COALESCE(NULL, \"age\")", 40
            ),
            (max(Col.age, 50, Col.id), "MAX(\"age\", 50, \"id\")", 50),
            (min(Col.age, 50), "MIN(\"age\", 50)", 40),
            (Col.name.uppercased, "swiftUppercaseString(\"name\")", "ARTHUR"),
            (Col.name.lowercased, "swiftLowercaseString(\"name\")", "arthur"),
            (Col.name.capitalized, "swiftCapitalizedString(\"name\")", "Arthur"),
            (
                dateTime("2024-01-31 10:00:00".databaseValue, .startOfMonth, .month(1), .day(-1)),
                "DATETIME('2024-01-31 10:00:00', 'start of month', '1 months', '-1 days')",
                "2024-01-31 00:00:00"
            ),
            (julianDay("2000-01-01 12:00:00".databaseValue), "JULIANDAY('2000-01-01 12:00:00')", 2451545.0),
        ])
    }

    func testAggregatesAreEvaluated() throws {
        try makeDatabase().read { db in
            let expected: [(SQLExpression, String, (any DatabaseValueConvertible)?)] = [
                (count(Col.age), "COUNT(\"age\")", 2),
                (count(distinct: Col.age), "COUNT(DISTINCT \"age\")", 2),
                (max(Col.age), "MAX(\"age\")", 40), (min(Col.age), "MIN(\"age\")", 12),
                (sum(Col.age), "SUM(\"age\")", 52), (total(Col.age), "TOTAL(\"age\")", 52.0),
                (average(Col.age), "AVG(\"age\")", 26.0), (sum(Col.age) + 1, "SUM(\"age\") + 1", 53),
            ]
            for (expression, sql, value) in expected {
                let request = Patron.select(expression)
                let run = try statements(db) {
                    XCTAssertEqual(try DatabaseValue.fetchOne(db, request), value?.databaseValue)
                }
                // An aggregate has one row.
                XCTAssertEqual(run, ["SELECT \(sql) FROM \"reader\""])
                XCTAssertEqual(try request.fetchCount(db), 1)
            }
        }
    }

    func testAggregatesCanBeFiltered() throws {
        try require(.aggregateFilter)
        try makeDatabase().read { db in
            let request = Patron.select(sum(Col.age, filter: Col.id > 1) * 2, as: Int.self)
            try assertSQL(db, request, "SELECT (SUM(\"age\") FILTER (WHERE \"id\" > 1)) * 2 FROM \"reader\"")
            XCTAssertEqual(try request.fetchOne(db), 24)
            let counts = Patron.select(count(Col.age, filter: Col.id > 1), as: Int.self)
            try assertSQL(db, counts, "SELECT COUNT(\"age\") FILTER (WHERE \"id\" > 1) FROM \"reader\"")
            XCTAssertEqual(try counts.fetchOne(db), 1)
            let distinct = Patron.select(count(distinct: Col.age, filter: Col.id < 3), as: Int.self)
            XCTAssertEqual(try distinct.fetchOne(db), 1)
            XCTAssertEqual(try Patron.select(count(Col.age, filter: nil), as: Int.self).fetchOne(db), 2)
        }
    }

    func testCustomFunctionsAreEvaluated() throws {
        let double = DatabaseFunction("double", argumentCount: 1, pure: true) { values in
            Int.fromDatabaseValue(values[0]).map { $0 * 2 }
        }
        let dbQueue = try makeDatabase()
        try dbQueue.write { db in
            db.add(function: double)
            let request = Patron.select(double(Col.age), as: Int?.self).order(Col.id)
            try assertSQL(db, request, "SELECT double(\"age\") FROM \"reader\" ORDER BY \"id\"")
            XCTAssertEqual(try request.fetchAll(db), [80, nil, 24])
        }
    }

    func testSQLIsAnExpression() throws {
        let name = "Arthur"
        try assertConditions([
            (SQL("name = \(name)"), "name = 'Arthur'"),
            (SQL("age OR id") && true, "(age OR id) AND 1"),
            (SQL("\(Col.age) + 1") > 2, "(\"age\" + 1) > 2"),
            (Col.age > SQL("1 + \(1)"), "\"age\" > (1 + 1)"),
        ])
    }

    /// A collation after an operation would not belong to a comparison inside of it.
    func testNegatedComparisonsKeepTheirCollation() throws {
        try makeDatabase().read { db in
            let name = Col.name.collating(.nocase)
            let expected: [(SQLExpression, [Int64])] = [
                (name < "b", [1]), (!(name < "b"), [2, 3]), (!(!(name < "b")), [1]),
                ((name < "b") == true, [1]), ((name < "b") == false, [2, 3]),
                ((name == "ARTHUR") === (Col.id == 1), [1, 2, 3]), (!(name == "ARTHUR"), [2, 3]),
                (name.like("a%") == false, [2, 3]), ((name == "ARTHUR") == true, [1]),
            ]
            for (condition, ids) in expected {
                let request = Patron.filter(condition).order(Col.id)
                XCTAssertEqual(try request.fetchAll(db).map(\.id), ids, "\(ids)")
            }
        }
    }
}
