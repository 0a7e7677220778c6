import VigilStorage
import XCTest

/// Virtual tables that read other tables.
final class VirtualTableReadsTests: XCTestCase {
    private static let external = """
        CREATE TABLE note(id INTEGER PRIMARY KEY, text); INSERT INTO note VALUES (1, 'one'), (2, 'two');
        CREATE TABLE other(text);
        """

    private struct Case {
        var name: String
        var schema: String
        var query: String
        /// The table that the virtual table reads.
        var table: String
    }

    private let cases = [
        Case(
            name: "FTS4",
            schema: external + """
                CREATE VIRTUAL TABLE doc USING fts4(content='note', text);
                INSERT INTO doc(doc) VALUES ('rebuild');
                """, query: "SELECT text FROM doc WHERE doc MATCH 'one'", table: "note"),
        Case(
            name: "FTS5",
            schema: external + """
                CREATE VIRTUAL TABLE doc USING fts5(text, content='note', content_rowid='id');
                INSERT INTO doc(doc) VALUES ('rebuild');
                """, query: "SELECT text FROM doc WHERE doc MATCH 'one'", table: "note"),
        Case(
            name: "fts4aux",
            schema: external + """
                CREATE VIRTUAL TABLE doc USING fts4(text); INSERT INTO doc VALUES ('one');
                CREATE VIRTUAL TABLE terms USING fts4aux(doc);
                """, query: "SELECT term, documents FROM terms", table: "doc_segdir"),
    ]

    /// Runs a body for each case that the library supports, on each backend.
    private func onEach(_ body: (Case, any StorageConnection, String) throws -> Void) throws {
        for named in NamedBackend.all {
            for testCase in cases {
                let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
                defer { try? connection.close() }
                do {
                    try connection.run(testCase.schema)
                } catch let error as StorageError where error.message.hasPrefix("no such module") {
                    continue
                }
                try body(testCase, connection, "\(testCase.name), \(named.name)")
            }
        }
    }

    private func tables(readBy statement: any StorageStatement) -> Set<String> {
        Set(statement.access.reads.map(\.table.name))
    }

    func testStatementsReadTheTablesOfTheirVirtualTables() throws {
        try onEach { testCase, connection, name in
            let early = try connection.prepared(testCase.query)
            defer { early.finalize() }
            let first = try connection.prepared(testCase.query + " LIMIT 5")
            defer { first.finalize() }
            while try first.step() {}
            XCTAssertTrue(tables(readBy: first).contains(testCase.table), name)
            let second = try connection.prepared(testCase.query + " LIMIT 6")
            defer { second.finalize() }
            XCTAssertTrue(tables(readBy: second).contains(testCase.table), "\(name), before it runs")
            while try second.step() {}
            XCTAssertTrue(tables(readBy: second).contains(testCase.table), name)
            let revision = early.accessRevision
            while try early.step() {}
            XCTAssertTrue(tables(readBy: early).contains(testCase.table), "\(name), compiled before")
            XCTAssertNotEqual(early.accessRevision, revision, name)
        }
    }

    func testOtherStatementsDoNotReadTheTablesOfVirtualTables() throws {
        try onEach { testCase, connection, name in
            let statement = try connection.prepared(testCase.query)
            defer { statement.finalize() }
            while try statement.step() {}
            let other = try connection.prepared("SELECT text FROM other")
            defer { other.finalize() }
            while try other.step() {}
            XCTAssertEqual(tables(readBy: other), ["other"], name)
        }
    }

    func testVirtualTableReadsSurviveSchemaChanges() throws {
        try onEach { testCase, connection, name in
            let statement = try connection.prepared(testCase.query)
            while try statement.step() {}
            statement.finalize()
            try connection.run("CREATE TABLE more(a); DROP TABLE more; CREATE TEMP TABLE more(a)")
            try connection.run("BEGIN; DROP TABLE doc; ROLLBACK")
            for _ in 0..<2 {
                let again = try connection.prepared(testCase.query)
                defer { again.finalize() }
                while try again.step() {}
                XCTAssertTrue(tables(readBy: again).contains(testCase.table), name)
            }
        }
    }

