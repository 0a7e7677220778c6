#if PostgreSQL
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Reads and writes of a pool on a server.
    final class ServerAccessTests: ServerTestCase {
        func testWritesAreRead() throws {
            let dbPool = try makePool()
            try dbPool.write { db in
                try db.execute(sql: "CREATE TABLE player (id INT PRIMARY KEY, name TEXT)")
                try db.execute(sql: "INSERT INTO player VALUES (?, ?)", arguments: [1, "Arthur"])
            }
            let names = try dbPool.read { db in try String.fetchAll(db, sql: "SELECT name FROM player") }
            XCTAssertEqual(names, ["Arthur"])
        }

        func testErrorsNameTheServerAndNotSQLite() throws {
            let dbPool = try makePool()
            try dbPool.write { db in try db.execute(sql: "CREATE TABLE player (id INT PRIMARY KEY)") }
            let snapshot = try dbPool.makeSnapshot()
            let unreachable = "host=/nonexistent dbname=postgres"
            let failures: [(name: String, run: () throws -> Void)] = [
                ("server that is down", { _ = try DatabasePool(server: unreachable) }),
                ("write in a read", { try dbPool.read { db in try db.execute(sql: "DELETE FROM player") } }),
                ("wrong SQL", { try dbPool.read { db in _ = try Row.fetchAll(db, sql: "SELECT nothing") } }),
                (
                    "missing argument",
                    { try dbPool.read { db in _ = try Row.fetchAll(db, sql: "SELECT ?", arguments: []) } }
                ),
                (
                    "commit in a write",
                    { try dbPool.write { db in try db.execute(sql: "COMMIT") } }
                ),
                (
                    "missing feature",
                    { try dbPool.write { db in try db.create(virtualTable: "t", using: "fts5") } }
                ),
                (
                    "preparation",
                    {
                        var configuration = Configuration()
                        configuration.prepareDatabase { _ in throw DatabaseError(message: "not prepared") }
                        _ = try self.makePool(configuration)
                    }
                ),
                ("own error", { try dbPool.read { _ in throw DatabaseError(message: "full") } }),
                (
                    "closed pool",
                    {
                        try dbPool.close()
                        try dbPool.read { _ in }
                    }
                ),
                ("snapshot of a closed pool", { _ = try dbPool.makeSnapshot() }),
                (
                    "write in a snapshot",
                    { try snapshot.read { db in try db.execute(sql: "DELETE FROM player") } }
                ),
            ]
            for failure in failures {
                XCTAssertThrowsError(try failure.run(), failure.name) { error in
                    XCTAssertTrue("\(error)".hasPrefix("PostgreSQL error"), "\(failure.name): \(error)")
                    XCTAssertFalse("\(error)".contains("SQLite"), "\(failure.name): \(error)")
                }
            }
        }

        func testNullCharactersAreRefused() throws {
            let dbPool = try makePool()
            try dbPool.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE t (a TEXT)")
                let inSQL = "the SQL contains a NUL character: bind text that contains one as an argument"
                for sql in [
                    "INSERT INTO t VALUES ('1')\0", "INSERT INTO t VALUES ('1');\0INSERT INTO t VALUES ('2')",
                    "INSERT INTO t VALUES ('a\0b')",
                ] {
                    assertDatabaseError(.SQLITE_ERROR, inSQL) { try db.execute(sql: sql) }
                }
                assertDatabaseError(.SQLITE_ERROR, inSQL) {
                    try db.create(table: "u\0v") { t in t.column("a", .text) }
                }
                assertDatabaseError(.SQLITE_ERROR, "PostgreSQL does not store text with a zero byte") {
                    try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["a\0b"])
                }
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
            }
            assertDatabaseError(
                .SQLITE_CANTOPEN, "the address of the server contains a NUL character"
            ) {
                try DatabasePool(server: "postgres://localhost/a\0b")
            }
        }
    }
#endif
