import Vigil
import VigilTesting
import XCTest

@testable import VigilEngine

/// Tests that lists are updated row by row, and when they are fetched as a whole.
final class ListObservationTests: XCTestCase {
    func testAChangedRowIsTheOnlyOneThatIsFetched() throws {
        try onEachListWriter { writer in
            let fixture = try ListFixture(writer, .trackingList(ListedPlayer.ranking))
            XCTAssertEqual(fixture.list().map(\.name), ["Dee", "Bob", "Cid", "Ann"])
            try fixture.write("UPDATE player SET score = 25 WHERE id = 1")
            XCTAssertEqual(fixture.list().map(\.name), ["Dee", "Bob", "Ann", "Cid"])
            // With two commits, the rows of the second one may be looked up twice: when it is announced and
            // when it is complete.
            try fixture.write(
                "BEGIN; INSERT INTO player VALUES (9, 2, 'Eve', 99); DELETE FROM player WHERE id = 3; COMMIT")
            XCTAssertEqual(fixture.list().map(\.name), ["Eve", "Dee", "Bob", "Ann"])
            let status = try fixture.status()
            XCTAssertEqual(status.fullFetchCounts, ["first fetch": 1])
            XCTAssertEqual(status.rowFetchCount, 2)
            XCTAssertEqual(status.fetchedRowCount, 3)
            XCTAssertNil(status.unfollowedReason)
        }
    }

    func testAListThatDidNotChangeIsNotDelivered() throws {
        try onEachListWriter { writer in
            let request = SQLRequest<ListedPlayer>(
                sql: "SELECT * FROM player WHERE name LIKE '%e%' ORDER BY id")
            let fixture = try ListFixture(writer, .trackingList(request))
            try fixture.write("UPDATE player SET score = 1 WHERE name = 'Ann'")
            try fixture.write("UPDATE player SET team = 7 WHERE name = 'Dee'")
            XCTAssertEqual(fixture.count, 1)
            XCTAssertEqual(fixture.list().map(\.name), ["Dee"])
        }
    }

    func testJoinedTablesAreFollowed() throws {
        try onEachListWriter { writer in
            let request = SQLRequest<Row>(
                sql: """
                    SELECT player.name, team.name AS team FROM player JOIN team ON team.id = player.team
                    ORDER BY player.name
                    """)
            let fixture = try ListFixture(writer, .trackingList(request))
            try fixture.write("UPDATE team SET name = 'Greens' WHERE id = 2")
            XCTAssertEqual(fixture.list().map { $0["team"] }, ["Reds", "Reds", "Greens", "Greens"])
            try fixture.write("UPDATE player SET team = 2 WHERE id = 1; DELETE FROM team WHERE id = 1")
            XCTAssertEqual(fixture.list().map { $0["name"] }, ["Ann", "Cid", "Dee"])
            XCTAssertEqual(try fixture.status().fullFetchCounts, ["first fetch": 1])
        }
    }

    func testOptionalTablesAreWatched() throws {
        try assertATeamIsWatched(
            "SELECT player.name, team.name AS team FROM player LEFT JOIN team ON team.id = player.team "
                + "ORDER BY player.id",
            after: "DELETE FROM team WHERE id = 1", teams: [nil, nil, "Blues", "Blues"])
    }

    func testNestedTablesAreWatched() throws {
        try assertATeamIsWatched(
            """
            SELECT player.name, (SELECT team.name FROM team WHERE team.id = player.team) AS team FROM player
            ORDER BY player.id
            """,
            after: "UPDATE team SET name = 'Greens' WHERE id = 2",
            teams: ["Reds", "Reds", "Greens", "Greens"])
    }

    private func assertATeamIsWatched(_ query: String, after change: String, teams: [String?]) throws {
        try onEachListWriter { writer in
            let fixture = try ListFixture(writer, .trackingList(SQLRequest<Row>(sql: query)))
            try fixture.write("UPDATE player SET name = 'Abe' WHERE id = 1")
            XCTAssertEqual(try fixture.status().fullFetchCounts, ["first fetch": 1])
            try fixture.write(change)
            XCTAssertEqual(fixture.list().map { $0["team"] as String? }, teams)
            XCTAssertEqual(
                try fixture.status().fullFetchCounts, ["first fetch": 1, "a watched table changed": 1])
        }
    }

