import Foundation
import Synchronization
import Vigil
import VigilStorage
import XCTest

@testable import VigilEngine

/// Observers of single rows and of conditions, and commits of other connections.
final class ForeignRowTests: XCTestCase {
    private func requirePlainFiles() throws {
        #if !SQLite
            throw XCTSkip("the pages of files that may be encrypted are not read")
        #endif
    }

    func testAQueueFetchesOnlyTheObserversOfAChangedRow() throws {
        try requirePlainFiles()
        let file = try DatabaseFile(for: self)
        let dbQueue = try file.open()
        try dbQueue.createPlayers()
        let writer = try file.openWriter()
        let fetched = FetchedRows()
        let cancellables = (1...100).map { id in fetched.observe(id, in: dbQueue) }
        try dbQueue.findForeignCommits(times: 2)
        for id in [5, 77, 100, 1] {
            fetched.reset()
            try writer.write { db in
                try db.execute(sql: "UPDATE player SET score = score + 1 WHERE id = ?", arguments: [id])
            }
            try dbQueue.findForeignCommits()
            XCTAssertEqual(fetched.all, [id])
        }
        withExtendedLifetime(cancellables) {}
    }

    func testConditionsAreComparedWithTheOldAndTheNewValues() throws {
        try requirePlainFiles()
        let file = try DatabaseFile(for: self)
        let dbQueue = try file.open()
        try dbQueue.createPlayers()
        let writer = try file.openWriter()
        let fetched = FetchedRows()
        let cancellables = (0..<10).map { team in fetched.observe(team: team, in: dbQueue) }
        try dbQueue.findForeignCommits(times: 2)
        fetched.reset()
        try writer.write { db in try db.execute(sql: "UPDATE player SET team = 8 WHERE id = 13") }
        try dbQueue.findForeignCommits()
        XCTAssertEqual(fetched.all.sorted(), [3, 8])
        withExtendedLifetime(cancellables) {}
    }

    func testAPoolFetchesOnlyTheObserversOfAChangedRow() throws {
        try requirePlainFiles()
        let file = try DatabaseFile(for: self)
        let writer = try file.openWriter()
        try writer.createPlayers()
        var configuration = Configuration()
        configuration.foreignChanges = .observed
        let dbPool = try DatabasePool(path: file.path, configuration: configuration)
        // The first checks know the pages before anything is observed.
        try dbPool.findForeignCommits(times: 2)
        let fetched = FetchedRows()
        let cancellables = (1...100).map { id in fetched.observe(id, in: dbPool) }
        for _ in 1...100 { fetched.values.awaitNext() }
        for id in [5, 77, 100, 1] {
            fetched.reset()
            try writer.write { db in
                try db.execute(sql: "UPDATE player SET score = score + 1 WHERE id = ?", arguments: [id])
            }
            fetched.values.await(last: id)
            XCTAssertEqual(fetched.all, [id])
        }
        withExtendedLifetime(cancellables) {}
    }

    func testValuesEqualAFreshFetchAfterRandomCommits() throws {
        var random = SeededRandom.seeded()
        for round in 0..<RandomTestSettings.rounds(4) {
            let file = try DatabaseFile(for: self)
            let dbQueue = try file.open()
            try dbQueue.createPlayers()
            let writers = [try file.openWriter(), try file.openWriter(), dbQueue]
            let fetched = FetchedRows()
            let cancellables =
                (1...20).map { id in fetched.observe(id, in: dbQueue) }
                + (0..<10).map { team in fetched.observe(team: team, in: dbQueue) }
            for step in 0..<100 {
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let sql = Self.statement(&random)
                    try random.pick(writers).writeWithoutTransaction { db in try db.execute(sql: sql) }
                }
                try dbQueue.findForeignCommits()
                XCTAssertEqual(
                    try fetched.compare(dbQueue), [], "seed \(random.seed), round \(round), step \(step)")
            }
            withExtendedLifetime(cancellables) {}
        }
    }

    private static func statement(_ random: inout SeededRandom) -> String {
        let id = Int.random(in: 1...120, using: &random)
        let team = Int.random(in: 0..<10, using: &random)
        return random.pick([
            "UPDATE player SET score = score + 1 WHERE id = \(id)",
            "UPDATE player SET team = \(team) WHERE id = \(id)",
            "UPDATE player SET score = 1 - score WHERE team = \(team)",
            "DELETE FROM player WHERE id = \(id)",
            "INSERT OR REPLACE INTO player VALUES (\(id), \(team), \(team), printf('%.*c', \(id * 60), 'n'))",
            "DELETE FROM player WHERE team = \(team)",
            "UPDATE OR REPLACE player SET id = id + 1 WHERE id = \(id)",
            random.once(in: 8) ? "VACUUM" : "PRAGMA wal_checkpoint(PASSIVE)",
            random.pick(["PRAGMA wal_checkpoint(RESTART)", "PRAGMA wal_checkpoint(TRUNCATE)"]),
        ])
    }
}

/// The fetches of observers, and their last values.
private final class FetchedRows: Sendable {
    /// The keys of the observers, in the order of their values.
    let values = ArrivingValues<Int>()
    private let fetches = Mutex<[Int]>([])
    private let last = Mutex<[String: [String]]>([:])

    var all: [Int] { fetches.withLock { $0 } }

    func reset() { fetches.withLock { $0 = [] } }

    func observe(_ id: Int, in reader: some DatabaseReader) -> AnyDatabaseCancellable {
        observe("id = \(id)", id, in: reader)
    }

    func observe(team: Int, in reader: some DatabaseReader) -> AnyDatabaseCancellable {
        observe("team = \(team)", team, in: reader)
    }

    private func observe(
        _ condition: String, _ key: Int, in reader: some DatabaseReader
    ) -> AnyDatabaseCancellable {
        ValueObservation
            .tracking { [self] db in
                fetches.withLock { $0.append(key) }
                return try Self.rows(db, condition)
            }
            .start(
                in: reader, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { [self] rows in
                    last.withLock { $0[condition] = rows }
                    values.append(key)
                })
    }

    /// Returns the conditions whose last value differs from a fresh fetch.
    func compare(_ reader: some DatabaseReader) throws -> [String] {
        let last = last.withLock { $0 }
        return try reader.read { db in
            try last.filter { try Self.rows(db, $0.key) != $0.value }.map(\.key)
        }
    }

    private static func rows(_ db: Database, _ condition: String) throws -> [String] {
        try Row.fetchAll(db, sql: "SELECT * FROM player WHERE \(condition) ORDER BY id").map { "\($0)" }
    }
}

extension DatabaseWriter {
    fileprivate func createPlayers() throws {
        try write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, team INT, score INT, name)")
            try db.execute(sql: "CREATE INDEX byTeam ON player(team)")
            for id in 1...100 {
                try db.execute(
                    sql: "INSERT INTO player VALUES (?, ?, 0, 'name')", arguments: [id, id % 10])
            }
        }
    }

    /// Checks for foreign commits, as the watcher does after a hint.
    fileprivate func findForeignCommits(times: Int = 1) throws {
        for _ in 0..<times {
            try writeWithoutTransaction { db in
                var error: (any Error)?
                _ = db.noticeForeignChange(&error)
                if let error { throw error }
            }
        }
    }
}
