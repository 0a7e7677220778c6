import Foundation
import Synchronization
import Vigil
import VigilStorage
import XCTest

@testable import VigilEngine

/// Two queues on one file have separate connections, so each makes foreign changes for the other.
final class ForeignChangeObservationTests: XCTestCase {
    private static let journals = ["WAL", "DELETE", "TRUNCATE", "PERSIST", "MEMORY"]

    func testCommitsOfAnotherConnectionAreNoticedInEveryJournalMode() throws {
        for journal in Self.journals {
            let file = try DatabaseFile(for: self)
            let dbQueue = try file.open(journal: journal)
            try dbQueue.createTables()
            let writer = try file.openWriter(journal: journal)
            let (values, cancellable) = dbQueue.observeCount(of: "t")
            values.await(last: 0)
            for count in 1...20 {
                try writer.insert()
                values.await(last: count)
            }
            cancellable.cancel()
        }
    }

    func testTheLastOfManyCommitsIsNeverMissed() throws {
        for journal in ["WAL", "DELETE"] {
            let file = try DatabaseFile(for: self)
            let dbQueue = try file.open(journal: journal)
            try dbQueue.createTables()
            let writer = try file.openWriter(journal: journal)
            let (values, cancellable) = dbQueue.observeCount(of: "t")
            for burst in 1...10 {
                for _ in 0..<20 { try writer.insert() }
                values.await(last: burst * 20)
            }
            XCTAssertEqual(values.all, values.all.sorted())
            cancellable.cancel()
        }
    }

    func testCommitsAreNoticedWhileTheQueueWritesItself() throws {
        for journal in ["WAL", "DELETE"] {
            let file = try DatabaseFile(for: self)
            let dbQueue = try file.open(journal: journal)
            try dbQueue.createTables()
            let writer = try file.openWriter(journal: journal)
            let (values, cancellable) = dbQueue.observeCount(of: "t")
            let keepsWriting = Mutex(true)
            let ended = DispatchSemaphore(value: 0)
            Thread {
                while keepsWriting.withLock({ $0 }) { try? dbQueue.insert(into: "other") }
                ended.signal()
            }.start()
            for count in 1...10 {
                try writer.insert()
                values.await(last: count)
            }
            keepsWriting.withLock { $0 = false }
            ended.wait()
            cancellable.cancel()
        }
    }

    func testOwnWritesToOtherTablesGiveNoValue() throws {
        for journal in ["WAL", "DELETE"] {
            let file = try DatabaseFile(for: self)
            let dbQueue = try file.open(journal: journal)
            try dbQueue.createTables()
            let writer = try file.openWriter(journal: journal)
            let (values, cancellable) = dbQueue.observeCount(of: "t")
            values.await(last: 0)
            for _ in 0..<200 { try dbQueue.insert(into: "other") }
            try writer.insert()
            values.await(last: 1)
            for _ in 0..<200 { try dbQueue.insert(into: "other") }
            try writer.insert()
            values.await(last: 2)
            XCTAssertEqual(values.all, [0, 1, 2])
            cancellable.cancel()
        }
    }

