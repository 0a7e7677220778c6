import Foundation
import Vigil
import XCTest

final class ConnectionLimitsTests: XCTestCase {
    func testTheConnectionLimitsTheNumberOfArguments() throws {
        try onEachQueue { dbQueue in
            try dbQueue.read { db in
                let count = db.maximumStatementArgumentCount
                // The second argument has the number after that of the first one.
                func sql(_ count: Int) -> String { "SELECT ?\(count - 1), ?" }
                _ = try db.makeStatement(sql: sql(count))
                assertDatabaseError(.SQLITE_ERROR, "too many SQL variables") {
                    _ = try db.makeStatement(sql: sql(count + 1))
                }
            }
        }
    }

    func testTheLinkedLibraryReportsItsVersion() throws {
        let dbQueue = try DatabaseQueue()
        let version = try XCTUnwrap(dbQueue.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") })
        let parts = version.split(separator: ".").compactMap { CInt($0) }
        XCTAssertEqual(Database.sqliteLibVersionNumber, parts[0] * 1_000_000 + parts[1] * 1000 + parts[2])
    }

    func testAQueueUsesWALIfConfigured() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            func mode(_ name: String, _ journalMode: Configuration.JournalModeConfiguration) throws -> String?
            {
                var configuration = Configuration()
                configuration.backend = backend
                configuration.journalMode = journalMode
                let dbQueue = try DatabaseQueue(path: directory.file(name), configuration: configuration)
                return try dbQueue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
            }
            XCTAssertEqual(try mode("a", .default), "delete")
            XCTAssertEqual(try mode("b", .wal), "wal")
            XCTAssertEqual(try mode("b", .default), "wal")
        }
    }
}
