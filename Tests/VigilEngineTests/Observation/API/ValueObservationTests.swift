import Dispatch
import Foundation
import Vigil
import XCTest

final class ValueObservationTests: XCTestCase {
    private let player = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        CREATE TABLE team(id INTEGER PRIMARY KEY);
        INSERT INTO player VALUES (1, 'a', 10), (2, 'b', 20);
        """

    /// Returns the values of an observation of a query's first column while `body` runs.
    private func values(
        of sql: String, in dbQueue: DatabaseQueue, _ body: () throws -> Void
    ) throws -> [[Int]] {
        let values = Values<[Int]>()
        let cancellable =
            ValueObservation
            .tracking { db in try Int.fetchAll(db, sql: sql) }
            .start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) }
            )
        try body()
        try dbQueue.read { _ in }
        cancellable.cancel()
        return values.all
    }

    func testThereIsAnInitialValueAndOneValuePerMatchingCommit() throws {
        try onEachQueue(schema: player) { dbQueue in
            let values = try values(of: "SELECT COUNT(*) FROM player", in: dbQueue) {
                try dbQueue.write { db in
                    try db.execute(sql: "INSERT INTO player VALUES (3, 'c', 1), (4, 'd', 1)")
                }
                try dbQueue.write { db in try db.execute(sql: "INSERT INTO team VALUES (1)") }
                try dbQueue.write { db in
                    try db.execute(sql: "DELETE FROM player WHERE id = 1")
                    try db.execute(sql: "DELETE FROM player WHERE id = 2")
                }
                try dbQueue.write { db in try db.execute(sql: "DELETE FROM player") }
            }
            XCTAssertEqual(values, [[2], [4], [2], [0]])
        }
    }

    func testAnUpdateOfAnotherColumnDoesNotMatch() throws {
        try onEachQueue(schema: player) { dbQueue in
            let values = try values(of: "SELECT score FROM player", in: dbQueue) {
                try dbQueue.write { db in try db.execute(sql: "UPDATE player SET name = 'z'") }
                try dbQueue.write { db in try db.execute(sql: "UPDATE PLAYER SET SCORE = 5 WHERE id = 1") }
            }
            XCTAssertEqual(values, [[10, 20], [5, 20]])
        }
    }

    func testAnUpdateWithoutEffectDoesNotMatchWithRowImages() throws {
        try onEachQueue(schema: player) { dbQueue in
            let reportsValues = dbQueue.inDatabase { $0.sqliteReportsRowImages }
            let values = try values(of: "SELECT score FROM player", in: dbQueue) {
                try dbQueue.write { db in try db.execute(sql: "UPDATE player SET score = score") }
            }
            XCTAssertEqual(values, reportsValues ? [[10, 20]] : [[10, 20], [10, 20]])
        }
        var configuration = Configuration()
        configuration.ignoresNoOpUpdates = false
        try onEachQueue(configuration, schema: player) { dbQueue in
            let values = try values(of: "SELECT score FROM player", in: dbQueue) {
                try dbQueue.write { db in try db.execute(sql: "UPDATE player SET score = score") }
            }
            XCTAssertEqual(values, [[10, 20], [10, 20]])
        }
    }

    func testRowsWithVirtualColumnsAreCompared() throws {
        let schema = """
            CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, v AS (b + 1));
            INSERT INTO t(id, a, b) VALUES (1, 10, 0), (2, 20, 0)
            """
        try onEachQueue(schema: "") { dbQueue in
            // Older libraries have no generated columns.
            guard (try? dbQueue.write({ db in try db.execute(sql: schema) })) != nil else { return }
            let values = try values(of: "SELECT v FROM t WHERE a = 10", in: dbQueue) {
                for sql in [
                    "UPDATE t SET b = b", "UPDATE t SET a = a, b = 5 WHERE id = 2",
                    "UPDATE t SET b = 7 WHERE id = 1", "UPDATE t SET a = 10 WHERE id = 2",
                ] {
                    try dbQueue.write { db in try db.execute(sql: sql) }
                }
            }
            XCTAssertEqual(values, [[1], [8], [8, 6]])
        }
    }

    func testRolledBackChangesDoNotMatch() throws {
        try onEachQueue(schema: player) { dbQueue in
            let values = try values(of: "SELECT COUNT(*) FROM player", in: dbQueue) {
                try dbQueue.inTransaction { db in
                    try db.execute(sql: "DELETE FROM player")
                    return .rollback
                }
                try dbQueue.write { db in
                    try db.inSavepoint {
                        try db.execute(sql: "DELETE FROM player")
                        return .rollback
                    }
                }
                try? dbQueue.write { db in try db.execute(sql: "INSERT INTO player VALUES (1, '', 1)") }
                try dbQueue.write { db in try db.execute(sql: "DELETE FROM player WHERE id = 1") }
            }
            XCTAssertEqual(values, [[2], [1]])
        }
    }

    func testStatementsOutsideTransactionsAndSQLCommandsMatch() throws {
        try onEachQueue(schema: player) { dbQueue in
            let values = try values(of: "SELECT COUNT(*) FROM player", in: dbQueue) {
                try dbQueue.writeWithoutTransaction { db in
                    try db.execute(sql: "DELETE FROM player WHERE id = 1")
                    try db.execute(sql: "BEGIN; DELETE FROM player; ROLLBACK")
                    try db.execute(sql: "SAVEPOINT a; INSERT INTO player VALUES (7, '', 1); RELEASE a")
                }
            }
            XCTAssertEqual(values, [[2], [1], [2]])
        }
    }

    func testTheRegionFollowsTheFetch() throws {
        try onEachQueue(schema: player) { dbQueue in
            let values = Values<Int>()
            let observation = ValueObservation.tracking { db -> Int in
                let teams = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team") ?? 0
                return teams == 0 ? 0 : try Int.fetchOne(db, sql: "SELECT SUM(score) FROM player") ?? 0
            }
            let cancellable = observation.start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) }
            )
            try dbQueue.write { db in try db.execute(sql: "UPDATE player SET score = 1") }
            try dbQueue.write { db in try db.execute(sql: "INSERT INTO team VALUES (1)") }
            try dbQueue.write { db in try db.execute(sql: "UPDATE player SET score = 2") }
            XCTAssertEqual(values.all, [0, 2, 4])
            cancellable.cancel()
        }
    }

    func testADroppedTableEndsTheObservationWithTheError() throws {
        try onEachQueue(schema: player) { dbQueue in
            let values = Values<Int>()
            let errors = Values<String>()
            let cancellable =
                ValueObservation
                .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? -1 }
                .start(
                    in: dbQueue, scheduling: .inline, onError: { errors.append("\($0)") },
                    onChange: { values.append($0) })
            try dbQueue.write { db in try db.execute(sql: "DROP TABLE player") }
            try dbQueue.write { db in
                try db.execute(sql: player.replacingOccurrences(of: "TABLE team", with: "TABLE t2"))
            }
            XCTAssertEqual(values.all, [2])
            XCTAssertEqual(
                errors.all,
                ["SQLite error 1: no such table: player - while executing `SELECT COUNT(*) FROM player`"])
            cancellable.cancel()
        }
    }

    func testAnAlteredTableIsFetchedAgain() throws {
        try onEachQueue(schema: player) { dbQueue in
            let values = Values<Int>()
            let cancellable =
                ValueObservation
                .tracking { db in try Row.fetchOne(db, sql: "SELECT * FROM player")?.count ?? 0 }
                .start(
                    in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                    onChange: { values.append($0) })
            try dbQueue.write { db in try db.execute(sql: "ALTER TABLE player ADD COLUMN age") }
            try dbQueue.write { db in try db.execute(sql: "UPDATE player SET age = 1") }
            XCTAssertEqual(values.all, [3, 4, 4])
            cancellable.cancel()
        }
    }

    func testViewsAreObservedThroughTheirTables() throws {
        let view = player + "CREATE VIEW rich AS SELECT * FROM player WHERE score > 15;"
        try onEachQueue(schema: view) { dbQueue in
            let values = try values(of: "SELECT COUNT(*) FROM rich", in: dbQueue) {
                try dbQueue.write { db in try db.execute(sql: "UPDATE player SET score = 30") }
            }
            XCTAssertEqual(values, [[1], [2]])
        }
    }

    func testDuplicatesOfMappedValuesAreRemoved() throws {
        try onEachQueue(schema: player) { dbQueue in
            let values = Values<String>()
            let done = expectation(description: "last value")
            let cancellable =
                ValueObservation
                .tracking { db in try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player") ?? 0 }
                .map { $0 >= 100 ? "high" : "low" }
                .removeDuplicates()
                .start(in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") }) {
                    values.append($0)
                    if $0 == "high" { done.fulfill() }
                }
            for score in [11, 12, 99, 100] {
                try dbQueue.write { db in
                    try db.execute(sql: "UPDATE player SET score = ?", arguments: [score])
                }
            }
            wait(for: [done], timeout: 30)
            XCTAssertEqual(values.all, ["low", "high"])
            cancellable.cancel()
        }
    }

    func testAnErrorInAMapEndsTheObservation() throws {
        struct Refusal: Error {}
        try onEachQueue(schema: player) { dbQueue in
            let failed = expectation(description: "failed")
            let cancellable =
                ValueObservation
                .tracking { db in try Int.fetchOne(db, sql: "SELECT 1") ?? 0 }
                .map { _ -> Int in throw Refusal() }
                .start(
                    in: dbQueue, scheduling: .inline, onError: { _ in failed.fulfill() },
                    onChange: { _ in XCTFail() })
            wait(for: [failed], timeout: 30)
            cancellable.cancel()
        }
    }

    func testNothingIsDeliveredAfterCancellationOrRelease() throws {
        try onEachQueue(schema: player) { dbQueue in
            let values = Values<Int>()
            var cancellables = (1...2).map { _ in
                ValueObservation
                    .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0 }
                    .start(
                        in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                        onChange: { values.append($0) })
            }
            try dbQueue.read { _ in }
            XCTAssertEqual(values.all, [2, 2])
            cancellables[0].cancel()
            cancellables = []
            try dbQueue.write { db in try db.execute(sql: "DELETE FROM player") }
            XCTAssertEqual(values.all, [2, 2])
        }
    }

    func testTheFetchCannotWriteUnlessRequested() throws {
        try onEachQueue(schema: player) { dbQueue in
            let errors = Values<String>()
            let values = Values<Int>()
            var observation = ValueObservation.tracking { db -> Int in
                try db.execute(sql: "INSERT INTO team DEFAULT VALUES")
                return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
            }
            func start() -> AnyDatabaseCancellable {
                observation.start(
                    in: dbQueue, scheduling: .inline, onError: { errors.append("\($0)") },
                    onChange: { values.append($0) })
            }
            let first = start()
            try dbQueue.read { _ in }
            XCTAssertEqual(errors.all.count, 1)
            XCTAssertTrue(errors.all[0].contains("attempt to write a readonly database"), errors.all[0])
            observation.requiresWriteAccess = true
            let second = start()
            try dbQueue.write { db in try db.execute(sql: "DELETE FROM player WHERE id = 1") }
            XCTAssertEqual(values.all, [2, 1])
            XCTAssertEqual(try dbQueue.count("team"), 2)
            first.cancel()
            second.cancel()
        }
    }

    func testAGivenRegionOverridesTheReadRegion() throws {
        try onEachQueue(schema: player) { dbQueue in
            let values = Values<Int>()
            let cancellable =
                ValueObservation
                .tracking(region: DatabaseRegion(table: "team")) { db in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
                }
                .start(
                    in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                    onChange: { values.append($0) })
            try dbQueue.write { db in try db.execute(sql: "DELETE FROM player WHERE id = 1") }
            try dbQueue.write { db in try db.execute(sql: "INSERT INTO team VALUES (1)") }
            XCTAssertEqual(values.all, [2, 1])
            cancellable.cancel()
        }
    }

    func testAnImmediateInitialValueIsDeliveredBeforeTheStartReturns() throws {
        try onEachQueue(schema: player) { dbQueue in
            let values = Values<Int>()
            let changed = expectation(description: "changed")
            let cancellable = MainActor.assumeIsolated {
                ValueObservation
                    .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0 }
                    .start(in: dbQueue, scheduling: .immediate) { error in
                        XCTFail("\(error)")
                    } onChange: { value in
                        values.append(value)
                        if value == 2 {
                            do {
                                try dbQueue.write { db in
                                    try db.execute(sql: "DELETE FROM player WHERE id = 1")
                                }
                            } catch {
                                XCTFail("\(error)")
                            }
                        } else {
                            changed.fulfill()
                        }
                    }
            }
            XCTAssertEqual(values.all, [2])
            wait(for: [changed], timeout: 30)
            XCTAssertEqual(values.all, [2, 1])
            cancellable.cancel()
        }
    }

    func testAnImmediateErrorIsDeliveredBeforeTheStartReturns() throws {
        try onEachQueue { dbQueue in
            let errors = Values<String>()
            let cancellable = MainActor.assumeIsolated {
                ValueObservation
                    .tracking { db in try Int.fetchOne(db, sql: "SELECT * FROM missing") }
                    .start(in: dbQueue, scheduling: .immediate) {
                        errors.append("\($0)")
                    } onChange: { _ in
                        XCTFail()
                    }
            }
            XCTAssertEqual(errors.all.count, 1)
            cancellable.cancel()
        }
    }

    func testAsynchronousValuesEndWithTheLoop() async throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let dbQueue = try DatabaseQueue(configuration: configuration)
            try await dbQueue.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            let observation = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0
            }
            var seen: [Int] = []
            for try await value in observation.values(in: dbQueue) {
                seen.append(value)
                if value == 3 { break }
                try await dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
            }
            XCTAssertEqual(seen, [0, 1, 2, 3])
        }
    }

    func testACancelledLoopEndsWithoutAnError() async throws {
        let dbQueue = try DatabaseQueue()
        let started = expectation(description: "started")
        let task = Task {
            for try await _ in ValueObservation.tracking({ try Int.fetchOne($0, sql: "SELECT 1") }).values(
                in: dbQueue)
            {
                started.fulfill()
            }
        }
        await fulfillment(of: [started], timeout: 30)
        task.cancel()
        try await task.value
    }

    func testAClosedQueueEndsItsObservationsSilently() throws {
        try onEachQueue(schema: player) { dbQueue in
            let cancellable =
                ValueObservation
                .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0 }
                .start(in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { _ in })
            try dbQueue.read { _ in }
            try dbQueue.close()
            cancellable.cancel()
        }
    }

    func testAReadOnlyQueueDeliversOneValue() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let writer = try DatabaseQueue(path: directory.file("db"), configuration: configuration)
            try writer.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            configuration.readonly = true
            let reader = try DatabaseQueue(path: directory.file("db"), configuration: configuration)
            let values = try values(of: "SELECT COUNT(*) FROM t", in: reader) {
                // The initial value has been fetched, so its read no longer blocks the writer.
                try reader.read { _ in }
                try writer.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
            }
            XCTAssertEqual(values, [[0]])
        }
    }
}

extension Database {
    fileprivate var sqliteReportsRowImages: Bool { connection.capabilities.reportsRowImages }
}
