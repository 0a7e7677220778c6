import Foundation
import Synchronization
import Vigil
import VigilStorage
import XCTest

@testable import VigilEngine

/// Commits of a queue between commits of another connection.
final class MixedCommitTests: XCTestCase {
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
        let scores = "SELECT score FROM player ORDER BY id"
        let list = try ListFixture(dbQueue, .trackingList(SQLRequest<Int>(sql: scores)))
        let sums = try ResultFixture(dbQueue, ["SELECT SUM(score) FROM player"])
        for score in 1...8 {
            isCommitting.withLock { $0 = score.isMultiple(of: 4) }
            try sums.write("UPDATE player SET score = \(score) WHERE id = 1")
            XCTAssertEqual(
                list.list(), try dbQueue.read { db in try Int.fetchAll(db, sql: scores) }, "\(score)")
        }
        XCTAssertGreaterThan(try XCTUnwrap(sums.statistics().first).updateCount, 0)
        cancellable.cancel()
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
