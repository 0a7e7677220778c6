import Foundation
import Vigil
import XCTest

/// Replaces database files by copies with another format.
final class ConversionTests: XCTestCase {
    private static let pathVariable = "VIGIL_CONVERT_PATH"
    private static let start = "convert\n"

    /// Two formats: plain and encrypted. Where no library encrypts, both are plain.
    private static var formats: [Configuration] {
        var formats = [Configuration(), Configuration()]
        #if SQLCipher
            formats[0].backend = SQLCipherBackend(library: .underTest)
            formats[1].backend = SQLCipherBackend(key: .quick, library: .underTest)
        #endif
        return formats
    }

    private func fill(_ writer: any DatabaseWriter, rows: Int = 2000) throws {
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                    INSERT INTO t SELECT hex(randomblob(100)) FROM n;
                    """)
        }
    }

    private func count(_ path: String, _ configuration: Configuration) throws -> Int? {
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? dbQueue.close() }
        return try dbQueue.read { db in
            XCTAssertEqual(try String.fetchOne(db, sql: "PRAGMA integrity_check"), "ok")
            return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        }
    }

    func testFilesAreConvertedInPlace() throws {
        for isPool in [false, true] {
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            let formats = Self.formats
            let writer: any DatabaseWriter =
                isPool
                ? try DatabasePool(path: path, configuration: formats[0])
                : try DatabaseQueue(path: path, configuration: formats[0])
            try fill(writer)
            try writer.close()
            for (from, to) in [(0, 1), (1, 0), (0, 1), (1, 1)] {
                try DatabaseQueue.convert(path, from: formats[from], to: formats[to])
                XCTAssertEqual(
                    try FileManager.default.contentsOfDirectory(atPath: directory.path), ["database"])
                let dbQueue = try DatabaseQueue(path: path, configuration: formats[to])
                try dbQueue.read { db in
                    let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode")
                    XCTAssertEqual(mode, isPool ? "wal" : "delete")
                }
                try dbQueue.close()
                XCTAssertEqual(try count(path, formats[to]), 2000)
                #if SQLCipher
                    if to != from { XCTAssertThrowsError(try count(path, formats[from])) }
                #endif
            }
        }
    }

    func testAFileThatIsOpenIsNotConverted() throws {
        let formats = Self.formats
        for isPool in [false, true] {
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            let writer: any DatabaseWriter =
                isPool
                ? try DatabasePool(path: path, configuration: formats[0])
                : try DatabaseQueue(path: path, configuration: formats[0])
            try fill(writer, rows: 10)
            func assertBusy() {
                XCTAssertThrowsError(try DatabaseQueue.convert(path, from: formats[0], to: formats[1])) {
                    XCTAssertEqual(($0 as? DatabaseError)?.resultCode, .SQLITE_BUSY)
                }
            }
            // Without a log, a connection that does nothing holds no lock.
            if isPool { assertBusy() } else { try (writer as? DatabaseQueue)?.read { _ in assertBusy() } }
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            try writer.close()
            XCTAssertEqual(try count(path, formats[0]), 11)
            XCTAssertEqual(
                try FileManager.default.contentsOfDirectory(atPath: directory.path), ["database"])
        }
    }

    func testAMissingFileIsReportedAndNotCreated() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("none")
        XCTAssertThrowsError(
            try DatabaseQueue.convert(path, from: Self.formats[0], to: Self.formats[1])
        ) { XCTAssertEqual(($0 as? DatabaseError)?.resultCode, .SQLITE_CANTOPEN) }
        XCTAssertFalse(FileManager.default.fileExists(atPath: path))
    }

    func testAnErrorLeavesTheContentAsItWas() throws {
        struct Cancelled: Error {}
        for isPool in [false, true] {
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            let writer: any DatabaseWriter =
                isPool
                ? try DatabasePool(path: path, configuration: Self.formats[0])
                : try DatabaseQueue(path: path, configuration: Self.formats[0])
            try fill(writer)
            try writer.close()
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            XCTAssertThrowsError(
                try DatabaseQueue.convert(path, from: Self.formats[0], to: Self.formats[1]) {
                    if $0.completedRowCount > 500 { throw Cancelled() }
                }
            ) { XCTAssert($0 is Cancelled) }
            let after = try Data(contentsOf: URL(fileURLWithPath: path))
            if !isPool { XCTAssertEqual(after, before) }
            // The bytes of the header that request a log.
            XCTAssertEqual(after[18...19], before[18...19])
            XCTAssertEqual(try count(path, Self.formats[0]), 2000)
            XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.path), ["database"])
        }
    }

    func testAttachedFilesKeepTheirLog() throws {
        let directory = try TemporaryDirectory()
        let (path, attached) = (directory.file("database"), directory.file("attached"))
        let formats = Self.formats
        for file in [path, attached] {
            let pool = try DatabasePool(path: file, configuration: formats[0])
            try fill(pool, rows: 10)
            try pool.close()
        }
        var attaching = formats[0]
        attaching.prepareDatabase { db in try db.execute(sql: "ATTACH '\(attached)' AS other KEY ''") }
        try DatabaseQueue.convert(path, from: attaching, to: formats[1])
        XCTAssertEqual(try count(path, formats[1]), 10)
        // The bytes of the header that request a log.
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: attached))[18...19], Data([2, 2]))
    }

    func testBothConfigurationsAttachAFile() throws {
        for usesLog in [false, true] {
            let directory = try TemporaryDirectory()
            let (path, attached) = (directory.file("database"), directory.file("attached"))
            for file in [path, attached] {
                var configuration = Self.formats[0]
                if usesLog { configuration.journalMode = .wal }
                let dbQueue = try DatabaseQueue(path: file, configuration: configuration)
                try fill(dbQueue, rows: 10)
                try dbQueue.close()
            }
            let attaching = Self.formats.map { format in
                var format = format
                format.busyMode = .immediateError
                format.prepareDatabase { db in try db.execute(sql: "ATTACH '\(attached)' AS other KEY ''") }
                return format
            }
            try DatabaseQueue.convert(path, from: attaching[0], to: attaching[1])
            XCTAssertEqual(try count(path, Self.formats[1]), 10)
            XCTAssertEqual(try count(attached, Self.formats[0]), 10)
        }
    }

    func testAKilledConversionLeavesACompleteFile() throws {
        #if os(Linux)
            var random = SeededRandom.seeded()
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            let dbQueue = try DatabaseQueue(path: path, configuration: Self.formats[0])
            try fill(dbQueue)
            try dbQueue.close()
            var opened = [0, 0]
            for _ in 0..<8 {
                try Process.running(
                    "VigilTests.ConversionTests/testProcessThatIsKilled",
                    environment: [Self.pathVariable: path]
                ).runAndKill(after: Int.random(in: 1...9, using: &random), messages: Self.start)
                let format = (0...1).first { (try? count(path, Self.formats[$0])) == 2000 }
                opened[try XCTUnwrap(format, "neither format opens the file, VIGIL_SEED=\(random.seed)")] += 1
                for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
                where name.hasSuffix("-export") {
                    try FileManager.default.removeItem(atPath: directory.file(name))
                }
            }
            print("opened with each format: \(opened)")
        #else
            throw XCTSkip.needsSeparateExecutable
        #endif
    }

    /// Does nothing, except in the process that is killed.
    func testProcessThatIsKilled() throws {
        guard let path = ProcessInfo.processInfo.environment[Self.pathVariable] else { return }
        var current = (try? count(path, Self.formats[0])) == 2000 ? 0 : 1
        while true {
            try DatabaseQueue.convert(path, from: Self.formats[current], to: Self.formats[1 - current]) { _ in
                FileHandle.standardOutput.write(Data(Self.start.utf8))
            }
            current = 1 - current
        }
    }
}

#if SQLCipher
    final class CipherMigrationTests: XCTestCase {
        func testFilesOfAnOlderVersionAreMigratedOnce() throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            let backend = SQLCipherBackend(key: .passphrase("secret"), library: .underTest)
            let version = try DatabaseQueue(path: directory.file("version"), backend).read {
                $0.cipherVersion
            }
            let older = (version?.first?.wholeNumberValue ?? 4) - 1
            let oldBackend = SQLCipherBackend(
                key: .passphrase("secret"), settings: CipherSettings(compatibility: older),
                library: .underTest)
            let old = try DatabaseQueue(path: path, oldBackend)
            try old.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
            try old.close()
            XCTAssertThrowsError(try DatabaseQueue(path: path, backend))

            let other = SQLCipherBackend(key: .passphrase("other"), library: .underTest)
            XCTAssertThrowsError(try other.migrate(path, from: older)) {
                XCTAssertEqual(($0 as? DatabaseError)?.resultCode, .SQLITE_NOTADB)
            }
            XCTAssertTrue(try backend.migrate(path, from: older))
            XCTAssertFalse(try backend.migrate(path, from: older))
            XCTAssertThrowsError(try DatabaseQueue(path: path, oldBackend))
            let dbQueue = try DatabaseQueue(path: path, backend)
            XCTAssertEqual(try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1])
            XCTAssertFalse(try backend.migrate(directory.file("none"), from: older))
            XCTAssertFalse(FileManager.default.fileExists(atPath: directory.file("none")))
        }
    }

    extension DatabaseQueue {
        fileprivate convenience init(path: String, _ backend: SQLCipherBackend) throws {
            var configuration = Configuration()
            configuration.backend = backend
            try self.init(path: path, configuration: configuration)
        }
    }
#endif
