import VigilStorage
import XCTest

final class ConjunctTests: RecognitionTestCase {
    func testComparisonsOfAColumnWithAConstantAreKept() throws {
        try assertFinds("team = 5", where: "team = 5")
        try assertFinds("team = 5", where: "team == 5")
        try assertFinds("team = 5", where: "5 = team")
        try assertFinds("team IS 5", where: "team IS 5")
        try assertFinds("team < 5", where: "team < 5")
        try assertFinds("team <= 5", where: "team <= 5")
        try assertFinds("team > 5", where: "team > 5")
        try assertFinds("team >= 5", where: "team >= 5")
        try assertFinds("team > 5", where: "5 < team")
        try assertFinds("team <= 5", where: "5 >= team")
        try assertFinds("team BETWEEN 1 AND 5", where: "team BETWEEN 1 AND 5")
        try assertFinds("team IN (1, 2)", where: "team IN (1, 2)")
        try assertFinds("team = 1", where: "team IN (1)")
        try assertFinds("team IN ()", where: "team IN ()")
    }

    func testTestsForNullAreKept() throws {
        for sql in ["name IS NULL", "name ISNULL"] { try assertFinds("name IS NULL", where: sql) }
        for sql in ["name IS NOT NULL", "name NOTNULL", "name NOT NULL"] {
            try assertFinds("name IS NOT NULL", where: sql)
        }
    }

    func testConjunctsAreKeptOneByOne() throws {
        try assertFinds("team = 5 AND score > 1", where: "team = 5 AND score > 1")
        try assertFinds("team = 5", where: "team = 5 AND lower(name) = 'a'")
        try assertFinds("team = 5 AND name = 'a'", where: "(team = 5 AND (name = 'a'))")
        try assertFinds(
            "team BETWEEN 1 AND 2 AND score = 3", where: "team BETWEEN 1 AND 2 AND score = 3")
        try assertFinds("score = 3", where: "team NOT BETWEEN 1 AND 2 AND score = 3")
        try assertFinds("score = 3", where: "team BETWEEN 1 BETWEEN 0 AND 1 AND 2 AND score = 3")
        try assertFinds(
            "score = 3", where: "CASE WHEN team = 5 AND name = 'a' AND score = 7 THEN 1 END AND score = 3")
    }

    func testNegationsAreLeftOut() throws {
        for sql in ["NOT (team = 5)", "NOT team = 5"] { try assertFinds(nil, where: sql) }
    }

    func testOtherExpressionsAreLeftOut() throws {
        for sql in [
            "team <> 5", "team != 5", "team IS NOT 5", "team NOT IN (5)", "team NOT BETWEEN 1 AND 2", "team",
            "+team = 5", "team + 0 = 5", "team = 4 + 1", "team = score", "team IN (1, score)", "-team = 5",
            "abs(team) = 5", "CAST(team AS TEXT) = '5'", "name = 'a' COLLATE NOCASE",
            "name COLLATE NOCASE = 'a'",
            "name COLLATE NOCASE IN ('a')", "team = 5 = 1", "team = 5 COLLATE NOCASE", "team = 5 IS NULL",
            "name LIKE '%a'", "name || '' = 'a'", "(team, score) = (1, 2)",
            "team IS (5 = 5)",
            "team = (SELECT 5)", "team = CURRENT_TIMESTAMP", "5 BETWEEN team AND 7", "team = -?", "1",
            "5 = 5",
            "team = (5)", "(team) = 5", "team = 1e2", "team = 99999999999999999999", "team IS NOT ?",
        ] where !isTooNew(sql) {
            try assertFinds(nil, where: sql)
        }
    }

    /// Returns whether the library is too old for the SQL: the oldest SQLCipher lacks row values.
    private func isTooNew(_ sql: String) -> Bool {
        sql.hasPrefix("(team, score)") && NamedBackend.all.contains { $0.name == "SQLCipher" }
    }

