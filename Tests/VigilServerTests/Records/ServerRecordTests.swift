#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    private class Person: Record {
        var id: Int64?
        var name: String

        init(name: String) {
            self.name = name
            super.init()
        }

        required init(row: Row) throws {
            id = row["id"]
            name = row["name"]
            try super.init(row: row)
        }

        override class var databaseTableName: String { "person" }

        override func encode(to container: inout PersistenceContainer) throws {
            container["id"] = id
            container["name"] = name
        }

        override func didInsert(_ inserted: InsertionSuccess) {
            super.didInsert(inserted)
            id = inserted.rowID
        }
    }

    private struct Document: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
        var id: UUID?
        var title: String
        var version: Int?

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.persistenceContainer["id"].flatMap { UUID.fromDatabaseValue($0.databaseValue) }
        }
    }

    /// Records whose keys the server generates.
    final class ServerRecordTests: ServerTestCase {
        private func createTables(_ db: Database) throws {
            try db.create(table: "person") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull().unique()
            }
            try db.create(table: "document") { t in
                t.primaryKey("id", Database.ColumnType(rawValue: "uuid")).defaults(sql: "gen_random_uuid()")
                t.column("title", .text).notNull()
                t.column("version", .integer).notNull().defaults(to: 1)
            }
        }

        func testRecordsOfAClassReceiveTheirKey() throws {
            try makePool().write { [self] db in
                try createTables(db)
                let people = [Person(name: "Arthur"), Person(name: "Barbara")]
                for person in people { try person.insert(db) }
                XCTAssertEqual(
                    people.map(\.id), try Int64?.fetchAll(db, sql: "SELECT id FROM person ORDER BY name"))
                people[0].name = "Craig"
                try people[0].save(db)
                XCTAssertEqual(try Person.fetchOne(db, key: people[0].id)?.name, "Craig")
                XCTAssertTrue(try people[1].delete(db))
                XCTAssertEqual(try Person.fetchAll(db, keys: people.compactMap(\.id)).map(\.name), ["Craig"])
            }
        }

        func testGeneratedKeysOfOtherTypesAreReturned() throws {
            try makePool().write { [self] db in
                try createTables(db)
                var document = Document(title: "a", version: 3)
                try document.insert(db)
                let id = try XCTUnwrap(document.id)
                XCTAssertEqual(try Document.fetchOne(db, key: id), document)
                document.version = 4
                try document.save(db)
                XCTAssertEqual(try Document.find(db, key: id).version, 4)
                XCTAssertEqual(try Document.filter(key: id).fetchCount(db), 1)
                var new = Document(title: "b", version: 5)
                let fetched = try new.upsertAndFetch(db)
                XCTAssertEqual(fetched, new)
                XCTAssertNotNil(new.id)
                XCTAssertEqual(try Document.fetchCount(db), 2)
            }
        }

        func testIgnoredInsertionsLeaveNoRow() throws {
            try makePool().write { [self] db in
                try createTables(db)
                let first = Person(name: "Arthur")
                try first.insert(db)
                let second = Person(name: "Arthur")
                try second.insert(db, onConflict: .ignore)
                XCTAssertNil(second.id)
                let third = Document(title: "a", version: 1)
                XCTAssertEqual(try third.insertAndFetch(db, onConflict: .ignore).title, "a")
                try db.create(indexOn: "document", columns: ["title"], options: .unique)
                XCTAssertThrowsError(try third.insertAndFetch(db, onConflict: .ignore)) { error in
                    XCTAssertTrue(error is RecordError, "\(error)")
                }
                XCTAssertEqual(try Document.fetchCount(db), 1)
                XCTAssertEqual(try Person.fetchCount(db), 1)
                XCTAssertThrowsError(
                    try second.insertAndFetch(db, onConflict: .ignore, as: Team.self)
                ) { error in XCTAssertTrue(error is RecordError, "\(error)") }
            }
        }

        func testRowsOfViewsAreRead() throws {
            try makePool().write { [self] db in
                try createTables(db)
                try db.create(table: "person", options: .ifNotExists) { t in t.column("other", .text) }
                try Person(name: "Arthur").insert(db)
                try db.create(view: "fan", as: Person.filter(Column("name") == "Arthur"))
                let fans = Table("fan")
                XCTAssertEqual(try fans.fetchCount(db), 1)
                XCTAssertEqual(try fans.filter(Column("name") == "Arthur").fetchAll(db).count, 1)
                XCTAssertEqual(try fans.order(Column("name")).limit(1).fetchOne(db)?["name"], "Arthur")
                XCTAssertEqual(try fans.filter(Column("name") == "Arthur").deleteAll(db), 1)
                XCTAssertEqual(try Person.fetchCount(db), 0)
                XCTAssertNoThrow(try db.checkForeignKeys())
            }
        }
    }
#endif
