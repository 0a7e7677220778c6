import VigilStorage
import XCTest

@testable import VigilSQLite

/// The reads and changes of PRAGMA statements, and of the table-valued functions of the same names.
final class PragmaReadsTests: XCTestCase {
    private func onEach(
        _ schema: String = "", _ body: (any StorageConnection, _ hasFunctions: Bool, String) throws -> Void
    ) throws {
        for named in NamedBackend.all {
            let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
            defer { try? connection.close() }
            try connection.run(schema)
            let hasFunctions = (try? connection.run("SELECT * FROM pragma_user_version")) != nil
            try body(connection, hasFunctions, named.name)
        }
    }

    private func reads(_ sql: String, _ connection: any StorageConnection) throws -> StatementAccess {
        let statement = try connection.prepared(sql)
        defer { statement.finalize() }
        while try statement.step() {}
        return statement.access
    }

    func testValuesOfTheHeaderAreReadWithTheSchema() throws {
        try onEach("CREATE TABLE t(a)") { connection, hasFunctions, backend in
            for pragma in [
                "user_version", "application_id", "schema_version", "journal_mode", "table_info(t)",
            ] {
                XCTAssertEqual(
                    try reads("PRAGMA \(pragma)", connection).reads,
                    [TableRead(TableName(name: "sqlite_master"))],
                    "\(pragma), \(backend)")
                guard hasFunctions else { continue }
                let name = pragma.replacing("(t)", with: "('t')")
                XCTAssertTrue(
                    try reads("SELECT * FROM pragma_\(name)", connection).reads
                        .contains(TableRead(TableName(name: "sqlite_master"))), "\(pragma), \(backend)")
            }
        }
    }

    func testPragmasThatExamineRowsReadEverything() throws {
        try onEach("CREATE TABLE t(a)") { connection, hasFunctions, backend in
            for pragma in [
                "page_count", "foreign_key_check", "integrity_check", "freelist_count", "data_version",
            ] {
                XCTAssertTrue(try reads("PRAGMA \(pragma)", connection).readsUnknown, "\(pragma), \(backend)")
                guard hasFunctions, pragma != "integrity_check" else { continue }
                XCTAssertTrue(
                    try reads("SELECT * FROM pragma_\(pragma)", connection).readsUnknown,
                    "\(pragma), \(backend)")
            }
        }
    }

    func testStatementsOfFullTextTablesDoNotReadThePragmasOfTheirStorage() throws {
        let schema = "CREATE VIRTUAL TABLE doc USING fts4(text); INSERT INTO doc VALUES ('one')"
        try onEach(schema) { connection, _, backend in
            let access = try reads("SELECT text FROM doc WHERE doc MATCH 'one'", connection)
            XCTAssertFalse(access.readsUnknown, backend)
            XCTAssertFalse(
                access.reads.contains { $0.table.name == "sqlite_master" }, "\(access.reads), \(backend)")
        }
    }

    func testSettingAValueOfTheHeaderIsReported() throws {
        try onEach { connection, _, backend in
            let log = EventLog()
            connection.report(to: log, interest: .changes)
            try connection.run("ATTACH ':memory:' AS other")
            for sql in [
                "user_version = 5", "application_id(6)", "main.user_version = 7", "other.user_version = 8",
            ] {
                _ = log.take()
                try connection.run("PRAGMA \(sql)")
                XCTAssertTrue(log.covers("sqlite_master"), "\(sql), \(backend): \(log.entries)")
            }
            _ = log.take()
            try connection.run(
                "PRAGMA user_version; PRAGMA cache_size = 100; PRAGMA wal_checkpoint(TRUNCATE)")
            XCTAssertFalse(log.covers("sqlite_master"), "\(backend): \(log.entries)")
            connection.report(to: nil, interest: .nothing)
        }
    }

    func testAListOfTablesDoesNotReadTheTablesOfViews() throws {
        let schema = """
            CREATE TABLE t(a); CREATE TABLE u(b); CREATE VIEW v AS SELECT a FROM t JOIN u USING (a);
            DROP VIEW v; CREATE VIEW v AS SELECT a, b FROM t, u;
            """
        try onEach(schema) { connection, hasFunctions, backend in
            guard (try? connection.run("PRAGMA table_list"))?.isEmpty == false, hasFunctions else { return }
            for sql in ["PRAGMA table_list", "SELECT name FROM pragma_table_list"] {
                // A change of the schema makes the library forget the columns of views.
                try connection.run("CREATE TABLE new(a); DROP TABLE new")
                let tables = Set(try reads(sql, connection).reads.map(\.table.name))
                XCTAssertTrue(tables.isDisjoint(with: ["t", "u"]), "\(sql), \(backend): \(tables)")
                XCTAssertTrue(tables.contains("sqlite_master"), "\(sql), \(backend): \(tables)")
            }
        }
    }

    func testAViewThatCannotBeCompiledHasNoColumns() throws {
        let schema = "CREATE TABLE t(a); CREATE VIEW v AS SELECT a FROM t; DROP TABLE t"
        try onEach(schema) { connection, _, backend in
            let view = try XCTUnwrap(connection.table("v", in: "main"), backend)
            XCTAssertEqual(
                view, StorageTable(name: TableName(name: "v"), kind: .view, columns: [], hasRowID: false))
            let reader = try XCTUnwrap(connection as? any SchemaReading)
            XCTAssertThrowsError(try reader.columns(of: TableName(name: "v")), backend) { error in
                XCTAssertEqual((error as? StorageError)?.message, "no such table: main.t")
            }
        }
    }

    func testPragmasThatHideColumnsFromRecordsAreRefused() throws {
        try onEach("CREATE TABLE t(a)") { connection, _, backend in
            for sql in ["full_column_names = 1", "full_column_names(on)", "short_column_names = OFF"] {
                XCTAssertThrowsError(try connection.run("PRAGMA \(sql)"), "\(sql), \(backend)") { error in
                    XCTAssertEqual((error as? StorageError)?.code, .authorization, sql)
                    XCTAssertTrue("\(error)".contains("rename columns with AS"), "\(error)")
                }
            }
            try connection.run(
                "PRAGMA full_column_names = OFF; PRAGMA short_column_names = 1; PRAGMA full_column_names")
            XCTAssertEqual(try connection.prepared("SELECT * FROM t").columnNames, ["a"], backend)
        }
    }
}
