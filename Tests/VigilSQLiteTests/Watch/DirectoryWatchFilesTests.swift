import Foundation
import VigilStorage
import XCTest

@testable import VigilSQLite

final class DirectoryWatchFilesTests: XCTestCase {
    func testTheFilesOfADatabaseIncludeItsLogAndItsJournal() throws {
        let directory = try TemporaryDirectory()
        let files = try XCTUnwrap(try DatabaseFiles(.file(path: directory.file("a.db"))))
        XCTAssertEqual(files.names.map(\.description), ["a.db", "a.db-wal", "a.db-journal"])
        XCTAssertTrue(
            files.directory.description.hasSuffix(URL(fileURLWithPath: directory.path).lastPathComponent))
    }

    func testAPathIsSplitAtItsLastSlash() {
        let parts = ["a", "/a", "/a/b", "a/b", "/a/"].map { FileName($0).split() }
        XCTAssertEqual(parts.map(\.directory.description), ["", "/", "/a", "a", "/a"])
        XCTAssertEqual(parts.map(\.name.description), ["a", "a", "b", "b", ""])
    }

    func testNamesThatAreNotUTF8ArePaths() throws {
        let directory = try TemporaryDirectory()
        let name = FileName(directory.path).appending("/").appending(FileName(bytes: [0xFF, 0x61]))
        let descriptor = name.withPath { open($0, O_CREAT | O_RDWR, 0o600) }
        try XCTSkipIf(descriptor < 0, "the file system requires names in UTF-8")
        close(descriptor)
        let link = directory.file("a.db")
        XCTAssertEqual(name.withPath { symlink($0, link) }, 0)
        let files = try XCTUnwrap(try DatabaseFiles(.file(path: link)))
        XCTAssertEqual(files.database.bytes, [0xFF, 0x61])
    }

    // MARK: - Files that may be opened

    /// Creates empty files in a new directory, and returns the names of those that a watch of `a.db` may
    /// open.
    private func openableNames(_ names: [String], _ prepare: (TemporaryDirectory) throws -> Void = { _ in })
        throws
        -> [String]
    {
        let directory = try TemporaryDirectory()
        for name in names { try Data().write(to: URL(fileURLWithPath: directory.file(name))) }
        try prepare(directory)
        let files = try XCTUnwrap(try DatabaseFiles(.file(path: directory.file("a.db"))))
        return files.openablePaths().map { $0.split().name.description }
    }

    func testOnlyFilesThatSQLiteNeverLocksMayBeOpened() throws {
        XCTAssertEqual(try openableNames(["a.db"]), [])
        XCTAssertEqual(
            try openableNames(["a.db", "a.db-wal", "a.db-shm", "a.db-journal", "b.db-wal"]),
            ["a.db-wal", "a.db-journal"])
        XCTAssertEqual(try openableNames(["a.db", "a.db-wal"]), ["a.db-wal"])
    }

    func testOtherNamesOfLockedFilesMayNotBeOpened() throws {
        for target in ["a.db", "a.db-shm"] {
            let linked = try openableNames(["a.db", "a.db-shm"]) { directory in
                try FileManager.default.linkItem(
                    atPath: directory.file(target), toPath: directory.file("a.db-wal"))
                try FileManager.default.createSymbolicLink(
                    atPath: directory.file("a.db-journal"), withDestinationPath: directory.file(target))
            }
            XCTAssertEqual(linked, [], target)
        }
        let directories = try openableNames(["a.db"]) { directory in
            try FileManager.default.createDirectory(
                atPath: directory.file("a.db-wal"), withIntermediateDirectories: false)
        }
        XCTAssertEqual(directories, [])
    }

    func testALockedFileIsRecognizedByItsDescriptor() throws {
        let directory = try TemporaryDirectory()
        let files = try XCTUnwrap(try DatabaseFiles(.file(path: directory.file("a.db"))))
        for (name, isLocked) in [("a.db", true), ("a.db-shm", true), ("a.db-wal", false)] {
            let descriptor = open(directory.file(name), O_CREAT | O_RDWR, 0o600)
            XCTAssertGreaterThanOrEqual(descriptor, 0)
            XCTAssertEqual(FileStatus(descriptor: descriptor).map(files.isLocked), isLocked, name)
            close(descriptor)
        }
        XCTAssertNil(FileStatus(descriptor: -1))
    }
}
