import Dispatch
import Foundation
import Vigil
import XCTest

/// A `Database`, its statements and its cursors are used inside their access, on its thread.
final class ConfinementTests: XCTestCase {
    private static let variable = "VIGIL_CONFINEMENT"

    /// Objects that escape from an access.
    // Guard: the traps that these tests are about.
    private final class Escaped: @unchecked Sendable {
        var database: Database?
        var statement: Statement?
        var rows: RowCursor?
        var values: FastDatabaseValueCursor<Int>?
        var statements: SQLStatementCursor?

        init(_ db: Database) throws {
            database = db
            statement = try db.makeStatement(sql: "SELECT 1")
            rows = try Row.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
            values = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
            _ = try values?.next()
            statements = try db.allStatements(sql: "SELECT 1; SELECT 2")
        }
    }

    private enum Use: String, CaseIterable {
        case execute, makeStatement, cachedStatement, isInsideTransaction, changesCount, readOnly, record,
            inSavepoint,
            schema, addObserver, runStatement, setArguments, columnNames, nextRow, nextValue, nextStatement

        func perform(_ escaped: Escaped) throws {
            let db = try XCTUnwrap(escaped.database)
            switch self {
            case .execute: try db.execute(sql: "SELECT 1")
            case .makeStatement: _ = try db.makeStatement(sql: "SELECT 1")
            case .cachedStatement: _ = try db.cachedStatement(sql: "SELECT 1")
            case .isInsideTransaction: _ = db.isInsideTransaction
            case .changesCount: _ = db.changesCount
            case .readOnly: try db.readOnly {}
            case .record:
                var region = DatabaseRegion()
                db.recordingSelection(&region) {}
            case .inSavepoint: try db.inSavepoint { .commit }
            case .schema: _ = try db.tableExists("t")
            case .addObserver: db.afterNextTransaction { _ in }
            case .runStatement: try escaped.statement?.execute()
            case .setArguments: try escaped.statement?.setArguments([])
            case .columnNames: _ = escaped.statement?.columnNames
            case .nextRow: _ = try escaped.rows?.next()
            case .nextValue: _ = try escaped.values?.next()
            case .nextStatement: _ = try escaped.statements?.next()
            }
        }
    }

    private enum Place: String, CaseIterable {
        case afterTheAccess, onAnotherThread, duringAnotherAccess
    }

    private enum Owner: String, CaseIterable {
        case queue, writer, reader, snapshot
    }

    // MARK: - Traps

    func testEveryUseAfterTheAccessTraps() throws {
        for use in Use.allCases { try assertTrap(use, .afterTheAccess, .queue) }
    }

    func testUsesOnAnotherThreadTrap() throws {
        for use in [Use.execute, .runStatement, .nextValue] {
            for place in [Place.onAnotherThread, .duringAnotherAccess] {
                try assertTrap(use, place, .queue)
            }
        }
    }

    func testAllConnectionsOfAPoolTrap() throws {
        for owner in [Owner.writer, .reader, .snapshot] {
            try assertTrap(.nextRow, .afterTheAccess, owner)
            try assertTrap(.execute, .onAnotherThread, owner)
        }
    }

    private func assertTrap(_ use: Use, _ place: Place, _ owner: Owner) throws {
        let value = "\(use.rawValue) \(place.rawValue) \(owner.rawValue)"
        let text = try standardErrorOfTrap(
            in: "VigilEngineTests.ConfinementTests/testThatTraps", variable: (Self.variable, value))
        XCTAssertTrue(
            text.contains("can only be used inside the access that they belong to"), "\(value): \(text)")
    }

    /// Does nothing, except in the processes that the tests above start.
    func testThatTraps() throws {
        let words = ProcessInfo.processInfo.environment[Self.variable]?.components(separatedBy: " ") ?? []
        guard words.count == 3, let use = Use(rawValue: words[0]), let place = Place(rawValue: words[1]),
            let owner = Owner(rawValue: words[2])
        else { return }
        try onEachPool { pool, path in
            var configuration = Configuration()
            configuration.backend = pool.configuration.backend
            let access: (_ body: (Database) throws -> Void) throws -> Void =
                switch owner {
                case .queue: try DatabaseQueue(path: path, configuration: configuration).write
                case .writer: pool.write
                case .reader: pool.read
                case .snapshot: try pool.makeSnapshot().read
                }
            try perform(use, place, access)
        }
    }

