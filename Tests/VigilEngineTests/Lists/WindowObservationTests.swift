import Vigil
import XCTest

/// Lists of requests with LIMIT and OFFSET.
final class WindowObservationTests: XCTestCase {
    private let best = SQLRequest<ListedPlayer>(
        sql: "SELECT * FROM player WHERE team = 1 ORDER BY score DESC LIMIT ? OFFSET ?", arguments: [3, 1])

    /// Calls `body` with writers whose players 101 to 200 of team 1 have the scores 1,010 to 2,000.
    private func onEachWriter(
        _ configuration: Configuration = Configuration(), _ body: (any DatabaseWriter) throws -> Void
    ) throws {
        try onEachListWriter(configuration) { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE INDEX byScore ON player(team, score);
                        DELETE FROM player;
                        WITH RECURSIVE n(i) AS (SELECT 101 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
                        INSERT INTO player SELECT i, 1, 'n' || i, i * 10 FROM n
                        """)
            }
            try body(writer)
        }
    }

    func testAChangedRowIsTheOnlyOneThatIsFetched() throws {
        try onEachWriter { writer in
            let fixture = try ListFixture(writer, .trackingList(best))
            XCTAssertEqual(fixture.list().map(\.id), [199, 198, 197])
            let shown = try XCTUnwrap(fixture.last)
            try fixture.write("UPDATE player SET score = 1985 WHERE id = 150")
            XCTAssertEqual(fixture.list().map(\.id), [199, 150, 198])
            try fixture.write("DELETE FROM player WHERE id = 200")
            XCTAssertEqual(fixture.list().map(\.id), [150, 198, 197])
            try fixture.write("UPDATE player SET name = 'x' WHERE id = 150")
            XCTAssertEqual(fixture.list().map(\.name), ["x", "n198", "n197"])
            let change = try XCTUnwrap(fixture.last).changes(since: shown)
            XCTAssertEqual(change.removed, RangeSet(0..<1))
            XCTAssertEqual(change.inserted, RangeSet(0..<1))
            let status = try fixture.status()
            XCTAssertEqual(status.fullFetchCounts, ["first fetch": 1])
            XCTAssertEqual(status.rowFetchCount, 3)
            XCTAssertNil(status.unfollowedReason)
        }
    }

    func testRowsBehindTheKeptOnesDoNotMatch() throws {
        try onEachWriter { writer in
            let fixture = try ListFixture(writer, .trackingList(best))
            let region = writer.observations.first?.region?.debugDescription ?? ""
            XCTAssertTrue(region.contains("score >= 1810"), region)
            let fetchCount = writer.observations.first?.fetchCount
            // More commits than the log keeps.
            for number in 1...300 {
                try writer.write { db in
                    try db.execute(
                        sql: "UPDATE player SET score = ?, name = 'x' WHERE id = 110", arguments: [number])
                }
            }
            try fixture.drain()
            XCTAssertEqual(writer.observations.first?.fetchCount, fetchCount)
            XCTAssertEqual(fixture.count, 1)
            try fixture.write("UPDATE player SET score = 5000 WHERE id = 110")
            XCTAssertEqual(fixture.list().map(\.id), [200, 199, 198])
            XCTAssertEqual(try fixture.status().fullFetchCounts, ["first fetch": 1])
        }
    }

    func testTheWindowIsFilledAgain() throws {
        try onEachWriter { writer in
            let fixture = try ListFixture(writer, .trackingList(best))
            for id in (Int64(160)...200).reversed() {
                try fixture.write("DELETE FROM player WHERE id = \(id)")
                XCTAssertEqual(fixture.list().map(\.id), [id - 2, id - 3, id - 4])
            }
            let status = try fixture.status()
            XCTAssertNotNil(status.fullFetchCounts["too few rows of a window are left"])
            XCTAssertGreaterThan(status.rowFetchCount, 30)
            // The bound of the region has moved.
            try fixture.write("UPDATE player SET score = 1561 WHERE id = 101")
            XCTAssertEqual(fixture.list().map(\.id), [158, 157, 101])
        }
    }

    func testManyRowsAreInserted() throws {
        try onEachWriter { writer in
            let fixture = try ListFixture(writer, .trackingList(best))
            for id in Int64(201)...280 {
                try fixture.write("INSERT INTO player VALUES (\(id), 1, 'x', \(id * 10))")
                XCTAssertEqual(fixture.list().map(\.id), [id - 1, id - 2, id - 3])
            }
            XCTAssertNotNil(
                try fixture.status().fullFetchCounts["many rows were inserted into a window"])
            let fetchCount = writer.observations.first?.fetchCount
            try fixture.write("UPDATE player SET name = 'y' WHERE id = 199")
            XCTAssertEqual(writer.observations.first?.fetchCount, fetchCount)
        }
    }

    func testEqualSortValuesAreInTheOrderOfTheirRowIDs() throws {
        try onEachListWriter { writer in
            let request = SQLRequest<Int>(sql: "SELECT id FROM player ORDER BY score DESC LIMIT 2")
            let fixture = try ListFixture(writer, .trackingList(request))
            XCTAssertEqual(fixture.list(), [4, 2])
            try fixture.write("INSERT INTO player VALUES (9, 1, 'x', 30)")
            XCTAssertEqual(fixture.list(), [9, 4])
            try fixture.write("INSERT INTO player VALUES (3000, 1, 'x', 20)")
            XCTAssertEqual(fixture.list(), [9, 4])
        }
    }

    func testJoinedTablesAreFollowed() throws {
        try onEachListWriter { writer in
            let request = SQLRequest<Row>(
                sql: """
                    SELECT player.name, team.name AS team FROM team JOIN player ON player.team = team.id
                    ORDER BY team.name, player.score LIMIT 3
                    """)
            let fixture = try ListFixture(writer, .trackingList(request))
            func names() -> [String] {
                fixture.list().map { "\($0["name"] as String) \($0["team"] as String)" }
            }
            XCTAssertEqual(names(), ["Cid Blues", "Dee Blues", "Ann Reds"])
            try fixture.write("UPDATE team SET name = 'Alps' WHERE id = 1")
            XCTAssertEqual(names(), ["Ann Alps", "Bob Alps", "Cid Blues"])
            try fixture.write("UPDATE player SET team = 2 WHERE id = 2")
            XCTAssertEqual(names(), ["Ann Alps", "Cid Blues", "Bob Blues"])
            XCTAssertEqual(try fixture.status().fullFetchCounts, ["first fetch": 1])
        }
    }

    func testRequestsOfTheQueryInterface() throws {
        struct Player: Codable, FetchableRecord, TableRecord, Sendable, Equatable {
            var id: Int64
            var score: Int
        }
        try onEachListWriter { writer in
            let request = Player.order(Column("score").desc).limit(2, offset: 1)
            let fixture = try ListFixture(writer, .trackingList(request))
            XCTAssertEqual(fixture.list().map(\.id), [2, 3])
            try fixture.write("UPDATE player SET score = 5 WHERE id = 2")
            XCTAssertEqual(fixture.list().map(\.id), [3, 1])
            XCTAssertEqual(try fixture.status().rowFetchCount, 1)
        }
    }

    func testEachCommitIsDelivered() throws {
        try onEachWriter { writer in
            let fixture = try ListFixture(writer, .trackingList(best).coalescing(.never))
            for score in 1...40 {
                try writer.write { db in
                    try db.execute(
                        sql: "UPDATE player SET score = ? WHERE id = 101", arguments: [1_900 + score])
                    try db.execute(
                        sql:
                            "DELETE FROM player WHERE id = (SELECT id FROM player ORDER BY score DESC LIMIT 1)"
                    )
                }
            }
            try fixture.drain()
            let expected = try writer.read { db in try best.fetchAll(db) }
            fixture.wait { $0.last.map { Array($0) } == expected }
            XCTAssertEqual(fixture.list(), expected)
        }
    }

    func testWindowsFarFromTheStartAreFetchedAsAWhole() throws {
        try onEachListWriter { writer in
            let request = SQLRequest<Int>(
                sql: "SELECT id FROM player ORDER BY id LIMIT ? OFFSET ?", arguments: [2, 257])
            let fixture = try ListFixture(writer, .trackingList(request))
            XCTAssertEqual(try fixture.status().unfollowedReason, "its OFFSET is greater than 256")
            try fixture.write(
                """
                WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
                INSERT INTO player SELECT i, 1, '', i FROM n
                """)
            XCTAssertEqual(fixture.list(), [263, 264])
        }
    }

    func testAnOrderThatIsNotUnderstoodIsFetchedWithoutTheRowsBesideTheWindow() throws {
        try onEachListWriter { writer in
            let request = SQLRequest<Int>(
                sql: "SELECT id FROM player ORDER BY name COLLATE NOCASE LIMIT 2")
            let fixture = try ListFixture(writer, .trackingList(request))
            try fixture.write("UPDATE player SET name = 'A' || char(0) || 'x' WHERE id = 4")
            XCTAssertEqual(fixture.list(), [4, 1])
            XCTAssertEqual(
                try fixture.status().unfollowedReason, "a text with a zero byte is sorted by NOCASE")
            try fixture.write("DELETE FROM player WHERE id = 1")
            XCTAssertEqual(fixture.list(), [4, 2])
        }
    }

    func testRowsBesideTheWindowMayFail() throws {
        try onEachListWriter { writer in
            try writer.write { db in
                try db.execute(sql: "UPDATE player SET team = -9223372036854775807 - 1 WHERE id = 4")
            }
            // The database returns rows in the order of their ids, and ends before the failing one.
            let request = SQLRequest<Int>(sql: "SELECT id + 0 * abs(team) FROM player ORDER BY id LIMIT 2")
            let fixture = try ListFixture(writer, .trackingList(request))
            XCTAssertEqual(fixture.errors.all, [])
            XCTAssertEqual(fixture.list(), [1, 2])
            XCTAssertEqual(
                try fixture.status().unfollowedReason, "the rows beside the window could not be fetched")
            try fixture.write("DELETE FROM player WHERE id = 1")
            XCTAssertEqual(fixture.list(), [2, 3])
        }
    }

    func testWindowsAreVerifiedIfTheConfigurationAsksForIt() throws {
        var configuration = Configuration()
        configuration.listVerificationInterval = 2
        try onEachWriter(configuration) { writer in
            let fixture = try ListFixture(writer, .trackingList(best))
            for id in 190...200 {
                try fixture.write("UPDATE player SET score = \(3_000 - id) WHERE id = \(id)")
            }
            XCTAssertEqual(try fixture.status().mismatchCount, 0)
            XCTAssertEqual(fixture.list().map(\.id), [191, 192, 193])
        }
    }

    func testTheRegionIsBoundedByTheLastKeptRow() throws {
        let queue = try DatabaseQueue()
        // Otherwise, triggers supply the values, and a bound alone makes none.
        guard try queue.read({ $0.connection.capabilities.reportsRowImages }) else {
            throw XCTSkip("the library has no row images")
        }
        try queue.write { db in try db.execute(sql: ListedPlayer.table) }
        let request = SQLRequest<Int>(sql: "SELECT score FROM player ORDER BY score DESC LIMIT 1")
        try queue.write { db in
            for score in 31...60 {
                try db.execute(sql: "INSERT INTO player(score) VALUES (?)", arguments: [score])
            }
        }
        let fixture = try ListFixture(queue, .trackingList(request))
        let region = try XCTUnwrap(queue.observations.first?.region)
        XCTAssertTrue("\(region.debugDescription)".contains("score >= 44"), region.debugDescription)
        XCTAssertEqual(fixture.list(), [60])
    }
}
