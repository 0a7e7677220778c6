import Foundation
import Vigil
import XCTest

final class TraceTests: XCTestCase {
    func testStatementsAreTracedWithoutTheirValuesUnlessAsked() throws {
        try onEachQueue(schema: "CREATE TABLE t(a)") { dbQueue in
            var texts: [String] = []
            var expandedTexts: [String] = []
            try dbQueue.inDatabase { db in
                db.trace { event in
                    texts.append("\(event)")
                    expandedTexts.append(event.expandedDescription)
                }
                try db.execute(sql: "INSERT INTO t VALUES (?) ; ", arguments: ["secret"])
                db.trace()
                try db.execute(sql: "DELETE FROM t")
            }
            XCTAssertEqual(texts, ["INSERT INTO t VALUES (?)"])
            XCTAssertEqual(expandedTexts, ["INSERT INTO t VALUES ('secret')"])
        }
    }

    func testPublicArgumentsAreInTheDescription() throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        let texts = Values<String>()
        configuration.prepareDatabase { db in db.trace { texts.append("\($0)") } }
        try onEachQueue(configuration) { dbQueue in
            try dbQueue.inDatabase { db in try db.execute(sql: "SELECT ?", arguments: [1]) }
            XCTAssertEqual(texts.all.last, "SELECT 1")
        }
    }

    func testProfilesReportTheDuration() throws {
        try onEachQueue { dbQueue in
            var events: [String] = []
            try dbQueue.inDatabase { db in
                db.trace(options: [.statement, .profile]) { event in
                    switch event {
                    case .statement(let statement): events.append("begins \(statement.sql)")
                    case .profile(let statement, let duration):
                        XCTAssertGreaterThanOrEqual(duration, 0)
                        events.append("ends \(statement.expandedSQL)")
                        XCTAssertTrue(event.description.hasSuffix("s SELECT ?"), event.description)
                        XCTAssertTrue(
                            event.expandedDescription.hasSuffix("s SELECT 2"), event.expandedDescription)
                    }
                }
                try db.execute(sql: "SELECT ?", arguments: [2])
            }
            XCTAssertEqual(events, ["begins SELECT ?", "ends SELECT 2"])
        }
    }

    func testTransactionsAndTriggersAreTracedButNotInternalStatements() throws {
        let schema = """
            CREATE TABLE t(a);
            CREATE TABLE u(a);
            CREATE TRIGGER copy AFTER INSERT ON t BEGIN INSERT INTO u VALUES (NEW.a); END;
            """
        try onEachQueue(schema: schema) { dbQueue in
            let cancellable = DatabaseRegionObservation(tracking: .fullDatabase)
                .start(in: dbQueue, onError: { XCTFail("\($0)") }, onChange: { _ in })
            var texts: [String] = []
            dbQueue.inDatabase { db in db.trace { texts.append("\($0)") } }
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                _ = try db.primaryKey("t")
            }
            XCTAssertEqual(texts.filter { !$0.hasPrefix("--") }.count, 3, "\(texts)")
            XCTAssertEqual(texts.first, "BEGIN IMMEDIATE TRANSACTION")
            XCTAssertTrue(texts.contains("-- TRIGGER copy"), "\(texts)")
            XCTAssertEqual(texts.last, "COMMIT TRANSACTION")
            cancellable.cancel()
        }
    }

    func testARetainedEventLosesItsValues() throws {
        try onEachQueue { dbQueue in
            var kept: Database.TraceEvent?
            try dbQueue.inDatabase { db in
                db.trace { kept = $0 }
                try db.execute(sql: "SELECT ?", arguments: ["secret"])
            }
            XCTAssertEqual(kept?.expandedDescription, "SELECT ?")
        }
    }
}
