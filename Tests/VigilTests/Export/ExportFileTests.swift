import Foundation
import Vigil
import XCTest

/// The files that an export reads, writes and replaces.
final class ExportFileTests: XCTestCase {
    private struct Cancelled: Error {}

    private func configuration(_ backend: any StorageBackend) -> Configuration {
        var configuration = Configuration()
        configuration.backend = backend
        return configuration
    }

    private func data(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    private func makeDatabase(_ path: String, _ configuration: Configuration, rows: Int = 3000) throws
        -> DatabaseQueue
    {
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                    INSERT INTO t SELECT i FROM n;
                    """)
        }
        return dbQueue
    }

    private func count(_ path: String, _ configuration: Configuration) throws -> Int? {
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? dbQueue.close() }
        return try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    }

    /// Exports to a file that exists, which must remain as it was, and leave no other file.
    private func assertFails(
        _ configuration: Configuration, _ exportedConfiguration: Configuration, line: UInt = #line,
        replacesFile: Bool = true, progress: ((DatabaseExportProgress) throws -> Void)? = nil,
        _ check: (any Error) -> Void
    ) throws {
        let directory = try TemporaryDirectory()
        let target = directory.file("target")
        let dbQueue = try makeDatabase(directory.file("source"), configuration)
        try makeDatabase(target, configuration, rows: 5).close()
        let before = try data(target)
        XCTAssertThrowsError(
            try dbQueue.export(
                to: target, configuration: exportedConfiguration, replacesFile: replacesFile,
                progress: progress), line: line, check)
        XCTAssertEqual(try data(target), before, line: line)
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted(),
            ["source", "target"], line: line)
        // The source can still be used.
        try dbQueue.write { try $0.execute(sql: "DELETE FROM t") }
    }

    func testAFileThatExistsIsReplacedOnlyOnRequest() throws {
        for (_, backend) in testedBackends {
            let configuration = configuration(backend)
            try assertFails(configuration, configuration, replacesFile: false) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_CANTOPEN)
                XCTAssert("\(error)".contains("target"))
            }
            let directory = try TemporaryDirectory()
            let target = directory.file("target")
            try makeDatabase(target, configuration, rows: 5).close()
            XCTAssertEqual(chmod(target, 0o640), 0)
            try FileManager.default.createSymbolicLink(
                atPath: directory.file("link"), withDestinationPath: target)
            let dbQueue = try makeDatabase(directory.file("source"), configuration)
            try dbQueue.export(
                to: directory.file("link"), configuration: configuration, replacesFile: true)
            XCTAssertEqual(try count(target, configuration), 3000)
            let attributes = try FileManager.default.attributesOfItem(atPath: target)
            XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o640)
            XCTAssertEqual(
                try FileManager.default.destinationOfSymbolicLink(atPath: directory.file("link")), target)
        }
    }

    func testFilesAttachedToTheCopyKeepTheirJournalMode() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let (copy, attached) = (directory.file("copy"), directory.file("attached"))
            let dbQueue = try makeDatabase(directory.file("source"), configuration(backend))
            try dbQueue.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH '\(attached)' AS made KEY ''")
                try db.execute(sql: "CREATE TABLE made.o(a)")
                try db.execute(sql: "DETACH made")
            }
            var logged = configuration(backend)
            logged.journalMode = .wal
            logged.prepareDatabase { db in try db.execute(sql: "ATTACH '\(attached)' AS other KEY ''") }
            try dbQueue.export(to: copy, configuration: logged)
            XCTAssertEqual(try count(copy, configuration(backend)), 3000)
            // The bytes of the header that request a log.
            XCTAssertEqual(try data(attached)[18...19], Data([1, 1]))
        }
    }

    func testFilesAttachedToTheCopyAreNotLocked() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let (copy, attached) = (directory.file("copy"), directory.file("attached"))
            let dbQueue = try makeDatabase(directory.file("source"), configuration(backend))
            var openTransactions = configuration(backend)
            openTransactions.allowsUnsafeTransactions = true
            let reader = try DatabaseQueue(configuration: openTransactions)
            try reader.inDatabase { db in
                try db.execute(sql: "ATTACH '\(attached)' AS other KEY ''; CREATE TABLE other.o(a)")
                try db.execute(sql: "BEGIN; SELECT * FROM other.o")
            }
            var attaching = configuration(backend)
            attaching.busyMode = .immediateError
            attaching.prepareDatabase { db in try db.execute(sql: "ATTACH '\(attached)' AS other KEY ''") }
            try dbQueue.export(to: copy, configuration: attaching)
            XCTAssertEqual(try count(copy, configuration(backend)), 3000)
            try reader.inDatabase { db in try db.execute(sql: "ROLLBACK") }
        }
    }

    func testACancelledExportLeavesNoFile() throws {
        for (_, backend) in testedBackends {
            let configuration = configuration(backend)
            for row in [0, 2000] {
                try assertFails(
                    configuration, configuration,
                    progress: { if $0.completedRowCount == row { throw Cancelled() } }
                ) { XCTAssert($0 is Cancelled) }
            }
        }
    }

    func testAFullDiskLeavesNoFile() throws {
        for (_, backend) in testedBackends {
            var small = configuration(backend)
            small.prepareDatabase { db in try db.execute(sql: "PRAGMA max_page_count = 4") }
            try assertFails(configuration(backend), small) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_FULL)
            }
        }
    }

    func testADirectoryThatDoesNotExistIsReported() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let dbQueue = try makeDatabase(directory.file("source"), configuration(backend))
            XCTAssertThrowsError(
                try dbQueue.export(to: directory.file("none/copy"), configuration: configuration(backend))
            ) { XCTAssertEqual(($0 as? DatabaseError)?.resultCode, .SQLITE_CANTOPEN) }
        }
    }

    func testAMissingFunctionIsReported() throws {
        for (_, backend) in testedBackends {
            var complete = configuration(backend)
            complete.prepareDatabase { db in
                db.add(collation: DatabaseCollation("custom") { $0.compare($1) })
            }
            let directory = try TemporaryDirectory()
            let dbQueue = try DatabaseQueue(path: directory.file("source"), configuration: complete)
            try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a TEXT COLLATE custom UNIQUE)") }
            XCTAssertThrowsError(
                try dbQueue.export(to: directory.file("copy"), configuration: configuration(backend))
            ) { XCTAssert("\($0)".contains("custom")) }
            XCTAssertFalse(FileManager.default.fileExists(atPath: directory.file("copy")))
        }
    }

    func testADatabaseIsNotExportedToItsOwnFile() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            let dbQueue = try makeDatabase(path, configuration(backend))
            try FileManager.default.createSymbolicLink(
                atPath: directory.file("link"), withDestinationPath: path)
            for target in [path, directory.file("link")] {
                XCTAssertThrowsError(
                    try dbQueue.export(to: target, configuration: configuration(backend), replacesFile: true)
                ) {
                    XCTAssertEqual(($0 as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
                    XCTAssert("\($0)".contains("DatabaseQueue.convert"))
                }
            }
        }
    }

    func testAFileWithALogIsNotReplaced() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let dbQueue = try makeDatabase(directory.file("source"), configuration(backend))
            let target = try DatabasePool(
                path: directory.file("target"), configuration: configuration(backend))
            try target.write { try $0.execute(sql: "CREATE TABLE t(a)") }
            XCTAssertThrowsError(
                try dbQueue.export(
                    to: directory.file("target"), configuration: configuration(backend), replacesFile: true)
            ) { XCTAssertEqual(($0 as? DatabaseError)?.resultCode, .SQLITE_BUSY) }
            XCTAssertEqual(try target.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 0)
        }
    }

    func testTheTaskOfAnExportCanBeCancelled() async throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let dbQueue = try makeDatabase(directory.file("source"), configuration(backend), rows: 20_000)
            let configuration = configuration(backend)
            let target = directory.file("copy")
            let (started, continuation) = AsyncStream<Void>.makeStream()
            let gate = DispatchSemaphore(value: 0)
            let task = Task {
                defer { continuation.finish() }
                try await dbQueue.export(to: target, configuration: configuration) { progress in
                    if progress.completedRowCount == 1000 {
                        continuation.finish()
                        gate.wait()
                    }
                }
            }
            for await _ in started {}
            task.cancel()
            gate.signal()
            do {
                try await task.value
                XCTFail("the export was not cancelled")
            } catch {
                XCTAssert(error is CancellationError, "\(error)")
            }
            XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.path), ["source"])
        }
    }

    /// The log of a database that was deleted without it would be applied to the copy.
    func testACopyIsNotWrittenBesideAnOldLog() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let (old, copy) = (directory.file("old"), directory.file("copy"))
            let pool = try DatabasePool(path: old, configuration: configuration(backend))
            try pool.write { db in try db.execute(sql: "CREATE TABLE old(a)") }
            try FileManager.default.copyItem(atPath: old + "-wal", toPath: copy + "-wal")
            let source = try makeDatabase(directory.file("source"), configuration(backend))
            assertDatabaseError(.SQLITE_BUSY) {
                try source.export(to: copy, configuration: configuration(backend))
            }
            try FileManager.default.removeItem(atPath: copy + "-wal")
            try source.export(to: copy, configuration: configuration(backend))
            XCTAssertEqual(try count(copy, configuration(backend)), 3000)
        }
    }

    func testOthersCannotReadTheUnfinishedCopyOfAPrivateFile() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let target = directory.file("target")
            let source = try makeDatabase(directory.file("source"), configuration(backend))
            try makeDatabase(target, configuration(backend), rows: 5).close()
            XCTAssertEqual(chmod(target, 0o600), 0)
            var modes: [Int?] = []
            try source.export(to: target, configuration: configuration(backend), replacesFile: true) { _ in
                let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
                for name in names where name.hasSuffix("-export") {
                    let attributes = try FileManager.default.attributesOfItem(atPath: directory.file(name))
                    modes.append(attributes[.posixPermissions] as? Int)
                }
            }
            XCTAssertFalse(modes.isEmpty)
            XCTAssertEqual(Set(modes), [0o600])
        }
    }
}
