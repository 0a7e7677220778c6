#if PostgreSQL
    import Vigil
    import XCTest

    private final class Output: TextOutputStream {
        private(set) var text = ""
        func write(_ string: String) { text += string }
    }

    private struct Customer: Codable, Equatable, FetchableRecord, PersistableRecord {
        var id: Int
        var email: String
    }

    /// Primary and foreign keys with what only servers have.
    final class ServerKeyTests: ServerTestCase {
        func testIncludedColumnsDoNotBelongToThePrimaryKey() throws {
            try makePool().write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE customer (email TEXT NOT NULL, id INT, PRIMARY KEY (id) INCLUDE (email))
                        """)
                XCTAssertEqual(try db.primaryKey("customer").columns, ["id"])
                var customer = Customer(id: 1, email: "a")
                try customer.insert(db)
                customer.email = "b"
                try customer.update(db)
                XCTAssertEqual(try Customer.fetchOne(db, key: 1), customer)
                customer.email = "c"
                try customer.upsert(db)
                XCTAssertEqual(try Customer.fetchAll(db), [customer])
            }
        }

        func testForeignKeysToPartitionedTablesAreListedOnce() throws {
            try makePool().write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE p (id INT PRIMARY KEY) PARTITION BY RANGE (id);
                        CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10);
                        CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20);
                        CREATE TABLE o (id INT PRIMARY KEY, p INT REFERENCES p) PARTITION BY RANGE (id);
                        CREATE TABLE o1 PARTITION OF o FOR VALUES FROM (0) TO (10);
                        """)
                for table in ["o", "o1"] {
                    XCTAssertEqual(try db.foreignKeys(on: table).map(\.destinationTable), ["p"], table)
                }
                let output = Output()
                try db.dumpSchema(to: output)
                XCTAssertEqual(output.text.components(separatedBy: "REFERENCES").count, 3, output.text)
            }
        }
    }
#endif
