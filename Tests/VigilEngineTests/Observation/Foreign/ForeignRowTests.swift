import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilStorage
import XCTest

@testable import VigilEngine

/// Observers of single rows and of conditions, and commits of other connections.
final class ForeignRowTests: XCTestCase {
    /// Opens a queue that observes the players of a file, and another one that writes to it.
    private func openShared() throws -> (DatabaseQueue, writer: DatabaseQueue) {
        try requirePlainFiles()
        let file = try DatabaseFile(for: self)
        let dbQueue = try file.open()
        try dbQueue.createPlayers()
        return (dbQueue, try file.openWriter())
    }

    /// Opens a pool that observes the players of a file, and a queue that writes to it.
    private func openSharedPool(
        readonly: Bool = false, readers: Int = 5
    ) throws -> (DatabasePool, writer: DatabaseQueue) {
        try requirePlainFiles()
        let file = try DatabaseFile(for: self)
        let writer = try file.openWriter()
        try writer.createPlayers()
        var configuration = Configuration()
        configuration.foreignChanges = .observed
        configuration.readonly = readonly
        configuration.maximumReaderCount = readers
        return (try DatabasePool(path: file.path, configuration: configuration), writer)
    }

    func testAQueueFetchesOnlyTheObserversOfAChangedRow() throws {
        let (dbQueue, writer) = try openShared()
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
        let (dbQueue, writer) = try openShared()
        let fetched = FetchedRows()
        let cancellables = (0..<10).map { team in fetched.observe(team: team, in: dbQueue) }
        try dbQueue.findForeignCommits(times: 2)
        fetched.reset()
        try writer.write { db in try db.execute(sql: "UPDATE player SET team = 8 WHERE id = 13") }
        try dbQueue.findForeignCommits()
        XCTAssertEqual(fetched.all.sorted(), [3, 8])
        withExtendedLifetime(cancellables) {}
    }

    /// A round with many fetches takes a new snapshot while another connection commits: otherwise a
    /// checkpoint could not copy its commits.
    func testALongRoundDoesNotKeepItsSnapshot() throws {
        // Another reader would fetch for the others during a slow fetch, from a snapshot of its own.
        let (dbPool, writer) = try openSharedPool(readers: 1)
        try dbPool.findForeignCommits(times: 2)
        let scores = Mutex<[Int]?>(nil)
        let values = ArrivingValues<Int>()
        let cancellables = (1...40).map { _ in
            ValueObservation
                .tracking { db -> Int in
                    let score = try Int.fetchOne(db, sql: "SELECT score FROM player WHERE id = 5") ?? -1
                    let count = scores.withLock { scores in
                        scores?.append(score)
                        return scores?.count
                    }
                    if count == 1 {
                        try writer.write { db in try db.execute(sql: "UPDATE player SET score = 2") }
                        let end = ContinuousClock.now + RoundPacing.longestSnapshot
                        while ContinuousClock.now < end {}
                    }
                    return score
                }
                .start(
                    in: dbPool, scheduling: .inline, onError: { XCTFail("\($0)") },
                    onChange: { values.append($0) })
        }
        for _ in cancellables { values.awaitNext() }
        scores.withLock { $0 = [] }
        try writer.write { db in try db.execute(sql: "UPDATE player SET score = 1") }
        try dbPool.findForeignCommits()
        for _ in cancellables { values.awaitNext() }
        let fetched = Array((scores.withLock { $0 } ?? []).prefix(40))
        XCTAssertEqual(fetched, Array(repeating: 1, count: 8) + Array(repeating: 2, count: 32))
        withExtendedLifetime(cancellables) {}
    }

