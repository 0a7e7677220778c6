import Foundation
import Vigil
import XCTest

final class BackupTests: XCTestCase {
    private let schema = """
        CREATE TABLE t(a);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO t SELECT hex(zeroblob(200)) FROM n;
        """

    private func count(_ dbQueue: DatabaseQueue) throws -> Int? {
        try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    }

    /// Calls `body` for each backend, with a queue on a file, its configuration, and a temporary directory.
    private func onEachFile(
        _ body: (DatabaseQueue, Configuration, TemporaryDirectory) throws -> Void
    ) throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let source = try DatabaseQueue(
                path: directory.file("source.sqlite"), configuration: configuration)
            try source.write { db in try db.execute(sql: schema) }
            try body(source, configuration, directory)
        }
    }

    /// Creates a table with one row, and observes the number of its rows.
    private func observeCount(_ copy: DatabaseQueue, _ values: Values<Int>) throws -> AnyDatabaseCancellable {
        try copy.write { db in try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
        }
        return observation.start(
            in: copy, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
    }

    func testBackupReplacesTheContentOfTheDestination() throws {
        try onEachFile { source, configuration, directory in
            let copy = try DatabaseQueue(path: directory.file("copy.sqlite"), configuration: configuration)
            try copy.write { db in
                try db.execute(sql: "CREATE TABLE old(a)")
                XCTAssertTrue(try db.tableExists("old"))
            }
            try source.backup(to: copy)
            XCTAssertEqual(try count(copy), 200)
            XCTAssertFalse(try copy.read { try $0.tableExists("old") })
        }
    }

    func testProgressIsReportedUntilAllPagesAreCopied() throws {
        try onEachFile { source, configuration, directory in
            let copy = try DatabaseQueue(path: directory.file("copy.sqlite"), configuration: configuration)
            var steps: [DatabaseBackupProgress] = []
            try source.backup(to: copy, pagesPerStep: 5) { steps.append($0) }
            XCTAssertGreaterThan(steps.count, 2)
            XCTAssertEqual(steps.first?.completedPageCount, 5)
            XCTAssertEqual(steps.map(\.isCompleted), Array(repeating: false, count: steps.count - 1) + [true])
            XCTAssertEqual(steps.last?.remainingPageCount, 0)
            XCTAssertEqual(Set(steps.map(\.totalPageCount)).count, 1)
            XCTAssertEqual(steps.map(\.completedPageCount), steps.map(\.completedPageCount).sorted())
        }
    }

    func testCancelledBackupLeavesTheDestinationUnchanged() throws {
        struct Enough: Error {}
        try onEachFile { source, configuration, directory in
            let copy = try DatabaseQueue(path: directory.file("copy.sqlite"), configuration: configuration)
            try copy.write { db in try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
            XCTAssertThrowsError(try source.backup(to: copy, pagesPerStep: 5) { _ in throw Enough() }) {
                XCTAssertTrue($0 is Enough)
            }
            XCTAssertEqual(try count(copy), 1)
            try copy.write { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
            XCTAssertEqual(try count(copy), 2)
            // Errors after the last step are ignored.
            try source.backup(to: copy) { _ in throw Enough() }
            XCTAssertEqual(try count(copy), 200)
        }
    }

    // MARK: - Page sizes

    /// Calls `body` with a queue on a file with pages of 1,024 bytes.
    private func onEachFileWithSmallPages(
        _ body: (DatabaseQueue, Configuration, TemporaryDirectory) throws -> Void
    ) throws {
        try onEachFile { _, configuration, directory in
            var small = configuration
            #if SQLCipher
                if configuration.backend is SQLCipherBackend { return }
            #endif
            small.prepareDatabase { db in try db.execute(sql: "PRAGMA page_size = 1024") }
            let source = try DatabaseQueue(path: directory.file("small.sqlite"), configuration: small)
            try source.write { db in try db.execute(sql: schema) }
            XCTAssertEqual(try source.read { try Int.fetchOne($0, sql: "PRAGMA page_size") }, 1_024)
            try body(source, configuration, directory)
        }
    }

    func testPagesOfAnotherSizeAreCopiedIntoAPool() throws {
        try onEachFileWithSmallPages { source, configuration, directory in
            for isEmpty in [true, false] {
                let pool = try DatabasePool(
                    path: directory.file("pool\(isEmpty).sqlite"), configuration: configuration)
                if !isEmpty {
                    try pool.write { db in
                        try db.execute(sql: "CREATE TABLE old(a); INSERT INTO old VALUES (1)")
                    }
                    // A reader is open, and idle.
                    XCTAssertEqual(try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM old") }, 1)
                }
                try source.backup(to: pool)
                XCTAssertEqual(try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 200)
                XCTAssertEqual(try pool.read { try $0.tableExists("old") }, false)
                XCTAssertEqual(try pool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }, "wal")
                try pool.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
                XCTAssertEqual(try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 201)
            }
        }
    }

    func testFilesAttachedToTheDestinationKeepTheirJournalMode() throws {
        try onEachFileWithSmallPages { source, configuration, directory in
            let attached = directory.file("attached.sqlite")
            let other = try DatabaseQueue(path: attached, configuration: configuration)
            try other.write { db in try db.execute(sql: "CREATE TABLE o(a)") }
            try other.close()
            var logged = configuration
            logged.journalMode = .wal
            logged.prepareDatabase { db in try db.execute(sql: "ATTACH '\(attached)' AS other") }
            let copy = try DatabaseQueue(path: directory.file("copy.sqlite"), configuration: logged)
            try copy.write { db in try db.execute(sql: "CREATE TABLE old(a)") }
            try source.backup(to: copy)
            XCTAssertEqual(try count(copy), 200)
            XCTAssertEqual(try copy.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }, "wal")
            // The bytes of the header that request a log.
            XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: attached))[18...19], Data([1, 1]))
        }
    }

    func testPagesOfAnotherSizeAreCopiedIntoAnEmptyDatabaseInMemory() throws {
        try onEachFileWithSmallPages { source, configuration, _ in
            let copy = try DatabaseQueue(configuration: configuration)
            try source.backup(to: copy)
            XCTAssertEqual(try count(copy), 200)
        }
    }

    func testPagesOfAnotherSizeAreRefusedWithTheReason() throws {
        try onEachFileWithSmallPages { source, configuration, directory in
            let memory = try DatabaseQueue(configuration: configuration)
            try memory.write { db in try db.execute(sql: "CREATE TABLE old(a)") }
            XCTAssertThrowsError(try source.backup(to: memory)) { error in
                let error = error as? DatabaseError
                XCTAssertEqual(error?.resultCode, .SQLITE_READONLY)
                XCTAssertEqual(error?.message?.contains("in memory: copy into a file"), true)
            }
            XCTAssertTrue(try memory.read { try $0.tableExists("old") })
            let pool = try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration)
            try pool.write { db in try db.execute(sql: "CREATE TABLE old(a)") }
            let other = try DatabaseQueue(path: directory.file("pool.sqlite"), configuration: configuration)
            XCTAssertThrowsError(try source.backup(to: pool)) { error in
                let error = error as? DatabaseError
                XCTAssertEqual(error?.resultCode, .SQLITE_READONLY)
                XCTAssertEqual(error?.message?.contains("no other connection uses the destination"), true)
            }
            XCTAssertTrue(try pool.read { try $0.tableExists("old") })
            try other.close()
            try source.backup(to: pool)
            XCTAssertEqual(try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 200)
        }
    }

    func testObserversOfTheDestinationReceiveTheNewContent() throws {
        try onEachFile { source, configuration, directory in
            let copy = try DatabaseQueue(path: directory.file("copy.sqlite"), configuration: configuration)
            let values = Values<Int>()
            let cancellable = try observeCount(copy, values)
            try source.backup(to: copy)
            try copy.read { _ in }
            XCTAssertEqual(values.all, [1, 200])
            cancellable.cancel()
        }
    }

    func testObserversReceiveTheNewContentIfTheLogCannotBeEnabledAgain() throws {
        try onEachFileWithSmallPages { source, configuration, directory in
            var logged = configuration
            logged.journalMode = .wal
            logged.busyMode = .immediateError
            let path = directory.file("copy.sqlite")
            let copy = try DatabaseQueue(path: path, configuration: logged)
            let values = Values<Int>()
            let cancellable = try observeCount(copy, values)
            var openTransactions = configuration
            openTransactions.allowsUnsafeTransactions = true
            var reader: DatabaseQueue?
            XCTAssertThrowsError(
                try source.backup(to: copy) { progress in
                    guard progress.isCompleted else { return }
                    let other = try DatabaseQueue(path: path, configuration: openTransactions)
                    try other.inDatabase { db in try db.execute(sql: "BEGIN; SELECT * FROM t") }
                    reader = other
                }
            ) { error in
                XCTAssertTrue("\(error)".contains("the copy is complete"), "\(error)")
            }
            XCTAssertNotNil(reader)
            try copy.read { _ in }
            XCTAssertEqual(values.all, [1, 200])
            try reader?.inDatabase { db in try db.execute(sql: "ROLLBACK") }
            cancellable.cancel()
        }
    }

    func testBackupCanRunInsideAccesses() throws {
        try onEachQueue(schema: schema) { source in
            var configuration = Configuration()
            configuration.backend = source.configuration.backend
            let directory = try TemporaryDirectory()
            let copy = try DatabaseQueue(
                path: source.path.isEmpty ? ":memory:" : directory.file("copy.sqlite"),
                configuration: configuration)
            try source.inDatabase { from in
                try copy.inDatabase { to in try from.backup(to: to) }
            }
            XCTAssertEqual(try count(copy), 200)
        }
    }

    func testBackupIntoOpenTransactionThrows() throws {
        try onEachFile { source, configuration, directory in
            let copy = try DatabaseQueue(path: directory.file("copy.sqlite"), configuration: configuration)
            try copy.write { db in
                try db.execute(sql: "CREATE TABLE t(a)")
                try source.read { from in
                    XCTAssertThrowsError(try from.backup(to: db)) {
                        XCTAssertTrue($0 is DatabaseError, "\($0)")
                    }
                }
            }
            XCTAssertEqual(try count(copy), 0)
        }
    }

    #if SQLite && SQLCipher
        func testBackupBetweenLibrariesThrows() throws {
            let queues = try testedBackends.map { backend in
                var configuration = Configuration()
                configuration.backend = backend.backend
                return try DatabaseQueue(configuration: configuration)
            }
            assertDatabaseError(.SQLITE_MISUSE) { try queues[0].backup(to: queues[1]) }
            assertDatabaseError(.SQLITE_MISUSE) { try queues[1].backup(to: queues[0]) }
        }
    #endif
}
