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
    }
#endif
