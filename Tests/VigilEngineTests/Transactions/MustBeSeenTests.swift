import Synchronization
import Vigil
import XCTest

@testable import VigilEngine

/// Changes that observations of a table, a row, or the rows that meet a condition must see, and that
/// observations of other rows need not see.
final class MustBeSeenTests: XCTestCase {
    func testEveryChangeIsSeen() throws {
        for changeCase in ChangeCase.all {
            try onMemoryQueueAndPool(schema: "") { writer in
                if changeCase.isOfOneConnection, writer is DatabasePool { return }
                try writer.run(changeCase.schema)
                guard writer.understands(changeCase.writes), writer.hasTables(of: changeCase.queries) else {
                    return
                }
                let failures = testRun?.totalFailureCount ?? 0
                try check(changeCase, in: writer)
                if (testRun?.totalFailureCount ?? 0) > failures { XCTFail(changeCase.name) }
            }
        }
    }

    private func check(_ changeCase: ChangeCase, in writer: any DatabaseWriter) throws {
        let watched = changeCase.queries.map { WatchedQuery($0) }
        let others = changeCase.unconcerned.map { WatchedQuery($0) }
        let cancellables = (watched + others).map { $0.start(in: writer) }
        try writer.waitForFetches()
        let before = watched.map(\.last)
        let fetches = others.map(\.fetches)
        writer.writeWithoutTransaction { db in
            // Some statements are expected to fail.
            for sql in changeCase.writes { try? db.execute(sql: sql) }
            XCTAssertFalse(db.isInsideTransaction)
        }
        try writer.waitForFetches()
        for (query, before) in zip(watched, before) {
            let fresh = try writer.writeWithoutTransaction { db in try query.rows(db) }
            XCTAssertEqual(query.last, fresh, query.sql)
            if changeCase.changesValues {
                XCTAssertNotEqual(before, fresh, "\(query.sql): the change does not alter the result")
            }
        }
        let hasImages = writer.writeWithoutTransaction { $0.connection.capabilities.reportsRowImages }
        if hasImages, !changeCase.isCoarse {
            XCTAssertEqual(others.map(\.fetches), fetches, "an unaffected query was fetched")
        }
        cancellables.forEach { $0.cancel() }
    }

    func testWritesByAFunctionAreSeen() throws {
        try onEachWriter(schema: ChangeCase.players) { writer in
            let watched = ChangeCase.queries(of: "player").map { WatchedQuery($0) }
            let cancellables = watched.map { $0.start(in: writer) }
            try writer.waitForFetches()
            try writer.writeWithoutTransaction { db in
                nonisolated(unsafe) let unsafeDB = db
                db.add(
                    function: DatabaseFunction("rename", argumentCount: 1) { arguments in
                        try unsafeDB.execute(
                            sql: "UPDATE player SET name = ? WHERE id = 1", arguments: [arguments[0]])
                        return nil
                    })
                _ = try Row.fetchAll(db, sql: "SELECT rename('x')")
            }
            try writer.waitForFetches()
            for query in watched {
                XCTAssertEqual(query.last?.first?.contains("x"), true, query.sql)
                XCTAssertEqual(query.last, try writer.writeWithoutTransaction { try query.rows($0) })
            }
            cancellables.forEach { $0.cancel() }
        }
    }

    func testWritesByAnotherConnectionAreSeen() throws {
        var configuration = Configuration()
        configuration.foreignChanges = .observed
        for isPool in [false, true] {
            for (_, backend) in testedBackends {
                let directory = try TemporaryDirectory()
                configuration.backend = backend
                let path = directory.file("database.sqlite")
                let writer: any DatabaseWriter =
                    isPool
                    ? try DatabasePool(path: path, configuration: configuration)
                    : try DatabaseQueue(path: path, configuration: configuration)
                try writer.run(ChangeCase.players)
                let seen = (0..<3).map { expectation(description: "\($0)") }
                let watched = zip(ChangeCase.queries(of: "player", "name"), seen).map { sql, seen in
                    WatchedQuery(sql) { if $0.contains("'x'") { seen.fulfill() } }
                }
                seen.forEach { $0.assertForOverFulfill = false }
                let cancellables = watched.map { $0.start(in: writer) }
                try writer.waitForFetches()
                let other = try DatabaseQueue(path: path, configuration: configuration)
                try other.run("UPDATE player SET name = 'x' WHERE id = 1")
                wait(for: seen, timeout: testTimeout)
                cancellables.forEach { $0.cancel() }
            }
        }
    }
}

/// An observed query and its last value.
private final class WatchedQuery: Sendable {
    private struct State {
        var last: [String]?
        var fetches = 0
    }

    let sql: String
    private let state = Mutex(State())
    private let onChange: @Sendable ([String]) -> Void

    init(_ sql: String, onChange: @escaping @Sendable ([String]) -> Void = { _ in }) {
        self.sql = sql
        self.onChange = onChange
    }

    var last: [String]? { state.withLock { $0.last } }
    var fetches: Int { state.withLock { $0.fetches } }

    func rows(_ db: Database) throws -> [String] {
        try Row.fetchAll(db, sql: sql).map { row in
            row.databaseValues.map { "\($0.storageValue.sqlLiteral)" }.joined(separator: ", ")
        }
    }

    func start(in writer: any DatabaseWriter) -> AnyDatabaseCancellable {
        ValueObservation.tracking { [self] db in
            state.withLock { $0.fetches += 1 }
            return try rows(db)
        }
        .start(
            in: writer, scheduling: .inline, onError: { [sql] in XCTFail("\(sql): \($0)") },
            onChange: { [self] rows in
                state.withLock { $0.last = rows }
                onChange(rows)
            })
    }
}

extension DatabaseWriter {
    /// Returns whether the library has the table-valued functions that the queries read.
    fileprivate func hasTables(of queries: [String]) -> Bool {
        writeWithoutTransaction { db in
            queries.allSatisfy { (try? db.makeStatement(sql: $0)) != nil }
        }
    }

    /// Returns whether the library supports the syntax: old libraries lack upserts.
    fileprivate func understands(_ writes: [String]) -> Bool {
        writeWithoutTransaction { db in
            writes.allSatisfy { sql in
                do {
                    _ = try db.makeStatement(sql: sql)
                    return true
                } catch {
                    return (error as? DatabaseError)?.message?.contains("syntax error") != true
                }
            }
        }
    }
}
