#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    private struct Order: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "order"
        var id: UUID?
        var price: Decimal
        var weight: Double
        var placed: Date
        var day: String
        var count: Int16
        var tags: String
        var details: [String: Int]
        var isPaid: Bool
        var photo: Data?

        mutating func didInsert(_ inserted: InsertionSuccess) {
            if let value = inserted.persistenceContainer["id"] {
                id = UUID.fromDatabaseValue(value.databaseValue)
            }
        }
    }

    private struct Event: Codable, FetchableRecord, PersistableRecord {
        var id: Int
        var at: Date
    }

    /// Values of the server's own types.
    final class ServerValueTests: ServerTestCase {
        private func withTable<T>(_ body: @escaping @Sendable (Database) throws -> T) throws -> T {
            try makePool().write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE "order" (
                            id uuid PRIMARY KEY DEFAULT gen_random_uuid(), price numeric(30, 10) NOT NULL,
                            weight numeric NOT NULL, placed timestamptz NOT NULL, day date NOT NULL,
                            count smallint NOT NULL, tags text[] NOT NULL, details jsonb NOT NULL,
                            "isPaid" boolean NOT NULL, photo bytea)
                        """)
                return try body(db)
            }
        }

        private static func order() -> Order {
            Order(
                id: nil, price: Decimal(string: "12345678901234567.8901234567") ?? 0, weight: 2.5,
                placed: Date(timeIntervalSince1970: 1_700_000_000.125), day: "2024-02-29", count: 3,
                tags: #"{a,"b c"}"#, details: ["size": 4], isPaid: true, photo: Data([0, 255]))
        }

        func testRecordsOfTheServersTypesAreReadAsTheyWereWritten() throws {
            try withTable { db in
                var order = Self.order()
                try order.insert(db)
                let id = try XCTUnwrap(order.id)
                XCTAssertEqual(try Order.fetchOne(db, key: id), order)
                XCTAssertEqual(try Order.filter(key: id).fetchAll(db), [order])
                XCTAssertEqual(try Order.filter(Column("details") == #"{"size": 4}"#).fetchCount(db), 1)
                XCTAssertEqual(try Order.filter(Column("price") == order.price).fetchCount(db), 1)
                XCTAssertEqual(try Order.filter(Column("weight") < 2.75).fetchCount(db), 1)
                XCTAssertEqual(try Order.filter(Column("placed") == order.placed).fetchCount(db), 1)
                order.isPaid = false
                try order.update(db)
                XCTAssertEqual(try Order.filter(Column("isPaid") == false).fetchCount(db), 1)
                let fetched = try Self.order().insertAndFetch(db)
                XCTAssertNotNil(fetched.id)
                XCTAssertEqual(try Order.fetchCount(db), 2)
                XCTAssertTrue(try order.delete(db))
            }
        }

        func testDatesAreTheSameInstantsInEachTimeZone() throws {
            var configuration = Configuration()
            configuration.prepareDatabase { db in try db.execute(sql: "SET TimeZone = 'Europe/Berlin'") }
            let (dbPool, other) = (try makePool(configuration), try makePool())
            try dbPool.write { db in try db.execute(sql: "CREATE DOMAIN moment AS TIMESTAMPTZ") }
            let noon = Date(timeIntervalSince1970: 1_782_907_200)  // 2026-07-01 12:00 UTC
            for type in ["TIMESTAMPTZ", "moment"] {
                try dbPool.write { db in
                    try db.execute(
                        sql: """
                            DROP TABLE IF EXISTS event;
                            CREATE TABLE event (id INT PRIMARY KEY, at \(type) NOT NULL)
                            """)
                    try Event(id: 1, at: noon).insert(db)
                    // Other texts are in the time zone of the session.
                    try db.execute(sql: "INSERT INTO event VALUES (2, ?)", arguments: ["2026-07-01 12:00:00"])
                }
                for pool in [dbPool, other] {
                    let dates = try pool.read { db in
                        try Event.order(Column("id")).fetchAll(db).map(\.at)
                    }
                    XCTAssertEqual(dates, [noon, noon - 2 * 3600])
                    let count = try pool.read { db in try Event.filter(Column("at") < noon).fetchCount(db) }
                    XCTAssertEqual(count, 1)
                }
            }
        }
    }
#endif
