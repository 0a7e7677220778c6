import Vigil
import XCTest

final class NotifyChangesTests: XCTestCase {
    private func notify(
        _ region: DatabaseRegion, in writer: any DatabaseWriter, to observer: RecordingObserver
    ) throws -> [String] {
        writer.add(transactionObserver: observer)
        defer { writer.remove(transactionObserver: observer) }
        try writer.write { db in try db.notifyChanges(in: region) }
        return observer.takeLog()
    }

    func testAnObserverOfAnyEventKindOfTheRegionIsNotifiedOnce() throws {
        try onEachWriter { writer in
            let region = DatabaseRegion(table: "artist", columns: ["name"])
                .union(DatabaseRegion(table: "album"))
            let notified: [(DatabaseEventKind) -> Bool] = [
                { _ in true },
                { $0 == .insert(tableName: "artist") },
                { $0 == .delete(tableName: "artist") },
                { $0 == .update(tableName: "artist", columnNames: ["name"]) },
                { $0 == .update(tableName: "album", columnNames: ["id", "artist", "title"]) },
            ]
            for observes in notified {
                let observer = RecordingObserver(observes: observes)
                XCTAssertEqual(try notify(region, in: writer, to: observer), ["changed"] + commit)
            }
            let unnotified: [(DatabaseEventKind) -> Bool] = [
                { _ in false },
                { $0.tableName == "sqlite_master" },
                { $0 == .update(tableName: "artist", columnNames: ["id", "name"]) },
            ]
            for observes in unnotified {
                let observer = RecordingObserver(observes: observes)
                XCTAssertEqual(try notify(region, in: writer, to: observer), commit)
            }
        }
    }

    func testAnEmptyRegionNotifiesNoObserver() throws {
        try onEachWriter { writer in
            XCTAssertEqual(try notify(DatabaseRegion(), in: writer, to: RecordingObserver()), commit)
            let missing = DatabaseRegion(table: "missing")
            XCTAssertEqual(try notify(missing, in: writer, to: RecordingObserver()), commit)
        }
    }

    func testTheFullDatabaseContainsAllTablesOfAllSchemas() throws {
        try onEachWriter { writer in
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TEMP TABLE fleeting(id INTEGER PRIMARY KEY)")
                try db.execute(sql: "ATTACH DATABASE ':memory:' AS other")
                try db.execute(
                    sql: "CREATE TABLE other.far(id INTEGER PRIMARY KEY); CREATE VIEW v AS SELECT 1")
            }
            let asked = RecordingObserver { _ in false }
            var tables: Set<String> = []
            asked.observes = { kind in
                tables.insert(kind.tableName)
                return false
            }
            XCTAssertEqual(try notify(.fullDatabase, in: writer, to: asked), commit)
            XCTAssertEqual(tables, ["artist", "album", "fleeting", "far"])
            XCTAssertEqual(
                try notify(.fullDatabase, in: writer, to: RecordingObserver()), ["changed"] + commit)
        }
    }

    func testADatabaseWithoutTablesNotifiesNoObserver() throws {
        try onEachWriter(schema: "") { writer in
            XCTAssertEqual(try notify(.fullDatabase, in: writer, to: RecordingObserver()), commit)
        }
    }

    func testTheSchemaTableIsReportedIfNamed() throws {
        try onEachWriter { writer in
            let observer = RecordingObserver { $0.tableName == "sqlite_master" }
            let region = DatabaseRegion(table: "SQLITE_MASTER")
            XCTAssertEqual(try notify(region, in: writer, to: observer), ["changed"] + commit)
            let temporary = RecordingObserver { $0.tableName == "sqlite_temp_master" }
            let temporaryRegion = DatabaseRegion(table: "sqlite_temp_master")
            XCTAssertEqual(try notify(temporaryRegion, in: writer, to: temporary), commit)
            try writer.run("CREATE TEMP TABLE fleeting(a)")
            XCTAssertEqual(
                try notify(temporaryRegion, in: writer, to: temporary), ["changed"] + commit)
            XCTAssertEqual(try notify(.fullDatabase, in: writer, to: temporary), commit)
        }
    }

    func testObserversReceiveNamesInTheSpellingOfTheSchema() throws {
        try onEachWriter { writer in
            let observer = RecordingObserver {
                $0 == .update(tableName: "artist", columnNames: ["name"])
            }
            let region = DatabaseRegion(table: "ARTIST", columns: ["NAME"])
            XCTAssertEqual(try notify(region, in: writer, to: observer), ["changed"] + commit)
        }
    }

    func testNotifyingChangesInsideAReadDoesNothing() throws {
        try onEachObservedWriter { writer, observer in
            try writer.read { db in try db.notifyChanges(in: DatabaseRegion.fullDatabase) }
            try writer.writeWithoutTransaction { db in
                try db.readOnly { try db.notifyChanges(in: DatabaseRegion.fullDatabase) }
            }
            XCTAssertEqual(observer.log, [])
        }
    }

    func testANotificationOutsideATransactionIsATransaction() throws {
        try onEachObservedWriter { writer, observer in
            try writer.writeWithoutTransaction { db in
                try db.notifyChanges(in: DatabaseRegion(table: "artist"))
            }
            XCTAssertEqual(observer.takeLog(), ["changed"] + commit)
            observer.onWillCommit = { throw Objection() }
            XCTAssertThrowsError(
                try writer.writeWithoutTransaction { db in
                    try db.notifyChanges(in: DatabaseRegion(table: "artist"))
                }
            ) { XCTAssertTrue($0 is Objection) }
            XCTAssertEqual(observer.takeLog(), ["changed", "will commit"] + rollback)
        }
    }

    func testRegionObservationsAreNotifiedAfterTheCommit() throws {
        try onEachWriter { writer in
            let commits = Values<Int>()
            let cancellable = DatabaseRegionObservation(tracking: DatabaseRegion(table: "artist"))
                .start(in: writer, onError: { XCTFail("\($0)") }, onChange: { _ in commits.append(1) })
            try writer.write { db in
                try db.notifyChanges(in: DatabaseRegion(table: "artist"))
                XCTAssertEqual(commits.all, [])
            }
            XCTAssertEqual(commits.all, [1])
            try writer.writeWithoutTransaction { db in
                try db.notifyChanges(in: DatabaseRegion.fullDatabase)
                XCTAssertEqual(commits.all, [1, 1])
                try db.notifyChanges(in: DatabaseRegion(table: "album"))
                try db.inTransaction {
                    try db.notifyChanges(in: DatabaseRegion(table: "artist"))
                    return .rollback
                }
            }
            XCTAssertEqual(commits.all, [1, 1])
            cancellable.cancel()
        }
    }

    func testValueObservationsFetchAgainAfterTheCommit() throws {
        try onEachWriter { writer in
            let fetches = FetchCount()
            let cancellable = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist")
            }
            .start(
                in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { _ in fetches.add() })
            wait(for: [fetches.reach(1, self)], timeout: 5)
            let second = fetches.reach(2, self)
            try writer.write { db in try db.notifyChanges(in: DatabaseRegion(table: "artist")) }
            wait(for: [second], timeout: 5)
            let third = fetches.reach(3, self)
            try writer.writeWithoutTransaction { db in
                try db.notifyChanges(in: DatabaseRegion(table: "artist"))
            }
            wait(for: [third], timeout: 5)
            cancellable.cancel()
        }
    }
}
