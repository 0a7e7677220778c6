import VigilStorage
import VigilTesting
import XCTest

@testable import VigilSQLite

/// Rows are reported with the columns of the current schema, although another connection changes it.
final class ForeignSchemaTests: XCTestCase {
    private struct Pair {
        let name: String
        let connection: any StorageConnection
        let other: any StorageConnection
        let sink: RecordingSink

        /// Checks that the last report is precise, or coarse as before.
        func assertKnowsTheColumns(line: UInt = #line) {
            guard let row = sink.rows.last, row.hasImages else {
                return XCTAssertTrue(
                    sink.covers(.integer(1), of: TableName(name: "player")), name, line: line)
            }
            XCTAssertEqual(row.newValues?["name"], .text("x"), name, line: line)
            XCTAssertEqual(row.newValues?["team"], .integer(5), name, line: line)
        }
    }

    /// Runs a body on two connections to a file on each backend. The second one has begun to create the table
    /// again, with the columns in another order. The first one lets it commit when it waits for the lock.
    private func onEach(waits: Bool = true, _ body: (Pair) throws -> Void) throws {
        for named in NamedBackend.all {
            let directory = try TemporaryDirectory()
            let location = StorageLocation.file(path: directory.file("a"))
            var options = StorageOptions()
            options.journalMode = .wal
            // Safe: the busy handler is called on the thread of the test.
            nonisolated(unsafe) let other = try named.backend.open(location, options: options)
            try other.run("CREATE TABLE player(id INTEGER PRIMARY KEY, team, name)")
            try other.run("INSERT INTO player VALUES (1, 5, 'a')")
            if waits { options.busyHandler = { _ in (try? other.run("COMMIT")) != nil } }
            let connection = try named.backend.open(location, options: options)
            let sink = RecordingSink()
            connection.report(to: sink, interest: .changes)
            try connection.run("UPDATE player SET name = 'b'")
            try other.run(
                """
                BEGIN IMMEDIATE; DROP TABLE player;
                CREATE TABLE player(id INTEGER PRIMARY KEY AUTOINCREMENT, name, team);
                INSERT INTO player VALUES (1, 'n', 5)
                """)
            sink.removeAll()
            try body(Pair(name: named.name, connection: connection, other: other, sink: sink))
            XCTAssertFalse(other.isInTransaction, named.name)
            try connection.close()
            try other.close()
        }
    }

    func testAWriteAfterAWaitForALockIsReportedAsItsTable() throws {
        try onEach { pair in
            try pair.connection.run("UPDATE player SET name = 'x' WHERE id = 1")
            XCTAssertEqual(pair.sink.count(of: .table(TableName(name: "player"))), 1, pair.name)
        }
    }

    func testAnInsertionAfterAWaitForALockReportsTheCounterOfItsTable() throws {
        try onEach { pair in
            try pair.connection.run("INSERT INTO player(name) VALUES ('x')")
            let counters = TableName(name: "sqlite_sequence")
            XCTAssertTrue(pair.sink.records.contains(.table(counters)), "\(pair.name): \(pair.sink.lines)")
        }
    }

    func testAWriteAfterAFailedOneHasTheCurrentColumns() throws {
        try onEach(waits: false) { pair in
            XCTAssertThrowsError(try pair.connection.run("UPDATE player SET name = 'c'"), pair.name)
            try pair.other.run("COMMIT")
            try pair.connection.run("UPDATE player SET name = 'x' WHERE id = 1")
            pair.assertKnowsTheColumns()
        }
    }

    func testAWriteInATransactionThatWaitedHasTheCurrentColumns() throws {
        try onEach { pair in
            try pair.connection.run("BEGIN IMMEDIATE")
            try pair.connection.run("UPDATE player SET name = 'x' WHERE id = 1")
            pair.assertKnowsTheColumns()
            try pair.connection.run("COMMIT")
        }
    }

    func testATransactionAfterOneWithoutWritesHasTheCurrentColumns() throws {
        try onEach(waits: false) { pair in
            try pair.connection.perform(.beginDeferred)
            XCTAssertThrowsError(try pair.connection.run("UPDATE player SET name = 'c'"), pair.name)
            try pair.connection.perform(.commit)
            try pair.other.run("COMMIT")
            try pair.connection.perform(.beginDeferred)
            try pair.connection.run("UPDATE player SET name = 'x' WHERE id = 1")
            pair.assertKnowsTheColumns()
            try pair.connection.perform(.commit)
        }
    }
}
