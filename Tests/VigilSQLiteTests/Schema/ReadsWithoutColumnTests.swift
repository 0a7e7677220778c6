import VigilStorage
import XCTest

/// Queries that depend on the set of rows, and on none of their columns.
final class ReadsWithoutColumnTests: XCTestCase {
    private func assertReads(_ expected: [TableRead], in sql: String, line: UInt = #line) throws {
        let schema = """
            CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
            CREATE TABLE keyed(id INTEGER, n INTEGER, PRIMARY KEY (id, n));
            CREATE TABLE twice(x);
            CREATE TABLE unnamed("" TEXT, a);
            CREATE TABLE spelled(ROWID TEXT, a);
            CREATE TEMP TABLE draft(a);
            CREATE TEMP TABLE twice(x);
            ATTACH ':memory:' AS other;
            CREATE TABLE other.far(a);
            CREATE VIEW ones AS SELECT 1 AS one FROM t;
            """
        for named in NamedBackend.all {
            let connection = try named.open(schema)
            let statement = try connection.prepared(sql)
            defer { statement.finalize() }
            for read in expected {
                let found = statement.access.reads.first { $0.table == read.table }
                XCTAssertNotNil(found, "\(named.name): \(sql)", line: line)
                // An old library reports the row ID as a column.
                if read.columns == [], let columns = found?.columns, columns.isSubset(of: ["id", "ROWID"]) {
                    continue
                }
                XCTAssertEqual(found, read, "\(named.name): \(sql)", line: line)
            }
        }
    }

    /// Such comparisons are missing from the library's access reports.
    func testColumnsOfNaturalJoinsAreRead() throws {
        let schema = """
            CREATE TABLE w(a, b); CREATE TABLE v(b, c);
            CREATE VIEW pairs AS SELECT COUNT(*) AS n FROM w JOIN v USING (b);
            CREATE VIEW pair AS SELECT a FROM w NATURAL JOIN v;
            CREATE VIEW outer_pair AS SELECT n FROM pairs;
            """
        let queries = [
            "SELECT w.a, v.c FROM w JOIN v USING (b)", "SELECT COUNT(*) FROM w natural join v",
            "SELECT (SELECT COUNT(*) FROM w JOIN v Using (b))", "SELECT n FROM pairs",
            "SELECT COUNT(*) FROM pairs",
            "SELECT a FROM pair", "SELECT COUNT(*) FROM pair", "SELECT n FROM outer_pair",
            "SELECT COUNT(*) FROM outer_pair",
        ]
        for named in NamedBackend.all {
            let connection = try named.open(schema)
            for sql in queries {
                let statement = try connection.prepared(sql)
                defer { statement.finalize() }
                for table in ["v", "w"] {
                    let read = statement.access.reads.first { $0.table == TableName(name: table) }
                    XCTAssertEqual(
                        read, TableRead(TableName(name: table), columns: nil), "\(named.name): \(sql)")
                }
            }
        }
    }

    /// The library copies rows as they are stored, without reading columns.
    func testCopiedTablesAreRead() throws {
        let schema = """
            CREATE TABLE s(a, b); CREATE TABLE t(a, b); CREATE TEMP TABLE draft(a, b); CREATE TABLE log(a);
            CREATE TRIGGER copy AFTER INSERT ON log BEGIN INSERT INTO t SELECT * FROM s; END;
            """
        let copies = [
            "INSERT INTO t SELECT * FROM s", "INSERT INTO draft SELECT * FROM main.S",
            "INSERT INTO t select all * from \"s\" AS x", "INSERT INTO t SELECT * FROM ('s')",
            "INSERT INTO log VALUES (1)", "INSERT INTO log SELECT MAX(a) FROM s",
        ]
        for named in NamedBackend.all {
            let connection = try named.open(schema)
            for sql in copies {
                let statement = try connection.prepared(sql)
                defer { statement.finalize() }
                XCTAssertEqual(
                    statement.access.reads, [TableRead(TableName(name: "s"))], "\(named.name): \(sql)")
            }
        }
    }

