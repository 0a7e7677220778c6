import Vigil
import VigilTestSupport
import XCTest

@testable import VigilEngine

/// A kept statement is not used after a change of the schema that SQLite would notice only when the statement
/// runs.
final class OutdatedKeptStatementTests: XCTestCase {
    private func region(_ db: Database, _ sql: String) throws -> String {
        try SQLRequest<Row>(sql: sql).databaseRegion(db).description
    }

    func testRollbacksReleaseStatementsOfTheUndoneSchema() throws {
        try onEachQueue(schema: "CREATE TABLE a(x); CREATE TABLE b(x); CREATE VIEW v AS SELECT * FROM a") {
            dbQueue in
            try dbQueue.inDatabase { db in
                let expected = try region(db, "SELECT x FROM v")
                XCTAssertTrue(expected.contains("a(x)"), expected)
                func redefineView() throws {
                    try db.execute(sql: "DROP VIEW v; CREATE VIEW v AS SELECT * FROM b")
                    let fetched = try region(db, "SELECT x FROM v")
                    XCTAssertTrue(fetched.contains("b(x)"), fetched)
                }
                try db.inTransaction {
                    try redefineView()
                    return .rollback
                }
                XCTAssertEqual(try region(db, "SELECT x FROM v"), expected)
                try db.inTransaction {
                    try db.inSavepoint {
                        try redefineView()
                        return .rollback
                    }
                    XCTAssertEqual(try region(db, "SELECT x FROM v"), expected)
                    return .commit
                }
            }
        }
    }

    private func onEachPool(
        _ prepare: @escaping @Sendable (Database, _ attached: String) throws -> Void = { _, _ in },
        _ body: (DatabasePool, String) throws -> Void
    ) throws {
        for (name, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            configuration.maximumReaderCount = 1
            let path = directory.file("attached.sqlite")
            configuration.prepareDatabase { db in try prepare(db, path) }
            let pool = try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration)
            try body(pool, name)
            try pool.close()
        }
    }

    func testReadersFollowTheSchemaOfTheWriterBeforeAStatementRuns() throws {
        try onEachPool { pool, name in
            try pool.write { db in
                try db.execute(
                    sql: "CREATE TABLE p(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO p VALUES (1, 'a')")
            }
            let sql = "SELECT * FROM p"
            XCTAssertEqual(try pool.read { db in try Row.fetchAll(db, sql: sql).count }, 1, name)
            XCTAssertEqual(try pool.read { db in try region(db, sql) }, "p(id,name)", name)
            try pool.write { db in try db.execute(sql: "ALTER TABLE p ADD COLUMN c DEFAULT 5") }
            XCTAssertEqual(try pool.read { db in try region(db, sql) }, "p(c,id,name)", name)
            try pool.write { db in try db.execute(sql: "ALTER TABLE p ADD COLUMN d DEFAULT 6") }
            let mapped = try pool.read { db in
                try Row.fetchOne(db, sql: sql, adapter: ColumnMapping(["x": "d"]))?["x"] as Int?
            }
            XCTAssertEqual(mapped, 6, name)
        }
    }

    func testReadersFollowTheSchemaOfAnAttachedDatabase() throws {
        try onEachPool { db, path in
            try db.execute(sql: "ATTACH DATABASE ? AS attached", arguments: [path])
            if try db.tableExists("t", in: "attached") { return }
            try db.execute(sql: "CREATE TABLE attached.t(id INTEGER PRIMARY KEY, other TEXT)")
        } _: { pool, name in
            let sql = "SELECT * FROM t"
            try pool.read { db in
                XCTAssertEqual(try region(db, sql), "attached.t(id,other)", name)
                XCTAssertEqual(try db.cachedStatement(sql: sql).columnNames, ["id", "other"], name)
            }
            try pool.write { db in try db.execute(sql: "ALTER TABLE attached.t ADD COLUMN more") }
            try pool.read { db in
                XCTAssertEqual(try region(db, sql), "attached.t(id,more,other)", name)
                let columns = try db.cachedStatement(sql: sql).columnNames
                XCTAssertEqual(columns, ["id", "other", "more"], name)
            }
        }
    }

    func testATableThatHidesOneOfAnAttachedDatabaseIsRead() throws {
        try onEachPool { db, path in
            // A SQLCipher database that is attached without a key has the key of the main one.
            try db.execute(sql: "ATTACH DATABASE ? AS attached", arguments: [path])
            if try db.tableExists("t", in: "attached") { return }
            try db.execute(sql: "CREATE TABLE attached.t(id INTEGER PRIMARY KEY, other TEXT)")
        } _: { pool, name in
            let sql = "SELECT * FROM t"
            XCTAssertEqual(try pool.read { db in try region(db, sql) }, "attached.t(id,other)", name)
            XCTAssertEqual(try pool.read { db in try Row.fetchAll(db, sql: sql).count }, 0, name)
            try pool.write { db in
                try db.execute(
                    sql: "CREATE TABLE main.t(id INTEGER PRIMARY KEY); INSERT INTO main.t VALUES (1)")
            }
            XCTAssertEqual(try pool.read { db in try Row.fetchAll(db, sql: sql).count }, 1, name)
            let uncached = try pool.read { db in try db.makeStatement(sql: sql).databaseRegion.description }
            XCTAssertEqual(try pool.read { db in try region(db, sql) }, uncached, name)
        }
    }
}
