import VigilSQLite
import VigilStorage
import XCTest

/// One test for each feature of the file format that a difference of pages depends on.
final class PageFormatTests: XCTestCase {
    private let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"

    private func assertPrecise(
        _ database: PageDatabase, tables: Int = 0, file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertEqual(database.mirror.errors, [], file: file, line: line)
        XCTAssertEqual(database.mirror.counts.tables, tables, file: file, line: line)
    }

    func testOneRowIsReportedForEachChangeOfOneRow() throws {
        let database = try PageDatabase("CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX i ON t(x);")
        XCTAssertEqual(try database.changes("\(rows) INSERT INTO t SELECT i, 'text' || i FROM n").count, 2000)
        XCTAssertEqual(try database.changes("UPDATE t SET x = 'y' WHERE id = 1234"), ["update t"])
        XCTAssertEqual(try database.changes("DELETE FROM t WHERE id = 77"), ["delete t"])
        XCTAssertEqual(try database.changes("INSERT INTO t VALUES (77, 1)"), ["insert t"])
        XCTAssertEqual(try database.changes("UPDATE t SET id = 9999 WHERE id = 5"), ["delete t", "insert t"])
        XCTAssertEqual(try database.changes("INSERT OR REPLACE INTO t VALUES (77, 2)"), ["update t"])
        XCTAssertEqual(try database.changes("UPDATE t SET x = x"), ["table sqlite_master"])
        assertPrecise(database, tables: 1)
    }

    func testARowIsFoundByAnyOfItsBytes() throws {
        let database = try PageDatabase("CREATE TABLE t(id INTEGER PRIMARY KEY, x);")
        try database.changes(
            "\(rows) INSERT INTO t SELECT i, printf('%.*c', 40 + i % 50, 'a') FROM n WHERE i <= 40")
        for id in 1...40 {
            for text in [
                "substr(x, 1, length(x) - 1) || 'c'", "'d' || substr(x, 2)", "x || 'b'", "substr(x, 3)",
            ] {
                XCTAssertEqual(
                    try database.changes("UPDATE t SET x = \(text) WHERE id = \(id)"), ["update t"])
            }
        }
        XCTAssertEqual(
            try database.changes("UPDATE t SET x = 'z' || substr(x, 2) WHERE id % 5 = 0"),
            Array(repeating: "update t", count: 8))
        XCTAssertEqual(try database.changes("DELETE FROM t WHERE id = 20"), ["delete t"])
        XCTAssertEqual(try database.changes("INSERT INTO t VALUES (20, 'new')"), ["insert t"])
        XCTAssertEqual(
            try database.changes("DELETE FROM t WHERE id = 3; UPDATE t SET x = 'end' WHERE id = 40"),
            ["delete t", "update t"])
        assertPrecise(database)
    }

    func testAllRowsOfLostPagesAreDeleted() throws {
        let database = try PageDatabase("CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE TABLE u(x);")
        try database.changes("\(rows) INSERT INTO t SELECT i, 'some text' FROM n")
        XCTAssertEqual(try database.changes("DELETE FROM t").count, 2000)
        // The pages are now used by another table.
        XCTAssertEqual(try database.changes("\(rows) INSERT INTO u SELECT 'other text' FROM n").count, 2000)
        XCTAssertEqual(try database.changes("DELETE FROM u WHERE rowid > 10").count, 1990)
        assertPrecise(database)
    }

    func testEachSerialTypeIsDecoded() throws {
        let database = try PageDatabase("CREATE TABLE t(a, b INTEGER, r REAL, n NUMERIC, x TEXT);")
        let values = [
            "NULL", "0", "1", "-1", "127", "-128", "32767", "-32768", "8388607", "-8388608", "2147483647",
            "-2147483648", "140737488355327", "-140737488355328", "9223372036854775807",
            "-9223372036854775808", "0.5", "-0.0", "1e300", "-9e999", "3.0", "''", "'text'", "x''", "x'00ff'",
            "zeroblob(5000)", "'é😀'", "printf('%.*c', 5000, 'x')",
        ]
        for value in values {
            let sql = "INSERT INTO t VALUES (\(Array(repeating: value, count: 5).joined(separator: ", ")))"
            XCTAssertEqual(try database.changes(sql), ["insert t"])
        }
        assertPrecise(database)
    }

