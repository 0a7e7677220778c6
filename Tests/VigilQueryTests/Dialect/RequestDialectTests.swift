import Foundation
import Vigil
import VigilPostgres
import VigilStorage
import XCTest

final class RequestDialectTests: DialectTestCase {
    private let player = Table("player")
    private let nickname = Column("name")

    private func assertFilter(
        _ filter: SQLExpression, _ sqlite: String, _ postgreSQL: String, file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        for (dialect, expected) in [(SQLDialect.sqlite, sqlite), (.postgreSQL, postgreSQL)] {
            try assertSQL(
                dialect, "SELECT * FROM \"player\" WHERE \(expected)", file: file, line: line
            ) { db in _ = try Row.fetchAll(db, player.filter(filter)) }
        }
    }

    func testEqualityWithNullsHasAnOperatorOfTheDialect() throws {
        try assertFilter(nickname === "a", #""name" IS ?"#, #""name" IS NOT DISTINCT FROM ?"#)
        try assertFilter(nickname !== Column("id"), #""name" IS NOT "id""#, #""name" IS DISTINCT FROM "id""#)
    }

    func testNullIsComparedWithTheSameOperatorInAllDialects() throws {
        let null: String? = nil
        try assertFilter(nickname == null, #""name" IS NULL"#, #""name" IS NULL"#)
        try assertFilter(nickname != null, #""name" IS NOT NULL"#, #""name" IS NOT NULL"#)
        try assertFilter(nickname === null, #""name" IS NULL"#, #""name" IS NULL"#)
        try assertFilter(nickname == "a", #""name" = ?"#, #""name" = ?"#)
    }

    func testPatternsWithoutEscapeCharacterHaveNoneInAnyDialect() throws {
        try assertFilter(nickname.like("a%"), #""name" LIKE ?"#, #""name" ILIKE ? ESCAPE ''"#)
        try assertFilter(
            nickname.like("a%", escape: "!"), #""name" LIKE ? ESCAPE ?"#, #""name" ILIKE ? ESCAPE ?"#)
        try assertFilter(
            !nickname.like("a%"), #""name" NOT LIKE ?"#, #""name" NOT ILIKE ? ESCAPE ''"#)
    }

    func testMembershipInATableIsWrittenInTheDialect() throws {
        let ids = CommonTableExpression<Int64>(named: "ids", columns: ["id"], sql: "VALUES (2), (3)")
        let membership = ids.contains(Column("id"))
        try assertFilter(membership, #""id" IN "ids""#, #""id" IN (SELECT * FROM "ids")"#)
        try assertFilter(!membership, #""id" NOT IN "ids""#, #""id" NOT IN (SELECT * FROM "ids")"#)
    }

    func testTypesAndFunctionsHaveTheirNamesInTheDialect() throws {
        try assertFilter(
            cast(nickname, as: .integer) > 1, #"CAST("name" AS INTEGER) > ?"#, #"CAST("name" AS BIGINT) > ?"#)
        try assertFilter(
            cast(nickname, as: .text) > "a", #"CAST("name" AS TEXT) > ?"#, #"CAST("name" AS TEXT) > ?"#)
        try assertFilter((nickname ?? "a") > "b", #"IFNULL("name", ?) > ?"#, #"COALESCE("name", ?) > ?"#)
    }

    func testFunctionsHaveTheirFormInTheDialect() throws {
        let (score, id) = (Column("score"), Column("id"))
        try assertFilter(
            iif(id > 1, score, 0) > 2, #"IIF("id" > ?, "score", ?) > ?"#,
            #"CASE WHEN "id" > ? THEN "score" ELSE ? END > ?"#)
        try assertFilter(
            max(score, 5) > 2, #"MAX("score", ?) > ?"#,
            #"CASE WHEN ROW("score") IS NOT NULL THEN GREATEST("score", ?) END > ?"#)
        try assertFilter(
            min(score, id) > 2, #"MIN("score", "id") > ?"#,
            #"CASE WHEN ROW("score", "id") IS NOT NULL THEN LEAST("score", "id") END > ?"#)
        for (expression, sqlite, postgreSQL) in [
            (average(score), #"AVG("score")"#, #"AVG("score")::float8"#),
            (total(score), #"TOTAL("score")"#, #"COALESCE(SUM("score"), 0)::float8"#),
            (
                total(score, filter: id > 1), #"TOTAL("score") FILTER (WHERE "id" > ?)"#,
                #"COALESCE(SUM("score") FILTER (WHERE "id" > ?), 0)::float8"#
            ),
            (max(score), #"MAX("score")"#, #"MAX("score")"#),
        ] {
            for (dialect, expected) in [(SQLDialect.sqlite, sqlite), (.postgreSQL, postgreSQL)] {
                try assertSQL(dialect, "SELECT \(expected) FROM \"player\"") { db in
                    _ = try Row.fetchAll(db, player.select(expression))
                }
            }
        }
    }

    func testMatchesAreRefusedByDialectsWithoutThem() throws {
        let pattern = try FTS3Pattern(rawPattern: "a")
        for request in [player.filter(nickname.match(pattern)), player.all().matching(pattern)] {
            try assertUnsupported(.postgreSQL, "full-text search with MATCH") { db in
                _ = try Row.fetchAll(db, request)
            }
        }
        try assertFilter(nickname == "a", #""name" = ?"#, #""name" = ?"#)
    }

    func testKeysOfSeveralColumnsAreCountedAsRowsIfTheDialectHasThem() throws {
        struct Team: TableRecord {
            static let members = hasMany(Member.self)
        }
        struct Member: TableRecord {}
        let schema = """
            CREATE TABLE team(id INTEGER PRIMARY KEY);
            CREATE TABLE member(a INT, b INT, team REFERENCES team, PRIMARY KEY (a, b)) WITHOUT ROWID;
            """
        try assertSQL(
            .postgreSQL,
            #"SELECT "team".* FROM "team" LEFT JOIN "member" ON "member"."team" = "team"."id" "#
                + #"GROUP BY "team"."id" HAVING COUNT(DISTINCT CASE WHEN "member"."a" IS NOT NULL "#
                + #"THEN ROW("member"."a", "member"."b") END) > ?"#, schema: schema
        ) { _ = try Row.fetchAll($0, Team.having(Team.members.count > 1).asRequest(of: Row.self)) }
        try withDatabase(backend(.sqlite), schema: schema) { db in
            let request = Team.having(Team.members.count > 1).asRequest(of: Row.self)
            XCTAssertThrowsError(try Row.fetchAll(db, request)) { error in
                XCTAssertEqual(
                    (error as? DatabaseError)?.message,
                    "the rows of table member are not identified by one column")
            }
        }
    }

    func testSubqueriesOfFromClausesHaveANameIfTheDialectNeedsIt() throws {
        for (dialect, suffix) in [(SQLDialect.sqlite, ""), (.postgreSQL, " AS t")] {
            try assertSQL(
                dialect, "SELECT COUNT(*) FROM (SELECT * FROM \"player\" LIMIT 1)\(suffix)"
            ) { db in _ = try player.limit(1).fetchCount(db) }
            try assertSQL(
                dialect,
                "SELECT EXISTS (SELECT * FROM (SELECT * FROM \"player\" LIMIT 0)\(suffix))"
            ) { db in _ = try player.limit(0).isEmpty(db) }
            try assertSQL(dialect, "SELECT COUNT(*) FROM (SELECT 1)\(suffix)") { db in
                _ = try SQLRequest<Int>(sql: "SELECT 1").fetchCount(db)
            }
        }
    }

    func testNegativeLimitsMeanAllRowsInAllDialects() throws {
        for (dialect, all) in [(SQLDialect.sqlite, "-1"), (.postgreSQL, "ALL")] {
            try assertSQL(dialect, "SELECT * FROM \"player\" LIMIT \(all) OFFSET 0") { db in
                _ = try Row.fetchAll(db, player.limit(-2, offset: -3))
            }
            try assertSQL(dialect, "SELECT 1 LIMIT \(all) OFFSET 2") { db in
                _ = try SQLRequest<Int>(sql: "SELECT 1").limit(-1, offset: 2).fetchAll(db)
            }
        }
    }

    func testLimitedDeletionsNeedASubqueryUnlessTheDialectSupportsThem() throws {
        let limited = player.limit(1)
        try assertSQL(
            .postgreSQL,
            #"DELETE FROM "player" WHERE "id" IN (SELECT "id" FROM "player" LIMIT 1)"#
        ) { db in _ = try limited.deleteAll(db) }

        let backend = try backend(SQLDialect(limitedChangesQuery: "SELECT 1"))
        try withDatabase(backend) { db in
            // The library of the build may not support the statement.
            _ = try? limited.deleteAll(db)
            let texts = backend.log.texts.suffix(2)
            XCTAssertEqual(Array(texts), ["SELECT 1", #"DELETE FROM "player" LIMIT 1"#])
        }
        try assertSQL(.sqlite, SQLDialect.sqlite.limitedChangesQuery ?? "") { db in
            _ = try limited.deleteAll(db)
        }
    }

    func testOnlyDialectsWithRowIDsHaveTheirColumns() throws {
        for (dialect, isKey) in [(SQLDialect.sqlite, true), (.postgreSQL, false)] {
            let backend = try backend(dialect)
            try withDatabase(backend) { db in
                XCTAssertEqual(try db.table("player", hasUniqueKey: ["rowid"]), isKey)
                if isKey {
                    XCTAssertNil(try Row.fetchOne(db, player.filter(key: ["rowid": 1])))
                } else {
                    XCTAssertThrowsError(try Row.fetchOne(db, player.filter(key: ["rowid": 1])))
                }
            }
        }
    }

    func testViolationsOfForeignKeysNameTheRowOnlyInDialectsWithRowIDs() throws {
        let schema = """
            CREATE TABLE team(id INTEGER PRIMARY KEY);
            CREATE TABLE member(id INTEGER PRIMARY KEY, team REFERENCES team);
            PRAGMA foreign_keys = 0;
            INSERT INTO member VALUES (1, 7);
            """
        for (dialect, place) in [(SQLDialect.sqlite, "[id:1 team:7]"), (.postgreSQL, "rowid 1")] {
            let backend = try backend(dialect)
            try withDatabase(backend, schema: schema) { db in
                let violation = try XCTUnwrap(db.foreignKeyViolations().next())
                XCTAssertTrue(try violation.failureDescription(db).hasSuffix(", in \(place)"))
            }
        }
    }

    private func assertSelection(
        _ expression: SQLExpression, _ sqlite: String, _ postgreSQL: String, file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        for (dialect, expected) in [(SQLDialect.sqlite, sqlite), (.postgreSQL, postgreSQL)] {
            try assertSQL(dialect, "SELECT \(expected) FROM \"player\"", file: file, line: line) { db in
                _ = try Row.fetchAll(db, player.select(expression))
            }
        }
    }

    func testConstantsHaveTheirTypesWhereNothingElseDeterminesThem() throws {
        let score = Column("score")
        try assertSelection(true.sqlExpression, "?", "?::bigint")
        try assertSelection(1.5.sqlExpression, "?", "?::float8")
        try assertSelection("a".sqlExpression, "?", "?::text")
        try assertSelection(Data([1]).sqlExpression, "?", "?::bytea")
        try assertSelection(abs(1.sqlExpression), "ABS(?)", "ABS(?::bigint)")
        try assertSelection(1.sqlExpression + 2, "? + ?", "?::bigint + ?::bigint")
        try assertSelection(score + 1, #""score" + ?"#, #""score" + ?"#)
        try assertSelection(
            iif(score > 1, 1, 2), #"IIF("score" > ?, ?, ?)"#,
            #"CASE WHEN "score" > ? THEN ?::bigint ELSE ?::bigint END"#)
        try assertFilter(true.sqlExpression, "?", "?")
    }

    func testNumbersWithFractionsAreNotTakenForIntegers() throws {
        let score = Column("score")
        try assertFilter(score > 1.5, #""score" > ?"#, #""score" > ?::float8"#)
        try assertFilter(nickname > 1.5, #""name" > ?"#, #""name" > ?"#)
        try assertFilter(score * 2 > 1.5, #"("score" * ?) > ?"#, #"("score" * ?) > ?::float8"#)
        try assertSelection(score * 1.5, #""score" * ?"#, #""score" * ?::float8"#)
        try assertSelection(score ?? 0.5, #"IFNULL("score", ?)"#, #"COALESCE("score", ?::float8)"#)
        try assertFilter(
            (0.5...2).contains(score), #""score" BETWEEN ? AND ?"#,
            #""score" BETWEEN ?::float8 AND ?::float8"#)
        try assertFilter(
            [1.5, 2.5].contains(score), #""score" IN (?, ?)"#, #""score" IN (?::float8, ?::float8)"#)
        try assertFilter([1, 2].contains(score), #""score" IN (?, ?)"#, #""score" IN (?, ?)"#)
    }
}
