import Foundation
import Vigil
import XCTest

/// Observations of a database whose file is replaced or deleted, with observed foreign changes.
final class ReplacedFileTests: XCTestCase {
    private struct Observation {
        let errors = ArrivingValues<String>()
        let values = ArrivingValues<Int>()
        var cancellable: AnyDatabaseCancellable?
    }

    private enum Kind: CaseIterable {
        case queueWithJournal, queueWithLog, readOnlyQueue, pool

        var journalMode: String { self == .queueWithJournal ? "DELETE" : "WAL" }
    }

    private func configuration(_ backend: any StorageBackend) -> Configuration {
        var configuration = unobserved(backend)
        configuration.foreignChanges = .observed
        return configuration
    }

    /// Returns a configuration that does not observe foreign changes.
    private func unobserved(_ backend: any StorageBackend) -> Configuration {
        var configuration = Configuration()
        configuration.backend = backend
        return configuration
    }

    private func create(_ path: String, _ kind: Kind, _ backend: any StorageBackend) throws {
        let dbQueue = try DatabaseQueue(path: path, configuration: unobserved(backend))
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: "PRAGMA journal_mode = \(kind.journalMode); CREATE TABLE t(id INTEGER PRIMARY KEY)")
        }
        try dbQueue.close()
    }

    private func open(_ path: String, _ kind: Kind, _ backend: any StorageBackend) throws
        -> any DatabaseWriter
    {
        var configuration = configuration(backend)
        switch kind {
        case .pool: return try DatabasePool(path: path, configuration: configuration)
        case .readOnlyQueue:
            configuration.readonly = true
            return try DatabaseQueue(path: path, configuration: configuration)
        case .queueWithJournal, .queueWithLog:
            return try DatabaseQueue(path: path, configuration: configuration)
        }
    }

    /// Runs a test with each kind of database and each backend.
    private func onEachKind(
        _ body: (_ path: String, _ newPath: String, Kind, any StorageBackend) throws -> Void
    ) throws {
        for (name, backend) in testedBackends {
            for kind in Kind.allCases {
                let directory = try TemporaryDirectory()
                let path = directory.file("database.sqlite")
                try create(path, kind, backend)
                let failures = testRun?.totalFailureCount ?? 0
                try body(path, directory.file("new.sqlite"), kind, backend)
                if (testRun?.totalFailureCount ?? 0) > failures { XCTFail("on \(name), \(kind)") }
            }
        }
    }

    private func observeCount(
        in writer: any DatabaseWriter, coalescing: ObservationCoalescing = .automatic
    ) -> Observation {
        var observation = Observation()
        let (values, errors) = (observation.values, observation.errors)
        observation.cancellable =
            ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1 }
            .coalescing(coalescing)
            .start(
                in: writer, scheduling: .inline, onError: { errors.append(Self.summary($0)) },
                onChange: { values.append($0) })
        return observation
    }

    private func observeRegion(in writer: any DatabaseWriter) -> Observation {
        var observation = Observation()
        let errors = observation.errors
        observation.cancellable =
            DatabaseRegionObservation(tracking: DatabaseRegion(table: "t"))
            .start(in: writer, onError: { errors.append(Self.summary($0)) }, onChange: { _ in })
        return observation
    }

    private static func summary(_ error: any Error) -> String {
        guard let error = error as? DatabaseError, error.extendedResultCode == .SQLITE_READONLY_DBMOVED else {
            return "\(error)"
        }
        return error.message?.components(separatedBy: " while").first ?? ""
    }

    private let replaced = "the database file was replaced by another file"
    private let deleted = "the database file was deleted or moved"

    func testAReplacedFileEndsAllObservations() throws {
        try onEachKind { path, newPath, kind, backend in
            let writer = try open(path, kind, backend)
            let observations = [
                observeCount(in: writer), observeCount(in: writer, coalescing: .never),
                observeRegion(in: writer),
            ]
            for observation in observations.prefix(2) { observation.values.await(last: 0) }
            try create(newPath, kind, backend)
            XCTAssertEqual(rename(newPath, path), 0)
            for observation in observations { observation.errors.await(last: replaced) }
            XCTAssertEqual(observations.map(\.errors.all), Array(repeating: [replaced], count: 3))
            XCTAssertEqual(writer.observations.count, 0)
        }
    }

    /// A fetch may read the files next to the old database file, which belong to the new one by then.
    func testAFetchThatFailsDuringAReplacementReportsTheReplacement() throws {
        for coalescing in [ObservationCoalescing.automatic, .never] {
            try onEachKind { path, newPath, kind, backend in
                let writer = try open(path, kind, backend)
                try create(newPath, kind, backend)
                var configuration = unobserved(backend)
                configuration.busyMode = .timeout(30)
                let other = try DatabaseQueue(path: path, configuration: configuration)
                let values = ArrivingValues<Int>()
                let errors = ArrivingValues<String>()
                let cancellable = ValueObservation.tracking { db in
                    let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
                    guard count > 0 else { return count }
                    XCTAssertEqual(rename(newPath, path), 0)
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT)
                }
                .coalescing(coalescing)
                .start(
                    in: writer, scheduling: .inline, onError: { errors.append(Self.summary($0)) },
                    onChange: { values.append($0) })
                values.await(last: 0)
                try other.write { db in try db.execute(sql: "INSERT INTO t DEFAULT VALUES") }
                errors.await(last: replaced)
                XCTAssertEqual(errors.all, [replaced])
                cancellable.cancel()
            }
        }
    }

    func testADeletedFileEndsAllObservations() throws {
        try onEachKind { path, _, kind, backend in
            let writer = try open(path, kind, backend)
            let observations = [observeCount(in: writer), observeRegion(in: writer)]
            observations[0].values.await(last: 0)
            try FileManager.default.removeItem(atPath: path)
            for observation in observations { observation.errors.await(last: deleted) }
        }
    }

    func testANewObservationOfAReplacedFileFails() throws {
        try onEachKind { path, newPath, kind, backend in
            let writer = try open(path, kind, backend)
            try create(newPath, kind, backend)
            XCTAssertEqual(rename(newPath, path), 0)
            let observations = [
                observeCount(in: writer), observeCount(in: writer, coalescing: .never),
                observeRegion(in: writer),
            ]
            for observation in observations { observation.errors.await(last: replaced) }
            XCTAssertEqual(observations.map(\.values.all), [[], [], []])
            XCTAssertEqual(writer.observations.count, 0)
        }
    }

    /// The readers of a pool must not read another file than the writer, whether foreign changes are observed
    /// or not.
    func testAPoolOpensNoReaderOfANewFile() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let (path, newPath) = (directory.file("database.sqlite"), directory.file("new.sqlite"))
            try create(path, .pool, backend)
            let dbPool = try DatabasePool(path: path, configuration: unobserved(backend))
            try dbPool.write { db in try db.execute(sql: "INSERT INTO t DEFAULT VALUES") }
            try create(newPath, .pool, backend)
            XCTAssertEqual(rename(newPath, path), 0)
            XCTAssertThrowsError(try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT 1") }) { error in
                XCTAssertEqual(Self.summary(error), replaced)
            }
            XCTAssertThrowsError(try dbPool.makeSnapshot()) { error in
                XCTAssertEqual(Self.summary(error), replaced)
            }
            let count = try dbPool.writeWithoutTransaction { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            }
            XCTAssertEqual(count, 1)
        }
    }

    func testARedirectedLinkEndsObservations() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let (first, second) = (directory.file("1.sqlite"), directory.file("2.sqlite"))
            for path in [first, second] { try create(path, .queueWithJournal, backend) }
            let (link, newLink) = (directory.file("link"), directory.file("new-link"))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: first)
            let dbQueue = try DatabaseQueue(path: link, configuration: configuration(backend))
            let observation = observeCount(in: dbQueue)
            observation.values.await(last: 0)
            try FileManager.default.createSymbolicLink(atPath: newLink, withDestinationPath: second)
            XCTAssertEqual(rename(newLink, link), 0)
            observation.errors.await(last: replaced)
        }
    }

    /// A connection would take the new file's journal for its own, play it back into the old file, and delete
    /// it; or read the new file's log.
    func testAConnectionToAReplacedFileLeavesTheNewJournalAlone() throws {
        for (name, backend) in testedBackends {
            for newKind in [Kind.queueWithJournal, .queueWithLog] {
                let directory = try TemporaryDirectory()
                let (path, newPath) = (directory.file("database.sqlite"), directory.file("new.sqlite"))
                try create(path, .queueWithJournal, backend)
                let old = try DatabaseQueue(path: path, configuration: unobserved(backend))
                try old.write { db in try db.execute(sql: "INSERT INTO t DEFAULT VALUES") }
                try create(newPath, newKind, backend)
                XCTAssertEqual(rename(newPath, path), 0)

                let new = try DatabaseQueue(path: path, configuration: unobserved(backend))
                let suffix = newKind == .queueWithJournal ? "-journal" : "-wal"
                // Only a journal that is complete is played back. It is when modified pages leave the cache.
                try new.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA cache_size = 1") }
                for round in 1...2 {
                    try new.write { db in
                        try insertManyRows(db)
                        XCTAssertTrue(FileManager.default.fileExists(atPath: path + suffix), name)
                        XCTAssertEqual(try count(old), 1, "\(name), \(newKind)")
                        XCTAssertTrue(FileManager.default.fileExists(atPath: path + suffix), name)
                    }
                    XCTAssertEqual(try count(new), 20000 * round, "\(name), \(newKind)")
                    XCTAssertEqual(try count(old), 1, "\(name), \(newKind)")
                }
                XCTAssertThrowsError(try old.write { db in try db.execute(sql: "DELETE FROM t") }) { error in
                    XCTAssertEqual((error as? DatabaseError)?.extendedResultCode, .SQLITE_READONLY_DBMOVED)
                }
                try old.close()
                let check = try new.read { db in try String.fetchAll(db, sql: "PRAGMA integrity_check") }
                XCTAssertEqual(check, ["ok"])
                XCTAssertEqual(try count(new), 40000, "\(name), \(newKind)")
            }
        }
    }

    private func insertManyRows(_ db: Database) throws {
        try db.execute(
            sql: """
                WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                INSERT INTO t SELECT NULL FROM n
                """)
    }

    private func count(_ reader: some DatabaseReader) throws -> Int? {
        try reader.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }
    }

    /// A file can be replaced between a check of its path and a read.
    func testNoCommitToAReplacedFileFailsBesideObservations() throws {
        for (name, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let (path, newPath) = (directory.file("database.sqlite"), directory.file("new.sqlite"))
            try create(path, .queueWithJournal, backend)
            var failures: [any Error] = []
            for round in 0..<30 {
                let dbQueue = try DatabaseQueue(path: path, configuration: configuration(backend))
                let observation = observeCount(in: dbQueue)
                observation.values.await(last: round == 0 ? 0 : 10)
                try create(newPath, .queueWithJournal, backend)
                XCTAssertEqual(rename(newPath, path), 0)
                var configuration = unobserved(backend)
                configuration.busyMode = .timeout(30)
                let other = try DatabaseQueue(path: path, configuration: configuration)
                for _ in 0..<10 {
                    do {
                        try other.write { db in try db.execute(sql: "INSERT INTO t DEFAULT VALUES") }
                    } catch {
                        failures.append(error)
                    }
                }
                observation.errors.await(last: replaced)
                try other.read { db in
                    XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 10)
                    XCTAssertEqual(try String.fetchAll(db, sql: "PRAGMA integrity_check"), ["ok"])
                }
            }
            XCTAssertTrue(failures.isEmpty, "on \(name): \(failures)")
        }
    }
}
