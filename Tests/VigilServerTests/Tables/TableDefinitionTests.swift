#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    /// Definitions of tables, whose effects must be the same as in SQLite.
    final class TableComparisonTests: ComparisonTestCase {
        override func createTables(_ db: Database) throws {
            try db.create(table: "country") { t in
                t.primaryKey("code", .text)
                t.column("name", .text).notNull().unique()
            }
            try db.create(table: "author", options: .ifNotExists) { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("firstName", .text).notNull().indexed()
                t.column("lastName", .text).defaults(to: "O'Hara")
                t.column("age", .integer).check { $0 >= 0 && $0 < 150 }.defaults(to: 30)
                t.column("isAlive", .boolean).notNull().defaults(to: true)
                t.column("rating", .double).defaults(to: 1.5)
                t.column("key", .blob).defaults(to: Data([1, 255]))
                t.column("born", .date)
                t.column("updated", .datetime).notNull().defaults(sql: "CURRENT_TIMESTAMP")
                t.column("doubled", .integer).generatedAs(Column("age") * 2, .stored)
                t.belongsTo("country", inTable: "country", onDelete: .setNull)
                t.uniqueKey(["firstName", "lastName"])
                t.check(sql: #""firstName" <> "lastName""#)
            }
            try db.create(table: "book") { t in
                t.primaryKey {
                    t.column("title", .text)
                    t.belongsTo("author", onDelete: .cascade, onUpdate: .restrict)
                }
                t.column("editor", .integer).references("author", onDelete: .setDefault, deferred: true)
                t.column("pages", .integer)
            }
            try db.create(table: "edition") { t in
                t.column("title", .text)
                t.column("author", .integer)
                t.foreignKey(["title", "author"], references: "book")
            }
            try db.create(index: "bookByPages", on: "book", columns: ["pages", "title"])
            try db.create(indexOn: "book", columns: ["editor"], options: .unique)
            try db.create(
                index: "longBooks", on: "book", columns: ["title"], options: [.ifNotExists],
                condition: Column("pages") > 500)
            try db.create(index: "bookLength", on: "book", expressions: [length(Column("title"))])
            try db.create(view: "longBook", as: Table("book").filter(Column("pages") > 500))
        }

        private static func errorCode(_ db: Database, _ sql: String) -> String {
            do {
                try db.inSavepoint {
                    try db.execute(sql: sql)
                    return .commit
                }
                return "no error"
            } catch let error as DatabaseError {
                // The server does not distinguish primary keys from other unique keys.
                let code = error.extendedResultCode
                return "\(code == .SQLITE_CONSTRAINT_PRIMARYKEY ? .SQLITE_CONSTRAINT_UNIQUE : code)"
            } catch {
                return "\(error)"
            }
        }

        func testSchemasAreDescribed() {
            assertSameReads { db in
                var results: [String] = []
                for table in ["country", "author", "book", "edition", "longBook", "none"] {
                    results.append("\(try db.tableExists(table)) \(try db.viewExists(table))")
                }
                for table in ["country", "author", "book", "edition"] {
                    let columns = try db.columns(in: table)
                    results += columns.map {
                        // Columns of a primary key may be NULL in SQLite.
                        "\($0.name) \($0.isNotNull && $0.primaryKeyIndex == 0) \($0.primaryKeyIndex)"
                    }
                    results += try db.foreignKeys(on: table).map { key in
                        "\(key.destinationTable) \(key.originColumns) \(key.destinationColumns)"
                    }.sorted()
                    results += try db.indexes(on: table).filter { $0.origin == .createIndex }.map { index in
                        "\(index.name) \(index.columns) \(index.isUnique) \(index.isPartial)"
                    }.sorted()
                }
                for table in ["country", "author", "book"] {
                    results.append("\(try db.primaryKey(table).columns)")
                }
                results.append("\(try db.columns(in: "longBook").map(\.name))")
                results.append("\(try db.table("author", hasUniqueKey: ["lastName", "firstName"]))")
                results.append("\(try db.table("author", hasUniqueKey: ["lastName"]))")
                results.append("\(try db.table("country", hasUniqueKey: ["name"]))")
                results.append("\(try db.table("book", hasUniqueKey: ["editor"]))")
                results.append("\(try db.table("book", hasUniqueKey: ["title"]))")
                return results
            }
        }

        func testRowsHaveDefaultAndGeneratedValues() {
            assertSameWrites { db in
                try db.execute(sql: #"INSERT INTO author ("firstName") VALUES ('Scarlett')"#)
                let row = try XCTUnwrap(
                    Row.fetchOne(
                        db, sql: #"SELECT "lastName", age, "isAlive", rating, key, born, doubled FROM author"#
                    ))
                let updated = try Date.fetchOne(db, sql: "SELECT updated FROM author")
                XCTAssertNotNil(updated)
                return ["\(row)"]
            }
        }

        func testConstraintsAreEnforced() {
            assertSameWrites { db in
                try db.execute(
                    sql: """
                        INSERT INTO country VALUES ('fr', 'France');
                        INSERT INTO author (id, "firstName", "countryCode") VALUES (1, 'a', 'fr');
                        INSERT INTO book (title, "authorId", pages) VALUES ('x', 1, 600);
                        """)
                var results = [
                    Self.errorCode(db, "INSERT INTO country VALUES ('fr', 'Other')"),
                    Self.errorCode(db, "INSERT INTO country VALUES ('f2', 'France')"),
                    Self.errorCode(db, #"INSERT INTO author ("firstName", age) VALUES ('b', 200)"#),
                    Self.errorCode(db, #"INSERT INTO author ("firstName", "lastName") VALUES ('b', 'b')"#),
                    Self.errorCode(db, "INSERT INTO author (age) VALUES (1)"),
                    Self.errorCode(
                        db, #"INSERT INTO author ("firstName", "countryCode") VALUES ('c', 'xx')"#),
                    Self.errorCode(db, #"INSERT INTO book (title, "authorId") VALUES ('x', 1)"#),
                    Self.errorCode(db, #"INSERT INTO book (title, "authorId") VALUES (NULL, 1)"#),
                ]
                try db.execute(sql: "DELETE FROM country")
                results.append("\(try Row.fetchAll(db, sql: #"SELECT id, "countryCode" FROM author"#))")
                results.append("\(try Row.fetchAll(db, sql: #"SELECT * FROM "longBook""#))")
                try db.execute(sql: "DELETE FROM author")
                results.append("\(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book") ?? -1)")
                return results
            }
        }

        func testTablesAreAltered() {
            assertSameWrites { db in
                try db.execute(sql: #"INSERT INTO author (id, "firstName") VALUES (1, 'a')"#)
                try db.alter(table: "author") { t in
                    t.add(column: "email", .text).notNull().defaults(to: "none")
                    t.add(column: "score", .integer).indexed()
                    t.add(column: "rival", .integer).references("author", onDelete: .cascade)
                    t.rename(column: "lastName", to: "surname")
                    t.addColumn(sql: "notes TEXT")
                    t.drop(column: "rating")
                }
                try db.drop(indexOn: "book", columns: ["editor"])
                try db.drop(index: "bookByPages")
                try db.drop(view: "longBook")
                try db.drop(table: "edition")
                try db.rename(table: "book", to: "volume")
                let tables = try ["book", "volume", "edition", "longBook"].map { try db.tableExists($0) }
                return try ["\(tables)", "\(db.columns(in: "author").map(\.name))"]
                    + db.indexes(on: "volume").filter { $0.origin == .createIndex }.map(\.name).sorted()
                    + ["\(try Row.fetchAll(db, sql: "SELECT email, surname, notes FROM author"))"]
            }
        }
    }

    /// Definitions that have no counterpart on the server, and tables that SQLite does not have.
    final class TableDefinitionTests: ServerTestCase {
        func testWhatHasNoCounterpartIsNamed() throws {
            let programs: [(message: String, program: @Sendable (Database) throws -> Void)] = [
                (
                    "the table option strict",
                    { try $0.create(table: "t", options: .strict) { $0.column("a", .text) } }
                ),
                (
                    "the table option withoutRowID",
                    { try $0.create(table: "t", options: .withoutRowID) { $0.primaryKey("a", .text) } }
                ),
                ("virtual tables", { try $0.create(virtualTable: "t", using: FTS4()) }),
                (
                    "virtual generated columns",
                    { try $0.create(table: "t") { $0.column("a", .integer).generatedAs(sql: "1") } }
                ),
                ("columns without a type", { try $0.create(table: "t") { $0.column("a") } }),
                (
                    "the conflict resolution replace",
                    { try $0.create(table: "t") { $0.column("a", .text).unique(onConflict: .replace) } }
                ),
                ("rebuilding the indexes that use a collation", { try $0.reindex(collation: .nocase) }),
                (
                    "the view option ifNotExists",
                    { try $0.create(view: "v", options: .ifNotExists, asLiteral: "SELECT 1") }
                ),
                (
                    "the conflict resolution replace",
                    { db in
                        try db.create(table: "team") { t in
                            t.autoIncrementedPrimaryKey("id")
                            t.column("name", .text)
                            t.column("city", .text)
                        }
                        _ = try Team(name: "a").inserted(db, onConflict: .replace)
                    }
                ),
                (
                    "full-text search",
                    { db in
                        let pattern = try FTS3Pattern(rawPattern: "a")
                        _ = try Table("team").filter(Column("name").match(pattern)).fetchCount(db)
                    }
                ),
                (
                    "collation \"nocase\"",
                    { try $0.create(table: "t") { $0.column("a", .text).collate(.nocase) } }
                ),
            ]
            let dbPool = try makePool()
            for (message, program) in programs {
                XCTAssertThrowsError(try dbPool.write(program), message) { error in
                    XCTAssertTrue("\(error)".contains(message), "\(error)")
                }
            }
            for (message, maintain) in [
                ("erasing the database", { try dbPool.erase() }),
                ("rebuilding the database", { try dbPool.vacuum() }),
                ("writing a compact copy", { try dbPool.vacuum(into: "/tmp/none") }),
                ("backups", { try dbPool.backup(to: DatabaseQueue()) }),
                ("checkpoints", { try dbPool.writeWithoutTransaction { db in _ = try db.checkpoint() } }),
            ] as [(String, () throws -> Void)] {
                XCTAssertThrowsError(try maintain(), message) { error in
                    XCTAssertTrue("\(error)".contains("the backend does not support \(message)"), "\(error)")
                }
            }
        }

        func testTablesWithoutPrimaryKeyHaveNoKey() throws {
            try makePool().write { db in
                try db.create(table: "note") { t in t.column("text", .text) }
                XCTAssertEqual(try db.primaryKey("note").columns, [])
                XCTAssertFalse(try db.table("note", hasUniqueKey: ["text"]))
                struct Note: Codable, Equatable, FetchableRecord, PersistableRecord {
                    var text: String
                }
                let note = Note(text: "a")
                try note.insert(db)
                XCTAssertEqual(try note.insertAndFetch(db), note)
                XCTAssertEqual(try Note.fetchAll(db), [note, note])
                XCTAssertEqual(try Note.filter(Column("text") == "a").fetchCount(db), 2)
                XCTAssertThrowsError(try note.update(db)) { XCTAssertTrue($0 is RecordError) }
                XCTAssertFalse(try note.delete(db))
                for (message, program) in [
                    ("table note has no primary key", { _ = try Note.fetchOne(db, key: 1) }),
                    ("table note has no primary key", { try note.upsert(db) }),
                ] as [(String, () throws -> Void)] {
                    XCTAssertThrowsError(try program()) { XCTAssertTrue("\($0)".contains(message), "\($0)") }
                }
                XCTAssertEqual(try Note.deleteAll(db), 2)
            }
        }

        func testTemporaryTablesHideOthers() throws {
            try makePool().write { db in
                try db.create(table: "note") { t in t.column("text", .text) }
                try db.create(table: "note", options: .temporary) { t in t.primaryKey("id", .integer) }
                XCTAssertEqual(try db.primaryKey("note").columns, ["id"])
                XCTAssertEqual(try db.columns(in: "note", in: "main").map(\.name), ["text"])
                try db.drop(table: "note")
                XCTAssertEqual(try db.columns(in: "note").map(\.name), ["text"])
            }
        }
    }
#endif
