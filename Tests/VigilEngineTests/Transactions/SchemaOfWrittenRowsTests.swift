import Vigil
import VigilEngine
import XCTest

/// Changed rows are compared with conditions by the columns that their table has at that moment.
final class SchemaOfWrittenRowsTests: XCTestCase {
    private static let player = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, team INTEGER, name TEXT);
        INSERT INTO player VALUES (1, 5, 'a');
        """

    private func observe<Value>(
        _ dbQueue: DatabaseQueue, _ values: Recorder<[Value]>, _ sql: String
    ) -> AnyDatabaseCancellable where Value: DatabaseValueConvertible & Sendable {
        ValueObservation.tracking { db in try Value.fetchAll(db, sql: sql) }.start(
            in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
    }

    func testTheSchemaOfASavepointIsForgottenByItsRollback() throws {
        let otherOrder = """
            DROP TABLE player; CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, team INTEGER);
            INSERT INTO player VALUES (1, 'n', 8);
            """
        for usesBlock in [true, false] {
            try onEachQueue(schema: Self.player) { dbQueue in
                let values = Recorder<[String]>()
                let cancellable = observe(dbQueue, values, "SELECT name FROM player WHERE team = 5")
                try dbQueue.write { db in
                    if usesBlock {
                        try db.inSavepoint {
                            try db.execute(sql: otherOrder)
                            return .rollback
                        }
                    } else {
                        try db.execute(sql: "SAVEPOINT s; \(otherOrder); ROLLBACK TO s; RELEASE s")
                    }
                    try db.execute(sql: "UPDATE player SET name = 'x' WHERE id = 1")
                }
                try dbQueue.write { db in try db.execute(sql: "UPDATE player SET name = 'y' WHERE id = 1") }
                XCTAssertEqual(values.all, [["a"], ["x"], ["y"]])
                cancellable.cancel()
            }
        }
    }

    /// Calls `body` with two connections that have attached the same file.
    private func withAttachedFile(_ body: (DatabaseQueue, _ other: DatabaseQueue) throws -> Void) throws {
        try onEachQueue(schema: "CREATE TABLE t(a)") { dbQueue in
            let directory = try TemporaryDirectory()
            let other = try DatabaseQueue(configuration: dbQueue.configuration)
            for queue in [dbQueue, other] {
                // Not encrypted, even if the main database is.
                try queue.writeWithoutTransaction { db in
                    try db.execute(sql: "ATTACH '\(directory.file("attached"))' AS aux KEY ''")
                }
            }
            try body(dbQueue, other)
        }
    }

    func testAnotherConnectionRedefinesAViewOfAnAttachedDatabase() throws {
        try withAttachedFile { dbQueue, other in
            try other.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE aux.a(x); CREATE TABLE aux.b(x);
                        CREATE VIEW aux.v AS SELECT x FROM a;
                        """)
            }
            let values = Recorder<Int>()
            let cancellable = ValueObservation.trackingConstantRegion { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(x) FROM v") ?? -1
            }.start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            let changes = Recorder<Int64>()
            let second = DatabaseRegionObservation(tracking: SQLRequest<Row>("SELECT x FROM v")).start(
                in: dbQueue, onError: { XCTFail("\($0)") },
                onChange: { db in changes.append(db.lastInsertedRowID) })
            try dbQueue.write { db in try db.execute(sql: "INSERT INTO aux.a VALUES (1)") }
            try other.write { db in
                try db.execute(sql: "DROP VIEW aux.v; CREATE VIEW aux.v AS SELECT x FROM b")
            }
            try dbQueue.write { db in try db.execute(sql: "INSERT INTO aux.a VALUES (2)") }
            try dbQueue.write { db in try db.execute(sql: "INSERT INTO aux.b VALUES (3)") }
            XCTAssertEqual(values.all, [0, 1, 0, 1])
            XCTAssertEqual(changes.all, [1, 2, 1])
            cancellable.cancel()
            second.cancel()
        }
    }

    func testAnotherConnectionAltersATableOfAnAttachedDatabase() throws {
        try withAttachedFile { dbQueue, other in
            let table = Self.player.replacing(" player", with: " aux.player")
            try other.write { db in try db.execute(sql: table) }
            let values = Recorder<[String]>()
            let cancellable = observe(dbQueue, values, "SELECT name FROM aux.player WHERE team = 5")
            try dbQueue.write { db in try db.execute(sql: "UPDATE aux.player SET name = 'b'") }
            try other.write { db in
                try db.execute(
                    sql: """
                        DROP TABLE aux.player;
                        CREATE TABLE aux.player(id INTEGER PRIMARY KEY, name TEXT, team INTEGER);
                        INSERT INTO aux.player VALUES (1, 'c', 5);
                        """)
            }
            try dbQueue.write { db in try db.execute(sql: "UPDATE aux.player SET name = 'x' WHERE id = 1") }
            XCTAssertEqual(values.all.last, ["x"])
            cancellable.cancel()
        }
    }

    /// The library asks for the permission to delete children in the same way as for that of the statement.
    func testACascadeThatDeletesNoRowChangesNothing() throws {
        let schema = """
            CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE player(id INTEGER PRIMARY KEY, team INTEGER REFERENCES team(id) ON DELETE CASCADE);
            INSERT INTO team VALUES (1, 'a'), (2, 'b'); INSERT INTO player VALUES (1, 1);
            """
        try onEachQueue(schema: schema) { dbQueue in
            let values = Recorder<[Int]>()
            let cancellable = observe(dbQueue, values, "SELECT COUNT(*) FROM player")
            try dbQueue.write { db in try db.execute(sql: "DELETE FROM team WHERE id = 2") }
            XCTAssertEqual(values.all, [[1]])
            try dbQueue.write { db in try db.execute(sql: "DELETE FROM team") }
            XCTAssertEqual(values.all, [[1], [0]])
            // Without the pre-update hook, replaced rows are not reported.
            guard try dbQueue.read({ $0.connection.capabilities.reportsRowImages }) else {
                return cancellable.cancel()
            }
            try dbQueue.write { db in try db.execute(sql: "INSERT OR REPLACE INTO team VALUES (3, 'c')") }
            XCTAssertEqual(values.all, [[1], [0]])
            cancellable.cancel()
        }
    }
}