    func testConstantsOfAllKindsAreRecognized() throws {
        try assertFinds("team = -5", where: "team = -5")
        try assertFinds("team = 5", where: "team = + 5")
        try assertFinds("team = 16", where: "team = 0x10")
        try assertFinds("team = -1", where: "team = 0xFFFFFFFFFFFFFFFF")
        try assertFinds("team = -9223372036854775808", where: "team = -9223372036854775808")
        try assertFinds("score = 2.5", where: "score = 2.5")
        try assertFinds("score > 0.1", where: "score > 0.1")
        try assertFinds("name = 'it''s'", where: "name = 'it''s'")
        try assertFinds("note = x'0aff'", where: "note = X'0aFF'")
        try assertFinds("note = NULL", where: "note = NULL")
        try assertFinds("note IS NULL", where: "note IS NULL")
    }

    func testTruthValuesAreNumbersExceptWithIS() throws {
        for (name, connection) in try connections() {
            guard try connection.run("SELECT sqlite_version() >= '3.23'") == [[.integer(1)]] else { continue }
            func conditions(_ sql: String) throws -> [TableConditions] {
                try connection.prepared(sql).rowConditions.tables
            }
            let one = RowConditionTemplate(.named("team"), .oneOf([.value(.integer(1))]), affinity: .numeric)
            XCTAssertEqual(
                try conditions("SELECT * FROM player WHERE team = TRUE").first?.alternatives, [[one]], name)
            XCTAssertEqual(try conditions("SELECT * FROM player WHERE team IS TRUE"), [], name)
            XCTAssertEqual(try conditions("SELECT 7 AS true FROM player WHERE team = TRUE"), [], name)
        }
    }

    func testParametersOfAllFormsAreRecognized() throws {
        try assertFinds("team = ?", where: "team = ?")
        try assertFinds("team = ?3", where: "team = ?3")
        for name in [":a", "@a", "$a", "$a::b(c)"] {
            try assertFinds("team = \(name)", where: "team = \(name)")
        }
        let sql = "team = ?2 AND score = ? AND name = :n AND note = ? AND nick = :n"
        for (backend, connection) in try connections() {
            let statement = try connection.prepared("SELECT * FROM player WHERE \(sql)")
            let values = (1...statement.parameterCount).map { StorageValue.text("v\($0)") }
            let found = statement.rowConditions(boundTo: values)[TableName(name: "player")]?.first?.map(
                \.test)
            let expected = [2, 3, 4, 5, 4].map { RowCondition.Test.oneOf([.text("v\($0)")]) }
            XCTAssertEqual(found, expected, backend)
        }
    }

    func testNamesOfAllFormsAreRecognized() throws {
        for name in [
            "team", "TEAM", "\"team\"", "[team]", "`team`", "player.team", "main.player.team",
            "player.'team'",
            "\"player\" . [team]", "/* team = 6 */ team -- team = 7\n",
        ] {
            try assertFinds("team = 5", where: "\(name) = 5")
        }
        try assertFinds("key = 'a'", where: "key = 'a'")
        try assertFinds(nil, where: "'team' = 5")
    }

    func testTheRowIDIsKnownUnderAllItsNames() throws {
        for name in ["id", "rowid", "OID", "_rowid_", "player.rowid", "\"rowid\""] {
            try assertFinds("rowid = 5", where: "\(name) = 5")
        }
        try assertFinds("plain: rowid = 5", in: "SELECT * FROM plain WHERE rowid = 5")
        try assertFinds("keyed: k = '5'", in: "SELECT * FROM keyed WHERE k = '5'")
        try assertFinds("shadowed: rowid = '5'", in: "SELECT * FROM shadowed WHERE rowid = '5'")
        let report = try connections().first?.connection.prepared("SELECT * FROM shadowed WHERE rowid = '5'")
            .rowConditions
        XCTAssertEqual(report?.tables.first?.alternatives.first?.first?.column, .named("rowid"))
    }

    func testColumnsOfTypeAnyAreLeftOut() throws {
        try assertFinds(in: "SELECT * FROM anything WHERE x = 5")
    }

    func testReasonsAreGiven() throws {
        try assertLeavesOut(
            ("team = score", "it compares two columns"),
            ("team + 1 = 5", "not a comparison between a column and a constant"),
            in: "SELECT * FROM player WHERE team = score AND team + 1 = 5 AND id = 5")
        try assertLeavesOut(in: "SELECT * FROM player")
    }
}