    func testOtherRequestsAreFetchedAsAWholeAndSayWhy() throws {
        try onEachListWriter { writer in
            let request = SQLRequest<Int>(sql: "SELECT score FROM player GROUP BY score ORDER BY score")
            let fixture = try ListFixture(writer, .trackingList(request))
            try fixture.write("UPDATE player SET score = 40 WHERE id = 4")
            XCTAssertEqual(fixture.list(), [10, 20, 30, 40])
            let reason = "it has GROUP BY or HAVING"
            let status = try fixture.status()
            XCTAssertEqual(status.unfollowedReason, reason)
            XCTAssertEqual(status.fullFetchCounts, ["first fetch": 1, reason: 1])
            XCTAssertEqual(status.rowFetchCount, 0)
        }
    }

    func testIdentifiableElementsOfOtherRequestsAreComparedByTheirIDs() throws {
        try onEachListWriter { writer in
            let request = SQLRequest<ListedPlayer>(sql: "SELECT * FROM player ORDER BY -score LIMIT 3")
            let fixture = try ListFixture(writer, .trackingList(request))
            let shown = try XCTUnwrap(fixture.last)
            try fixture.write("UPDATE player SET score = 50 WHERE id = 3")
            XCTAssertEqual(fixture.list().map(\.id), [3, 2, 4])
            let change = try XCTUnwrap(fixture.last).changes(since: shown)
            XCTAssertTrue(change.removed.isEmpty && change.inserted.isEmpty, "\(change)")
            XCTAssertEqual(change.moved.count, 1)
            XCTAssertEqual(change.updated, RangeSet(0..<1))
            XCTAssertEqual(try fixture.status().unfollowedReason, "it sorts by an expression")
        }
    }

    /// Returns the statement that inserts the players 10 to `last`.
    private func insertPlayers(to last: Int) -> String {
        """
        WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < \(last))
        INSERT INTO player SELECT i, 1, 'n' || i, i FROM n
        """
    }

    func testAllRowsAreFetchedIfManyChanged() throws {
        try onEachListWriter { writer in
            let fixture = try ListFixture(writer, .trackingList(ListedPlayer.ranking))
            try fixture.write(insertPlayers(to: 2_000))
            XCTAssertEqual(fixture.list().count, 1995)
            XCTAssertEqual(try fixture.status().rowFetchCount, 0)
            try fixture.write("UPDATE player SET score = -1 WHERE id = 1000")
            XCTAssertEqual(fixture.list().last?.id, 1000)
            XCTAssertEqual(try fixture.status().rowFetchCount, 1)
        }
    }

    func testHundredsOfChangedRowsAreLookedUp() throws {
        try onEachListWriter { writer in
            try writer.write { db in
                try db.execute(sql: "DELETE FROM player; " + insertPlayers(to: 4_003))
            }
            let fixture = try ListFixture(writer, .trackingList(ListedPlayer.ranking))
            // Of 799 rows, 80 move, 39 disappear, and the others keep their place.
            try fixture.write(
                """
                BEGIN;
                UPDATE player SET name = 'new', score = CASE WHEN id % 50 THEN score ELSE -id END WHERE id % 5 = 0;
                DELETE FROM player WHERE id % 100 = 5;
                COMMIT
                """)
            let expected = try writer.read { db in try ListedPlayer.ranking.fetchAll(db) }
            XCTAssertTrue(fixture.list() == expected)
            let status = try fixture.status()
            XCTAssertEqual(status.fullFetchCounts, ["first fetch": 1])
            XCTAssertEqual(status.fetchedRowCount, 799)
        }
    }

