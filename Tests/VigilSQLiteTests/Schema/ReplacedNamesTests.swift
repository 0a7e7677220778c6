import Foundation
import VigilStorage
import XCTest

@testable import VigilSQLite

/// The driver on connections where the program replaced the functions and collations of the library.
final class ReplacedNamesTests: XCTestCase {
    private static let schema = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT REPLACE);
        CREATE TABLE keyed(a TEXT PRIMARY KEY, b) WITHOUT ROWID;
        CREATE TABLE "odd_name"(a); CREATE VIEW names AS SELECT name FROM player;
        CREATE TABLE target(a UNIQUE); CREATE TABLE source(a);
        CREATE TRIGGER copying AFTER INSERT ON SOURCE BEGIN REPLACE INTO target VALUES (new.a); END;
        CREATE VIRTUAL TABLE doc USING fts4(text); CREATE VIRTUAL TABLE box USING rtree(id, low, high);
        """

    /// Runs a test on each backend, with a connection as the library made it, and one on which all names are
    /// replaced.
    private func onEach(_ body: (SQLiteConnection, SQLiteConnection, String) throws -> Void) throws {
        for named in NamedBackend.all {
            let connections = try (0..<2).map { _ in
                try XCTUnwrap(
                    try named.backend.open(.memory(name: nil), options: StorageOptions()) as? SQLiteConnection
                )
            }
            defer { for connection in connections { try? connection.close() } }
            for connection in connections { try (connection as any StorageConnection).run(Self.schema) }
            try replaceNames(connections[1])
            try body(connections[0], connections[1], named.name)
        }
    }

    private func replaceNames(_ connection: SQLiteConnection) throws {
        for name in ["NOCASE", "BINARY", "RTRIM"] {
            // No text equals another one, or itself.
            try connection.add(StorageCollation(name: name) { _, _ in 1 })
        }
        for (name, count) in [
            ("like", 2), ("like", 3), ("glob", 2), ("length", 1), ("lower", 1), ("upper", 1), ("substr", 2),
            ("substr", 3), ("instr", 2), ("coalesce", 2), ("ifnull", 2),
        ] {
            try connection.add(
                StorageFunction(name: name, argumentCount: count, isPure: true, body: .scalar { _ in .null }))
        }
    }

    private let names = [
        "player", "PLAYER", "keyed", "Odd_Name", "names", "NAMES", "doc", "Doc", "doc_content", "DOC_CONTENT",
        "box",
        "box_node", "missing",
    ]

    func testTheSchemaIsReadAsBefore() throws {
        try onEach { usual, replaced, backend in
            XCTAssertEqual(try replaced.tables(), try usual.tables(), backend)
            for name in names {
                XCTAssertEqual(
                    try replaced.table(name, in: nil), try usual.table(name, in: nil), "\(name), \(backend)")
                let (found, expected) = (
                    try replaced.metadata(of: name, in: "main"), try usual.metadata(of: name, in: "main")
                )
                XCTAssertEqual(found?.owner, expected?.owner, "\(name), \(backend)")
                XCTAssertEqual(found?.mayReplace, expected?.mayReplace, "\(name), \(backend)")
                XCTAssertEqual(found?.imageColumns, expected?.imageColumns, "\(name), \(backend)")
            }
            XCTAssertEqual(
                Set(try replaced.shadowTableNames(in: "main")), Set(try usual.shadowTableNames(in: "main")),
                backend)
            XCTAssertEqual(
                try replaced.schemaObjects(in: "main").count, try usual.schemaObjects(in: "main").count,
                backend)
        }
    }

    func testOwnersAndTriggersAreFound() throws {
        try onEach { _, replaced, backend in
            let content = try replaced.metadata(of: "doc_content", in: "main")
            XCTAssertEqual(content?.owner, TableName(name: "doc"), backend)
            XCTAssertEqual(
                try replaced.metadata(of: "box_node", in: "main")?.owner, TableName(name: "box"), backend)
            XCTAssertNil(try replaced.metadata(of: "odd_name", in: "main")?.owner, backend)
            XCTAssertEqual(try replaced.metadata(of: "source", in: "main")?.mayReplace, true, backend)
            XCTAssertEqual(try replaced.table("keyed", in: "main")?.hasRowID, false, backend)
            XCTAssertEqual(try replaced.virtualNames(in: "main"), ["doc", "box"], backend)
        }
    }

    func testChangesOfShadowTablesAreReportedForTheirVirtualTable() throws {
        try onEach { _, replaced, backend in
            let log = EventLog()
            replaced.report(to: log, interest: .changes)
            for (table, sql) in [
                ("doc", "INSERT INTO doc VALUES ('one')"), ("doc", "DELETE FROM doc_content"),
                ("box", "INSERT INTO box VALUES (1, 2, 3)"), ("box", "DELETE FROM box_node"),
            ] {
                _ = log.take()
                try (replaced as any StorageConnection).run(sql)
                XCTAssertTrue(log.covers(table), "\(sql), \(backend): \(log.entries)")
            }
            replaced.report(to: nil, interest: .nothing)
        }
    }

    /// Returns whether conditions on rows remain when values are bound.
    private func hasConditions(_ statement: any StorageStatement) -> Bool {
        !statement.rowConditions.bound { _ in .null }.isEmpty
    }

    func testTextComparisonsGiveNoConditionsOnceTheirCollationIsReplaced() throws {
        try onEach { usual, replaced, backend in
            for (connection, isKept) in [(usual, true), (replaced, false)] {
                let statement = try connection.prepared("SELECT * FROM player WHERE name = 'a'")
                defer { statement.finalize() }
                XCTAssertEqual(hasConditions(statement), isKept, backend)
            }
        }
    }

    func testACompiledStatementDropsConditionsOnceTheirCollationIsReplaced() throws {
        try onEach { usual, _, backend in
            let statement = try usual.prepared("SELECT * FROM player WHERE name = 'a'")
            defer { statement.finalize() }
            let revision = statement.accessRevision
            XCTAssertTrue(hasConditions(statement), backend)
            try usual.add(StorageCollation(name: "binary") { _, _ in 0 })
            XCTAssertNotEqual(statement.accessRevision, revision, backend)
            XCTAssertFalse(hasConditions(statement), backend)
        }
    }

    // MARK: - Through the handle

    private typealias Compare =
        @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?) -> Int32
    private typealias CreateCollation =
        @convention(c) (
            OpaquePointer, UnsafePointer<CChar>, Int32, UnsafeMutableRawPointer?, Compare
        ) -> Int32
    private typealias Call = @convention(c) (OpaquePointer?, Int32, OpaquePointer?) -> Void
    private typealias CreateFunction =
        @convention(c) (
            OpaquePointer, UnsafePointer<CChar>, Int32, Int32, UnsafeMutableRawPointer?, Call, Call?,
            OpaquePointer?
        ) -> Int32
    private typealias Limit = @convention(c) (OpaquePointer, Int32, Int32) -> Int32

    /// Returns a function of the library that this build links.
    private func function<Function>(_ name: String, _: Function.Type) throws -> Function {
        unsafeBitCast(try XCTUnwrap(dlsym(nil, name)), to: Function.self)
    }

    /// Runs a test with a connection through the library that this build links.
    private func onLinked(_ body: (SQLiteConnection) throws -> Void) throws {
        let linked = try SQLiteLibrary.linked()
        try onEach { usual, _, _ in if usual.library.api == linked.api { try body(usual) } }
    }

    private func useHandle(of connection: SQLiteConnection, _ body: (OpaquePointer) throws -> Void) throws
        -> HandleEffects
    {
        let use = connection.willUseHandle()
        try body(connection.openHandle())
        return connection.didUseHandle(use)
    }

    private let byName = "SELECT * FROM player WHERE name = 'a'"

    func testACollationThatIsReplacedThroughTheHandleIsNoticed() throws {
        let create = try function("sqlite3_create_collation", CreateCollation.self)
        try onLinked { connection in
            let statement = try connection.prepared(byName)
            defer { statement.finalize() }
            XCTAssertTrue(hasConditions(statement))
            for isFirst in [true, false] {
                let effects = try useHandle(of: connection) { handle in
                    XCTAssertEqual(create(handle, "BINARY", 1, nil) { _, _, _, _, _ in 0 }, 0)
                }
                XCTAssertEqual(effects, isFirst ? .collations : [])
                XCTAssertFalse(hasConditions(statement))
            }
        }
    }

    func testOtherUsesOfTheHandleLeaveCollationsTrusted() throws {
        let create = try function("sqlite3_create_function", CreateFunction.self)
        try onLinked { connection in
            guard connection.library.countsRecompilations else { return }
            let statement = try connection.prepared(byName)
            defer { statement.finalize() }
            XCTAssertTrue(hasConditions(statement))
            let effects = try useHandle(of: connection) { handle in
                XCTAssertEqual(create(handle, "own", 1, 1, nil, { _, _, _ in }, nil, nil), 0)
            }
            XCTAssertEqual(effects, [])
            XCTAssertTrue(hasConditions(statement))
        }
    }

    func testALimitThatIsLoweredThroughTheHandleIsNoticed() throws {
        let limit = try function("sqlite3_limit", Limit.self)
        try onLinked { connection in
            let statement = try connection.prepared("SELECT * FROM keyed WHERE b = 5 AND a LIKE 'abcd%'")
            defer { statement.finalize() }
            XCTAssertFalse(statement.rowConditions.tables.isEmpty)
            let effects = try useHandle(of: connection) { _ = limit($0, SQLiteLimit.patternLength, 3) }
            XCTAssertTrue(effects.contains(.limits))
            XCTAssertTrue(statement.rowConditions.tables.isEmpty)
        }
    }
}
