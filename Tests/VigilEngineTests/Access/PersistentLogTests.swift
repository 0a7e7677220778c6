import Foundation
import Vigil
import XCTest

final class PersistentLogTests: XCTestCase {
    private func logFiles(_ path: String) -> [Bool] {
        ["-wal", "-shm"].map { FileManager.default.fileExists(atPath: path + $0) }
    }

    func testFilesOfTheLogStayIfRequested() throws {
        for (_, backend) in testedBackends {
            for persists in [false, true] {
                let directory = try TemporaryDirectory()
                let path = directory.file("db.sqlite")
                var configuration = Configuration()
                configuration.backend = backend
                configuration.persistsWriteAheadLog = persists
                let pool = try DatabasePool(path: path, configuration: configuration)
                try pool.write { try $0.execute(sql: tableT) }
                try pool.read { XCTAssertEqual(try countRows($0), 0) }
                XCTAssertEqual(logFiles(path), [true, true])
                try pool.close()
                XCTAssertEqual(logFiles(path), [persists, persists])

                configuration.readonly = true
                let reader = try DatabasePool(path: path, configuration: configuration)
                XCTAssertEqual(try reader.read(countRows), 0)
            }
        }
    }

    func testReleasedQueueKeepsTheFilesToo() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let path = directory.file("db.sqlite")
            var configuration = Configuration()
            configuration.backend = backend
            configuration.journalMode = .wal
            configuration.persistsWriteAheadLog = true
            try DatabaseQueue(path: path, configuration: configuration).write { try $0.execute(sql: tableT) }
            XCTAssertEqual(logFiles(path), [true, true])
        }
    }
}