    func testARecompiledStatementGivesNoReadsToItsVirtualTables() throws {
        let sources = [
            ("", "json_each('[1]')"), ("CREATE VIRTUAL TABLE v USING rtree(id, low, high)", "v"),
            ("CREATE VIRTUAL TABLE v USING fts4(text)", "v"),
            ("CREATE VIRTUAL TABLE v USING fts5(text)", "v"),
            ("CREATE VIRTUAL TABLE v USING fts4(content='note', text)", "v"),
            ("CREATE VIRTUAL TABLE v USING fts5(text, content=note, content_rowid=id)", "v"),
        ]
        for named in NamedBackend.all {
            for (schema, source) in sources {
                let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
                defer { try? connection.close() }
                try connection.run(Self.external + "CREATE TABLE a(x)")
                let statement: any StorageStatement
                do {
                    if !schema.isEmpty { try connection.run(schema) }
                    let sql = "SELECT * FROM a, \(source)"
                    let prepared = try connection.prepare(sql, fromUTF8Offset: 0, isCached: false)
                    statement = try XCTUnwrap(prepared.statement)
                } catch let error as StorageError where error.message.hasPrefix("no such ") {
                    continue
                }
                defer { statement.finalize() }
                while try statement.step() {}
                try connection.run("CREATE TABLE more(a)")
                while try statement.step() {}
                let other = try connection.prepared("SELECT * FROM other, \(source)")
                defer { other.finalize() }
                while try other.step() {}
                XCTAssertFalse(tables(readBy: other).contains("a"), "\(named.name): \(schema)\(source)")
            }
        }
    }

    func testARecompiledStatementKeepsTheReadsOfItsVirtualTables() throws {
        try onEach { testCase, connection, name in
            try connection.run("INSERT INTO other VALUES ('a')")
            let statement = try connection.prepared("SELECT * FROM (\(testCase.query)), other")
            defer { statement.finalize() }
            try connection.run("CREATE TABLE more(a)")
            while try statement.step() {}
            let alone = try connection.prepared(testCase.query)
            defer { alone.finalize() }
            XCTAssertTrue(tables(readBy: alone).contains(testCase.table), name)
        }
    }

    func testTheContentOfAViewIsRead() throws {
        for module in ["fts4(content='view', text)", "fts5(text, content='view', content_rowid='id')"] {
            for named in NamedBackend.all {
                let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
                defer { try? connection.close() }
                try connection.run(Self.external + "CREATE VIEW view AS SELECT rowid, id, text FROM note")
                do {
                    try connection.run("CREATE VIRTUAL TABLE doc USING \(module)")
                } catch let error as StorageError where error.message.hasPrefix("no such module") {
                    continue
                }
                try connection.run("INSERT INTO doc(rowid, text) VALUES (1, 'one')")
                let statement = try connection.prepared("SELECT text FROM doc WHERE doc MATCH 'one'")
                defer { statement.finalize() }
                while try statement.step() {}
                XCTAssertTrue(tables(readBy: statement).contains("note"), "\(named.name): \(module)")
                let again = try connection.prepared("SELECT text FROM doc WHERE doc MATCH 'one' LIMIT 5")
                defer { again.finalize() }
                XCTAssertTrue(tables(readBy: again).contains("note"), "\(named.name): \(module)")
            }
        }
    }

    func testATableThatIsNotCreatedKeepsTheReadsOfAVirtualTable() throws {
        try onEach { testCase, connection, name in
            let statement = try connection.prepared(testCase.query)
            while try statement.step() {}
            statement.finalize()
            try connection.run("CREATE TABLE IF NOT EXISTS doc(a); CREATE TABLE IF NOT EXISTS terms(a)")
            let again = try connection.prepared(testCase.query)
            defer { again.finalize() }
            XCTAssertTrue(tables(readBy: again).contains(testCase.table), name)
        }
    }

    func testATableThatReplacesAVirtualTableReadsOnlyItself() throws {
        try onEach { testCase, connection, name in
            let statement = try connection.prepared(testCase.query)
            while try statement.step() {}
            statement.finalize()
            try connection.run("DROP TABLE doc; CREATE TABLE doc(text)")
            let other = try connection.prepared("SELECT text FROM doc")
            defer { other.finalize() }
            while try other.step() {}
            XCTAssertEqual(tables(readBy: other), ["doc"], name)
        }
    }

    func testTruncatingAShadowTableCoversItsVirtualTable() throws {
        for named in NamedBackend.all {
            let connection = try named.open(
                "CREATE VIRTUAL TABLE doc USING fts4(text); INSERT INTO doc VALUES ('one')")
            let log = EventLog()
            connection.report(to: log, interest: .changes)
            try connection.run("DELETE FROM doc_content")
            XCTAssertTrue(log.covers("doc"), "\(named.name): \(log.entries)")
            XCTAssertTrue(log.covers("doc_content"), "\(named.name): \(log.entries)")
            connection.report(to: nil, interest: .nothing)
            try connection.close()
        }
    }
}
