import Foundation
import Vigil
import XCTest

@testable import VigilEngine

final class ErrorLogTests: XCTestCase {
    override func tearDown() {
        Database.logError = nil
    }

    func testStatementsThatKeepAConnectionOpenAreLogged() throws {
        let messages = Values<String>()
        Database.logError = { code, message in
            if code.primaryResultCode == .SQLITE_BUSY { messages.append(message) }
        }
        try onEachQueue { dbQueue in
            let statement = try dbQueue.inDatabase { try $0.makeStatement(sql: "SELECT 1 AS lasting") }
            try withExtendedLifetime(statement) {
                assertDatabaseError(.SQLITE_BUSY) { try dbQueue.close() }
                XCTAssertEqual(messages.all.last, "unfinalized statement: SELECT 1 AS lasting")
                XCTAssertEqual(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT 2") }, 2)
            }
        }
    }

    func testReplacingTheClosureLogsNothing() throws {
        let messages = Values<String>()
        for _ in 0..<3 { Database.logError = { _, message in messages.append(message) } }
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT 1"), 1) }
        }
        XCTAssertEqual(messages.all, [])
    }

    func testAReleasedClosureMayUseTheLog() {
        let releases = Values<Bool>()
        var owned = Optional(
            ReleaseNotice {
                Database.logError = nil
                releases.append(true)
            })
        Database.logError = { [owned] _, _ in withExtendedLifetime(owned) {} }
        owned = nil
        Database.logError = nil
        XCTAssertEqual(releases.all, [true])
    }

    func testTheLogCanBeRemoved() throws {
        let messages = Values<String>()
        Database.logError = { _, message in messages.append(message) }
        XCTAssertNotNil(Database.logError)
        Database.logError = nil
        XCTAssertNil(Database.logError)
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in XCTAssertThrowsError(try db.execute(sql: "SELECT nonsense")) }
        }
        XCTAssertEqual(messages.all, [])
    }
}
