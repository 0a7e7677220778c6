import Foundation
import VigilSQLite
import VigilStorage
import XCTest

/// Tests of the identity of a connection's open file, and of whether its path still leads to that file.
final class OpenFileTests: XCTestCase {
    private func open(_ path: String, _ backend: any StorageBackend) throws -> any StorageConnection {
        let connection = try backend.open(.file(path: path), options: StorageOptions())
        try connection.run("CREATE TABLE IF NOT EXISTS t(a)")
        return connection
    }

    private func openFile(of connection: any StorageConnection) throws -> (any StorageFile)? {
        try XCTUnwrap(connection as? any EmbeddedConnection).openFile()
    }

    private func assertMoved(_ message: String, line: UInt = #line, _ body: () throws -> Void) {
        XCTAssertThrowsError(try body(), line: line) { error in
            XCTAssertEqual((error as? StorageError)?.code, .fileMoved, line: line)
            XCTAssertTrue("\(error)".contains(message), "\(error)", line: line)
        }
    }

    func testAReplacedOrDeletedFileIsNoticed() throws {
        for named in NamedBackend.all {
            let directory = try TemporaryDirectory()
            let (path, newPath) = (directory.file("a"), directory.file("b"))
            let connection = try open(path, named.backend)
            let file = try XCTUnwrap(try openFile(of: connection))
            try connection.run("INSERT INTO t VALUES (1)")
            XCTAssertNoThrow(try file.checkIsInPlace())
            try open(newPath, named.backend).close()
            XCTAssertEqual(rename(newPath, path), 0)
            assertMoved("was replaced by another file") { try file.checkIsInPlace() }
            assertMoved("was replaced by another file") { _ = try openFile(of: connection) }
            try FileManager.default.removeItem(atPath: path)
            assertMoved("was deleted or moved") { try file.checkIsInPlace() }
            assertMoved("was deleted or moved") { _ = try openFile(of: connection) }
        }
    }