    func testManyChangedRowsDoNotMakeATableWatched() throws {
        try onEachListWriter { writer in
            try writer.write { db in try db.execute(sql: insertPlayers(to: 1_005)) }
            // Without a sort, a row costs less in a full fetch than when it is looked up.
            let request = SQLRequest<ListedPlayer>(sql: "SELECT * FROM player ORDER BY id")
            let fixture = try ListFixture(writer, .trackingList(request))
            for name in ["a", "b"] {
                try fixture.write("UPDATE player SET name = '\(name)' WHERE id <= 250")
            }
            XCTAssertEqual(fixture.list().count { $0.name == "b" }, 245)
            let status = try fixture.status()
            XCTAssertEqual(status.fullFetchCounts, ["first fetch": 1])
            XCTAssertEqual(status.rowFetchCount, 2)
        }
    }

    func testAllRowsAreFetchedIfThoseOfManyChangedRowsAreMost() throws {
        try onEachListWriter { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE member(id INTEGER PRIMARY KEY, team INTEGER);
                        CREATE INDEX member_team ON member(team);
                        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
                        INSERT INTO member SELECT i, i / 10 FROM n;
                        INSERT OR IGNORE INTO team SELECT team, 'old' FROM member
                        """)
            }
            let request = SQLRequest<Row>(
                sql: "SELECT member.id, team.name FROM member JOIN team ON team.id = member.team")
            let fixture = try ListFixture(writer, .trackingList(request))
            // Each of the 300 teams has ten members.
            try fixture.write("UPDATE team SET name = 'new'")
            XCTAssertEqual(Set(fixture.list().map { $0["name"] as String }), ["new"])
            XCTAssertEqual(try fixture.status().fullFetchCounts, ["first fetch": 1, "many rows": 1])
            try fixture.write("UPDATE team SET name = 'red' WHERE id = 1")
            XCTAssertEqual(fixture.list().count { $0["name"] == "red" }, 10)
            let status = try fixture.status()
            XCTAssertEqual(status.fullFetchCounts, ["first fetch": 1, "many rows": 1])
            XCTAssertEqual(status.rowFetchCount, 1)
        }
    }

    func testATableWhoseRowsAreExpensiveToLookUpIsWatched() throws {
        try onEachListWriter { writer in
            try writer.write { db in try db.execute(sql: insertPlayers(to: 2_000)) }
            let request = SQLRequest<Row>(
                sql: "SELECT player.*, team.name FROM player JOIN team ON team.id = player.team")
            let fixture = try ListFixture(writer, .trackingList(request))
            // Each change of a team reads all players, because their teams have no index.
            for name in ["Greens", "Whites"] {
                try fixture.write("UPDATE team SET name = '\(name)' WHERE id = 2")
                XCTAssertEqual(fixture.list().count { $0[4] == name }, 2)
            }
            XCTAssertEqual(try fixture.status().fullFetchCounts["a watched table changed"], 1)
            try fixture.write("UPDATE player SET score = -1 WHERE id = 1000")
            XCTAssertEqual(fixture.list().count { $0["score"] == -1 }, 1)
            let status = try fixture.status()
            XCTAssertEqual(status.fullFetchCounts, ["first fetch": 1, "a watched table changed": 1])
            XCTAssertEqual(status.rowFetchCount, 2)
        }
    }

    func testAChangeOfTheSchemaMakesANewPlan() throws {
        try onEachListWriter { writer in
            let fixture = try ListFixture(writer, .trackingList(SQLRequest<Row>(sql: "SELECT * FROM team")))
            try fixture.write(
                "ALTER TABLE team ADD COLUMN color DEFAULT 'red'; INSERT INTO team VALUES (3, 'Greens', 'green')"
            )
            XCTAssertEqual(fixture.list().map { $0["color"] as String? }, ["red", "red", "green"])
            try fixture.write("UPDATE team SET color = 'blue' WHERE id = 2")
            XCTAssertEqual(fixture.list().map { $0["color"] as String? }, ["red", "blue", "green"])
            XCTAssertGreaterThan(try fixture.status().rowFetchCount, 0)
        }
    }

    func testAChangeOfTheSchemaMakesANewPlanForCachedStatements() throws {
        try onEachListWriter { writer in
            let request = SQLRequest<Row>(sql: "SELECT * FROM team", cached: true)
            let fixture = try ListFixture(writer, .trackingList(request))
            try fixture.write("UPDATE team SET name = 'Golds' WHERE id = 1")
            try fixture.write(
                "BEGIN; ALTER TABLE team ADD COLUMN color DEFAULT 'red'; UPDATE team SET color = 'blue' WHERE id = 2; COMMIT"
            )
            XCTAssertEqual(fixture.list().map { $0["color"] as String? }, ["red", "blue"])
            try fixture.write("UPDATE team SET color = 'green' WHERE id = 1")
            XCTAssertEqual(fixture.list().map { $0["color"] as String? }, ["green", "blue"])
            XCTAssertEqual(fixture.errors.all, [])
        }
    }

    func testTheColumnsOfAStarMayChangePlaces() throws {
        try onEachListWriter { writer in
            let fixture = try ListFixture(writer, .trackingList(ListedPlayer.ranking))
            try fixture.write("UPDATE player SET score = 40 WHERE id = 1")
            // The row id and the score exchange their places.
            try fixture.write(
                """
                BEGIN;
                ALTER TABLE player RENAME TO old;
                CREATE TABLE player(score, team, name TEXT, id INTEGER PRIMARY KEY);
                INSERT INTO player SELECT score, team, name, id FROM old;
                DROP TABLE old;
                COMMIT
                """)
            XCTAssertEqual(fixture.list().map(\.id), [1, 4, 2, 3])
            try fixture.write("UPDATE player SET score = 35 WHERE id = 3")
            XCTAssertEqual(fixture.list().map(\.id), [1, 3, 4, 2])
            XCTAssertEqual(try fixture.status().rowFetchCount, 2)
            XCTAssertEqual(fixture.errors.all, [])
        }
    }

    func testARolledBackTransactionLeavesNothingInAList() throws {
        try onEachListWriter { writer in
            let early = try ListFixture(writer, label: "early", .trackingList(ListedPlayer.ranking))
            var late: ListFixture<ListedPlayer>?
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN; UPDATE player SET name = 'Zoe' WHERE id = 1")
                if writer is DatabaseQueue {
                    let values = Recorder<ObservedList<ListedPlayer>>()
                    let observation = ValueObservation.trackingList(ListedPlayer.ranking)
                    // The scheduler determines the overload.
                    let scheduler: some ValueObservationScheduler = ImmediateInlineScheduler()
                    let cancellable = observation.start(
                        in: writer, scheduling: scheduler, onError: { XCTFail("\($0)") },
                        onChange: { values.append($0) })
                    XCTAssertEqual(values.all.last?.last?.name, "Zoe")
                    try db.execute(sql: "ROLLBACK")
                    XCTAssertEqual(values.all.last?.last?.name, "Ann")
                    cancellable.cancel()
                } else {
                    try db.execute(sql: "ROLLBACK")
                }
            }
            late = try ListFixture(writer, label: "late", .trackingList(ListedPlayer.ranking))
            try early.write("UPDATE player SET name = 'Bea' WHERE id = 2")
            for fixture in [early, late].compactMap({ $0 }) {
                XCTAssertEqual(fixture.list().map(\.name), ["Dee", "Bea", "Cid", "Ann"])
            }
        }
    }

    func testCommitsOfOtherConnectionsAreContainedInLaterLists() throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let directory = try TemporaryDirectory()
            let path = directory.file("pool.sqlite")
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.write { db in try db.execute(sql: ListedPlayer.table) }
            let other = try DatabaseQueue(path: path, configuration: configuration)
            let fixture = try ListFixture(pool, .trackingList(ListedPlayer.ranking))
            try fixture.write("UPDATE player SET name = 'Abe' WHERE id = 1")
            XCTAssertEqual(try fixture.status().fullFetchCounts, ["first fetch": 1])
            try other.write { db in try db.execute(sql: "UPDATE player SET name = 'Zoe' WHERE id = 2") }
            try fixture.write("UPDATE player SET name = 'Bea' WHERE id = 1")
            XCTAssertEqual(fixture.list().map(\.name), ["Dee", "Zoe", "Cid", "Bea"])
            XCTAssertEqual(try fixture.status().fullFetchCounts, ["first fetch": 1, "unknown changes": 1])
            try fixture.write("UPDATE player SET name = 'Abe' WHERE id = 1")
            XCTAssertEqual(try fixture.status().fullFetchCounts["unknown changes"], 1)
        }
    }

    func testEqualListsShareOneFetch() throws {
        try onEachListWriter { writer in
            // No fetch counts as slow: slow observers do not share fetches with others.
            var observation = ValueObservation.trackingList(ListedPlayer.ranking)
            observation.options.timer = ManualClock()
            let fixtures = try (0..<5).map { index in
                try ListFixture(writer, label: "list \(index)", observation)
            }
            try fixtures[0].write("UPDATE player SET name = 'Abe' WHERE id = 1")
            for fixture in fixtures {
                XCTAssertEqual(fixture.list().map(\.name), ["Dee", "Bob", "Cid", "Abe"])
            }
            let shared = writer.observations.reduce(0) { $0 + $1.sharedFetchCount }
            XCTAssertEqual(shared, 4)
            try fixtures[0].write("UPDATE player SET name = 'Ann' WHERE id = 1")
            for fixture in fixtures { XCTAssertEqual(fixture.list().last?.name, "Ann") }
        }
    }

    func testAnObservationThatWasPausedIsUpdatedRowByRow() throws {
        try onEachListWriter { writer in
            let pause = ObservationPause()
            let fixture = try ListFixture(writer, .trackingList(ListedPlayer.ranking).pausable(by: pause))
            pause.pause()
            try fixture.write(
                "UPDATE player SET score = 1 WHERE id = 1; UPDATE player SET score = 2 WHERE id = 2")
            try fixture.write("DELETE FROM player WHERE id = 3")
            XCTAssertEqual(fixture.count, 1)
            pause.resume()
            try fixture.drain()
            XCTAssertEqual(fixture.list().map(\.name), ["Dee", "Bob", "Ann"])
            try fixture.write("UPDATE player SET score = 50 WHERE id = 1")
            XCTAssertEqual(fixture.list().map(\.name), ["Ann", "Dee", "Bob"])
            XCTAssertGreaterThan(try fixture.status().rowFetchCount, 0)
        }
    }

    func testEachCommitIsDelivered() throws {
        try onEachListWriter { writer in
            let fixture = try ListFixture(
                writer, .trackingList(ListedPlayer.ranking).coalescing(.never))
            for score in 1...20 {
                try writer.write { db in
                    try db.execute(sql: "UPDATE player SET score = ? WHERE id = 1", arguments: [score * 2])
                }
            }
            fixture.wait { $0.last?.contains { $0.score == 40 } == true }
            XCTAssertEqual(fixture.list().first { $0.id == 1 }?.score, 40)
            XCTAssertEqual(fixture.count, 21)
            XCTAssertEqual(try fixture.status().fullFetchCounts, ["first fetch": 1])
        }
    }

    func testAListMayDifferFromItsArguments() throws {
        struct Search: FetchRequest {
            typealias RowDecoder = ListedPlayer
            let pattern: @Sendable () -> String
            var sqlSubquery: SQLSubquery { request.sqlSubquery }
            var request: SQLRequest<ListedPlayer> {
                SQLRequest(sql: "SELECT * FROM player WHERE name LIKE ? ORDER BY id", arguments: [pattern()])
            }
            func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
                try request.makePreparedRequest(db, forSingleResult: forSingleResult)
            }
        }
        let pattern = Recorder<String>()
        pattern.append("A%")
        let writer = try DatabaseQueue()
        try writer.write { db in try db.execute(sql: ListedPlayer.table) }
        let search = Search { pattern.all.last ?? "" }
        let fixture = try ListFixture(writer, .trackingList(search))
        XCTAssertEqual(fixture.list().map(\.name), ["Ann"])
        pattern.append("%e%")
        try fixture.write("UPDATE player SET score = 11 WHERE id = 1")
        XCTAssertEqual(fixture.list().map(\.name), ["Dee"])
    }

    func testAnErrorEndsTheObservation() throws {
        try onEachListWriter { writer in
            let fixture = try ListFixture(writer, .trackingList(ListedPlayer.ranking))
            try fixture.write("DROP TABLE player")
            // An observation that fails has ended before its error is delivered.
            fixture.errors.wait { $0.count == 1 }
            XCTAssertEqual(fixture.count, 1)
            XCTAssertTrue(try XCTUnwrap(fixture.errors.all.first).contains("no such table: player"))
        }
    }

    func testRowsThatCannotBeLookedUpAreLeftToTheRequest() throws {
        try onEachListWriter { writer in
            try writer.write { db in try db.execute(sql: "CREATE INDEX byTeam ON player(team)") }
            // With the index, rows of other teams are not evaluated.
            let request = SQLRequest<Int>(sql: "SELECT id FROM player WHERE abs(score) > 5 AND team = 1")
            let fixture = try ListFixture(writer, .trackingList(request))
            XCTAssertEqual(fixture.list(), [1, 2])
            try fixture.write(
                """
                BEGIN; INSERT INTO player VALUES (5, 1, 'Eve', 20);
                UPDATE player SET score = -9223372036854775807 - 1 WHERE id = 3; COMMIT
                """)
            XCTAssertEqual(fixture.errors.all, [])
            XCTAssertEqual(fixture.list(), [1, 2, 5])
            XCTAssertEqual(
                try fixture.status().fullFetchCounts,
                ["first fetch": 1, "the changed rows could not be fetched alone": 1])
            try fixture.write("UPDATE player SET score = 0 WHERE id = 1")
            XCTAssertEqual(fixture.list(), [2, 5])
            XCTAssertEqual(try fixture.status().rowFetchCount, 1)
        }
    }

    func testListsAreVerifiedIfTheConfigurationAsksForIt() throws {
        var configuration = Configuration()
        configuration.listVerificationInterval = 1
        try onEachListWriter(configuration) { writer in
            let fixture = try ListFixture(writer, .trackingList(ListedPlayer.ranking))
            for score in 100..<140 { try fixture.write("UPDATE player SET score = \(score) WHERE id = 1") }
            XCTAssertEqual(try fixture.status().mismatchCount, 0)
            XCTAssertEqual(try fixture.status().rowFetchCount, 40)
        }
    }

    func testALogOfCommitsIsKeptOnlyWhileListsAreObserved() throws {
        let writer = try DatabaseQueue()
        try writer.write { db in try db.execute(sql: ListedPlayer.table) }
        var fixture: ListFixture? = try ListFixture(writer, .trackingList(ListedPlayer.ranking))
        try fixture?.write("UPDATE player SET score = 1 WHERE id = 1")
        fixture = nil
        let second = try ListFixture(writer, .trackingList(ListedPlayer.ranking))
        try second.write("UPDATE player SET score = 2 WHERE id = 1")
        XCTAssertEqual(try second.status().rowFetchCount, 1)
    }
}

extension ListObservationTests {
    func testTheSimulationHasPlans() throws {
        let backend = SimulatedBackend()
        var configuration = Configuration()
        configuration.backend = backend
        let writers: [any DatabaseWriter] = [
            try DatabaseQueue(path: "queue", configuration: configuration),
            try DatabasePool(path: "pool", configuration: configuration),
        ]
        for writer in writers {
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
                try db.execute(
                    sql: "INSERT INTO player VALUES (1, 'Ann', 10), (2, 'Bob', 30), (3, 'Cid', 30)")
            }
            let request = SQLRequest<String>(
                sql: "SELECT name FROM player WHERE score > ? ORDER BY score DESC", arguments: [5])
            let fixture = try ListFixture(writer, .trackingList(request))
            XCTAssertEqual(fixture.list(), ["Cid", "Bob", "Ann"])
            try fixture.write("UPDATE player SET score = 40 WHERE id = 1")
            XCTAssertEqual(fixture.list(), ["Ann", "Cid", "Bob"])
            try fixture.write("UPDATE player SET score = 1 WHERE id = 3")
            XCTAssertEqual(fixture.list(), ["Ann", "Bob"])
            let status = try fixture.status()
            XCTAssertEqual(status.fullFetchCounts, ["first fetch": 1])
            XCTAssertEqual(status.rowFetchCount, 2)
        }
    }
}
