import Foundation
import Vigil
import XCTest

final class DatabaseQueueTests: XCTestCase {
    private let player = "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score REAL);"

    func testAWriteIsReadBack() throws {
        try onEachQueue(schema: player) { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO player VALUES (?, ?, ?)", arguments: [1, "Arthur", 12.5])
            }
            let row = try dbQueue.read { db in try Row.fetchOne(db, sql: "SELECT * FROM player") }
            XCTAssertEqual(row, ["id": 1, "name": "Arthur", "score": 12.5])
        }
    }

    func testAConnectionIsDescribedByItsLabel() throws {
        var configuration = Configuration()
        configuration.label = "players"
        try DatabaseQueue(configuration: configuration).read { db in
            XCTAssertEqual(db.description, "players")
            XCTAssertEqual(db.debugDescription, "<Database: players>")
        }
    }

    func testAWriteThatThrowsIsRolledBack() throws {
        struct Refusal: Error {}
        try onEachQueue(schema: player) { dbQueue in
            XCTAssertThrowsError(
                try dbQueue.write { db in
                    try db.execute(sql: "INSERT INTO player DEFAULT VALUES")
                    throw Refusal()
                }
            ) { XCTAssertTrue($0 is Refusal) }
            XCTAssertEqual(try dbQueue.count("player"), 0)
            XCTAssertFalse(dbQueue.inDatabase { $0.isInsideTransaction })
        }
    }

    func testAFailedCommitIsRolledBackAndTheQueueStaysUsable() throws {
        let schema = """
            CREATE TABLE parent(id INTEGER PRIMARY KEY);
            CREATE TABLE child(p REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
            """
        try onEachQueue(schema: schema) { dbQueue in
            assertDatabaseError(.SQLITE_CONSTRAINT) {
                try dbQueue.write { db in try db.execute(sql: "INSERT INTO child VALUES (1)") }
            }
            XCTAssertEqual(try dbQueue.count("child"), 0)
            try dbQueue.write { db in try db.execute(sql: "INSERT INTO parent VALUES (1)") }
            XCTAssertEqual(try dbQueue.count("parent"), 1)
        }
    }

    func testReadsCannotWrite() throws {
        try onEachQueue(schema: player) { dbQueue in
            assertDatabaseError(.SQLITE_READONLY, "attempt to write a readonly database") {
                try dbQueue.read { db in try db.execute(sql: "INSERT INTO player DEFAULT VALUES") }
            }
            XCTAssertThrowsError(
                try dbQueue.read { db in try db.execute(sql: "INSERT INTO player DEFAULT VALUES") }
            ) { error in
                XCTAssertEqual(
                    "\(error)",
                    """
                    SQLite error 8: attempt to write a readonly database - while executing \
                    `INSERT INTO player DEFAULT VALUES`
                    """)
                let text = String(reflecting: error)
                XCTAssertTrue(text.contains("database (use write instead of read"), text)
            }
            try dbQueue.write { db in try db.execute(sql: "INSERT INTO player DEFAULT VALUES") }
            XCTAssertEqual(try dbQueue.count("player"), 1)
        }
    }

    func testErrorsContainTheStatement() throws {
        try onEachQueue(schema: player) { dbQueue in
            XCTAssertThrowsError(try dbQueue.read { db in try Row.fetchAll(db, sql: "SELEC * FROM player") })
            {
                XCTAssertEqual(
                    "\($0)",
                    #"SQLite error 1: near "SELEC": syntax error - while executing `SELEC * FROM player`"#)
            }
            XCTAssertThrowsError(try dbQueue.read { db in try Row.fetchAll(db, sql: "SELECT * FROM team") }) {
                XCTAssertEqual(
                    "\($0)", "SQLite error 1: no such table: team - while executing `SELECT * FROM team`")
            }
        }
    }

    func testBoundValuesAreNotInDescriptions() throws {
        try onEachQueue(schema: player) { dbQueue in
            XCTAssertThrowsError(
                try dbQueue.write { db in
                    for _ in 1...2 {
                        try db.execute(
                            sql: "INSERT INTO player (id, name) VALUES (1, ?)", arguments: ["hunter2"])
                    }
                }
            ) { error in
                XCTAssertFalse("\(error)".contains("hunter2"), "\(error)")
                XCTAssertEqual((error as? DatabaseError)?.extendedResultCode, .SQLITE_CONSTRAINT_PRIMARYKEY)
            }
        }
    }

    func testAccessesOfAClosedQueueFail() throws {
        try onEachQueue(schema: player) { dbQueue in
            try dbQueue.close()
            try dbQueue.close()
            assertDatabaseError(.SQLITE_MISUSE) { try dbQueue.read { _ in } }
            assertDatabaseError(.SQLITE_MISUSE) { try dbQueue.write { _ in } }
            assertDatabaseError(.SQLITE_MISUSE) {
                try dbQueue.writeWithoutTransaction { db in try db.execute(sql: "SELECT 1") }
            }
        }
    }

    func testALiveStatementKeepsTheQueueOpen() throws {
        try onEachQueue(schema: player) { dbQueue in
            var statement: Statement? = try dbQueue.inDatabase { try $0.makeStatement(sql: "SELECT 1") }
            XCTAssertNotNil(statement)
            assertDatabaseError(.SQLITE_BUSY) { try dbQueue.close() }
            XCTAssertEqual(try dbQueue.count("player"), 0)
            statement = nil
            try dbQueue.close()
        }
    }

    func testAFileThatIsNotADatabaseIsRefusedAndUnchanged() throws {
        for (name, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let content = Data(repeating: 0x61, count: 5000)
            try content.write(to: URL(fileURLWithPath: directory.file("text")))
            var configuration = Configuration()
            configuration.backend = backend
            assertDatabaseError(.SQLITE_NOTADB) {
                try DatabaseQueue(path: directory.file("text"), configuration: configuration)
            }
            XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: directory.file("text"))), content, name)
        }
    }

    func testAReadOnlyQueueNeedsAFile() throws {
        var configuration = Configuration()
        configuration.readonly = true
        for (_, backend) in testedBackends {
            configuration.backend = backend
            assertDatabaseError(.SQLITE_CANTOPEN) {
                try DatabaseQueue(path: "/nowhere/database.sqlite", configuration: configuration)
            }
        }
    }

    func testAsynchronousAccessesReadAndWriteAndRollBack() async throws {
        struct Refusal: Error {}
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let dbQueue = try DatabaseQueue(configuration: configuration)
            try await dbQueue.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            do {
                try await dbQueue.write { db in
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    throw Refusal()
                }
                XCTFail("it did not throw")
            } catch is Refusal {}
            let count = try await dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }
            XCTAssertEqual(count, 0)
        }
    }

    func testTaskLocalValuesAreSeenInsideAsynchronousAccesses() async throws {
        let dbQueue = try DatabaseQueue()
        let seen = try await Request.$number.withValue(7) { try await dbQueue.read { _ in Request.number } }
        XCTAssertEqual(seen, 7)
    }

    func testATaskCancelledBeforehandDoesNotAccess() async throws {
        let dbQueue = try DatabaseQueue()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await dbQueue.write { _ in XCTFail("accessed") }
        }
        do {
            try await task.value
            XCTFail("it did not throw")
        } catch is CancellationError {}
    }

    func testTwoQueuesCanBeAccessedWithinEachOther() throws {
        let (a, b) = (try DatabaseQueue(), try DatabaseQueue())
        let sum = try a.read { dbA in
            try b.read { dbB in
                try XCTUnwrap(Int.fetchOne(dbA, sql: "SELECT 1"))
                    + XCTUnwrap(Int.fetchOne(dbB, sql: "SELECT 2"))
            }
        }
        XCTAssertEqual(sum, 3)
    }

    func testSavepointsNestAndUndo() throws {
        try onEachQueue(schema: "CREATE TABLE t(a)") { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (2)")
                    try db.inSavepoint {
                        try db.execute(sql: "INSERT INTO t VALUES (3)")
                        return .rollback
                    }
                    return .commit
                }
            }
            XCTAssertEqual(
                try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t ORDER BY a") }, [1, 2])
        }
    }

    func testAccessesOfSharedMemoryFailWhileAnotherQueueChangesTheSchema() throws {
        let name = UUID().uuidString
        let dbQueue = try DatabaseQueue(named: name)
        let other = try DatabaseQueue(named: name)
        try other.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
        XCTAssertEqual(try dbQueue.count("t"), 0)
        try other.write { db in
            try db.execute(sql: "CREATE TABLE u(a)")
            assertDatabaseError(.SQLITE_LOCKED) { try dbQueue.count("t") }
            assertDatabaseError(.SQLITE_LOCKED) {
                try dbQueue.inTransaction(.deferred) { db in
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    return .commit
                }
            }
            XCTAssertFalse(dbQueue.inDatabase { $0.isInsideTransaction })
        }
        XCTAssertEqual(try dbQueue.count("u"), 0)
    }
}

private enum Request {
    @TaskLocal static var number = 0
}

extension DatabaseReader {
    func count(_ table: String) throws -> Int? {
        try read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table)") }
    }
}
