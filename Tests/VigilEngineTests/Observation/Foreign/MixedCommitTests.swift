import Foundation
import Synchronization
import Vigil
import VigilStorage
import VigilTestSupport
import XCTest

@testable import VigilEngine

/// Commits of a queue between commits of another connection.
final class MixedCommitTests: XCTestCase {
    private static let scores = "SELECT score FROM player ORDER BY id"

    private func open(_ rows: Int = 100) throws -> (DatabaseQueue, other: DatabaseQueue) {
        try requirePlainFiles()
        let file = try DatabaseFile(for: self)
        // Checks run only where a test asks for them.
        let dbQueue = try file.open(backend: HintingBackend())
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, team INT, score INT)")
            for id in 1...rows {
                try db.execute(sql: "INSERT INTO player VALUES (?, ?, 0)", arguments: [id, id % 10])
            }
        }
        return (dbQueue, try file.openWriter())
    }

    func testOwnCommitsAreNotMatchedAgainWithCommitsOfOthers() throws {
        let (dbQueue, other) = try open()
        let fetches = Mutex<[Int]>([])
        let cancellables = (1...20).map { id in
            ValueObservation
                .tracking { db in
                    fetches.withLock { $0.append(id) }
                    return try Int.fetchOne(db, sql: "SELECT score FROM player WHERE id = \(id)")
                }
                .start(in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { _ in })
        }
        try dbQueue.findForeignCommits(times: 2)
        // Own commits are excluded one by one after a commit of others.
        try other.write { try $0.execute(sql: "UPDATE player SET score = 1 WHERE id = 50") }
        try dbQueue.findForeignCommits()
        for number in 1...5 {
            // No check runs in between.
            try dbQueue.writeWithoutTransaction { db in
                fetches.withLock { $0 = [] }
                for id in [3, 4] {
                    try db.execute(sql: "UPDATE player SET score = \(number) WHERE id = \(id)")
                }
                try other.write { try $0.execute(sql: "UPDATE player SET score = \(number) WHERE id = 7") }
                var error: (any Error)?
                XCTAssertEqual(db.noticeForeignChange(&error), .changed)
                XCTAssertNil(error)
                XCTAssertEqual(fetches.withLock { $0 }, [3, 4, 7])
            }
        }
        withExtendedLifetime(cancellables) {}
    }

    /// With an observed list, an own commit looks for commits of others. It is notified with their rows.
    func testAnOwnCommitFindsTheRowsOfOthersForLists() throws {
        let (dbQueue, other) = try open()
        let fetches = Mutex<[Int]>([])
        var cancellables: [any DatabaseCancellable] = (1...20).map { id in
            ValueObservation
                .tracking { db in
                    fetches.withLock { $0.append(id) }
                    return try Int.fetchOne(db, sql: "SELECT score FROM player WHERE id = \(id)")
                }
                .start(in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { _ in })
        }
        let lists = ArrivingValues<[Int]>()
        cancellables.append(
            ValueObservation.trackingList(SQLRequest<Int>(sql: Self.scores)).start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { lists.append(Array($0)) }))
        try dbQueue.findForeignCommits(times: 2)
        try dbQueue.write { try $0.execute(sql: "UPDATE player SET score = 1 WHERE id = 3") }
        for number in 2...5 {
            fetches.withLock { $0 = [] }
            // No check runs in between.
            try dbQueue.writeWithoutTransaction { db in
                try other.write { try $0.execute(sql: "UPDATE player SET score = \(number) WHERE id = 7") }
                try db.execute(sql: "UPDATE player SET score = \(number) WHERE id = 3")
                XCTAssertEqual(fetches.withLock { $0 }, [3, 7])
                XCTAssertEqual(lists.all.last, try Int.fetchAll(db, sql: Self.scores))
                var error: (any Error)?
                XCTAssertEqual(db.noticeForeignChange(&error), .unchanged)
            }
        }
        let list = try XCTUnwrap(dbQueue.observations.compactMap(\.list).first)
        XCTAssertEqual(list.fullFetchCounts, ["first fetch": 1])
        withExtendedLifetime(cancellables) {}
    }

    func testAnOwnCommitAfterAnUnnoticedOneIsReportedWithIt() throws {
        let (dbQueue, other) = try open()
        let values = Mutex<[Int?]>([])
        let cancellable =
            ValueObservation
            .tracking { db in try Int.fetchOne(db, sql: "SELECT SUM(score) FROM player WHERE id < 3") }
            .start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { value in values.withLock { $0.append(value) } })
        try dbQueue.findForeignCommits(times: 2)
        try dbQueue.writeWithoutTransaction { db in
            try other.write { try $0.execute(sql: "UPDATE player SET score = 1 WHERE id = 1") }
            try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 50")
            var error: (any Error)?
            XCTAssertEqual(db.noticeForeignChange(&error), .changed)
        }
        XCTAssertEqual(values.withLock { $0.last }, 1)
        withExtendedLifetime(cancellable) {}
    }

    func testRowsWithCountsAreLookedUpWithoutOwnWrites() throws {
        let (dbQueue, other) = try open()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE club(id INTEGER PRIMARY KEY, name TEXT);
                    CREATE INDEX playerOfClub ON player(team);
                    INSERT INTO club VALUES (1, 'a'), (2, 'b'), (3, 'c');
                    """)
        }
        let request = SQLRequest<Row>(
            sql:
                "SELECT club.*, COUNT(player.id) AS n FROM club LEFT JOIN player ON team = club.id GROUP BY club.id"
        )
        let counts = ArrivingValues<[Int]>()
        let cancellable = ValueObservation.trackingList(request).start(
            in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
            onChange: { list in counts.append(list.map { row in row["n"] as Int }.sorted()) })
        try dbQueue.findForeignCommits(times: 2)
        for sql in [
            "INSERT INTO player VALUES (200, 2, 0)", "UPDATE player SET team = 3 WHERE id = 200",
            "DELETE FROM player WHERE id = 1",
        ] {
            try other.write { try $0.execute(sql: sql) }
            try dbQueue.findForeignCommits()
        }
        XCTAssertEqual(counts.all, [[10, 10, 10], [10, 10, 11], [10, 10, 11], [9, 10, 11]])
        let list = try XCTUnwrap(dbQueue.observations.first?.list)
        XCTAssertEqual(list.fullFetchCounts, ["first fetch": 1])
        withExtendedLifetime(cancellable) {}
    }

    /// The other connection commits two rows after a commit of the queue and before its fetches. These would
    /// look up one of the rows only.
    func testACommitRightBeforeAFetchIsContainedAsAWhole() throws {
        let file = try DatabaseFile(for: self)
        let other = try file.openWriter()
        try other.write { db in try db.execute(sql: ListedPlayer.table) }
        var configuration = Configuration()
        configuration.leastLiveCost = 0
        let dbQueue = try DatabaseQueue(path: file.path, configuration: configuration)
        let isCommitting = Mutex(false)
        let onChange: @Sendable (Database) -> Void = { _ in
            guard isCommitting.withLock({ $0 }) else { return }
            do {
                try other.write { db in
                    try db.execute(sql: "UPDATE player SET score = score + 5 - 10 * (id = 2) WHERE id < 3")
                }
            } catch {
                XCTFail("\(error)")
            }
        }
        let cancellable = DatabaseRegionObservation(tracking: Table("player")).start(
            in: dbQueue, onError: { XCTFail("\($0)") }, onChange: onChange)
        let list = try ListFixture(dbQueue, .trackingList(SQLRequest<Int>(sql: Self.scores)))
        let sums = try ResultFixture(dbQueue, ["SELECT SUM(score) FROM player"])
        for score in 1...8 {
            isCommitting.withLock { $0 = score.isMultiple(of: 4) }
            try sums.write("UPDATE player SET score = \(score) WHERE id = 1")
            XCTAssertEqual(
                list.list(), try dbQueue.read { db in try Int.fetchAll(db, sql: Self.scores) }, "\(score)")
        }
        XCTAssertGreaterThan(try XCTUnwrap(sums.statistics().first).updateCount, 0)
        cancellable.cancel()
    }

    /// Observes the scores as a list, and their sum.
    private func observeScores(
        in dbPool: DatabasePool
    ) -> (lists: Recorder<[Int]>, sums: Recorder<Int>, cancellables: [any DatabaseCancellable]) {
        let (lists, sums) = (Recorder<[Int]>(), Recorder<Int>())
        let scheduler = AsyncValueObservationScheduler(queue: DispatchQueue(label: "MixedCommitTests"))
        let list = ValueObservation.trackingList(SQLRequest<Int>(sql: Self.scores))
        let sum = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT SUM(score) FROM player") ?? 0
        }
        let cancellables: [any DatabaseCancellable] = [
            list.start(
                in: dbPool, scheduling: scheduler, onError: { XCTFail("\($0)") },
                onChange: { lists.append(Array($0)) }),
            sum.start(
                in: dbPool, scheduling: scheduler, onError: { XCTFail("\($0)") },
                onChange: { sums.append($0) }),
        ]
        lists.wait(count: 1)
        sums.wait(count: 1)
        return (lists, sums, cancellables)
    }

    /// The same on the readers of a pool.
    func testACommitBeforeAFetchOnAReaderIsContainedAsAWhole() throws {
        let file = try DatabaseFile(for: self)
        let other = try file.openWriter()
        try other.write { db in try db.execute(sql: ListedPlayer.table) }
        var configuration = Configuration()
        configuration.leastLiveCost = 0
        let dbPool = try DatabasePool(path: file.path, configuration: configuration)
        let states = Mutex<Set<[Int]>>([try dbPool.read { db in try Int.fetchAll(db, sql: Self.scores) }])
        let isCommitting = Mutex(false)
        let onChange: @Sendable (Database) -> Void = { _ in
            do {
                let state = try other.write { db in
                    let state = try Int.fetchAll(db, sql: Self.scores)
                    if isCommitting.withLock({ $0 }) {
                        try db.execute(
                            sql: "UPDATE player SET score = score + 5 - 10 * (id = 2) WHERE id < 3")
                    }
                    return [state, try Int.fetchAll(db, sql: Self.scores)]
                }
                states.withLock { $0.formUnion(state) }
            } catch {
                XCTFail("\(error)")
            }
        }
        let region = DatabaseRegionObservation(tracking: Table("player")).start(
            in: dbPool, onError: { XCTFail("\($0)") }, onChange: onChange)
        let (lists, sums, cancellables) = observeScores(in: dbPool)
        for score in 1...12 {
            isCommitting.withLock { $0 = score.isMultiple(of: 4) }
            let count = (lists.all.count, sums.all.count)
            try dbPool.write { db in
                try db.execute(sql: "UPDATE player SET score = \(score) WHERE id = 1")
            }
            lists.wait(count: count.0 + 1)
            sums.wait(count: count.1 + 1)
        }
        let known = states.withLock { $0 }
        for list in lists.all { XCTAssertTrue(known.contains(list), "\(list)") }
        let knownSums = Set(known.map { $0.reduce(0, +) })
        for sum in sums.all { XCTAssertTrue(knownSums.contains(sum), "\(sum)") }
        let statistics = dbPool.observations
        XCTAssertGreaterThan(statistics.compactMap(\.list).first?.rowFetchCount ?? 0, 0)
        XCTAssertGreaterThan(statistics.flatMap(\.results).first?.updateCount ?? 0, 0)
        region.cancel()
        withExtendedLifetime(cancellables) {}
    }

    /// Looking for the index of a log creates a file.
    func testListsLookForNoLogWithARollbackJournal() throws {
        let file = try DatabaseFile(for: self)
        let dbQueue = try file.open(journal: "DELETE", foreignChanges: .ignored)
        try dbQueue.write { db in try db.execute(sql: ListedPlayer.table) }
        let list = try ListFixture(
            dbQueue, .trackingList(SQLRequest<Int>(sql: "SELECT score FROM player ORDER BY id")))
        try dbQueue.write { db in try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1") }
        XCTAssertEqual(list.list().first, 1)
        XCTAssertFalse(FileManager.default.fileExists(atPath: file.path + "-shm"))
    }

    /// Each transaction of two concurrent writers moves a point, so that the sum of all points stays 0.
    func testAPoolMixesNoCommitsOfConcurrentWriters() throws {
        let file = try DatabaseFile(for: self)
        let other = try file.openWriter()
        try other.write { db in
            try db.execute(sql: ListedPlayer.table)
            for id in 101...200 {
                try db.execute(sql: "INSERT INTO player VALUES (\(id), 1, 'Ada', 0)")
            }
            try db.execute(sql: "UPDATE player SET score = 0")
        }
        var configuration = Configuration()
        configuration.leastLiveCost = 0
        configuration.foreignChanges = .observed
        let dbPool = try DatabasePool(path: file.path, configuration: configuration)
        let (lists, sums, cancellables) = observeScores(in: dbPool)
        let writers: [any DatabaseWriter] = [dbPool, other]
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            for step in 0..<300 {
                let ids = (101 + (step * 7 + number) % 100, 101 + (step * 13 + 50) % 100)
                do {
                    try writers[number].write { db in
                        try db.execute(sql: "UPDATE player SET score = score + 1 WHERE id = \(ids.0)")
                        try db.execute(sql: "UPDATE player SET score = score - 1 WHERE id = \(ids.1)")
                    }
                } catch {
                    XCTFail("\(error)")
                }
            }
        }
        lists.wait(last: try dbPool.read { db in try Int.fetchAll(db, sql: Self.scores) })
        for list in lists.all { XCTAssertEqual(list.reduce(0, +), 0, "\(list)") }
        for sum in sums.all { XCTAssertEqual(sum, 0) }
        withExtendedLifetime(cancellables) {}
    }

    func testReadersKnowReportedStatesOfTheLog() {
        let ledger = CommitLedger()
        func knows(_ counter: UInt32, frame: UInt32, salts: UInt64 = 1) -> Bool? {
            ledger.contains(LogState(changeCounter: counter, lastFrame: frame, salts: salts))
        }
        XCTAssertEqual(knows(5, frame: 9), false)
        ledger.didReport(LogState(changeCounter: 5, lastFrame: 9, salts: 1))
        XCTAssertEqual(knows(5, frame: 9), true)
        XCTAssertEqual(knows(6, frame: 12), false)
        // The log has begun again, and then another connection has committed.
        XCTAssertEqual(knows(5, frame: 0, salts: 2), true)
        XCTAssertEqual(knows(6, frame: 3, salts: 2), false)
        // The writer commits.
        ledger.announce(.wholeDatabase)
        XCTAssertEqual(knows(5, frame: 9), true)
        XCTAssertNil(knows(6, frame: 12))
        _ = ledger.append(.wholeDatabase, log: LogState(changeCounter: 6, lastFrame: 12, salts: 1))
        XCTAssertEqual(knows(6, frame: 12), true)
        // The state is not known in a snapshot.
        _ = ledger.append(.wholeDatabase)
        XCTAssertEqual(knows(7, frame: 14), false)
    }

    func testEachValueIsAStateOfTheDatabase() throws {
        var random = SeededRandom.seeded()
        for round in 0..<RandomTestSettings.rounds(1) {
            let message = "seed \(random.seed), round \(round)"
            let (dbQueue, other) = try open()
            let queries = [
                "SELECT id FROM player WHERE team = 5 ORDER BY score, id",
                "SELECT id FROM player ORDER BY score DESC, id LIMIT 10",
                "SELECT COUNT(*) FROM player WHERE score > 3",
                "SELECT team * 1000 + COUNT(*) FROM player GROUP BY team ORDER BY team",
            ]
            let last = Mutex<[String: [Int]]>([:])
            var cancellables: [AnyDatabaseCancellable] = []
            for sql in queries {
                let check: @Sendable ([Int]) -> Void = { value in
                    last.withLock { $0[sql] = value }
                    let fresh = try? other.read { try Int.fetchAll($0, sql: sql) }
                    if value != fresh { XCTFail("\(message): \(sql): \(value), not \(fresh ?? [])") }
                }
                cancellables.append(
                    ValueObservation.trackingList(SQLRequest<Int>(sql: sql))
                        .start(
                            in: dbQueue, scheduling: .inline, onError: { XCTFail("\(message): \($0)") },
                            onChange: { check(Array($0)) }))
                cancellables.append(
                    ValueObservation.tracking { try Int.fetchAll($0, sql: sql) }
                        .start(
                            in: dbQueue, scheduling: .inline, onError: { XCTFail("\(message): \($0)") },
                            onChange: { check($0) }))
            }
            try dbQueue.findForeignCommits(times: 2)
            for step in 0..<100 {
                try dbQueue.writeWithoutTransaction { db in
                    for _ in 0..<Int.random(in: 1...4, using: &random) {
                        let sql = Self.statement(&random)
                        if Bool.random(using: &random) {
                            try db.execute(sql: sql)
                        } else {
                            try other.writeWithoutTransaction { try $0.execute(sql: sql) }
                        }
                    }
                    var error: (any Error)?
                    _ = db.noticeForeignChange(&error)
                    XCTAssertNil(error)
                    for sql in queries {
                        XCTAssertEqual(
                            try Int.fetchAll(db, sql: sql), last.withLock { $0[sql] },
                            "\(message), step \(step): \(sql)")
                    }
                }
                if testRun?.failureCount != 0 { return }
            }
            withExtendedLifetime(cancellables) {}
        }
    }

    private static func statement(_ random: inout SeededRandom) -> String {
        let id = Int.random(in: 1...110, using: &random)
        let team = Int.random(in: 0..<10, using: &random)
        return random.pick([
            "UPDATE player SET score = score + 1 WHERE id = \(id)",
            "UPDATE player SET team = \(team) WHERE id = \(id)",
            "UPDATE player SET score = \(team) WHERE team = \(team)",
            "DELETE FROM player WHERE id = \(id)",
            "INSERT OR REPLACE INTO player VALUES (\(id), \(team), \(team))",
            "UPDATE OR REPLACE player SET id = id + 1 WHERE id = \(id)",
            random.once(in: 8) ? "VACUUM" : "PRAGMA wal_checkpoint(PASSIVE)",
            random.pick(["PRAGMA wal_checkpoint(RESTART)", "PRAGMA wal_checkpoint(TRUNCATE)"]),
        ])
    }
}
