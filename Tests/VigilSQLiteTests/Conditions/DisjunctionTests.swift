import VigilStorage
import XCTest

final class DisjunctionTests: RecognitionTestCase {
    func testAlternativesOfORAreKept() throws {
        try assertFinds("team = 5 | score = 1", where: "team = 5 OR score = 1")
        try assertFinds("team = 5 | score = 1", where: "((team = 5) or (score = 1))")
        try assertFinds("team = 5 AND score = 1 | name = 'a'", where: "team = 5 AND score = 1 OR name = 'a'")
        try assertFinds("name = 'a' | team = 5 AND score = 1", where: "name = 'a' OR team = 5 AND score = 1")
        try assertFinds(
            "team = 5 AND name = 'a' | team = 5 AND score = 1",
            where: "team = 5 AND (name = 'a' OR score = 1)")
        try assertFinds(
            "team BETWEEN 1 AND 2 | score = 3", where: "team BETWEEN 1 AND 2 OR score = 3")
        try assertFinds(
            "team BETWEEN 1 AND 2 | score < 3 | name IS NULL",
            where: "(team BETWEEN 1 AND 2 OR score < 3) OR name ISNULL")
        try assertFinds(
            "team > 1 AND score = 3 | team > 1 AND name = 'a' | team < 0 AND score = 3 | team < 0 AND name = 'a'",
            where: "(team > 1 OR team < 0) AND (score = 3 OR name = 'a')")
    }

    func testAlternativeValuesOfOneColumnAreOneCondition() throws {
        try assertFinds("team IN (5, 6)", where: "team = 5 OR team = 6")
        try assertFinds("team IN (5, 6, 7)", where: "team = 5 OR team IN (6, 7) OR 5 = team")
        try assertFinds("rowid IN (1, 2)", where: "id = 1 OR rowid = 2")
        try assertFinds("team = 5", where: "team = 5 OR team = 5")
        try assertFinds("team = 5 | team IS NULL", where: "team = 5 OR team IS NULL")
        // Decimal numbers are compared with a small range.
        try assertFinds("score = 0.1 | score = 0.2", where: "score = 0.1 OR score = 0.2")
        try assertFinds("nick = 'a' | name = 'a'", where: "nick = 'a' OR name = 'a'")
    }

    func testEachAlternativeKeepsWhatIsCertain() throws {
        try assertFinds("team = 5 | rowid = 1", where: "team = 5 AND team + 1 = 6 OR id = 1")
        try assertFinds("team = 5", where: "team = 5 AND (name = 'a' OR score + 1 = 2)")
    }

    func testAnAlternativeWithoutConditionMakesAllRowsRelevant() throws {
        for sql in [
            "team = 5 OR 1", "team = 5 or score + 1 = 2", "1 OR team = 5", "NOT (team = 5 OR score = 1)",
            "NOT team = 5 OR score = 1", "(team = 5 OR score = 1) = 1", "(team = 5 OR score = 1) IS NULL",
            "(team = 5 OR score = 1) COLLATE NOCASE", "CASE WHEN team = 5 OR score = 1 THEN 1 END",
            "team = 5 OR score = 1 = 1",
            "team = 5 OR (SELECT 1) OR score = 1", "team = 5 OR team <> 5",
        ] {
            try assertFinds(nil, where: sql)
        }
    }

    func testEachTableOfAJoinHasItsOwnAlternatives() throws {
        let join = "SELECT * FROM player p JOIN team t ON t.id = p.team WHERE"
        try assertFinds(
            "player: score IN (1, 2)", "team: name IN ('a', 'b')",
            in: "\(join) p.score = 1 AND t.name = 'a' OR p.score = 2 AND t.name = 'b'")
        try assertFinds("player: score IN (1, 2)", in: "\(join) p.score = 1 AND t.name = 'a' OR p.score = 2")
        try assertFinds(in: "\(join) p.score = 1 OR t.name = 'a'")
        try assertFinds(
            "player: score = 1 | name = 'a' | team = 3",
            in: "SELECT * FROM player a, player b WHERE (a.score = 1 OR a.name = 'a') AND b.team = 3")
    }

