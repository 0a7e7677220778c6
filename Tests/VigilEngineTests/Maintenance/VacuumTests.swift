import Foundation
import Vigil
import XCTest

final class VacuumTests: XCTestCase {
    private let schema = """
        CREATE TABLE t(a);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO t SELECT hex(zeroblob(500)) FROM n;
        DELETE FROM t WHERE rowid > 1;
        """

    func testVacuumReducesTheSizeOfTheDatabase() throws {
        try onEachQueue(schema: schema) { dbQueue in
            func pages() throws -> Int {
                try dbQueue.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
            }
            let before = try pages()
            try dbQueue.vacuum()
            XCTAssertLessThan(try pages(), before)
            XCTAssertEqual(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 1)
        }
    }

    func testVacuumIntoWritesACopyOrThrowsForOldLibraries() throws {
        try onEachQueue(schema: schema) { dbQueue in
            let directory = try TemporaryDirectory()
            let path = directory.file("it's a copy.sqlite")
            guard try dbQueue.read({ try canVacuumIntoFiles($0) }) else {
                return assertDatabaseError(.SQLITE_MISUSE) { try dbQueue.vacuum(into: path) }
            }
            try dbQueue.vacuum(into: path)
            let copy = try DatabaseQueue(path: path, configuration: dbQueue.configuration)
            XCTAssertEqual(try copy.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 1)
        }
    }

    func testVacuumIntoTakesAPathNotAURI() throws {
        try onEachQueue(schema: schema) { dbQueue in
            guard try dbQueue.read({ try canVacuumIntoFiles($0) }) else { return }
            let directory = try TemporaryDirectory()
            let outer = FileManager.default.currentDirectoryPath
            XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(directory.path))
            defer { _ = FileManager.default.changeCurrentDirectoryPath(outer) }
            try dbQueue.vacuum(into: "file:copy?mode=memory")
            XCTAssertTrue(FileManager.default.fileExists(atPath: directory.file("file:copy?mode=memory")))
        }
    }

    func testVacuumIntoDoesNotChangeTheDatabase() throws {
        try onEachQueue(schema: schema) { dbQueue in
            guard try dbQueue.read({ try canVacuumIntoFiles($0) }) else { return }
            let directory = try TemporaryDirectory()
            let commits = Values<Int>()
            let cancellable = DatabaseRegionObservation(tracking: .fullDatabase)
                .start(in: dbQueue, onError: { XCTFail("\($0)") }, onChange: { _ in commits.append(0) })
            try dbQueue.vacuum(into: directory.file("copy.sqlite"))
            XCTAssertEqual(commits.all.count, 0)
            try dbQueue.vacuum()
            XCTAssertEqual(commits.all.count, 1)
            cancellable.cancel()
        }
    }

    private func canVacuumIntoFiles(_ db: Database) throws -> Bool {
        let version = try XCTUnwrap(String.fetchOne(db, sql: "SELECT sqlite_version()"))
        return version.split(separator: ".").compactMap { Int($0) }[1] >= 27
    }
}