    func testCommitsOfAnotherProcessAreNoticed() throws {
        let shell = "/usr/bin/sqlite3"
        try XCTSkipUnless(
            FileManager.default.isExecutableFile(atPath: shell), "the sqlite3 shell is not installed")
        for journal in ["WAL", "DELETE"] {
            let file = try DatabaseFile(for: self)
            let dbQueue = try file.open(journal: journal)
            try dbQueue.createTables()
            let (values, cancellable) = dbQueue.observeCount(of: "t")
            values.await(last: 0)
            for count in 1...5 {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: shell)
                process.arguments = [
                    "-cmd", ".timeout 30000", file.path, "INSERT INTO t DEFAULT VALUES",
                ]
                try process.run()
                process.waitUntilExit()
                XCTAssertEqual(process.terminationStatus, 0)
                values.await(last: count)
            }
            cancellable.cancel()
        }
    }

    func testAPoolNoticesCommitsOfAnotherConnection() throws {
        let file = try DatabaseFile(for: self)
        var configuration = Configuration()
        configuration.foreignChanges = .observed
        let dbPool = try DatabasePool(path: file.path, configuration: configuration)
        let writer = try file.openWriter()
        try writer.createTables()
        let values = ArrivingValues<Int>()
        let cancellable =
            ValueObservation
            .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1 }
            .start(
                in: dbPool, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) }
            )
        for count in 1...20 {
            try writer.insert()
            values.await(last: count)
        }
        cancellable.cancel()
    }

    func testAChangedSchemaIsNoticed() throws {
        let file = try DatabaseFile(for: self)
        let dbQueue = try file.open()
        try dbQueue.createTables()
        let (values, cancellable) = dbQueue.observeCount(of: "t")
        values.await(last: 0)
        let writer = try file.openWriter()
        try writer.write { db in
            try db.execute(sql: "DROP TABLE t")
            try db.execute(sql: "CREATE VIEW t AS SELECT 1 UNION SELECT 2")
        }
        values.await(last: 2)
        cancellable.cancel()
    }

    func testASchemaChangedWhileARegionIsDerivedIsNoticed() throws {
        let file = try DatabaseFile(for: self)
        let dbQueue = try file.open(backend: HintingBackend())
        try dbQueue.write { db in
            try db.execute(
                sql: "CREATE TABLE one(a); CREATE TABLE two(a); CREATE VIEW v AS SELECT a FROM one")
        }
        let writer = try file.openWriter()
        let isChanged = Mutex(false)
        let region = AnyDatabaseRegionConvertible { db in
            let region = try SQLRequest<Int>(sql: "SELECT a FROM v").databaseRegion(db)
            let isFirst = isChanged.withLock { isChanged in
                defer { isChanged = true }
                return !isChanged
            }
            if isFirst {
                try writer.write { db in
                    try db.execute(sql: "DROP VIEW v; CREATE VIEW v AS SELECT a FROM two")
                }
            }
            return region
        }
        let notified = FetchCount()
        let cancellable = DatabaseRegionObservation(tracking: region)
            .start(in: dbQueue, onError: { XCTFail("\($0)") }, onChange: { _ in notified.add() })
        try dbQueue.findForeignCommits()
        XCTAssertEqual(notified.count, 1)
        try dbQueue.write { db in try db.execute(sql: "INSERT INTO two VALUES (1)") }
        XCTAssertEqual(notified.count, 2)
        cancellable.cancel()
    }

    func testAnObservationSurvivesAnExclusiveLock() throws {
        let file = try DatabaseFile(for: self)
        var configuration = Configuration()
        configuration.foreignChanges = .observed
        let dbQueue = try DatabaseQueue(path: file.path, configuration: configuration)
        try dbQueue.createTables()
        let writer = try file.openWriter(journal: "DELETE")
        let (values, cancellable) = dbQueue.observeCount(of: "t")
        values.await(last: 0)
        for count in 1...200 {
            try writer.inTransaction(.exclusive) { db in
                try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
                return .commit
            }
            if count % 50 == 0 { values.await(last: count) }
        }
        cancellable.cancel()
    }

    // MARK: - Watching only while observed

    func testTheFileIsWatchedOnlyWhileObserved() throws {
        let backend = HintingBackend()
        let file = try DatabaseFile(for: self)
        let dbQueue = try file.open(backend: backend)
        try dbQueue.createTables()
        XCTAssertEqual(backend.events.all, [])
        let (values, first) = dbQueue.observeCount(of: "t")
        values.await(last: 0)
        let (_, second) = dbQueue.observeCount(of: "t")
        XCTAssertEqual(backend.events.all, ["begun"])
        first.cancel()
        second.cancel()
        backend.hint()
        backend.events.await(last: "ended")
        let (_, third) = dbQueue.observeCount(of: "t")
        backend.events.await(last: "begun")
        try dbQueue.close()
        XCTAssertEqual(backend.events.all, ["begun", "ended", "begun", "ended"])
        third.cancel()
    }

    func testTheFileOfARelativePathIsWatchedInEveryWorkingDirectory() throws {
        let backend = HintingBackend()
        let file = try DatabaseFile(for: self)
        let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
        let path = "\(String(repeating: "../", count: depth))\(file.path.dropFirst())"
        var configuration = Configuration()
        configuration.foreignChanges = .observed
        configuration.backend = backend
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        try dbQueue.createTables()
        let (values, cancellable) = dbQueue.observeCount(of: "t")
        values.await(last: 0)
        let isAbsolute = backend.locations.all.map { location in
            if case .file(let path) = location { path.hasPrefix("/") } else { false }
        }
        XCTAssertEqual(isAbsolute, [true])
        cancellable.cancel()
    }

    func testCommitsBeforeAnObservationGiveNoSecondValue() throws {
        let file = try DatabaseFile(for: self)
        let dbQueue = try file.open()
        try dbQueue.createTables()
        let writer = try file.openWriter()
        for round in 0..<5 {
            try writer.insert()
            let (values, cancellable) = dbQueue.observeCount(of: "t")
            values.await(last: round * 2 + 1)
            try writer.insert()
            values.await(last: round * 2 + 2)
            XCTAssertEqual(values.all, [round * 2 + 1, round * 2 + 2])
            cancellable.cancel()
        }
    }

    func testALaterObservationDeliversOneInitialValue() throws {
        let backend = HintingBackend()
        let file = try DatabaseFile(for: self)
        let dbQueue = try file.open(backend: backend)
        try dbQueue.createTables()
        let writer = try file.openWriter()
        let (old, first) = dbQueue.observeCount(of: "t")
        old.await(last: 0)
        try writer.insert()
        let (new, second) = dbQueue.observeCount(of: "t")
        new.await(last: 1)
        old.await(last: 1)
        try writer.insert()
        backend.hint()
        new.await(last: 2)
        XCTAssertEqual(new.all, [1, 2])
        first.cancel()
        second.cancel()
    }

    func testAnObservationCanStartInsideAWriteOfItsQueue() throws {
        let file = try DatabaseFile(for: self)
        let dbQueue = try file.open()
        try dbQueue.createTables()
        let writer = try file.openWriter()
        let (values, cancellable) = try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
            return dbQueue.observeCount(of: "t")
        }
        values.await(last: 1)
        try writer.insert()
        values.await(last: 2)
        cancellable.cancel()
    }

    func testAnInMemoryDatabaseIsNotWatched() throws {
        let backend = HintingBackend()
        var configuration = Configuration()
        configuration.backend = backend
        configuration.foreignChanges = .observed
        let dbQueue = try DatabaseQueue(configuration: configuration)
        try dbQueue.createTables()
        let (values, cancellable) = dbQueue.observeCount(of: "t")
        values.await(last: 0)
        XCTAssertEqual(backend.events.all, [])
        cancellable.cancel()
    }

    // MARK: - Without hints

    func testWithoutAWatchCommitsAreFoundAtShortIntervals() throws {
        let backend = HintingBackend(refusing: true)
        let file = try DatabaseFile(for: self)
        let dbQueue = try file.open(backend: backend)
        try dbQueue.createTables()
        let writer = try file.openWriter()
        let (values, cancellable) = dbQueue.observeCount(of: "t")
        values.await(last: 0)
        XCTAssertEqual(backend.events.all, ["refused"])
        for count in 1...5 {
            try writer.insert()
            values.await(last: count)
        }
        cancellable.cancel()
    }

    // MARK: - End

    func testAReleasedQueueIsDeallocated() throws {
        let backend = HintingBackend()
        let file = try DatabaseFile(for: self)
        weak var released: DatabaseQueue?
        do {
            let dbQueue = try file.open(backend: backend)
            try dbQueue.createTables()
            let (values, cancellable) = dbQueue.observeCount(of: "t")
            values.await(last: 0)
            cancellable.cancel()
            released = dbQueue
        }
        backend.events.await(last: "ended")
        XCTAssertNil(released)
        backend.hint()
    }

    func testQueuesOpenAndCloseDuringForeignWrites() throws {
        let file = try DatabaseFile(for: self)
        let writer = try file.openWriter()
        try writer.createTables()
        let keepsWriting = Mutex(true)
        let ended = DispatchSemaphore(value: 0)
        Thread {
            while keepsWriting.withLock({ $0 }) { try? writer.insert() }
            ended.signal()
        }.start()
        for round in 0..<50 {
            let dbQueue = try file.open()
            let (values, cancellable) = dbQueue.observeCount(of: "t")
            if round % 2 == 0 { try dbQueue.close() } else { cancellable.cancel() }
            XCTAssertEqual(values.all, values.all.sorted())
        }
        keepsWriting.withLock { $0 = false }
        ended.wait()
    }
}
