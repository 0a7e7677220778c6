import Dispatch
import VigilStorage
import VigilTesting
import XCTest

/// Visibility between connections of a simulation, beyond the requirements of the contract.
final class SimulatedSnapshotTests: XCTestCase {
    private let location = StorageLocation.file(path: "players")

    private func pair(
        _ backend: SimulatedBackend = SimulatedBackend(), busyHandler: (@Sendable (Int) -> Bool)? = nil
    ) throws -> (any StorageConnection, any StorageConnection) {
        let first = try backend.open(location, options: StorageOptions())
        try first.run("CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'a')")
        var options = StorageOptions()
        options.busyHandler = busyHandler
        return (first, try backend.open(location, options: options))
    }

    func testFilesLiveInTheBackendAndItsCopies() throws {
        let backend = SimulatedBackend()
        let copy = backend
        _ = try pair(backend)
        let other = try copy.open(location, options: StorageOptions())
        XCTAssertEqual(try other.integers("SELECT id FROM t"), [1])
        var options = StorageOptions()
        options.access = .readWrite
        XCTAssertThrowsError(try SimulatedBackend().open(location, options: options))
    }

    func testOldSnapshotCannotBeWrittenTo() throws {
        let (a, b) = try pair()
        try b.run("BEGIN; SELECT id FROM t")
        try a.run("INSERT INTO t VALUES (2, 'b')")
        XCTAssertEqual(b.code("INSERT INTO t VALUES (3, 'c')")?.rawValue, 517)
        XCTAssertTrue(b.isInTransaction)
        XCTAssertEqual(try b.integers("SELECT id FROM t"), [1])
        try b.run("ROLLBACK; INSERT INTO t VALUES (3, 'c')")
        XCTAssertEqual(try a.integers("SELECT id FROM t"), [1, 2, 3])
    }

    func testReaderThatTriesToWriteDoesNotWait() throws {
        let (a, b) = try pair { _ in
            XCTFail("two readers would wait for each other")
            return false
        }
        try a.run("BEGIN IMMEDIATE")
        try b.run("BEGIN; SELECT id FROM t")
        XCTAssertEqual(b.code("DELETE FROM t"), .busy)
    }

    func testWithoutConcurrentReadersACommitWaitsForThem() throws {
        let (a, b) = try pair(SimulatedBackend(allowsConcurrentReaders: false))
        try b.run("BEGIN; SELECT id FROM t")
        try a.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2, 'b')")
        XCTAssertEqual(a.code("COMMIT"), .busy)
        XCTAssertTrue(a.isInTransaction)
        XCTAssertEqual(a.code("COMMIT"), .busy)
        XCTAssertEqual(try b.integers("SELECT id FROM t"), [1])
        try b.run("COMMIT")
        try a.run("COMMIT")
        XCTAssertEqual(try b.integers("SELECT id FROM t"), [1, 2])
    }

    func testWithoutConcurrentReadersAnExclusiveWriterIsAlone() throws {
        let (a, b) = try pair(SimulatedBackend(allowsConcurrentReaders: false))
        try a.run("BEGIN EXCLUSIVE")
        XCTAssertEqual(b.code("SELECT id FROM t"), .busy)
        try a.run("COMMIT; ")
        try b.run("BEGIN; SELECT id FROM t")
        XCTAssertEqual(a.code("BEGIN EXCLUSIVE"), .busy)
        XCTAssertFalse(a.isInTransaction)
        XCTAssertEqual(try b.integers("SELECT id FROM t"), [1])
    }

    func testRollbackToASavepointRestoresALaterSnapshot() throws {
        let (a, b) = try pair()
        try a.run("SAVEPOINT x")
        try b.run("INSERT INTO t VALUES (2, 'b')")
        try a.run("DELETE FROM t; ROLLBACK TO x")
        XCTAssertEqual(try a.integers("SELECT id FROM t"), [1, 2])
        try a.run("RELEASE x")
        XCTAssertEqual(try b.integers("SELECT id FROM t"), [1, 2])
    }

    func testTokenInsideATransactionIsThatOfTheSnapshot() throws {
        let (a, b) = try pair()
        try a.run("BEGIN; SELECT id FROM t")
        let token = try a.foreignChangeToken()
        try b.run("DELETE FROM t")
        XCTAssertEqual(try a.foreignChangeToken(), token)
        try a.run("COMMIT")
        XCTAssertNotEqual(try a.foreignChangeToken(), token)
    }

    func testReleasedConnectionReleasesItsLocks() throws {
        let backend = SimulatedBackend()
        let (a, _) = try pair(backend)
        do {
            let lost = try backend.open(location, options: StorageOptions())
            try lost.run("BEGIN IMMEDIATE; DELETE FROM t")
        }
        XCTAssertNil(a.code("INSERT INTO t VALUES (2, 'b')"))
        XCTAssertEqual(try a.integers("SELECT id FROM t"), [1, 2])
    }

    func testWatchEndsWhenItIsReleased() throws {
        let backend = SimulatedBackend()
        let (a, _) = try pair(backend)
        let log = Log()
        var watch = try backend.watchForeignChanges(of: location) { log.append("hint") }
        XCTAssertNotNil(watch)
        try a.run("DELETE FROM t; BEGIN; INSERT INTO t VALUES (5, 'e'); ROLLBACK")
        XCTAssertEqual(log.lines, ["hint"])
        watch = nil
        try a.run("INSERT INTO t VALUES (5, 'e')")
        XCTAssertEqual(log.lines, ["hint"])
        XCTAssertNil(try backend.watchForeignChanges(of: .memory(name: "m")) {})
    }

    func testThreadsTakeTurns() throws {
        for allowsConcurrentReaders in [true, false] {
            let backend = SimulatedBackend(allowsConcurrentReaders: allowsConcurrentReaders)
            let (a, _) = try pair(backend)
            try a.run("UPDATE t SET v = 0")
            let log = Log()
            DispatchQueue.concurrentPerform(iterations: 4) { [location] _ in
                var options = StorageOptions()
                options.busyHandler = { _ in true }
                do {
                    let connection = try backend.open(location, options: options)
                    for _ in 0..<50 { try connection.run("UPDATE t SET v = v + 1; SELECT v FROM t") }
                    try connection.close()
                } catch {
                    log.append("\(error)")
                }
            }
            XCTAssertEqual(log.lines, [])
            XCTAssertEqual(try a.integers("SELECT v FROM t"), [200])
        }
    }
}
