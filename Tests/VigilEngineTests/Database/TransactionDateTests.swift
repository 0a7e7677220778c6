import Foundation
import Vigil
import XCTest

final class TransactionDateTests: XCTestCase {
    /// Returns a configuration whose clock advances by one second with each call.
    private func ticking() -> Configuration {
        let ticks = Values<Int>()
        var configuration = Configuration()
        configuration.transactionClock = .custom { _ in
            ticks.append(0)
            return Date(timeIntervalSince1970: Double(ticks.all.count))
        }
        return configuration
    }

    func testATransactionHasOneDate() throws {
        try onEachQueue(ticking(), schema: "CREATE TABLE t(a)") { dbQueue in
            let (first, second) = try dbQueue.write { db in
                let date = try db.transactionDate
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.inSavepoint {
                    XCTAssertEqual(try db.transactionDate, date)
                    return .rollback
                }
                return (date, try db.transactionDate)
            }
            XCTAssertEqual(first, second)
            XCTAssertLessThan(first, try dbQueue.write { try $0.transactionDate })
            let read = try dbQueue.read { db in (try db.transactionDate, try db.transactionDate) }
            XCTAssertEqual(read.0, read.1)
        }
    }

    func testDatesOutsideTransactionsDiffer() throws {
        try onEachQueue(ticking()) { dbQueue in
            try dbQueue.inDatabase { db in
                let dates = [try db.transactionDate, try db.transactionDate]
                XCTAssertLessThan(dates[0], dates[1])
                try db.execute(sql: "BEGIN")
                let begun = try db.transactionDate
                XCTAssertEqual(try db.transactionDate, begun)
                try db.execute(sql: "ROLLBACK; SAVEPOINT s")
                let saved = try db.transactionDate
                XCTAssertLessThan(begun, saved)
                XCTAssertEqual(try db.transactionDate, saved)
                try db.execute(sql: "RELEASE s")
                XCTAssertLessThan(saved, try db.transactionDate)
            }
        }
    }

    func testTheDateIsThatOfTheTransactionStart() throws {
        let now = Values<Date>()
        now.append(Date(timeIntervalSince1970: 1))
        var configuration = Configuration()
        configuration.transactionClock = .custom { _ in now.all.last ?? .distantPast }
        try onEachQueue(configuration) { dbQueue in
            try dbQueue.write { db in
                let begin = try XCTUnwrap(now.all.last)
                now.append(begin + 1)
                XCTAssertEqual(try db.transactionDate, begin)
            }
        }
    }

    func testAClockCanQueryTheDatabaseAndItsErrorIsThrown() throws {
        struct Stopped: Error {}
        var configuration = Configuration()
        configuration.transactionClock = .custom { db in
            guard let seconds = try Double.fetchOne(db, sql: "SELECT a FROM clock") else { throw Stopped() }
            return Date(timeIntervalSince1970: seconds)
        }
        try onEachQueue(configuration, schema: "CREATE TABLE clock(a); INSERT INTO clock VALUES (7)") {
            dbQueue in
            try dbQueue.write { db in
                XCTAssertEqual(try db.transactionDate, Date(timeIntervalSince1970: 7))
                try db.execute(sql: "DELETE FROM clock")
            }
            try dbQueue.write { db in
                XCTAssertThrowsError(try db.transactionDate) { XCTAssertTrue($0 is Stopped) }
            }
        }
    }

    func testTheDefaultClockIsTheSystemClock() throws {
        try onEachQueue { dbQueue in
            let before = Date()
            let date = try dbQueue.write { try $0.transactionDate }
            XCTAssertTrue((before...Date()).contains(date))
        }
    }
}
