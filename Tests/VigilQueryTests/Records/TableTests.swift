import Dispatch
import Foundation
import Synchronization
import Vigil
import XCTest

private struct Player: Codable, FetchableRecord, TableRecord, Hashable {
    var id: Int64
    var name: String
}

private struct Reader: FetchableRecord {
    var name: String
    init(row: Row) { name = row["name"] }
}

private struct T: TableRecord {}
private struct PostalAddress: TableRecord {}
private struct HTTPRequest: TableRecord {}
private struct TOEFL: TableRecord {}
private struct Box<Value>: TableRecord {}

final class TableTests: XCTestCase {
    private func makeDatabase() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT);
                    INSERT INTO player VALUES (1, 'Arthur'), (2, 'Barbara');
                    """)
        }
        return dbQueue
    }

    func testValuesOfTheFirstColumnAreFetched() throws {
        try makeDatabase().inDatabase { db in
            let ids = Table<Int64>("player")
            XCTAssertEqual(try Array(ids.fetchCursor(db)), [1, 2])
            XCTAssertEqual(try ids.fetchAll(db), [1, 2])
            XCTAssertEqual(try ids.fetchSet(db), [1, 2])
            XCTAssertEqual(try ids.fetchOne(db), 1)
            try db.execute(sql: "CREATE TABLE link(url TEXT); INSERT INTO link VALUES ('a:b'), (NULL)")
            XCTAssertEqual(try Table<URL?>("link").fetchAll(db), [URL(string: "a:b"), nil])
            XCTAssertThrowsError(try Table<URL>("link").fetchAll(db))
            try db.execute(sql: "DELETE FROM link")
            XCTAssertNil(try Table<URL>("link").fetchOne(db))
        }
    }

    func testATableIsNamedAfterItsType() {
        XCTAssertEqual(T.databaseTableName, "t")
        XCTAssertEqual(PostalAddress.databaseTableName, "postalAddress")
        XCTAssertEqual(HTTPRequest.databaseTableName, "httpRequest")
        XCTAssertEqual(TOEFL.databaseTableName, "toefl")
        XCTAssertEqual(Box<Int>.databaseTableName, "box")
    }

    func testRecordsAreFetchedFromStatementsSQLRequestsAndTables() throws {
        let arthur = Player(id: 1, name: "Arthur"), barbara = Player(id: 2, name: "Barbara")
        let sql = "SELECT * FROM player"
        try makeDatabase().read { db in
            let statement = try db.makeStatement(sql: sql)
            XCTAssertEqual(try Player.fetchAll(statement), [arthur, barbara])
            XCTAssertEqual(try Player.fetchSet(statement), [arthur, barbara])
            XCTAssertEqual(try Player.fetchOne(statement), arthur)
            XCTAssertEqual(try Player.fetchCursor(db, sql: sql).next(), arthur)
            XCTAssertEqual(try Player.fetchAll(db, sql: sql + " WHERE id > ?", arguments: [1]), [barbara])
            XCTAssertNil(try Player.fetchOne(db, sql: sql + " WHERE id > 2"))
            let request: SQLRequest<Player> = "SELECT * FROM \(Player.self) WHERE id = \(2)"
            XCTAssertEqual(try request.fetchAll(db), [barbara])
            XCTAssertEqual(try request.fetchSet(db), [barbara])
            XCTAssertEqual(try request.fetchOne(db), barbara)
            XCTAssertEqual(try request.fetchCursor(db).next(), barbara)
            XCTAssertEqual(try Player.fetchAll(db), [arthur, barbara])
            XCTAssertEqual(try Table<Player>("player").fetchSet(db), [arthur, barbara])
            XCTAssertEqual(try Table("player").fetchOne(db), ["id": 1, "name": "Arthur"])
            XCTAssertEqual(try Table<Reader>("PLAYER").fetchAll(db).map(\.name), ["Arthur", "Barbara"])
        }
    }

    func testMethodReferencesReadAndObserve() async throws {
        let dbQueue = try makeDatabase()
        let count = try await dbQueue.read(Player.fetchCount)
        XCTAssertEqual(count, 2)
        let records = try await dbQueue.read(Player.fetchAll)
        XCTAssertEqual(records.count, 2)
        let counts = ValueObservation.tracking(Table("player").fetchCount).values(in: dbQueue)
        var seen: [Int] = []
        for try await count in counts {
            seen.append(count)
            if count == 3 { break }
            try await dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (3, 'Craig')") }
        }
        XCTAssertEqual(seen.last, 3)
        for try await count in ValueObservation.tracking(Player.fetchCount).values(in: dbQueue) {
            XCTAssertEqual(count, 3)
            break
        }
    }

    func testTheRegionOfATableHasTheSpellingOfTheSchemaAndItsDatabase() throws {
        try makeDatabase().inDatabase { db in
            XCTAssertEqual(try Table("PLAYER").databaseRegion(db).description, "player(*)")
            XCTAssertEqual(try Table("Missing").databaseRegion(db).description, "Missing(*)")
            try db.execute(sql: "ATTACH ':memory:' AS other; CREATE TABLE other.Team(id)")
            XCTAssertEqual(try Table("team").databaseRegion(db).description, "other.Team(*)")
            try db.execute(sql: "CREATE VIEW names AS SELECT name FROM player")
            XCTAssertEqual(
                try Table("NAMES").databaseRegion(db).tables.map(\.table.name), ["names", "player"])
            try db.execute(sql: "CREATE TEMP TABLE Player(id)")
            XCTAssertEqual(try Table("PLAYER").databaseRegion(db).description, "temp.Player(*)")
        }
    }

    func testARegionObservationTracksATable() throws {
        let dbQueue = try makeDatabase()
        let count = Mutex(0)
        let cancellable = DatabaseRegionObservation(tracking: Table("PLAYER")).start(
            in: dbQueue, onError: { XCTFail("\($0)") }, onChange: { _ in count.withLock { $0 += 1 } })
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE other(a); INSERT INTO other VALUES (1)") }
        XCTAssertEqual(count.withLock { $0 }, 0)
        try dbQueue.write { try $0.execute(sql: "UPDATE player SET name = 'x' WHERE id = 2") }
        XCTAssertEqual(count.withLock { $0 }, 1)
        try dbQueue.write { try $0.notifyChanges(in: Table("Player")) }
        XCTAssertEqual(count.withLock { $0 }, 2)
        cancellable.cancel()
    }

    func testObserversReceiveTheTableNameOfTheSchema() throws {
        let dbQueue = try makeDatabase()
        for (table, observed) in [("PLAYER", "player"), ("sqlite_master", "sqlite_master")] {
            let observer = TableObserver(observed)
            dbQueue.add(transactionObserver: observer)
            try dbQueue.write { try $0.notifyChanges(in: Table("missing")) }
            XCTAssertEqual(observer.changes.withLock { $0 }, 0)
            try dbQueue.write { try $0.notifyChanges(in: Table(table)) }
            XCTAssertEqual(observer.changes.withLock { $0 }, 1, table)
        }
    }

    func testTheTemporarySchemaTableExistsOnceATemporaryTableDoes() throws {
        let dbQueue = try makeDatabase()
        let observer = TableObserver("sqlite_temp_master")
        dbQueue.add(transactionObserver: observer)
        try dbQueue.write { try $0.notifyChanges(in: Table("sqlite_temp_master")) }
        XCTAssertEqual(observer.changes.withLock { $0 }, 0)
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TEMP TABLE t(a)")
            try db.notifyChanges(in: Table("sqlite_temp_master"))
        }
        XCTAssertEqual(observer.changes.withLock { $0 }, 1)
    }
}

private final class TableObserver: TransactionObserver, Sendable {
    let changes = Mutex(0)
    let table: String
    init(_ table: String) { self.table = table }
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == table }
    func databaseDidChange() { changes.withLock { $0 += 1 } }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}
