import Vigil
import XCTest

@testable import VigilEngine

/// Tests that records and requests use the statements that a connection keeps for repeated texts.
final class KeptRecordStatementTests: XCTestCase {
    private struct Player: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
    }

    private func onEachConnection(_ body: (Database) throws -> Void) throws {
        for (name, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let dbQueue = try DatabaseQueue(configuration: configuration)
            try dbQueue.inDatabase { db in
                try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT)")
                let failures = testRun?.totalFailureCount ?? 0
                try body(db)
                if (testRun?.totalFailureCount ?? 0) > failures { XCTFail("on \(name)") }
            }
        }
    }

    /// Returns the texts for which statements are kept during `body`.
    private func texts(_ db: Database, _ body: () throws -> Void) throws -> Set<String> {
        db.releaseMemory()
        try body()
        return Set(db.statementCaches.kept.texts)
    }

    func testEachSaveKeepsItsStatement() throws {
        try onEachConnection { db in
            let saves: [(Player) throws -> Void] = [
                { try $0.insert(db) }, { try $0.update(db) }, { try $0.save(db) },
                { _ = try $0.exists(db) }, { _ = try $0.delete(db) },
                { try $0.insert(db, onConflict: .replace) },
            ]
            for (index, save) in saves.enumerated() {
                let player = Player(id: 1, name: "Ann")
                XCTAssertEqual(try texts(db) { try save(player) }.count, 1, "save \(index)")
                if index == 0 { XCTAssertThrowsError(try save(player)) }
            }
            XCTAssertEqual(try Player.fetchAll(db).map(\.name), ["Ann"])
        }
    }

    func testEachFetchKeepsItsStatement() throws {
        try onEachConnection { db in
            try Player(id: 1, name: "Ann").insert(db)
            let fetches: [() throws -> Any?] = [
                { try Player.fetchOne(db) }, { try Player.fetchAll(db) }, { try Player.fetchCount(db) },
                { try Player.fetchOne(db, key: 1) },
                { try Player.filter(Column("name") == "Ann").fetchOne(db) },
                { try Player.fetchOne(db, sql: "SELECT * FROM player") },
                { try Player.fetchCursor(db, sql: "SELECT id, name FROM player").next() },
                { try SQLRequest<String>(sql: "SELECT name FROM player").fetchOne(db) },
                { try SQLRequest<String>("SELECT name FROM player WHERE id = \(1)").fetchSet(db) },
                { try Player.updateAll(db, Column("name").set(to: "Ann")) },
            ]
            for (index, fetch) in fetches.enumerated() {
                XCTAssertEqual(try texts(db) { XCTAssertNotNil(try fetch()) }.count, 1, "fetch \(index)")
            }
        }
    }

    func testSavesLeaveTheArgumentsOfTheProgramsStatementsAlone() throws {
        try onEachConnection { db in
            let sql = try XCTUnwrap(
                try texts(db) { try Player(id: 1, name: "Ann").insert(db) }.first)
            let statement = try db.cachedStatement(sql: sql)
            try statement.setArguments([2, "Bob"])
            try Player(id: 3, name: "Cid").insert(db)
            try statement.execute()
            XCTAssertEqual(try Player.fetchAll(db).map(\.name), ["Ann", "Bob", "Cid"])
        }
    }

    func testARecordIsSavedInTheMiddleOfTheSaveOfAnother() throws {
        try onEachConnection { db in
            // Guard: the function only runs on the connection that it is added to.
            nonisolated(unsafe) let unsafeDB = db
            db.add(
                function: DatabaseFunction("saveNext", argumentCount: 1) { arguments in
                    guard let id = Int64.fromDatabaseValue(arguments[0]), id < 4 else { return nil }
                    try Player(id: id + 1, name: "after \(id)").insert(unsafeDB)
                    return nil
                })
            try db.execute(
                sql: "CREATE TEMP TRIGGER t AFTER INSERT ON main.player BEGIN SELECT saveNext(NEW.id); END")
            try Player(id: 1, name: "first").insert(db)
            XCTAssertEqual(
                try Player.fetchAll(db).map(\.name), ["first", "after 1", "after 2", "after 3"])
        }
    }
}
