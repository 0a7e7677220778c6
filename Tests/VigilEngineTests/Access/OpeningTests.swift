import Dispatch
import Foundation
import Synchronization
import Vigil
import XCTest

/// Opening a file while other connections open it and write to it.
final class OpeningTests: XCTestCase {
    func testManyConnectionsOpenANewPoolFileAtOnce() throws {
        for (name, backend) in testedBackends {
            for _ in 0..<RandomTestSettings.rounds(15) {
                let directory = try TemporaryDirectory()
                let path = directory.file("database.sqlite")
                let errors = Mutex<[String]>([])
                DispatchQueue.concurrentPerform(iterations: 8) { number in
                    do {
                        var configuration = Configuration()
                        configuration.backend = backend
                        configuration.busyMode = .timeout(30)
                        let dbPool = try DatabasePool(path: path, configuration: configuration)
                        try dbPool.write { db in
                            try db.execute(sql: "CREATE TABLE t\(number)(a)")
                        }
                    } catch {
                        errors.withLock { $0.append("\(error)") }
                    }
                }
                XCTAssertEqual(errors.withLock { $0 }, [], name)
            }
        }
    }

    #if os(Linux)
        func testManyProcessesOpenANewPoolFileAtOnce() throws {
            let count = 12
            for (name, backend) in testedBackends {
                let directory = try TemporaryDirectory()
                let paths = (0..<RandomTestSettings.rounds(10)).map { directory.file("\($0).sqlite") }
                let errors = try OpeningProcess.run(count, opening: paths, with: name)
                XCTAssertEqual(errors, Array(repeating: "", count: count), name)
                var configuration = Configuration()
                configuration.backend = backend
                for path in paths {
                    let tables = try DatabasePool(path: path, configuration: configuration).read { db in
                        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master")
                    }
                    XCTAssertEqual(tables, count, name)
                }
            }
        }
    #endif

    func testAnImmediateErrorIsNotRetried() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let path = directory.file("database.sqlite")
            let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
            try dbQueue.inTransaction(.exclusive) { _ in
                assertDatabaseError(.SQLITE_BUSY) {
                    try DatabasePool(path: path, configuration: configuration)
                }
                return .commit
            }
        }
    }

    /// SQLite does not call the busy handler when it changes the journal mode and another connection is about
    /// to write.
    func testOpeningWaitsForAWriterToFinish() throws {
        for (name, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let path = directory.file("database.sqlite")
            var configuration = Configuration()
            configuration.backend = backend
            configuration.allowsUnsafeTransactions = true
            let writer = try DatabaseQueue(path: path, configuration: configuration)
            try writer.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            try writer.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE") }
            let tries = Mutex<[Int]>([])
            configuration.busyMode = .callback { count in
                tries.withLock { $0.append(count) }
                return count < 3
            }
            assertDatabaseError(.SQLITE_BUSY) { try DatabasePool(path: path, configuration: configuration) }
            XCTAssertEqual(tries.withLock { $0 }, [0, 1, 2, 3], name)
            configuration.busyMode = .callback { count in
                if count == 2 {
                    try? writer.writeWithoutTransaction { db in try db.execute(sql: "COMMIT") }
                }
                return count < 10
            }
            let dbPool = try DatabasePool(path: path, configuration: configuration)
            XCTAssertEqual(
                try dbPool.read { db in try String.fetchOne(db, sql: "PRAGMA journal_mode") }, "wal", name)
        }
    }

    // MARK: - The default busy mode

    func testTheDefaultBusyModeWaitsIfForeignChangesAreObserved() {
        var configuration = Configuration()
        guard case .immediateError = configuration.busyMode else { return XCTFail() }
        configuration.foreignChanges = .observed
        guard case .timeout(5) = configuration.busyMode else { return XCTFail() }
        configuration.busyMode = .immediateError
        guard case .immediateError = configuration.busyMode else { return XCTFail() }
        configuration.foreignChanges = .ignored
        guard case .immediateError = configuration.busyMode else { return XCTFail() }
    }

    func testWritesConcurrentWithAForeignWriterSucceed() throws {
        let combinations = testedBackends.flatMap {
            [($0.name, $0.backend, false), ($0.name, $0.backend, true)]
        }
        for (name, backend, isPool) in combinations {
            let directory = try TemporaryDirectory()
            let path = directory.file("database.sqlite")
            let open = {
                var configuration = Configuration()
                configuration.backend = backend
                configuration.foreignChanges = .observed
                return isPool
                    ? try DatabasePool(path: path, configuration: configuration) as any DatabaseWriter
                    : try DatabaseQueue(path: path, configuration: configuration)
            }
            let writer = try open()
            try writer.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            let writers = [writer, try open()]
            let observation = DatabaseRegionObservation(tracking: DatabaseRegion(table: "t"))
                .start(in: writers[0], onError: { XCTFail("\($0)") }, onChange: { _ in })
            let errors = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                for _ in 0..<150 {
                    do {
                        try writers[number].write { db in
                            try db.execute(sql: "INSERT INTO t VALUES (1)")
                        }
                    } catch {
                        errors.withLock { $0.append("\(error)") }
                    }
                }
            }
            XCTAssertEqual(errors.withLock { $0 }, [], "\(name), pool: \(isPool)")
            observation.cancel()
        }
    }

    #if SQLite
        /// A new file has its format from the first write, which activates the log.
        func testThePreparationChoosesTheFormatOfANewFile() throws {
            for (name, backend) in testedBackends where backend is SQLiteBackend {
                let directory = try TemporaryDirectory()
                var configuration = Configuration()
                configuration.backend = backend
                configuration.prepareDatabase { db in
                    if !db.configuration.readonly {
                        try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = FULL")
                    }
                }
                let pool = try DatabasePool(path: directory.file("pool"), configuration: configuration)
                try pool.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
                XCTAssertEqual(try pool.read { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") }, 2, name)
                XCTAssertEqual(try pool.write { try Int.fetchOne($0, sql: "PRAGMA synchronous") }, 2, name)
                XCTAssertEqual(
                    try pool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }, "wal", name)
                configuration.journalMode = .wal
                let queue = try DatabaseQueue(path: directory.file("queue"), configuration: configuration)
                try queue.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
                XCTAssertEqual(try queue.read { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") }, 2, name)
            }
        }

        func testAttachedFilesKeepTheirJournalMode() throws {
            for (name, backend) in testedBackends where backend is SQLiteBackend {
                let directory = try TemporaryDirectory()
                let attached = directory.file("attached")
                var configuration = Configuration()
                configuration.backend = backend
                let other = try DatabaseQueue(path: attached, configuration: configuration)
                try other.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
                XCTAssertEqual(chmod(attached, 0o400), 0)
                configuration.prepareDatabase { db in try db.execute(sql: "ATTACH '\(attached)' AS other") }
                let pool = try DatabasePool(path: directory.file("pool"), configuration: configuration)
                let mode = try pool.write { try String.fetchOne($0, sql: "PRAGMA other.journal_mode") }
                XCTAssertEqual(mode, "delete", name)
                XCTAssertEqual(
                    try pool.read { try String.fetchOne($0, sql: "PRAGMA main.journal_mode") }, "wal")
            }
        }
    #endif
}
