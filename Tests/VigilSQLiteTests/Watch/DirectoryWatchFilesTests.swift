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
}
