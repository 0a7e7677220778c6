import Synchronization
import Vigil
import VigilEngine
import XCTest

/// Tests that the results of unchanged closures are updated row by row, and when their statements run.
final class LiveResultTests: XCTestCase {
    private static let teams = "SELECT team, COUNT(*), SUM(score) FROM player GROUP BY team"

    /// Makes changes until results are kept.
    private func warmUp(_ fixture: ResultFixture) throws {
        for score in 1...2 { try fixture.write("UPDATE player SET score = \(score) WHERE id = 1") }
    }

    func testACountIsUpdatedRowByRow() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(writer, ["SELECT COUNT(*) FROM player WHERE score > 15"])
            try fixture.write("UPDATE player SET score = 16 WHERE id = 1")
            try fixture.write("UPDATE player SET score = 10 WHERE id = 1")
            XCTAssertEqual(try fixture.statistics().map(\.updateCount), [0])
            try fixture.write("UPDATE player SET score = 16 WHERE id = 1")
            XCTAssertEqual(fixture.rows, ["4"])
            try fixture.write("INSERT INTO player VALUES (9, 2, 'Eve', 99); DELETE FROM player WHERE id = 2")
            let statistics = try XCTUnwrap(fixture.statistics().first)
            XCTAssertGreaterThan(statistics.updateCount, 1)
            XCTAssertEqual(statistics.fetchCounts, ["first contributions": 1])
            XCTAssertGreaterThan(statistics.byteCount, 0)
        }
    }

    func testGroupsAppearMoveAndVanish() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(
                writer, [Self.teams, Self.teams + " HAVING COUNT(*) > 1 ORDER BY 2 DESC, 3 LIMIT 2"])
            try warmUp(fixture)
            try fixture.write("INSERT INTO player VALUES (9, 3, 'Eve', 99)")
            try fixture.write("UPDATE player SET team = 3 WHERE id <= 2")
            try fixture.write("UPDATE player SET score = NULL WHERE id = 1")
            try fixture.write("DELETE FROM player WHERE id IN (3, 4)")
            try fixture.write("UPDATE player SET team = NULL, score = 7 WHERE id = 9")
            XCTAssertEqual(fixture.rows, ["NULL,1,7", "3,2,30"])
            for statistics in try fixture.statistics() {
                XCTAssertEqual(statistics.fetchCounts, ["first contributions": 1])
                XCTAssertGreaterThanOrEqual(statistics.updateCount, 4)
            }
        }
    }

    /// Canonically equivalent texts are different texts for a database.
    func testExpressionsWithEquivalentTextsAreDifferent() throws {
        try onEachResultWriter { writer in
            let (short, long) = ("'\u{e9}'", "'e\u{301}'")
            let fixture = try ResultFixture(
                writer,
                [
                    "SELECT SUM(name = \(short)), SUM(name = \(long)) FROM player",
                    "SELECT name = \(short), COUNT(*) FROM player GROUP BY name = \(long)",
                ])
            for (id, name) in [(9, long), (10, short), (11, long), (12, long)] {
                try fixture.write("INSERT INTO player VALUES (\(id), 3, \(name), 1)")
            }
            XCTAssertEqual(fixture.rows, ["1,3"])
            XCTAssertGreaterThan(try fixture.statistics().first?.updateCount ?? 0, 0)
        }
    }

    func testTheExtremesOfADescendingNullGroupAreItsOwn() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(
                writer,
                ["SELECT team, MIN(score), MAX(score) FROM player GROUP BY team ORDER BY COUNT(*) DESC"])
            try warmUp(fixture)
            try fixture.write("INSERT INTO player VALUES (9, NULL, 'Eve', 77)")
            try fixture.write("UPDATE player SET score = NULL WHERE id = 9")
            try fixture.write("UPDATE player SET score = 3 WHERE id = 9")
        }
    }

    func testCommitsOfOtherConnectionsUpdateResultsRowByRow() throws {
        try requirePlainFiles()
        var configuration = Configuration()
        configuration.foreignChanges = .observed
        configuration.leastLiveCost = 0
        for isPool in [false, true] {
            let file = try DatabaseFile(for: self)
            let other = try file.openWriter()
            try other.write { db in try db.execute(sql: ListedPlayer.table) }
            let writer: any DatabaseWriter =
                isPool
                ? try DatabasePool(path: file.path, configuration: configuration)
                : try DatabaseQueue(path: file.path, configuration: configuration)
            try writer.findForeignCommits(times: 2)
            let fixture = try ResultFixture(
                writer, [Self.teams, "SELECT COUNT(*) FROM player WHERE score > 15"])
            try warmUp(fixture)
            let updates = try fixture.statistics().map(\.updateCount)
            for id in 20..<25 {
                try other.write { db in
                    try db.execute(
                        sql: "INSERT INTO player VALUES (?, 3, 'Eve', 99)", arguments: [id])
                    try db.execute(sql: "UPDATE player SET team = 3 WHERE id = 1")
                }
                try writer.findForeignCommits()
                try writer.waitForFetches()
                // Another commit of its own compares the values.
                try fixture.write("UPDATE player SET score = score + 1 WHERE id = 2")
            }
            for (statistics, updates) in zip(try fixture.statistics(), updates) {
                XCTAssertGreaterThanOrEqual(statistics.updateCount, updates + 10)
                XCTAssertEqual(statistics.fetchCounts, ["first contributions": 1])
            }
        }
    }

    func testTheFirstFetchOfAnotherObservationRunsItsStatement() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(writer, ["SELECT COUNT(*) FROM player WHERE score > 0"])
            try warmUp(fixture)
            let updates = try XCTUnwrap(fixture.statistics().first).updateCount
            let other = try ResultFixture(
                writer, ["SELECT COUNT(*) FROM player WHERE score > 0"], label: "other")
            XCTAssertEqual(try fixture.statistics().first?.updateCount, updates)
            try other.write("DELETE FROM player WHERE id = 2")
            XCTAssertGreaterThan(try XCTUnwrap(other.statistics().first).updateCount, updates)
        }
    }

    func testChangesOutsideOfTheGivenRegionAreNotForgotten() throws {
        try onEachResultWriter { writer in
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE signal(n); INSERT INTO signal VALUES (0)")
            }
            let counts = Recorder<Int>()
            let pause = ObservationPause()
            let observation = ValueObservation.tracking(region: Table("signal")) { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? -1
            }
            let cancellable = observation.pausable(by: pause).start(
                in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { counts.append($0) })
            func signal() throws {
                try writer.write { db in try db.execute(sql: "UPDATE signal SET n = n + 1") }
                try writer.waitForFetches()
            }
            for _ in 0..<4 { try signal() }
            pause.pause()
            try signal()
            pause.resume()
            try writer.waitForFetches()
            try writer.write { db in try db.execute(sql: "INSERT INTO player VALUES (99, 1, 'Zoe', 1)") }
            try signal()
            let expected = try writer.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") }
            XCTAssertEqual(counts.all.last, expected)
            cancellable.cancel()
        }
    }

    func testSeveralCommitsBeforeAFetch() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(writer, [Self.teams], coalesces: false)
            try warmUp(fixture)
            for id in 5...9 {
                try writer.writeWithoutTransaction { db in
                    try db.execute(sql: "INSERT INTO player VALUES (\(id), 1, 'x', \(id))")
                }
            }
            try fixture.write("DELETE FROM player WHERE id IN (3, 5)")
        }
    }

    func testADeletedTableIsCounted() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(writer, [Self.teams, "SELECT COUNT(*), MAX(score) FROM player"])
            try warmUp(fixture)
            try fixture.write("DELETE FROM player")
            XCTAssertEqual(fixture.rows, [])
            try fixture.write("INSERT INTO player VALUES (1, 1, 'Ann', 10)")
        }
    }

    func testJoinedTablesAreFollowed() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(
                writer,
                [
                    """
                    SELECT team.name, COUNT(*), MAX(score) FROM player JOIN team ON team.id = player.team
                    GROUP BY team.id
                    """
                ])
            try warmUp(fixture)
            try fixture.write("UPDATE team SET name = 'Greens' WHERE id = 2")
            try fixture.write("UPDATE player SET team = 2 WHERE id = 2")
            try fixture.write("DELETE FROM team WHERE id = 1")
            let statistics = try XCTUnwrap(fixture.statistics().first)
            XCTAssertEqual(statistics.fetchCounts, ["first contributions": 1])
        }
    }

    func testUncertainResultsAreFetched() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(writer, [Self.teams])
            try warmUp(fixture)
            try fixture.write("UPDATE player SET score = 0.1 WHERE id = 3")
            try fixture.write("UPDATE player SET score = 0.25 WHERE id = 3")
            let statistics = try XCTUnwrap(fixture.statistics().first)
            XCTAssertEqual(
                statistics.fetchCounts,
                ["first contributions": 1, "the result depends on the order of the rows": 1])
            // 1 and 1.0 are one group, but not identical.
            try fixture.write("UPDATE player SET team = 1.0 WHERE id = 2")
            XCTAssertEqual(
                try fixture.statistics().first?.failure, "it returns columns that differ within a group")
        }
    }

    func testASchemaChangeAndUnknownChangesAreFetched() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(writer, [Self.teams])
            try warmUp(fixture)
            try fixture.write("CREATE INDEX byTeam ON player(team)")
            try fixture.write("UPDATE player SET score = 17 WHERE id = 1")
            try fixture.write("ALTER TABLE player ADD COLUMN more")
            for score in 1...5 { try fixture.write("UPDATE player SET score = \(score) WHERE id = 3") }
            XCTAssertNil(try fixture.statistics().first?.failure)
            XCTAssertGreaterThan(try XCTUnwrap(fixture.statistics().first).updateCount, 0)
        }
    }

    func testResultsAreNotKeptIfTheConfigurationForbidsIt() throws {
        try onEachResultWriter({ $0.keepsLiveResults = false }) { writer in
            let fixture = try ResultFixture(writer, [Self.teams])
            try warmUp(fixture)
            try warmUp(fixture)
            XCTAssertEqual(try fixture.statistics(), [])
        }
    }

    func testResultsThatNeedTooMuchMemoryAreFetched() throws {
        try onEachResultWriter({ $0.liveResultMemory = 100 }) { writer in
            let fixture = try ResultFixture(writer, [Self.teams])
            try warmUp(fixture)
            XCTAssertEqual(
                try fixture.statistics().first?.failure, "too many rows for Configuration.liveResultMemory")
            XCTAssertEqual(try fixture.statistics().first?.byteCount, 0)
        }
    }

    func testTheMemoryForResultsDependsOnTheMachine() {
        let sizes: [UInt64] = [0, 4 << 30, 8 << 30, 16 << 30, .max]
        XCTAssertEqual(
            sizes.map { Configuration.liveResultMemory(ofMachine: $0) },
            [64 << 20, 64 << 20, 128 << 20, 256 << 20, 256 << 20])
        XCTAssertTrue((64 << 20...256 << 20).contains(Configuration().liveResultMemory))
    }

    func testTheLastObservationReleasesAResult() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(writer, [Self.teams])
            let other = try ResultFixture(writer, [Self.teams], label: "other")
            try warmUp(fixture)
            fixture.cancel()
            try other.write("UPDATE player SET score = 3 WHERE id = 1")
            XCTAssertGreaterThan(try XCTUnwrap(other.statistics().first).updateCount, 0)
            other.cancel()
            try writer.waitForFetches()
            let last = try ResultFixture(writer, [Self.teams], label: "last")
            try last.write("UPDATE player SET score = 4 WHERE id = 1")
            XCTAssertEqual(try last.statistics().map(\.updateCount), [0])
        }
    }

    func testCheapStatementsAreRun() throws {
        try onEachResultWriter({ $0.leastLiveCost = 2_000 }) { writer in
            let fixture = try ResultFixture(writer, [Self.teams])
            try warmUp(fixture)
            XCTAssertEqual(try fixture.statistics(), [])
        }
    }

    /// A COUNT(*) is one step of the library, but reads all pages of the table.
    func testACountOfManyPagesRunsOnlyIfItMayHaveChanged() throws {
        try onEachResultWriter({ $0.leastLiveCost = 2_000 }) { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE page(id INTEGER PRIMARY KEY, number, content);
                        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                        INSERT INTO page SELECT i, i, zeroblob(3500) FROM n
                        """)
            }
            let fixture = try ResultFixture(
                writer, ["SELECT COUNT(*) FROM page", "SELECT number FROM page WHERE id = 1"])
            for number in 2...8 { try fixture.write("UPDATE page SET number = \(number) WHERE id = 1") }
            let kept = try XCTUnwrap(fixture.statistics().first)
            XCTAssertEqual(try fixture.statistics().count, 1)
            XCTAssertEqual(kept.updateCount, 5)
            XCTAssertEqual(kept.fetchCounts, ["its rows may have changed": 1])
            try fixture.write("DELETE FROM page WHERE id > 290")
            XCTAssertEqual(fixture.rows, ["290"])
            try fixture.write("UPDATE page SET number = 0 WHERE id = 1")
            let last = try XCTUnwrap(fixture.statistics().first)
            XCTAssertEqual(last.fetchCounts, ["its rows may have changed": 2])
            XCTAssertEqual(last.updateCount, 6)
            XCTAssertNil(last.failure)
            // The name denotes something else then, without a plan.
            try fixture.write(
                """
                BEGIN; ALTER TABLE page RENAME TO paper;
                CREATE VIEW page AS SELECT id, number FROM paper WHERE number < 3; COMMIT
                """)
            XCTAssertEqual(fixture.rows, ["2"])
            for number in [9, 1, 2, 9] {
                try fixture.write("UPDATE paper SET number = \(number) WHERE id = 1")
                XCTAssertEqual(fixture.rows, [number == 9 ? "1" : "2"])
            }
        }
    }

    func testRowsThatExceedTheMemoryForResultsAreNotKept() throws {
        let change = { (configuration: inout Configuration) in
            (configuration.leastLiveCost, configuration.leastLivePageCount) = (.max, -1)
            configuration.liveResultMemory = 10
        }
        try onEachResultWriter(change) { writer in
            let fixture = try ResultFixture(writer, [Self.teams])
            for score in 1...4 { try fixture.write("UPDATE player SET score = \(score) WHERE id = 1") }
            let statistics = try XCTUnwrap(fixture.statistics().first)
            XCTAssertEqual(statistics.byteCount, 0)
            XCTAssertNotNil(statistics.failure)
        }
    }

    func testAWriteThatDoesNotMatchKeepsTheBase() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(writer, ["SELECT COUNT(*) FROM player WHERE team = 1"])
            for id in 10...12 { try fixture.write("INSERT INTO player VALUES (\(id), 1, 'x', 1)") }
            // More commits than the log keeps.
            for score in 0..<300 {
                try writer.writeWithoutTransaction { db in
                    try db.execute(sql: "UPDATE player SET score = ? WHERE id = 3", arguments: [score])
                }
            }
            try fixture.write("UPDATE player SET team = 2 WHERE id = 1")
            XCTAssertEqual(fixture.rows, ["4"])
            let statistics = try XCTUnwrap(fixture.statistics().first)
            XCTAssertEqual(statistics.fetchCounts, ["first contributions": 1])
        }
    }

    func testGroupsHaveTheOrderOfADescendingIndex() throws {
        try onEachResultWriter { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE INDEX byScore ON player(score DESC); DELETE FROM player;
                        INSERT INTO player
                        VALUES (1, 1, 'a', 30), (2, 1, 'b', 30), (3, 1, 'c', 30), (4, 1, 'd', 10), (5, 1, 'e', 10)
                        """)
            }
            let fixture = try ResultFixture(
                writer, ["SELECT score, COUNT(*) FROM player GROUP BY score ORDER BY COUNT(*) DESC LIMIT 2"])
            try fixture.write("INSERT INTO player VALUES (6, 1, 'f', 30)")
            try fixture.write("INSERT INTO player VALUES (7, 1, 'g', 30)")
            try fixture.write("INSERT INTO player VALUES (8, 1, 'h', 20)")
            try fixture.write("INSERT INTO player VALUES (9, 1, 'i', 20)")
        }
    }

    func testOneGroupBecomesTwoInADescendingIndex() throws {
        try onEachResultWriter { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE INDEX byTeam ON player(team, score DESC); DELETE FROM player;
                        INSERT INTO player VALUES (1, 2, 'a', 5)
                        """)
            }
            let sql = "SELECT score, COUNT(*) FROM player WHERE team = 2 GROUP BY score"
            let fixture = try ResultFixture(writer, [sql, sql + " LIMIT 1"])
            for id in 2...3 { try fixture.write("INSERT INTO player VALUES (\(id), 2, 'x', 5)") }
            try fixture.write("INSERT INTO player VALUES (9, 2, 'y', 7)")
        }
    }

    func testGroupsOfAnIndexWithoutAnOrder() throws {
        try onEachResultWriter { writer in
            try writer.write { db in
                try db.execute(
                    sql: "CREATE INDEX i ON player(score, team); DELETE FROM player WHERE team = 2")
            }
            let fixture = try ResultFixture(
                writer, ["SELECT team, score, COUNT(*) FROM player GROUP BY team, score"])
            try fixture.write("INSERT INTO player VALUES (10, 1, 'x', 40)")
            try fixture.write("INSERT INTO player VALUES (11, 1, 'y', 50)")
            try fixture.write("INSERT INTO player VALUES (9, 2, 'Eve', 5)")
        }
    }

    func testExpressionsOfTextThatIsNotUTF8() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(writer, ["SELECT hex(MAX(name)), COUNT(*) FROM player"])
            for id in 10...12 { try fixture.write("INSERT INTO player VALUES (\(id), 1, 'x', 1)") }
            try fixture.write("INSERT INTO player VALUES (20, 1, CAST(x'FF' AS TEXT), 1)")
        }
    }

    func testHavingNamesTheFirstResultWithAName() throws {
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(
                writer,
                ["SELECT team, SUM(score) AS n, COUNT(*) * 10 AS n FROM player GROUP BY team HAVING n > 15"])
            for id in 10...12 { try fixture.write("INSERT INTO player VALUES (\(id), 1, 'x', 1)") }
            try fixture.write("INSERT INTO player VALUES (20, 3, 'y', 3), (21, 3, 'z', 4)")
        }
    }

    func testTextsComparedAsNumbersAreGroupedByTheDatabase() throws {
        let join = "FROM player, team WHERE team.id = 1 AND player.name = team.id"
        try onEachResultWriter { writer in
            let fixture = try ResultFixture(
                writer,
                [
                    "SELECT player.name, COUNT(*) \(join) GROUP BY player.name",
                    "SELECT COUNT(DISTINCT player.name) \(join)", "SELECT MAX(player.name) \(join)",
                    "SELECT DISTINCT player.name \(join) ORDER BY 1",
                ])
            for (id, name) in zip(10..., ["1", "1", "1", "1", "1.0", "1"]) {
                try fixture.write("INSERT INTO player VALUES (\(id), 1, '\(name)', 1)")
            }
        }
    }

    func testHavingNamesAResultInQuotes() throws {
        try onEachResultWriter({ $0.acceptsDoubleQuotedStringLiterals = true }) { writer in
            let fixture = try ResultFixture(
                writer, [#"SELECT team AS t, COUNT(*) FROM player GROUP BY t HAVING MAX("t") > 0"#])
            for id in 10...12 { try fixture.write("INSERT INTO player VALUES (\(id), 1, 'x', 1)") }
            try fixture.write("INSERT INTO player VALUES (20, -3, 'y', 1)")
            XCTAssertEqual(fixture.rows, ["1,5", "2,2"])
        }
    }

    /// Rows refer to the memory of the fetch that returned them.
    func testRowsOfEarlierValuesDoNotChange() throws {
        try onEachResultWriter { writer in
            let values = Recorder<[Row]>()
            let cancellable = ValueObservation.tracking { db in
                try Row.fetchAll(db, sql: "SELECT team, COUNT(*), MAX(name) FROM player GROUP BY team")
            }
            .start(in: writer, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: values.append)
            try writer.waitForFetches()
            var expected: [[Row]] = []
            for number in 1...6 {
                try writer.write { db in
                    try db.execute(
                        sql: "UPDATE player SET name = ? WHERE id = 1", arguments: ["z\(number)"])
                }
                try writer.waitForFetches()
                expected.append(
                    try writer.read { db in
                        try Row.fetchAll(
                            db, sql: "SELECT team, COUNT(*), MAX(name) FROM player GROUP BY team")
                    })
            }
            XCTAssertEqual(Array(values.all.dropFirst()), expected)
            XCTAssertEqual(Set(expected.map { $0[0].description }).count, 6)
            XCTAssertGreaterThan(writer.observations.first?.results.first?.updateCount ?? 0, 2)
            cancellable.cancel()
        }
    }

    /// Two observations share results. One of them fetches an older commit, while the other one updates the
    /// results to the next one.
    func testAFetchReturnsTheCommitOfItsSnapshotWhileOthersUpdateTheResults() throws {
        let directory = try TemporaryDirectory()
        var configuration = Configuration()
        configuration.leastLiveCost = 0
        let pool = try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration)
        try pool.write { db in try db.execute(sql: ListedPlayer.table) }
        let statements = ["SELECT COUNT(*) FROM player WHERE score > 100", "SELECT SUM(score) FROM player"]
        let willRun = Mutex<(@Sendable (Int) -> Void)?>(nil)
        let (first, second) = (Recorder<[Int?]>(), Recorder<[Int?]>())
        let older = ValueObservation.tracking { db in
            try statements.enumerated().map { index, sql in
                willRun.withLock { $0 }?(index)
                return try Int.fetchOne(db, sql: sql)
            }
        }
        .coalescing(.never).start(
            in: pool, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { first.append($0) })
        let newer = ValueObservation.tracking { db in
            try statements.map { try Int.fetchOne(db, sql: $0) }
        }
        .start(in: pool, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { second.append($0) })
        func write(_ score: Int) throws {
            try pool.write { db in
                try db.execute(sql: "UPDATE player SET score = ? WHERE id = 1", arguments: [score])
            }
        }
        for score in [1, 2, 3, 4] {
            try write(score)
            try pool.waitForFetches()
        }
        let rest = try XCTUnwrap(XCTUnwrap(second.all.last?.last)) - 4
        let gates = [(Gate(), Gate()), (Gate(), Gate())]
        willRun.withLock { hook in
            hook = { index in
                gates[index].0.open()
                gates[index].1.wait()
            }
        }
        try write(200)
        second.wait(last: [1, rest + 200])
        gates[0].1.open()
        gates[1].0.wait()
        willRun.withLock { $0 = nil }
        try write(300)
        second.wait(last: [1, rest + 300])
        gates[1].1.open()
        first.wait(last: [1, rest + 300])
        XCTAssertEqual(first.all.suffix(2), [[1, rest + 200], [1, rest + 300]])
        older.cancel()
        newer.cancel()
    }
}
