import Foundation
import VigilSQLite
import VigilStorage
import XCTest

/// Commits of other connections and processes, found in the write-ahead log.
final class LogFollowerTests: XCTestCase {
    private var directory: TemporaryDirectory?
    private var path = ""

    override func setUpWithError() throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        path = directory.file("followed.db")
    }

    override func tearDown() { directory = nil }

    private func open(_ schema: String = "CREATE TABLE t(id INTEGER PRIMARY KEY, x)") throws
        -> PageTestConnection
    {
        let writer = try openPageTestConnection(path)
        try writer.run("PRAGMA journal_mode = wal")
        try writer.run(schema)
        return writer
    }

    func testOneChangedRowIsFound() throws {
        let writer = try open()
        try writer.run(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) INSERT INTO t SELECT i, i FROM n"
        )
        let followed = try FollowedDatabase(path, tables: ["t"])
        XCTAssertEqual(followed.connection.foreignCommitState, .precise)
        for sql in [
            "UPDATE t SET x = 'new' WHERE id = 500", "DELETE FROM t WHERE id = 7",
            "INSERT INTO t VALUES (7, 7)",
        ] {
            try writer.run(sql)
            try followed.check()
            XCTAssertEqual(followed.events.count, 1, sql)
            try followed.compare(sql)
        }
        XCTAssertEqual(followed.counts.coarse, 1, "the first check")
    }

    func testTheFirstCommitInANewLogIsFound() throws {
        try open().close()
        let followed = try FollowedDatabase(path, tables: ["t"])
        let writer = try openPageTestConnection(path)
        try writer.run("INSERT INTO t VALUES (1, 1)")
        try followed.check()
        XCTAssertEqual(followed.events, ["insert t"])
        try followed.compare("first")
    }

    func testTwoCommitsThatMakeUpForEachOtherAreReported() throws {
        let writer = try open()
        try writer.run("INSERT INTO t VALUES (1, 'a')")
        let followed = try FollowedDatabase(path, tables: ["t"])
        try writer.run("UPDATE t SET x = 'b'")
        try writer.run("UPDATE t SET x = 'a'")
        try followed.check()
        XCTAssertEqual(followed.events, ["update t", "update t"])
    }

    func testOwnCommitsAloneAreNotReported() throws {
        let writer = try open()
        let followed = try FollowedDatabase(path, tables: ["t"])
        try followed.write { try $0.run("INSERT INTO t VALUES (1, 'a')") }
        try followed.check()
        XCTAssertEqual(followed.events, [])
        try writer.run("INSERT INTO t VALUES (2, 'a')")
        try followed.check()
        XCTAssertEqual(followed.events, ["insert t"])
        try followed.compare("mixed")
    }

    func testCommitsAroundARestartOfTheLogAreFound() throws {
        let writer = try open()
        let followed = try FollowedDatabase(path, tables: ["t"])
        for mode in ["PASSIVE", "FULL", "RESTART", "TRUNCATE"] {
            try writer.run("PRAGMA wal_checkpoint(\(mode))")
            for _ in 0..<2 {
                try writer.run("INSERT INTO t(x) VALUES (1)")
                try followed.check()
                XCTAssertEqual(followed.events, ["insert t"], mode)
                try followed.compare(mode)
            }
        }
        XCTAssertEqual(followed.counts.coarse, 1, "\(followed.reasons)")
    }

    func testACommitBeforeARestartOfTheLogIsNotMissed() throws {
        let writer = try open()
        let followed = try FollowedDatabase(path, tables: ["t"])
        try writer.run("INSERT INTO t VALUES (1, 'before')")
        try writer.run("PRAGMA wal_checkpoint(RESTART)")
        try writer.run("INSERT INTO t VALUES (2, 'after')")
        try followed.check()
        XCTAssertEqual(followed.counts.coarse, 2)
        try followed.compare("restart")
    }

    func testACommitThatACheckpointHasCopiedIsNotMisread() throws {
        let writer = try open()
        try writer.run("INSERT INTO t VALUES (1, 'a')")
        let followed = try FollowedDatabase(path, tables: ["t"])
        // The row before the first commit is in the log, but before the second one only in the file.
        for restarts in [false, true] {
            if restarts { try writer.run("PRAGMA wal_checkpoint(TRUNCATE)") }
            try writer.run("UPDATE t SET x = x || 'b'")
            try writer.run("PRAGMA wal_checkpoint(PASSIVE)")
            try followed.check()
            try followed.compare("checkpoint")
            XCTAssertEqual(followed.counts.coarse, restarts ? 2 : 1, "\(followed.reasons)")
        }
    }

    #if SQLite
        func testCopiesOfAFrameThatFillASectorAreNotCommits() throws {
            let writer = try open()
            let followed = try FollowedDatabase(path, tables: ["t"])
            // An attached file can have parameters if the name of the main one is a URI.
            let padding = try SQLiteBackend().open(.memory(name: "padding"), options: StorageOptions())
            try padding.run("ATTACH 'file:\(path)?psow=0' AS padded; PRAGMA padded.synchronous = FULL")
            for id in 1...3 {
                try padding.run("INSERT INTO padded.t VALUES (\(id), 1)")
                try followed.check()
                XCTAssertEqual(followed.events, ["insert t"], "\(followed.reasons)")
                try followed.compare("sectors")
            }
            try padding.run("INSERT INTO padded.t VALUES (4, 1)")
            try padding.run("PRAGMA padded.wal_checkpoint(RESTART)")
            try padding.run("INSERT INTO padded.t VALUES (5, 1)")
            try followed.check()
            try followed.compare("a copy in place of a commit in the previous log")
            XCTAssertEqual(followed.counts.coarse, 2)
            // A frame that equals the one before can also be a commit, which is counted in the same log.
            for values in [[7], [9, 7], [8]] {
                try writer.run("BEGIN")
                for value in values { try writer.run("UPDATE t SET x = \(value) WHERE id = 1") }
                try writer.run("COMMIT")
            }
            try followed.check()
            XCTAssertEqual(followed.events, ["update t", "update t"], "\(followed.reasons)")
            try followed.compare("a commit without a change")
        }
    #endif

    /// A read of the lost part of a file that is mapped into memory would end the process.
    func testPagesAreNotReadFromTheMemoryOfAFileThatACheckpointHasShortened() throws {
        try openPageTestConnection(path).run("PRAGMA auto_vacuum = 1; VACUUM")
        let writer = try open()
        XCTAssertEqual(try writer.run("PRAGMA auto_vacuum"), [[.integer(1)]])
        try writer.run(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) INSERT INTO t SELECT i, zeroblob(1000) FROM n"
        )
        try writer.run("PRAGMA wal_checkpoint(PASSIVE)")
        let followed = try FollowedDatabase(path, tables: ["t"])
        let limit = try followed.connection.run("PRAGMA mmap_size = 268435456")
        try writer.run("DELETE FROM t WHERE id > 1900")
        // This read maps the file, which contains all pages until the checkpoint.
        XCTAssertEqual(
            try followed.connection.run("SELECT SUM(LENGTH(x)) FROM t"), [[.integer(1_900_000)]])
        try writer.run("PRAGMA wal_checkpoint(PASSIVE)")
        try followed.check()
        try followed.compare("shorter file")
        XCTAssertEqual(followed.counts.coarse, 2, "\(followed.reasons)")
        XCTAssertEqual(try followed.connection.run("PRAGMA mmap_size"), limit)
    }

    func testAChangedSchemaIsAChangeOfTheDatabase() throws {
        let writer = try open()
        let followed = try FollowedDatabase(path, tables: ["t"])
        for sql in ["CREATE TABLE more(id)", "DROP TABLE more", "CREATE INDEX i ON t(x)", "VACUUM"] {
            let coarse = followed.counts.coarse
            try writer.run(sql)
            try followed.check()
            XCTAssertEqual(followed.counts.coarse, coarse + 1, sql)
            try writer.run("INSERT INTO t(x) VALUES (1)")
            try followed.check()
            XCTAssertEqual(followed.events, ["insert t"], sql)
        }
    }

    /// Makes a database with too many long rows to search.
    private func openWithLongRows() throws -> PageTestConnection {
        try openPageTestConnection(path).run("PRAGMA page_size = 512; PRAGMA auto_vacuum = 0; VACUUM")
        let writer = try open()
        try writer.run(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40) INSERT INTO t SELECT i, zeroblob(508000) FROM n"
        )
        return writer
    }

    private func updateLongRow(_ id: Int) -> String {
        "UPDATE t SET x = CAST(substr(x, 1, 507999) || x'01' AS BLOB) WHERE id = \(id)"
    }

    func testASearchOfTooManyLongRowsIsNotRepeated() throws {
        let writer = try openWithLongRows()
        let followed = try FollowedDatabase(path, tables: [])
        for id in 1...2 {
            try writer.run(updateLongRow(id))
            try followed.check()
        }
        XCTAssertEqual(followed.reasons.dropLast().last, "too many long rows to search")
        XCTAssertEqual(followed.reasons.last?.hasSuffix("belongs to no known row"), true)
        XCTAssertEqual(followed.counts.coarse, 3, "\(followed.reasons)")
    }

    func testASmallerFileIsSearchedForLongRowsAgain() throws {
        let writer = try openWithLongRows()
        let followed = try FollowedDatabase(path, tables: [])
        try writer.run(updateLongRow(1))
        try followed.check()
        XCTAssertEqual(followed.reasons.last, "too many long rows to search")
        try writer.run("DELETE FROM t WHERE id > 20")
        try writer.run("VACUUM")
        try followed.check()
        try writer.run(updateLongRow(2))
        try followed.check()
        XCTAssertEqual(followed.events, ["update t"], "\(followed.reasons)")
    }

    func testARollbackJournalIsNotFollowed() throws {
        let writer = try open()
        try writer.run("PRAGMA journal_mode = delete")
        let followed = try FollowedDatabase(path, tables: ["t"])
        try writer.run("INSERT INTO t VALUES (1, 'a')")
        try followed.check()
        XCTAssertEqual(followed.counts.precise, 0)
        XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-shm"))
    }

    func testTheStateBeforeAnotherJournalModeIsForgotten() throws {
        try open().close()
        let followed = try FollowedDatabase(path, tables: ["t"])
        try followed.check()
        XCTAssertTrue(followed.connection.knowsCurrentState)
        try followed.connection.run("PRAGMA journal_mode = delete")
        XCTAssertFalse(followed.connection.knowsCurrentState)
        XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-shm"))
        try followed.check()
        let writer = try openPageTestConnection(path)
        try writer.run("INSERT INTO t VALUES (1, 'a')")
        try writer.close()
        try followed.connection.run("PRAGMA journal_mode = wal")
        try followed.check()
        XCTAssertEqual(followed.counts.precise, 0, "\(followed.reasons)")
        try followed.compare("journal mode")
    }

    func testADeletedLogIsNotTheKnownState() throws {
        try open().close()
        let writer = try openPageTestConnection(path)
        try writer.run("INSERT INTO t VALUES (1, 'a')")
        let followed = try FollowedDatabase(path, tables: ["t"], access: .readOnly)
        try followed.check()
        XCTAssertTrue(followed.connection.knowsCurrentState)
        for end in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + end) }
        XCTAssertFalse(followed.connection.knowsCurrentState)
        XCTAssertThrowsError(try followed.check())
    }

    func testADatabaseThatWasAttachedForATimeIsFollowedAfterwards() throws {
        let writer = try open()
        let followed = try FollowedDatabase(path, tables: ["t"])
        let other = path + "-other"
        try openPageTestConnection(other).close()
        for (attach, end) in [
            ("ATTACH '\(other)' AS other", "DETACH other"), ("ATTACH ':memory:' AS other", "DETACH other"),
            ("VACUUM", "VACUUM"),
        ] {
            try followed.connection.run(attach)
            try followed.check()
            try followed.connection.run(end)
            for _ in 0..<2 { try followed.check() }
            XCTAssertTrue(followed.connection.knowsCurrentState, attach)
            try writer.run("INSERT INTO t(x) VALUES (1)")
            try followed.check()
            XCTAssertEqual(followed.events, ["insert t"], attach)
        }
    }

    func testAnAttachedFileIsNotOverlookedIfItsStatementWasCompiledEarlier() throws {
        let writer = try open()
        for number in 1...2 { try openPageTestConnection("\(path)-\(number)").run("CREATE TABLE t(x)") }
        let followed = try FollowedDatabase(path, tables: ["t"])
        try followed.connection.run("ATTACH '\(path)-1' AS first")
        let attach = try followed.connection.prepare(
            "ATTACH '\(path)-2' AS second", fromUTF8Offset: 0, isCached: false)
        try followed.connection.run("DETACH first")
        try followed.check()
        XCTAssertEqual(try attach.statement?.step(), false)
        XCTAssertFalse(followed.connection.knowsCurrentState)
        try followed.check()
        XCTAssertEqual(followed.connection.foreignCommitState, .coarse(reason: "databases are attached"))
        try writer.run("INSERT INTO t(x) VALUES (1)")
        try followed.check()
        XCTAssertEqual(followed.events, [])
    }

    func testTheIndexOfALogInTheExclusiveLockingModeIsNotRead() throws {
        for named in NamedBackend.all {
            let directory = try TemporaryDirectory()
            let path = directory.file("exclusive.db")
            let connection = try XCTUnwrap(
                try named.backend.open(.file(path: path), options: StorageOptions())
                    as? any ForeignCommitReading)
            for sql in [
                "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = WAL", "CREATE TABLE t(x)",
            ] {
                try connection.run(sql)
            }
            for _ in 0..<2 {
                connection.markCommits()
                connection.skipMarkedCommits()
                connection.prepareForForeignCommits()
            }
            XCTAssertNil(connection.logProgress())
            XCTAssertEqual(
                connection.foreignCommitState, .coarse(reason: "the locking mode is not normal"))
            // The library would not close it.
            XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-shm"))
            try connection.close()
        }
    }

    func testALogWaitsOnlyForReadersThatKeepItFromBeginningAgain() throws {
        try openPageTestConnection(path).run("PRAGMA page_size = 512; PRAGMA auto_vacuum = 0; VACUUM")
        let writer = try open()
        let followed = try FollowedDatabase(path, tables: ["t"])
        let insert =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 400) INSERT INTO t(x) SELECT zeroblob(400) FROM n"
        for _ in 0..<20 {
            try writer.run(insert)
            XCTAssertFalse(followed.connection.logWaitsForReaders(), "there are no readers")
        }
        try writer.run("PRAGMA wal_autocheckpoint = 0")
        for _ in 0..<4 { try writer.run(insert) }
        let reader = try openPageTestConnection(path)
        try reader.beginSnapshot()
        try writer.run("PRAGMA wal_autocheckpoint = 1000")
        var answers: [Bool] = []
        for _ in 0..<100 {
            try writer.run(insert)
            answers.append(followed.connection.logWaitsForReaders())
        }
        XCTAssertTrue(answers.contains(true))
        XCTAssertLessThan(answers.filter { $0 }.count, 80, "rests do not help: \(answers)")
        try reader.perform(.rollback)
        for _ in 0..<3 { try writer.run(insert) }
        XCTAssertFalse(followed.connection.logWaitsForReaders())
    }

    private func progress(_ connection: PageTestConnection) -> LogProgress? {
        (connection as? any ForeignCommitReading)?.logProgress()
    }

    func testTheProgressOfTheLogIsReadFromItsIndex() throws {
        let writer = try open()
        try writer.run("PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE)")
        let reader = try openPageTestConnection(path)
        try writer.run("INSERT INTO t(x) VALUES (1)")
        try reader.beginSnapshot()
        let first = try XCTUnwrap(progress(reader))
        XCTAssertEqual(first.copiedFrame, 0)
        try writer.run("INSERT INTO t(x) VALUES (2)")
        let second = try XCTUnwrap(progress(reader))
        XCTAssertGreaterThan(second.lastFrame, first.lastFrame, "without a new snapshot")
        try writer.run("PRAGMA wal_checkpoint(PASSIVE)")
        let copied = try XCTUnwrap(progress(reader))
        XCTAssertEqual(copied.lastFrame, second.lastFrame)
        XCTAssertGreaterThan(copied.copiedFrame, 0)
        try reader.perform(.rollback)
        try writer.run("PRAGMA wal_checkpoint(PASSIVE); INSERT INTO t(x) VALUES (3)")
        XCTAssertEqual(progress(reader)?.copiedFrame, 0, "the log began again")
    }

    func testWithoutALogThereIsNoProgress() throws {
        let connection = try openPageTestConnection(path)
        try connection.run("PRAGMA journal_mode = DELETE; CREATE TABLE t(x)")
        XCTAssertNil(progress(connection))
        XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-shm"))
    }

    func testTheLogShowsWhetherACommitIsInProgress() throws {
        #if canImport(Darwin)
            throw XCTSkip("writes to a new log are not watched")
        #endif
        let writer = try open()
        let followed = try FollowedDatabase(path, tables: ["t"])
        func isInProgress() -> Bool? { followed.connection.hasCommitInProgress }
        // The pages do not fit into the cache of the writer.
        let insert =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) INSERT INTO t(x) SELECT zeroblob(4000) FROM n"
        try writer.run("PRAGMA cache_size = 5")
        XCTAssertEqual(isInProgress(), false)
        try writer.run("BEGIN; \(insert)")
        XCTAssertEqual(isInProgress(), true, "frames without a commit")
        try writer.run("COMMIT")
        XCTAssertEqual(isInProgress(), true, "a commit that is not known")
        try followed.check()
        XCTAssertEqual(isInProgress(), false)
        try writer.run("BEGIN; \(insert)")
        try writer.run("ROLLBACK")
        XCTAssertEqual(isInProgress(), true, "the frames remain")
        // A log that begins again leaves frames with other salts.
        try writer.run("PRAGMA wal_checkpoint(RESTART)")
        try writer.run("INSERT INTO t VALUES (1000, 1)")
        try followed.check()
        XCTAssertEqual(isInProgress(), false)
        try followed.write { try $0.run("INSERT INTO t VALUES (1001, 1)") }
        try followed.check()
        XCTAssertEqual(isInProgress(), false, "an own commit")
        try writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
        try followed.check()
        XCTAssertNil(isInProgress(), "the next commit begins the log again")
    }

    func testVirtualTablesAreNotifiedOfTheirStorage() throws {
        let writer = try open("CREATE VIRTUAL TABLE s USING fts5(x)")
        let followed = try FollowedDatabase(path, tables: [])
        try writer.run("INSERT INTO s VALUES ('word')")
        try followed.check()
        XCTAssertTrue(followed.events.contains("table s"), "\(followed.events)")
    }

    func testMirrorsOfRandomCommitsEqualTheirTables() throws {
        var random = SeededRandom.seeded()
        for round in 0..<RandomTestSettings.rounds(1) {
            try mirror(&random, "seed \(random.seed), round \(round)")
        }
    }

    private func mirror(_ random: inout SeededRandom, _ message: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("random.db")
        var writers = [try openPageTestConnection(path)]
        try writers[0].run("PRAGMA page_size = \(random.pick([512, 1024, 4096, 65536]))")
        try writers[0].run("PRAGMA auto_vacuum = \(random.pick([0, 1, 2]))")
        try writers[0].run("PRAGMA journal_mode = wal")
        try writers[0].run(PageWriter.schema)
        writers.append(try openPageTestConnection(path))
        for writer in writers { try writer.run("PRAGMA synchronous = off; PRAGMA wal_autocheckpoint = 50") }
        let followed = try FollowedDatabase(path, tables: ["a", "b", "k", "p", "w"])
        var source = PageWriter(random: random)
        for step in 0..<260 {
            if source.random.once(in: 8) {
                try followed.write { try source.commit(to: $0) }
            } else {
                try source.commit(to: source.random.pick(writers))
            }
            if source.random.once(in: 10) { try? source.checkpoint(source.random.pick(writers)) }
            if source.random.once(in: 3) { continue }
            try followed.check()
            try followed.compare("\(message), step \(step)")
            if testRun?.failureCount != 0 { return }
        }
        random = source.random
        if ProcessInfo.processInfo.environment["VIGIL_VERBOSE"] != nil {
            print(message, followed.counts, Dictionary(followed.reasons.map { ($0, 1) }, uniquingKeysWith: +))
        }
        XCTAssertGreaterThan(followed.counts.precise, 15, message)
        let result = try followed.connection.run("PRAGMA integrity_check")
        XCTAssertEqual(result, [[.text("ok")]], message)
    }
}
