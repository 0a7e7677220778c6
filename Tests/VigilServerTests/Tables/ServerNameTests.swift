#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    private struct Document: Codable, Equatable, FetchableRecord, PersistableRecord {
        struct Content: Codable, Equatable {
            var title: String
            var pages: [Int]
        }

        var id: Int
        var content: Content
        var text: String
    }

    private struct Elsewhere: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "other.t"
        var id: Int
    }

    /// Names and types that mean something else on a server.
    final class ServerNameTests: ServerTestCase {
        func testCollationsAreQuoted() throws {
            try makePool().write { db in
                let names = ["C", "de-DE-x-icu", "my collation", "order", #"with "quotes""#, "Case"]
                for name in names.dropFirst(2) {
                    try db.execute(
                        literal: SQL(sql: "CREATE COLLATION \(name.quotedDatabaseIdentifier) (locale = 'C')"))
                }
                for name in names {
                    let collation = Database.CollationName(rawValue: name)
                    try db.create(table: "t") { t in t.column("name", .text).collate(collation) }
                    try db.execute(sql: "INSERT INTO t VALUES ('a'), ('b')")
                    let column = Column("name")
                    XCTAssertEqual(
                        try String.fetchAll(
                            db, Table("t").select(column).order(column.collating(collation).desc)),
                        ["b", "a"], name)
                    XCTAssertEqual(
                        try Table("t").filter(column.collating(collation) == "a").fetchCount(db), 1, name)
                    let query: SQL = "SELECT name FROM t ORDER BY name COLLATE \(collation)"
                    XCTAssertEqual(try String.fetchAll(db, SQLRequest(literal: query)), ["a", "b"], name)
                    try db.drop(table: "t")
                }
            }
        }

        func testBinaryJSONIsStoredAsJSON() throws {
            try makePool().write { db in
                try db.create(table: "document") { t in
                    t.primaryKey("id", .integer)
                    t.column("content", .jsonb)
                    t.column("text", .jsonText)
                }
                XCTAssertEqual(try db.columns(in: "document").map(\.type), ["bigint", "jsonb", "text"])
                let document = Document(
                    id: 1, content: .init(title: "A", pages: [1, 2]), text: #"{ "a": 1,  "a": 2 }"#)
                try document.insert(db)
                XCTAssertEqual(try Document.fetchAll(db), [document])
                XCTAssertEqual(
                    try Int.fetchOne(db, sql: "SELECT (content->'pages'->1)::int FROM document"), 2)
            }
        }

        func testANameWithASchemaIsRefused() throws {
            try makePool().write { db in
                let operations: [() throws -> Void] = [
                    { try db.create(table: "other.t") { t in t.primaryKey("id", .integer) } },
                    { try db.create(view: "other.t", as: SQLRequest<Row>(sql: "SELECT 1")) },
                    {
                        try db.create(table: "t") { t in t.primaryKey("id", .integer) }
                        try db.rename(table: "t", to: "other.t")
                    },
                ]
                for operation in operations {
                    XCTAssertThrowsError(try operation()) { error in
                        XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
                        XCTAssertTrue("\(error)".contains("search path"), "\(error)")
                    }
                }
                XCTAssertThrowsError(try Elsewhere(id: 1).insert(db)) { error in
                    XCTAssertTrue("\(error)".contains("does not include its schema"), "\(error)")
                }
            }
        }

        func testATableWithADotInItsNameCanBeUsed() throws {
            try makePool().write { db in
                try db.execute(sql: #"CREATE TABLE "other.t" (id BIGINT PRIMARY KEY)"#)
                try Elsewhere(id: 1).insert(db)
                XCTAssertEqual(try Elsewhere.fetchAll(db).map(\.id), [1])
            }
            let dbQueue = try DatabaseQueue()
            try dbQueue.write { db in
                try db.create(table: "other.t") { t in t.primaryKey("id", .integer) }
                try Elsewhere(id: 1).insert(db)
                XCTAssertEqual(try Elsewhere.fetchAll(db).map(\.id), [1])
            }
        }

        func testListeningIsRefused() throws {
            try makePool().writeWithoutTransaction { db in
                for sql in ["LISTEN news", "UNLISTEN *", "SELECT 1; listen news"] {
                    XCTAssertThrowsError(try db.execute(sql: sql), sql) { error in
                        XCTAssertTrue("\(error)".contains("does not deliver notifications"), "\(error)")
                    }
                }
                XCTAssertNoThrow(try db.execute(sql: "NOTIFY news, 'x'"))
            }
        }
    }
#endif