    private let t = TableName(name: "t")

    func testCountingReadsNoColumn() throws {
        try assertReads([TableRead(t, columns: [])], in: "SELECT COUNT(*) FROM t")
        try assertReads([TableRead(t, columns: [])], in: "SELECT 1 FROM 't'")
        try assertReads([TableRead(t, columns: [])], in: "SELECT COUNT(*) FROM ones")
        try assertReads([TableRead(t, columns: ["a"])], in: "SELECT COUNT(*) FROM t WHERE a = 5")
    }

    func testCountingInAWriteReadsTheTable() throws {
        for sql in [
            "INSERT INTO twice SELECT COUNT(*) FROM t", "UPDATE twice SET x = (SELECT COUNT(*) FROM t)",
            "DELETE FROM twice WHERE EXISTS (SELECT 1 FROM t)",
            "CREATE TEMP TABLE counts AS SELECT COUNT(*) AS n FROM t",
        ] {
            try assertReads([TableRead(t, columns: [])], in: sql)
        }
    }

    func testReadingTheRowIDAloneReadsNoColumn() throws {
        try assertReads([TableRead(t, columns: [])], in: "SELECT id FROM t")
        try assertReads([TableRead(t, columns: [])], in: "SELECT rowid FROM t WHERE id > 5")
        let draft = TableName(schema: "temp", name: "draft")
        try assertReads([TableRead(draft, columns: [])], in: "SELECT rowid FROM draft")
    }

    func testAColumnReadElsewhereInTheStatementIsKept() throws {
        try assertReads([TableRead(t, columns: ["a"])], in: "SELECT x.a FROM t x, t y")
        try assertReads([TableRead(t, columns: ["a"])], in: "SELECT t.a FROM t, ones")
        let keyed = TableName(name: "keyed")
        try assertReads([TableRead(keyed, columns: ["id"])], in: "SELECT x.id FROM keyed x, keyed y")
    }

    /// The library reports a read of such a column like a read without a column.
    func testATableWithAnEmptyColumnNameIsReadAsAWhole() throws {
        let unnamed = TableName(name: "unnamed")
        for sql in [
            #"SELECT "" FROM unnamed"#, "SELECT * FROM unnamed", #"SELECT a FROM unnamed WHERE "" = 'x'"#,
        ] {
            try assertReads([TableRead(unnamed, columns: nil)], in: sql)
        }
        try assertReads([TableRead(unnamed, columns: ["a"])], in: "SELECT a FROM unnamed")
    }

    func testAColumnWithTheNameOfTheRowIDIsRead() throws {
        let spelled = TableName(name: "spelled")
        for sql in [
            "SELECT ROWID FROM spelled WHERE (SELECT COUNT(*) FROM spelled) > 0",
            "SELECT x.rowid FROM spelled x, spelled y",
        ] {
            try assertReads([TableRead(spelled, columns: ["ROWID"])], in: sql)
        }
    }

    func testTemporaryAndAttachedTablesAreFoundWithoutTheirSchema() throws {
        let names = [
            "draft": TableName(schema: "temp", name: "draft"), "far": TableName(schema: "other", name: "far"),
            "twice": TableName(schema: "temp", name: "twice"),
        ]
        for (name, table) in names {
            try assertReads([TableRead(table, columns: [])], in: "SELECT COUNT(*) FROM \(name)")
        }
        try assertReads(
            [TableRead(TableName(name: "twice"), columns: [])], in: "SELECT COUNT(*) FROM main.twice")
    }

    func testATemporaryTableCreatedWithItsSchemaIsFoundWithoutIt() throws {
        for named in NamedBackend.all {
            let connection = try named.open("CREATE TABLE t(a); CREATE TABLE u(a); CREATE TABLE temp.u(a)")
            let statement = try connection.prepared("SELECT t.a FROM t, u")
            defer { statement.finalize() }
            let names = statement.access.reads.map(\.table)
            XCTAssertTrue(names.contains(TableName(schema: "temp", name: "u")), "\(named.name): \(names)")
        }
    }
}