    /// Reading the other file would truncate the shared memory that the first connection uses.
    func testAConnectionReadsNothingFromAnotherFileThanTheRequiredOne() throws {
        for named in NamedBackend.all {
            let directory = try TemporaryDirectory()
            let (path, newPath) = (directory.file("a"), directory.file("b"))
            let connection = try open(path, named.backend)
            try connection.run("PRAGMA journal_mode = WAL; INSERT INTO t VALUES (1)")
            var options = StorageOptions()
            options.access = .readOnly
            options.requiredFile = try openFile(of: connection)
            let location = StorageLocation.file(path: path)
            try named.backend.open(location, options: options).close()
            let other = try open(newPath, named.backend)
            try other.run("PRAGMA journal_mode = WAL")
            try other.close()
            XCTAssertEqual(rename(newPath, path), 0)
            let sharedMemory = try Data(contentsOf: URL(fileURLWithPath: path + "-shm"))
            assertMoved("was replaced by another file") {
                _ = try named.backend.open(location, options: options)
            }
            XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path + "-shm")), sharedMemory)
            XCTAssertEqual(try connection.run("SELECT COUNT(*) FROM t"), [[.integer(1)]], named.name)
            try FileManager.default.removeItem(atPath: path)
            assertMoved("was deleted or moved") { _ = try named.backend.open(location, options: options) }
        }
    }

    func testALinkMustLeadToTheOpenFile() throws {
        for named in NamedBackend.all {
            let directory = try TemporaryDirectory()
            let (first, second) = (directory.file("1"), directory.file("2"))
            let link = directory.file("link")
            try open(second, named.backend).close()
            try open(first, named.backend).close()
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: first)
            let connection = try open(link, named.backend)
            let file = try XCTUnwrap(try openFile(of: connection))
            XCTAssertNoThrow(try file.checkIsInPlace())
            try FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: second)
            assertMoved("was replaced by another file while it was open: \(link)") {
                try file.checkIsInPlace()
            }
            // The link leads to the open file, which was renamed; SQLite looks for the journal under the old
            // name.
            try FileManager.default.removeItem(atPath: link)
            try FileManager.default.moveItem(atPath: first, toPath: directory.file("3"))
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: directory.file("3"))
            assertMoved("was deleted or moved") { try file.checkIsInPlace() }
        }
    }

    func testClosingAReplacedFileKeepsTheNewFilesLog() throws {
        for named in NamedBackend.all {
            for isClosed in [true, false] {
                let directory = try TemporaryDirectory()
                let (path, newPath) = (directory.file("a"), directory.file("b"))
                var old: (any StorageConnection)? = try open(path, named.backend)
                try old?.run("PRAGMA journal_mode = WAL; INSERT INTO t VALUES (1)")
                try open(newPath, named.backend).close()
                XCTAssertEqual(rename(newPath, path), 0)
                for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
                let new = try open(path, named.backend)
                try new.run("PRAGMA journal_mode = WAL; INSERT INTO t VALUES (2), (3)")
                if isClosed { try old?.close() }
                old = nil
                let reader = try open(path, named.backend)
                XCTAssertEqual(try reader.run("SELECT COUNT(*) FROM t"), [[.integer(2)]], named.name)
                try new.close()
            }
        }
    }

    func testALogThatIsDeletedOrReplacedIsNoticed() throws {
        for named in NamedBackend.all {
            for isReplaced in [false, true] {
                let directory = try TemporaryDirectory()
                let path = directory.file("a")
                let writer = try open(path, named.backend)
                try writer.run("PRAGMA journal_mode = WAL; INSERT INTO t VALUES (1)")
                var options = StorageOptions()
                options.access = .readOnly
                let reader = try named.backend.open(.file(path: path), options: options)
                for _ in 0..<3 {
                    XCTAssertNotNil(try reader.foreignChangeToken())
                    try writer.run("INSERT INTO t VALUES (1)")
                }
                for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
                if isReplaced { try Data().write(to: URL(fileURLWithPath: path + "-wal")) }
                assertMoved("the write-ahead log was deleted or replaced") {
                    _ = try reader.foreignChangeToken()
                }
            }
        }
    }

    func testAChangeOfTheJournalModeIsNotAReplacedLog() throws {
        for named in NamedBackend.all {
            let directory = try TemporaryDirectory()
            let path = directory.file("a")
            let writer = try open(path, named.backend)
            var options = StorageOptions()
            options.access = .readOnly
            var tokens: [Int64?] = []
            for mode in ["DELETE", "WAL", "TRUNCATE", "WAL"] {
                try writer.run("PRAGMA journal_mode = \(mode); INSERT INTO t VALUES (1)")
                // A connection that has read a write-ahead log keeps it from being removed.
                let reader = try named.backend.open(.file(path: path), options: options)
                for _ in 0..<2 {
                    tokens.append(try reader.foreignChangeToken())
                    try writer.run("INSERT INTO t VALUES (1); PRAGMA wal_checkpoint(TRUNCATE)")
                }
                tokens.append(try reader.foreignChangeToken())
                try reader.close()
            }
            XCTAssertEqual(tokens.compactMap { $0 }.count, 12, named.name)
            // A connection with write access may leave the mode, and enter it again.
            XCTAssertNotNil(try writer.foreignChangeToken())
            try writer.run(
                "PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL; INSERT INTO t VALUES (1)")
            XCTAssertNotNil(try writer.foreignChangeToken())
        }
    }

    func testAnInMemoryDatabaseHasNoFile() throws {
        for named in NamedBackend.all {
            for location in [StorageLocation.memory(name: nil), .memory(name: "a"), .file(path: "")] {
                let connection = try named.backend.open(location, options: StorageOptions())
                XCTAssertNil(try openFile(of: connection), named.name)
            }
        }
    }

    func testAPathThatLooksLikeAURIIsAPath() throws {
        for named in NamedBackend.all {
            let directory = try TemporaryDirectory()
            let relative = "file:\(UUID().uuidString)%20a?mode=memory&cache=shared#b"
            let outer = FileManager.default.currentDirectoryPath
            XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(directory.path))
            defer { _ = FileManager.default.changeCurrentDirectoryPath(outer) }
            let connection = try open(relative, named.backend)
            let file = try XCTUnwrap(try openFile(of: connection))
            XCTAssertNoThrow(try file.checkIsInPlace())
            XCTAssertTrue(FileManager.default.fileExists(atPath: directory.file(relative)), named.name)
            _ = FileManager.default.changeCurrentDirectoryPath(outer)
            XCTAssertNoThrow(try file.checkIsInPlace(), "another working directory")
            try connection.close()
        }
    }
}
