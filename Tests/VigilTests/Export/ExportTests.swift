import Foundation
import Vigil
import XCTest

/// Copies of databases with other libraries, keys and settings.
final class ExportTests: XCTestCase {
    private static let schema = #"""
        CREATE TABLE team(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, CHECK (id > 0));
        CREATE TABLE player(name TEXT, score, team REFERENCES team(id));
        CREATE TABLE "odd name"(rowid TEXT, "a ""b""" BLOB, oid);
        CREATE TABLE pair(a, b, c, PRIMARY KEY (b, a)) WITHOUT ROWID;
        CREATE INDEX player_score ON player(score DESC) WHERE score > 10;
        CREATE INDEX player_name ON player(lower(name));
        CREATE VIRTUAL TABLE page USING fts4(text);
        CREATE VIEW best AS SELECT name FROM player ORDER BY score DESC LIMIT 1;
        CREATE TABLE log(entry);
        CREATE TRIGGER player_added AFTER INSERT ON player BEGIN INSERT INTO log VALUES (new.name); END;
        """#
    private static let content = """
        INSERT INTO team(id, name) VALUES (7, 'red'), (9, 'blue');
        DELETE FROM team WHERE id = 9;
        INSERT INTO player(rowid, name, score, team) VALUES
            (3, 'Ada', 12.5, 7), (5, 'Änne', NULL, 7), (40, '', x'', 999), (41, 'a' || char(0) || 'b', x'0001ff', 7);
        INSERT INTO player(rowid, name) VALUES (50, CAST(x'ff41fe' AS TEXT));
        INSERT INTO "odd name" VALUES ('one', zeroblob(5000), 9223372036854775807), (NULL, NULL, -1);
        INSERT INTO pair VALUES (1, 2, 3), ('x', 'y', 'z');
        INSERT INTO page VALUES ('the quick fox'), ('a lazy dog');
        ANALYZE;
        PRAGMA user_version = 42;
        PRAGMA application_id = 4711;
        """

    /// Configurations by name: each backend, and encryption with other settings.
    private var formats: [(name: String, configuration: Configuration)] {
        var formats = testedBackends.map { name, backend in
            var configuration = Configuration()
            configuration.backend = backend
            return (name, configuration)
        }
        #if SQLCipher
            var configuration = Configuration()
            configuration.backend = SQLCipherBackend(library: .underTest)
            formats.append(("SQLCipher without a key", configuration))
            configuration.backend = SQLCipherBackend(
                key: .raw(Array(repeating: 7, count: 32)), settings: CipherSettings(pageSize: 8192),
                library: .underTest)
            formats.append(("SQLCipher with settings", configuration))
        #endif
        return formats
    }

    private func makeSource(_ path: String, _ configuration: Configuration) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.foreignKeysEnabled = false
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        try dbQueue.writeWithoutTransaction { db in try db.execute(sql: Self.schema + Self.content) }
        return dbQueue
    }

    /// Everything that is stored, as text, except the statistics of columns, which not all libraries have.
    private func content(_ db: Database) throws -> [String] {
        let tables = ["team", "player", "\"odd name\"", "pair", "log", "page", "page_content", "page_segdir"]
        var lines = try String.fetchAll(
            db,
            sql: """
                SELECT type || name || tbl_name || ifnull(sql, '') FROM sqlite_master
                WHERE name <> 'sqlite_stat4' ORDER BY 1
                """)
        for table in tables + ["sqlite_sequence", "sqlite_stat1"] {
            let columns = try Row.fetchAll(db, sql: "PRAGMA table_info(\(table))").map {
                $0["name"] as String
            }
            var values = columns.map { "quote(\"\($0.replacingOccurrences(of: "\"", with: "\"\""))\")" }
            if table != "pair" { values.append("_rowid_") }
            // The bytes of text that is not valid.
            if table == "player" { values.append("hex(name)") }
            let sql = "SELECT \(values.joined(separator: " || '|' || ")) FROM \(table) ORDER BY 1"
            lines += try String.fetchAll(db, sql: sql).map { "\(table): \($0)" }
        }
        for pragma in ["user_version", "application_id", "encoding"] {
            lines.append("\(try DatabaseValue.fetchOne(db, sql: "PRAGMA \(pragma)") ?? .null)")
        }
        lines.append(try String.fetchOne(db, sql: "SELECT name FROM best") ?? "")
        lines += try String.fetchAll(db, sql: "SELECT text FROM page WHERE page MATCH 'quick'")
        lines.append(try String.fetchOne(db, sql: "PRAGMA integrity_check") ?? "")
        return lines
    }

    func testTheCopyHasTheSameContentInEachFormat() throws {
        for (sourceName, source) in formats {
            for (name, configuration) in formats {
                let directory = try TemporaryDirectory()
                let dbQueue = try makeSource(directory.file("source"), source)
                try dbQueue.export(to: directory.file("copy"), configuration: configuration)
                let copy = try DatabaseQueue(path: directory.file("copy"), configuration: configuration)
                let expected = try dbQueue.read { try content($0) }
                let found = try copy.read { try content($0) }
                XCTAssertEqual(found, expected, "from \(sourceName) to \(name)")
                XCTAssertEqual(found.last, "ok")
                XCTAssertEqual(
                    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted(),
                    ["copy", "source"])
                // The copy works: full-text search is kept up to date, and numbers are not used again.
                try copy.write { db in
                    try db.execute(sql: "INSERT INTO page VALUES ('quick'); INSERT INTO team DEFAULT VALUES")
                    XCTAssertEqual(db.lastInsertedRowID, 10)
                    XCTAssertEqual(
                        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM page WHERE page MATCH 'quick'"), 2)
                }
            }
        }
    }

    func testAnOwnLikeDoesNotChangeTheCopy() throws {
        for (name, configuration) in formats {
            let directory = try TemporaryDirectory()
            let dbQueue = try makeSource(directory.file("source"), configuration)
            let expected = try dbQueue.read { try content($0) }
            dbQueue.inDatabase { db in
                for count in 2...3 {
                    db.add(function: DatabaseFunction("like", argumentCount: count) { _ in 1 })
                }
            }
            try dbQueue.export(to: directory.file("copy"), configuration: configuration)
            let copy = try DatabaseQueue(path: directory.file("copy"), configuration: configuration)
            XCTAssertEqual(try copy.read { try content($0) }, expected, name)
        }
    }

    func testEncodingIsKept() throws {
        for (name, configuration) in formats {
            let directory = try TemporaryDirectory()
            let dbQueue = try DatabaseQueue(path: directory.file("source"), configuration: configuration)
            try dbQueue.inDatabase { db in
                try db.execute(
                    sql: """
                        PRAGMA encoding = 'UTF-16le'; PRAGMA auto_vacuum = FULL; VACUUM;
                        CREATE TABLE t(a); INSERT INTO t VALUES ('Ünïcode 🦉')
                        """)
            }
            try dbQueue.export(to: directory.file("copy"), configuration: configuration)
            let copy = try DatabaseQueue(path: directory.file("copy"), configuration: configuration)
            try copy.read { db in
                XCTAssertEqual(try String.fetchOne(db, sql: "PRAGMA encoding"), "UTF-16le", name)
                XCTAssertEqual(try Int.fetchOne(db, sql: "PRAGMA auto_vacuum"), 1, name)
                XCTAssertEqual(try String.fetchOne(db, sql: "SELECT a FROM t"), "Ünïcode 🦉", name)
            }
        }
    }

    func testGeneratedAndStrictColumns() throws {
        for (_, configuration) in formats {
            let directory = try TemporaryDirectory()
            let dbQueue = try DatabaseQueue(path: directory.file("source"), configuration: configuration)
            let version = try dbQueue.read { db in try String.fetchOne(db, sql: "SELECT sqlite_version()") }
            guard let version, version.compare("3.37", options: .numeric) != .orderedAscending else {
                continue
            }
            try dbQueue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE t(
                            a INTEGER NOT NULL, b INTEGER AS (a * 2) STORED, c TEXT, d INTEGER AS (a * 3)
                        ) STRICT;
                        INSERT INTO t(a, c) VALUES (1, 'x'), (2, 'y');
                        """)
            }
            try dbQueue.export(to: directory.file("copy"), configuration: configuration)
            let copy = try DatabaseQueue(path: directory.file("copy"), configuration: configuration)
            let query = "SELECT a || b || c || d FROM t ORDER BY rowid"
            XCTAssertEqual(try copy.read { try String.fetchAll($0, sql: query) }, ["12x3", "24y6"])
        }
    }

    func testPoolsExportACommittedState() throws {
        for (name, configuration) in formats {
            let directory = try TemporaryDirectory()
            let dbPool = try DatabasePool(path: directory.file("source"), configuration: configuration)
            try dbPool.write { db in try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
            try dbPool.export(to: directory.file("copy"), configuration: configuration) { _ in
                // The snapshot of the export has begun.
                try dbPool.write { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
            }
            let copy = try DatabaseQueue(path: directory.file("copy"), configuration: configuration)
            XCTAssertEqual(try copy.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1], name)
        }
    }

    func testProgressCountsRows() throws {
        for (name, configuration) in formats {
            let dbQueue = try DatabaseQueue(configuration: configuration)
            try dbQueue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE a(x); CREATE TABLE b(x);
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
                        INSERT INTO a SELECT i FROM n;
                        INSERT INTO b SELECT x FROM a LIMIT 500;
                        """)
            }
            let directory = try TemporaryDirectory()
            var reports: [String] = []
            try dbQueue.export(to: directory.file("copy"), configuration: configuration) { progress in
                reports.append(
                    "\(progress.tableName ?? "-") \(progress.completedRowCount)/\(progress.totalRowCount)"
                        + (progress.isCompleted ? " completed" : ""))
            }
            XCTAssertEqual(
                reports,
                ["a 0/3000", "a 1000/3000", "a 2000/3000", "- 3000/3000", "- 3000/3000 completed"], name)
        }
    }

    func testFunctionsOfIndexesComeFromTheConfiguration() throws {
        for (_, configuration) in formats {
            var configuration = configuration
            configuration.prepareDatabase { db in
                db.add(collation: DatabaseCollation("backwards") { $1.compare($0) })
            }
            let directory = try TemporaryDirectory()
            let dbQueue = try DatabaseQueue(path: directory.file("source"), configuration: configuration)
            try dbQueue.write { db in
                try db.execute(
                    sql: "CREATE TABLE t(a TEXT COLLATE backwards UNIQUE); INSERT INTO t VALUES ('a'), ('b')")
            }
            try dbQueue.export(to: directory.file("copy"), configuration: configuration)
            let copy = try DatabaseQueue(path: directory.file("copy"), configuration: configuration)
            XCTAssertEqual(
                try copy.read { try String.fetchAll($0, sql: "SELECT a FROM t ORDER BY a") }, ["b", "a"])
        }
    }
}