    private func perform(
        _ use: Use, _ place: Place, _ access: (_ body: (Database) throws -> Void) throws -> Void
    ) throws {
        let elsewhere = Gate()
        var escaped: Escaped?
        try access { db in
            let ours = try Escaped(db)
            escaped = ours
            guard place == .onAnotherThread else { return }
            DispatchQueue.global().async {
                assertNoError { try use.perform(ours) }
                elsewhere.open()
            }
            elsewhere.wait()
        }
        guard let escaped else { return }
        switch place {
        case .afterTheAccess: try use.perform(escaped)
        case .onAnotherThread: break
        case .duringAnotherAccess:
            try access { _ in
                DispatchQueue.global().async {
                    assertNoError { try use.perform(escaped) }
                    elsewhere.open()
                }
                elsewhere.wait()
            }
        }
    }

    // MARK: - Permitted uses

    func testAStatementCanBeUsedInLaterAccessesOfItsConnection() throws {
        try onEachQueue { dbQueue in
            let statement = try dbQueue.read { try $0.makeStatement(sql: "SELECT ?") }
            for value in 1...3 {
                let found = try dbQueue.read { _ in try Int.fetchOne(statement, arguments: [value]) }
                XCTAssertEqual(found, value)
            }
        }
    }

    func testAllConnectionsOfNestedAccessesCanBeUsed() throws {
        try onEachPool { pool, _ in
            var configuration = Configuration()
            configuration.backend = pool.configuration.backend
            configuration.targetQueue = DispatchQueue(label: "target")
            let dbQueue = try DatabaseQueue(configuration: configuration)
            try pool.write { writer in
                try dbQueue.write { other in
                    try pool.read { reader in
                        for db in [writer, other, reader] {
                            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT 1"), 1)
                        }
                    }
                    DispatchQueue(label: "another").sync {
                        assertNoError { try writer.execute(sql: insertIntoT) }
                    }
                }
            }
        }
    }

    /// The nested access of the main queue runs on the main thread while the outer access waits.
    func testANestedAccessOnTheMainThreadCanUseTheOuterConnection() async throws {
        try await onEachWriterAsync { writer in
            var configuration = Configuration()
            configuration.backend = writer.configuration.backend
            configuration.targetQueue = .main
            let onMain = try DatabaseQueue(configuration: configuration)
            await waitOffPool {
                assertNoError {
                    try writer.write { db in
                        try onMain.write { _ in
                            XCTAssertTrue(Thread.isMainThread)
                            try db.execute(sql: insertIntoT)
                        }
                    }
                }
            }
            let count = try await rowCount(writer)
            XCTAssertEqual(count, 1)
        }
    }

    // MARK: - Release

    func testStatementsAndCursorsCanBeReleasedAnywhere() throws {
        try onEachQueue { dbQueue in
            var escaped: Escaped? = try dbQueue.read { try Escaped($0) }
            escaped?.database = nil
            XCTAssertNotNil(escaped)
            escaped = nil
            // Fails if a statement is still alive.
            try dbQueue.close()
        }
    }

    func testAReleasedCursorEndsItsRead() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)") }
            var cursor: RowCursor? = try dbQueue.unsafeRead { db in
                let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
                XCTAssertNotNil(try cursor.next())
                return cursor
            }
            XCTAssertNotNil(cursor)
            cursor = nil
            // A table cannot be dropped during a read.
            try dbQueue.write { try $0.execute(sql: "DROP TABLE t") }
        }
    }

    func testStatementsCanOutliveTheirDatabase() throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let kept = Values<Escaped>()
            for _ in 0..<4 {
                let dbQueue = try DatabaseQueue(configuration: configuration)
                for _ in 0..<4 { kept.append(try dbQueue.read { try Escaped($0) }) }
            }
            weak let database = kept.all.first?.database
            XCTAssertNotNil(database)
            let count = kept.all.count
            DispatchQueue.concurrentPerform(iterations: count) { _ in kept.removeLast() }
            XCTAssertNil(database)
        }
    }
}