    func testAPoolFetchesOnlyTheObserversOfAChangedRow() throws {
        let (dbPool, writer) = try openSharedPool()
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

    func testListsAreUpdatedRowByRow() throws {
        let (dbQueue, writer) = try openShared()
        let scores = ArrivingValues<[Int]>()
        let request = SQLRequest<Int>(sql: "SELECT score FROM player WHERE team = 5 ORDER BY score DESC, id")
        let cancellable = ValueObservation.trackingList(request).start(
            in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
            onChange: { scores.append(Array($0)) })
        try dbQueue.findForeignCommits(times: 2)
        for (sql, last) in [
            ("UPDATE player SET score = 7 WHERE id = 25", [7, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
            ("DELETE FROM player WHERE id = 5", [7, 0, 0, 0, 0, 0, 0, 0, 0]),
            ("UPDATE player SET team = 5, score = 3 WHERE id = 1", [7, 3, 0, 0, 0, 0, 0, 0, 0, 0]),
        ] {
            try writer.write { db in try db.execute(sql: sql) }
            try dbQueue.findForeignCommits()
            XCTAssertEqual(scores.all.last, last)
        }
        let list = try XCTUnwrap(dbQueue.observations.first?.list)
        XCTAssertEqual(list.rowFetchCount, 3)
        XCTAssertEqual(list.fetchedRowCount, 3)
        XCTAssertEqual(list.fullFetchCounts, ["first fetch": 1])
        withExtendedLifetime(cancellable) {}
    }

    func testListsOfAQueueAreUpdatedRowByRowByOwnCommitsInBetween() throws {
        let (dbQueue, writer) = try openShared()
        try assertUpdatesRowByRow(dbQueue, writer)
    }

    func testListsOfAPoolAreUpdatedRowByRowByOwnCommitsInBetween() throws {
        let (dbPool, writer) = try openSharedPool()
        try assertUpdatesRowByRow(dbPool, writer)
    }

    private func assertUpdatesRowByRow(_ writer: some DatabaseWriter, _ other: DatabaseQueue) throws {
        let scores = ArrivingValues<[Int]>()
        let request = SQLRequest<Int>(sql: "SELECT score FROM player WHERE team = 5 ORDER BY id")
        let cancellable = ValueObservation.trackingList(request).start(
            in: writer, scheduling: .async(onQueue: DispatchQueue(label: name)),
            onError: { XCTFail("\($0)") }, onChange: { scores.append(Array($0)) })
        var expected = Array(repeating: 0, count: 10)
        scores.await(last: expected)
        try writer.findForeignCommits(times: 2)
        func change(_ row: Int, in database: some DatabaseWriter) throws {
            expected[row] += 1
            try database.write { db in
                try db.execute(
                    sql: "UPDATE player SET score = score + 1 WHERE id = ?", arguments: [row * 10 + 5])
            }
        }
        for row in 0..<3 {
            try change(row, in: other)
            try writer.findForeignCommits()
            scores.await(last: expected)
            for row in [row + 3, row + 4] {
                try change(row, in: writer)
                scores.await(last: expected)
            }
        }
        let list = try XCTUnwrap(writer.observations.first?.list)
        XCTAssertEqual(list.fullFetchCounts, ["first fetch": 1])
        XCTAssertEqual(list.rowFetchCount, 9)
        // The own commit comes before the notice of the other one.
        try change(8, in: other)
        try change(9, in: writer)
        try writer.findForeignCommits()
        scores.await(last: expected)
        withExtendedLifetime(cancellable) {}
    }

    func testTriggersAndRegionObservationsKnowTheRow() throws {
        let (dbQueue, writer) = try openShared()
        let regions = Mutex(0)
        let region = DatabaseRegionObservation(
            tracking: SQLRequest<Row>(sql: "SELECT score FROM player WHERE team = 5"))
        let cancellables = [
            FetchedRows().observe(team: 5, in: dbQueue),
            region.start(
                in: dbQueue, onError: { XCTFail("\($0)") }, onChange: { _ in regions.withLock { $0 += 1 } }),
        ]
        try dbQueue.findForeignCommits(times: 2)
        regions.withLock { $0 = 0 }
        for id in [1, 25, 2] {
            try writer.write { db in
                try db.execute(sql: "UPDATE player SET score = 9 WHERE id = ?", arguments: [id])
            }
            try dbQueue.findForeignCommits()
        }
        let trigger = try XCTUnwrap(dbQueue.observations.first?.lastTrigger)
        XCTAssertEqual(trigger.place, .row(TableName(name: "player"), .update, rowID: 25))
        XCTAssertEqual(trigger.columns, ["score"])
        XCTAssertEqual(regions.withLock { $0 }, 1)
        withExtendedLifetime(cancellables) {}
    }

    /// The token of a connection that reads does not count later commits.
    func testACommitDuringATransactionThatReadsIsFoundAfterIt() throws {
        let (dbQueue, writer) = try openShared()
        let fetched = FetchedRows()
        var cancellable: AnyDatabaseCancellable?
        try dbQueue.writeWithoutTransaction { db in
            try db.inTransaction(.deferred) {
                _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
                try writer.write { db in try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 5") }
                cancellable = fetched.observe(5, in: dbQueue)
                return .commit
            }
        }
        try dbQueue.findForeignCommits(times: 3)
        XCTAssertEqual(try fetched.compare(dbQueue), [])
        withExtendedLifetime(cancellable) {}
    }

    func testACommitDuringACursorIsFoundAfterIt() throws {
        let (dbQueue, writer) = try openShared()
        let fetched = FetchedRows()
        let cancellable = fetched.observe(5, in: dbQueue)
        try dbQueue.findForeignCommits(times: 2)
        for score in 1...2 {
            try dbQueue.writeWithoutTransaction { db in
                let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
                XCTAssertNotNil(try rows.next())
                if score == 2 { try db.execute(sql: "UPDATE player SET score = 3 WHERE id = 6") }
                try writer.write { db in
                    try db.execute(sql: "UPDATE player SET score = ? WHERE id = 5", arguments: [score])
                }
                var error: (any Error)?
                _ = db.noticeForeignChange(&error)
                withExtendedLifetime(rows) {}
            }
            try dbQueue.findForeignCommits(times: 3)
            XCTAssertEqual(try fetched.compare(dbQueue), [])
        }
        withExtendedLifetime(cancellable) {}
    }

    func testAnOwnCommitAfterThatOfAnotherReachesANewObserverOfAPool() throws {
        let (dbPool, writer) = try openSharedPool()
        try dbPool.findForeignCommits(times: 2)
        let scores = ArrivingValues<Int>()
        var cancellable: AnyDatabaseCancellable?
        try dbPool.writeWithoutTransaction { db in
            cancellable =
                ValueObservation
                .tracking { db in
                    try Int.fetchOne(db, sql: "SELECT score FROM player WHERE id = 5") ?? -1
                }
                .start(
                    in: dbPool, scheduling: .async(onQueue: DispatchQueue(label: name)),
                    onError: { XCTFail("\($0)") }, onChange: { scores.append($0) })
            // Its registration waits for the end of this access.
            scores.await(last: 0)
            try writer.write { db in try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 77") }
            var error: (any Error)?
            _ = db.noticeForeignChange(&error)
            try db.execute(sql: "UPDATE player SET score = 9 WHERE id = 5")
        }
        scores.await(last: 9)
        withExtendedLifetime(cancellable) {}
    }

    /// Changes outside of rows are changes of the schema table, as for own commits.
    func testTheHeaderAndTheFreePagesOfOthersAreObserved() throws {
        let (dbQueue, writer) = try openShared()
        func observe(_ sql: String) -> (ArrivingValues<Int>, AnyDatabaseCancellable) {
            let values = ArrivingValues<Int>()
            let cancellable = ValueObservation.tracking { db in try Int.fetchOne(db, sql: sql) ?? -1 }.start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            return (values, cancellable)
        }
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA auto_vacuum = 2; VACUUM")
            try db.execute(sql: "UPDATE player SET name = printf('%.*c', 9000, 'n')")
            try db.execute(sql: "UPDATE player SET name = ''")
        }
        let observed = ["user_version", "application_id", "freelist_count"].map { observe("PRAGMA \($0)") }
        let fetched = FetchedRows()
        let row = fetched.observe(5, in: dbQueue)
        try dbQueue.findForeignCommits(times: 2)
        fetched.reset()
        let changes = ["user_version = 5", "application_id = 7", "incremental_vacuum(1000)"]
        for (index, sql) in changes.enumerated() {
            try writer.writeWithoutTransaction { db in _ = try Row.fetchAll(db, sql: "PRAGMA \(sql)") }
            try dbQueue.findForeignCommits()
            XCTAssertEqual(observed[index].0.all.last, [5, 7, 0][index], sql)
        }
        // Also in a commit with rows.
        try writer.write { db in
            try db.execute(sql: "UPDATE player SET score = -1 WHERE id = 1; PRAGMA user_version = 6")
        }
        try dbQueue.findForeignCommits()
        XCTAssertEqual(observed[0].0.all.last, 6)
        XCTAssertEqual(dbQueue.observations.compactMap(\.coarseReason), [])
        XCTAssertEqual(fetched.all, [])
        withExtendedLifetime((observed.map(\.1), row)) {}
    }

    func testObservationsSayWhetherTheRowsOfOthersAreKnown() throws {
        try requirePlainFiles()
        for (journal, reason) in [("WAL", nil), ("DELETE", "the database has no write-ahead log")] {
            let file = try DatabaseFile(for: self)
            let dbQueue = try file.open(journal: journal)
            try dbQueue.createPlayers()
            var configuration = Configuration()
            configuration.foreignChanges = .observed
            configuration.readonly = true
            let readOnly = try DatabaseQueue(path: file.path, configuration: configuration)
            for queue in [dbQueue, readOnly] {
                let cancellable = FetchedRows().observe(1, in: queue)
                try queue.findForeignCommits(times: 2)
                XCTAssertEqual(queue.observations.map(\.coarseReason), [reason], journal)
                cancellable.cancel()
            }
        }
    }

    func testAReadOnlyPoolFetchesOnlyTheObserversOfAChangedRow() throws {
        let (dbPool, writer) = try openSharedPool(readonly: true)
        try dbPool.findForeignCommits(times: 2)
        let fetched = FetchedRows()
        let cancellables = (1...10).map { id in fetched.observe(id, in: dbPool) }
        for _ in 1...10 { fetched.values.awaitNext() }
        XCTAssertEqual(dbPool.observations.compactMap(\.coarseReason), [])
        fetched.reset()
        try writer.write { db in try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 5") }
        fetched.values.await(last: 5)
        XCTAssertEqual(fetched.all, [5])
        withExtendedLifetime(cancellables) {}
    }

    func testAttachedDatabasesMakeTheRowsOfOthersUnknown() throws {
        try requirePlainFiles()
        let file = try DatabaseFile(for: self)
        let dbQueue = try file.open()
        try dbQueue.createPlayers()
        let other = try DatabaseFile(for: self)
        let fetched = FetchedRows()
        let cancellable = fetched.observe(1, in: dbQueue)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH DATABASE ? AS other", arguments: [other.path])
        }
        try dbQueue.findForeignCommits(times: 2)
        XCTAssertEqual(dbQueue.observations.map(\.coarseReason), ["databases are attached"])
        fetched.reset()
        try file.openWriter().write { db in try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 5") }
        try dbQueue.findForeignCommits()
        XCTAssertEqual(fetched.all, [1])
        withExtendedLifetime(cancellable) {}
    }

    func testValuesEqualAFreshFetchAfterRandomCommits() throws {
        var random = SeededRandom.seeded()
        for round in 0..<RandomTestSettings.rounds(2) {
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

    func testValuesEqualAFreshFetchAfterOtherProcessesHaveWritten() throws {
        try requirePlainFiles()
        #if os(Linux)
            var random = SeededRandom.seeded()
            let begin = Date()
            var (round, writes) = (0, 0)
            while RandomTestSettings.goesOn(after: round, of: 1, since: begin) {
                round += 1
                let file = try DatabaseFile(for: self)
                let writer = try file.openWriter()
                try writer.createPlayers()
                var configuration = Configuration()
                configuration.foreignChanges = .observed
                configuration.busyMode = .timeout(30)
                let dbPool = try DatabasePool(path: file.path, configuration: configuration)
                let dbQueue = try file.open()
                let message = "seed \(random.seed), round \(round)"
                writes += try compareValues(of: [dbPool, dbQueue], writingTo: file.path, &random, message)
                if testRun?.failureCount != 0 { return }
                let check = try writer.read { db in try String.fetchOne(db, sql: "PRAGMA integrity_check") }
                XCTAssertEqual(check, "ok", message)
            }
            if RandomTestSettings.soakSeconds != nil { print("\(round) rounds, at least \(writes) writes") }
        #else
            throw XCTSkip.needsSeparateExecutable
        #endif
    }

    #if os(Linux)
        /// Starts three processes that write, one of which is killed, and waits for the last values.
        ///
        /// - Returns: the number of statements that were surely run.
        private func compareValues(
            of readers: [any DatabaseReader], writingTo path: String, _ random: inout SeededRandom,
            _ message: String
        ) throws -> Int {
            let fetched = readers.map { _ in FetchedRows() }
            let cancellables = zip(fetched, readers).flatMap { fetched, reader in
                (1...20).map { id in fetched.observe(id, in: reader) }
                    + (0..<10).map { team in fetched.observe(team: team, in: reader) }
            }
            var writers: [Process] = []
            for _ in 0..<3 {
                let seed = UInt64.random(in: 0...(.max), using: &random)
                writers.append(
                    Process.running(
                        "VigilEngineTests.ForeignRowTests/testWriter",
                        environment: [Self.pathVariable: path, Self.seedVariable: "\(seed)"]))
            }
            for writer in writers.dropFirst() { try writer.run() }
            let killed = Int.random(in: 1...Self.writeCount / 4, using: &random)
            try writers[0].runAndKill(after: killed, messages: "committed")
            for writer in writers.dropFirst() {
                writer.waitUntilExit()
                XCTAssertEqual(writer.terminationStatus, 0, message)
            }
            for (fetched, reader) in zip(fetched, readers) {
                try fetched.awaitFreshValues(reader, message)
            }
            withExtendedLifetime(cancellables) {}
            return killed + Self.writeCount * (writers.count - 1)
        }
    #endif

    /// The number of statements of a process that is not killed.
    private static let writeCount = RandomTestSettings.soakSeconds == nil ? 200 : 5_000
    private static let pathVariable = "VIGIL_FOREIGN_ROWS_PATH"
    private static let seedVariable = "VIGIL_FOREIGN_ROWS_SEED"

    /// Does nothing, except in a process that writes.
    func testWriter() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let path = environment[Self.pathVariable],
            let seed = environment[Self.seedVariable].flatMap(UInt64.init)
        else { return }
        var random = SeededRandom(seed: seed)
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        for _ in 0..<Self.writeCount {
            let sql = Self.statement(&random)
            try dbQueue.writeWithoutTransaction { db in try db.execute(sql: sql) }
            FileHandle.standardOutput.write(Data("committed\n".utf8))
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
            random.once(in: 8) ? rareStatement(&random) : "PRAGMA wal_checkpoint(PASSIVE)",
            random.pick(["PRAGMA wal_checkpoint(RESTART)", "PRAGMA wal_checkpoint(TRUNCATE)"]),
        ])
    }

    /// Returns a statement after which the pages of the tables must be found again.
    private static func rareStatement(_ random: inout SeededRandom) -> String {
        random.pick([
            "VACUUM", "CREATE INDEX IF NOT EXISTS byScore ON player(score)", "DROP INDEX IF EXISTS byScore",
            "CREATE TABLE IF NOT EXISTS other AS SELECT * FROM player", "DROP TABLE IF EXISTS other",
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

    func observe(_ id: Int, in reader: any DatabaseReader) -> AnyDatabaseCancellable {
        observe("id = \(id)", id, in: reader)
    }

    func observe(team: Int, in reader: any DatabaseReader) -> AnyDatabaseCancellable {
        observe("team = \(team)", team, in: reader)
    }

    private func observe(
        _ condition: String, _ key: Int, in reader: any DatabaseReader
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
    func compare(_ reader: any DatabaseReader) throws -> [String] {
        let last = last.withLock { $0 }
        return try reader.read { db in
            try last.filter { try Self.rows(db, $0.key) != $0.value }.map(\.key)
        }
    }

    /// Waits until the last values equal a fresh fetch.
    func awaitFreshValues(_ reader: any DatabaseReader, _ message: String) throws {
        while true {
            let different = try compare(reader)
            if different.isEmpty { return }
            guard values.awaitNext() else {
                return XCTFail("\(message): the last values of \(different) are not fresh")
            }
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
}
