import Vigil
import XCTest

@testable import vigil_tool

final class ExplainTests: ToolTestCase {
    private func explain(_ arguments: String...) throws -> String {
        let ending = try ToolProcess.run(["explain", path] + arguments)
        XCTAssertEqual(ending.status, 0)
        XCTAssertEqual(ending.error, "")
        return ending.output
    }

    func testForPrograms() throws {
        try makeDatabase()
        XCTAssertEqual(
            try explain("SELECT max(Score) FROM PLAYER", "--json"),
            #"{"region":"player(score)","tables":[{"schema":"main","name":"player","columns":["score"],"rows":"all"}]}"#
                + "\n")
        XCTAssertEqual(try explain("SELECT 1", "--json"), #"{"region":"empty","tables":[]}"# + "\n")
    }

    func testForPeople() throws {
        let dbQueue = try makeDatabase()
        try write(dbQueue, "CREATE VIEW best AS SELECT name FROM player WHERE score > 30")
        XCTAssertEqual(
            try explain("SELECT best.name, (SELECT COUNT(*) FROM team) FROM best WHERE name <> ?", "Ada"),
            """
            player: columns name, score; all rows
            team: all columns; all rows
            region: player(name,score),team(*)

            """)
    }

    func testRegionsOfAllKinds() {
        let rows = RegionReport(
            DatabaseRegion(
                table: TableName(schema: "b", name: "a\"b"), columns: ["z", "a"], rowIds: [10, 9]))
        XCTAssertEqual(rows.text, "b.a\"b: columns a, z; rows 9, 10\nregion: b.a\"b(a,z)[9,10]")
        XCTAssertEqual(
            rows.json,
            #"{"region":"b.a\"b(a,z)[9,10]","tables":[{"schema":"b","name":"a\"b","columns":["a","z"],"rows":[9,10]}]}"#
        )
        let everything = RegionReport(.fullDatabase)
        XCTAssertEqual(
            everything.text, "everything: any change of the database counts\nregion: full database")
        XCTAssertEqual(everything.json, #"{"region":"full database","tables":"all"}"#)
        XCTAssertEqual(
            RegionReport(DatabaseRegion()).text, "nothing: no change of the database counts\nregion: empty")
    }
}