    func testOptionalTablesAreRestrictedByTheirOwnConditionOnly() throws {
        try assertFinds(
            "player: team IN (1, 2)", "team: name IN ('a', 'b')",
            in: """
                SELECT * FROM player p LEFT JOIN team t ON t.name = 'a' OR t.name = 'b'
                WHERE p.team = 1 OR p.team = 2
                """)
        try assertFinds(
            "player: team = 1",
            in: "SELECT * FROM player p LEFT JOIN team t ON t.name = 'a' OR p.score = 1 WHERE p.team = 1")
        try assertFinds(
            "player: team IN (1, 2)",
            in: """
                SELECT * FROM player p LEFT JOIN team t ON t.id = p.team
                WHERE p.team = 1 AND t.name = 'a' OR p.team = 2 AND t.name IS NULL
                """)
        try assertFinds(
            in: "SELECT * FROM player p LEFT JOIN team t ON t.id = p.team WHERE p.team = 1 OR t.name = 'a'")
    }

    func testTooManyAlternativesAreLeftOut() throws {
        func ranges(_ count: Int) -> String { (1...count).map { "team > \($0)" }.joined(separator: " OR ") }
        try assertFinds(
            (1...64).map { "team > \($0)" }.joined(separator: " | "), where: ranges(64))
        try assertLeavesOut(
            (ranges(65), "it has more than 64 alternatives"),
            in: "SELECT * FROM player WHERE \(ranges(65))")
        try assertFinds("score = 1", where: "(\(ranges(65))) AND score = 1")
        // Values of one column are a single alternative.
        let values = (1...100).map { "\($0)" }
        try assertFinds(
            "team IN (\(values.joined(separator: ", ")))",
            where: values.map { "team = \($0)" }.joined(separator: " OR "))
        // 2 to the power of 6 combinations are kept.
        let pairs = (1...7).map { "(team > \($0) OR score > \($0))" }
        try assertLeavesOut(
            (String(pairs[6].dropFirst().dropLast()), "it has more than 64 alternatives"),
            in: "SELECT * FROM player WHERE \(pairs.joined(separator: " AND ")) AND id = 1")
        try assertLeavesOut(
            in: "SELECT * FROM player WHERE \(pairs.prefix(6).joined(separator: " AND ")) AND id = 1")
        let condition = (1...40).map { "team > \($0)" }.joined(separator: " | ")
        try assertFinds("player: \(condition)", in: "SELECT * FROM player WHERE \(ranges(40))")
        try assertFinds(
            in: """
                SELECT * FROM player a, player b
                WHERE (\(ranges(40).replacingOccurrences(of: "team", with: "a.team")))
                AND (\(ranges(40).replacingOccurrences(of: "team", with: "b.team")))
                """)
    }

    func testDeeplyNestedAlternativesAreLeftOut() throws {
        func nested(_ depth: Int) -> String {
            (0..<depth).reduce("team = 1") { text, _ in "(team > 1 AND (team = 1 OR \(text)))" }
        }
        for (name, connection) in try connections() {
            let statement = try connection.prepared("SELECT * FROM player WHERE \(nested(14))")
            let report = statement.rowConditions
            XCTAssertTrue(report.omissions.contains { $0.reason == "it is nested too deeply" }, name)
        }
    }

    func testReasonsAreGiven() throws {
        try assertLeavesOut(
            ("score + 1 = 2", "not a comparison between a column and a constant"),
            ("team = 5 OR score + 1 = 2", "its alternatives do not all restrict the rows of one table"),
            in: "SELECT * FROM player WHERE (team = 5 OR score + 1 = 2) AND id = 5")
        try assertLeavesOut(
            ("p.score = 1 OR t.name = 'a'", "its alternatives do not all restrict the rows of one table"),
            ("t.id = p.team", "it compares two columns"),
            in: "SELECT * FROM player p JOIN team t ON t.id = p.team WHERE p.score = 1 OR t.name = 'a'")
        try assertLeavesOut(in: "SELECT * FROM player WHERE team = 5 OR id = 1")
    }

    func testAlternativesAreBoundOneByOne() throws {
        for (name, connection) in try connections() {
            let statement = try connection.prepared("SELECT * FROM player WHERE team = ? OR name < ?")
            func bound(_ values: StorageValue...) -> [[RowCondition]]? {
                statement.rowConditions(boundTo: values)[TableName(name: "player")]
            }
            XCTAssertEqual(
                bound(.integer(1), .text("b")),
                [
                    [RowCondition(.named("team"), .oneOf([.integer(1)]))],
                    [
                        RowCondition(
                            .named("name"), .range(lower: nil, upper: .init(.text("b"), isIncluded: false)))
                    ],
                ], name)
            // Nothing equals NULL.
            XCTAssertEqual(bound(.null, .text("b"))?.first, [RowCondition(.named("team"), .oneOf([]))], name)
            // Digits of reals as text depend on the version, so any row may meet the second alternative.
            XCTAssertNil(bound(.integer(1), .real(0.1)), name)
        }
    }
}