    func testAddedColumnsHaveTheirDefaults() throws {
        let database = try PageDatabase(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, x);
            INSERT INTO t(x) VALUES (1), (2), (3);
            ALTER TABLE t ADD COLUMN a; ALTER TABLE t ADD COLUMN b INTEGER DEFAULT 5;
            ALTER TABLE t ADD COLUMN c REAL NOT NULL DEFAULT 7; ALTER TABLE t ADD COLUMN d TEXT DEFAULT 8;
            ALTER TABLE t ADD COLUMN e DEFAULT x'0102'; ALTER TABLE t ADD COLUMN f TEXT DEFAULT 'más';
            ALTER TABLE t ADD COLUMN g DEFAULT -1.5;
            """)
        XCTAssertEqual(try database.changes("UPDATE t SET x = 9 WHERE id = 2"), ["update t"])
        XCTAssertEqual(try database.changes("DELETE FROM t WHERE id = 1"), ["delete t"])
        assertPrecise(database)
    }

    func testUncertainDefaultsAreUnknown() throws {
        let database = try PageDatabase(
            """
            CREATE TABLE t(a DEFAULT (1 + 1), b DEFAULT CURRENT_TIMESTAMP, c DEFAULT 'it''s', d NUMERIC DEFAULT 1.5,
              e DEFAULT "x", f DEFAULT +7, g DEFAULT NULL, h, i DEFAULT 1.0, j DEFAULT 2.5,
              k TEXT DEFAULT 0049301234567, l TEXT DEFAULT 49301234567, m TEXT DEFAULT 0);
            """)
        let table = try XCTUnwrap(database.mirror.tables.first)
        XCTAssertEqual(
            table.columns.map(\.defaultValue),
            [
                nil, nil, nil, nil, nil, .integer(7), .null, .null, nil, .real(2.5), nil,
                .text("49301234567"), .text("0"),
            ])
    }

    func testGeneratedColumnsAreReadOrUnknown() throws {
        let database = try PageDatabase(
            "CREATE TABLE t(a, v AS (a + 1), s AS (a + 2) STORED, b); INSERT INTO t(a, b) VALUES (1, 2);")
        XCTAssertEqual(try database.changes("UPDATE t SET a = 5"), ["update t"])
        let table = try XCTUnwrap(database.mirror.tables.first)
        XCTAssertEqual(table.columns.map(\.place), [.field(0), .computed, .field(1), .field(2)])
        assertPrecise(database)
    }

    func testKeyedTablesReportKeysInTheOrderOfThePrimaryKey() throws {
        let database = try PageDatabase(
            "CREATE TABLE w(v, a INT, s AS (a) STORED, b TEXT COLLATE NOCASE, PRIMARY KEY (b, a)) WITHOUT ROWID;"
                + "CREATE INDEX wv ON w(v);")
        let filled = try database.changes("\(rows) INSERT INTO w(v, a, b) SELECT i, i % 7, 'k' || i FROM n")
        XCTAssertEqual(filled.count, 2000)
        XCTAssertEqual(try database.changes("UPDATE w SET v = 'x' WHERE b = 'K100'"), ["update w"])
        XCTAssertEqual(
            try database.changes("UPDATE w SET b = 'K100' WHERE b = 'k100'"), ["delete w", "insert w"])
        XCTAssertEqual(try database.changes("DELETE FROM w WHERE b = 'k5'"), ["delete w"])
        XCTAssertEqual(try database.changes("DELETE FROM w").count, 1999)
        assertPrecise(database)
    }

    func testRowsWithOverwrittenOverflowPagesAreUpdated() throws {
        for autoVacuum in 0...1 {
            let database = try PageDatabase(
                .init(pageSize: 1024, autoVacuum: autoVacuum),
                """
                CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE TABLE w(k PRIMARY KEY, x) WITHOUT ROWID;
                \(rows) INSERT INTO t SELECT i, zeroblob(i % 50 * 200) FROM n WHERE i < 400;
                \(rows) INSERT INTO w SELECT i, zeroblob(i % 50 * 200) FROM n WHERE i < 400;
                """)
            let update = "SET x = CAST(substr(x, 1, 5000) || x'01' || substr(x, 5002) AS BLOB) WHERE"
            XCTAssertEqual(try database.changes("UPDATE t \(update) id = 149"), ["update t"])
            XCTAssertEqual(try database.changes("UPDATE t SET x = x"), [])
            XCTAssertEqual(try database.changes("UPDATE w \(update) k = 149"), ["update w"])
            // The page with the row moves, its overflow pages do not.
            try database.changes("DELETE FROM t WHERE id BETWEEN 120 AND 148")
            XCTAssertEqual(
                try database.changes("UPDATE t SET x = zeroblob(9800) WHERE id = 149"), ["update t"])
            XCTAssertEqual(try database.changes("UPDATE t \(update) id = 149"), ["update t"])
            assertPrecise(database)
        }
    }

    func testTheSearchOfALongRowIsLimited() throws {
        let database = try PageDatabase(
            .init(pageSize: 512),
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(rows) INSERT INTO t SELECT i, zeroblob(508000) FROM n WHERE i <= 40"
        )
        func update(_ id: Int) -> String {
            "UPDATE t SET x = CAST(substr(x, 1, 507999) || x'01' AS BLOB) WHERE id = \(id)"
        }
        try database.changes(update(7))
        XCTAssertEqual(database.mirror.errors, [.tooManyLongRows])
        let states = database.states()
        let old = try states.next().state
        try database.connection.run(update(8))
        let (new, changed) = try states.next()
        let trees = try TrackedTree.all { try database.connection.run($0) }
        var map = try PageMap(trees: trees, source: old, searchesLongRows: false)
        XCTAssertThrowsError(
            try map.reportChanges(of: changed, from: old, to: new, limit: 10) { _ in }
        ) { error in
            guard case .unknownPage? = error as? PageError else { return XCTFail("\(error)") }
        }
        XCTAssertLessThan(new.readCount, 1000)
    }

    func testMovedPagesReportNoRows() throws {
        for autoVacuum in 0...2 {
            let database = try PageDatabase(
                .init(pageSize: 512, autoVacuum: autoVacuum),
                """
                CREATE TABLE junk(x); CREATE TABLE t(id INTEGER PRIMARY KEY, x);
                \(rows) INSERT INTO junk SELECT zeroblob(300) FROM n;
                \(rows) INSERT INTO t SELECT i, zeroblob(i % 13 * 100) FROM n;
                """)
            let deleted = try database.changes("DELETE FROM junk")
            XCTAssertEqual(Set(deleted), ["delete junk"])
            let moved = autoVacuum == 2 ? ["table sqlite_master"] : []
            XCTAssertEqual(try database.changes("PRAGMA incremental_vacuum(200)"), moved)
            XCTAssertEqual(try database.changes("PRAGMA incremental_vacuum"), moved)
            XCTAssertEqual(try database.changes("UPDATE t SET x = zeroblob(1200) WHERE id = 12"), [])
            XCTAssertEqual(try database.changes("UPDATE t SET x = 1 WHERE id = 12"), ["update t"])
            assertPrecise(database, tables: moved.count * 2)
        }
    }

    func testSchemaChangesAreErrors() throws {
        let database = try PageDatabase("CREATE TABLE t(x); INSERT INTO t VALUES (1);")
        for (count, sql) in [
            "CREATE TABLE u(x)", "DROP TABLE t; CREATE TABLE t(y)", "CREATE INDEX i ON u(x)", "VACUUM",
        ].enumerated() {
            try database.changes(sql)
            XCTAssertEqual(database.mirror.errors, Array(repeating: .changedSchema, count: count + 1))
        }
        XCTAssertEqual(try database.changes("INSERT INTO t VALUES (1)"), ["insert t"])
    }

    func testChangedPagesOfUnknownTablesAreErrors() throws {
        let database = try PageDatabase("CREATE TABLE t(x); CREATE TABLE u(x);")
        let states = database.states()
        let old = try states.next().state
        try database.connection.run("INSERT INTO u VALUES (1)")
        let (new, changed) = try states.next()
        let trees = try TrackedTree.all { try database.connection.run($0) }
        var map = try PageMap(trees: trees.filter { $0.rootPage != 3 }, source: old)
        XCTAssertThrowsError(
            try map.reportChanges(of: changed, from: old, to: new, limit: 10) { _ in }
        ) { XCTAssertEqual($0 as? PageError, .unknownPage(3)) }
    }

    func testAMapHasALimitedNumberOfPages() throws {
        let database = try PageDatabase("CREATE TABLE t(x); CREATE TABLE u(x);")
        let state = try database.states().next().state
        let trees = try TrackedTree.all { try database.connection.run($0) }
        XCTAssertEqual(try PageMap(trees: trees, source: state, pageLimit: 3).pageCount, 3)
        XCTAssertThrowsError(try PageMap(trees: trees, source: state, pageLimit: 2)) {
            XCTAssertEqual($0 as? PageError, .tooManyPages)
        }
    }

    func testEditedSchemaTableIsAnError() throws {
        let database = try PageDatabase("CREATE TABLE t(x);")
        try database.changes(
            "PRAGMA writable_schema = on; UPDATE sqlite_master SET sql = 'CREATE TABLE t(yy)' WHERE name = 't'"
        )
        XCTAssertEqual(database.mirror.errors, [.changedSchema])
    }

    func testTablesOfTheLibraryAreReportedAsTables() throws {
        let database = try PageDatabase("CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, x);")
        XCTAssertEqual(
            try database.changes("INSERT INTO t(x) VALUES (1)").sorted(),
            ["insert t", "table sqlite_sequence"])
        assertPrecise(database, tables: 1)
    }

    func testContentOfVirtualTablesIsReportedAsBoth() throws {
        let trees = TrackedTree.all(owners: ["f_data": TableName(name: "f")]) { sql in
            sql.contains("sqlite_master") ? [[.text("table"), .text("f_data"), .integer(2)]] : []
        }
        guard case .tables(let names)? = trees.first?.content else { return XCTFail("not coarse") }
        XCTAssertEqual(names, [TableName(name: "f"), TableName(name: "f_data")])
    }

    func testTablesWithMoreRowsThanTheLimitAreReportedAsTables() throws {
        let database = try PageDatabase("CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE TABLE u(x);")
        database.mirror.limit = 20
        XCTAssertEqual(
            try database.changes(
                "BEGIN; \(rows) INSERT INTO t SELECT i, 1 FROM n; INSERT INTO u VALUES (1); COMMIT"),
            ["table t", "insert u"])
        XCTAssertEqual(try database.changes("UPDATE t SET x = 2 WHERE id = 1000"), ["update t"])
        XCTAssertEqual(try database.changes("DELETE FROM t"), ["table t"])
        XCTAssertEqual(try database.changes("INSERT INTO t VALUES (1, 1)"), ["insert t"])
        assertPrecise(database, tables: 2)
    }
}
