import Vigil
import XCTest

/// Full-text tables whose triggers follow another table.
final class FullTextSynchronizationTests: QueryInterfaceTestCase {
    private func onEach(_ body: (FullTextModule, DatabaseQueue) throws -> Void) throws {
        for module in FullTextModule.allCases {
            try onEachQueue { dbQueue in
                try dbQueue.write { db in try IndexedNote.createTable(db) }
                let isPresent = try dbQueue.write { db in
                    try IndexedNote(id: 1, title: "First", body: "alpha beta").insert(db)
                    return try module.ifPresent { try module.create(db, "noteIndex", of: "note") }
                }
                if isPresent { try body(module, dbQueue) }
            }
        }
    }

    /// Returns the ids of the notes that contain a token.
    private func ids(_ db: Database, _ token: String) throws -> [Int64] {
        let table = Table("noteIndex").all().matching(FTS3Pattern(matchingAllTokensIn: token))
        return try table.select(Column("rowid"), as: Int64.self).order(Column("rowid")).fetchAll(db)
    }

    func testTheIndexFollowsTheTable() throws {
        try onEach { _, dbQueue in
            try dbQueue.write { db in
                XCTAssertEqual(try ids(db, "alpha"), [1], "rows before the index")
                var note = IndexedNote(id: 7, title: "Second", body: "gamma")
                try note.insert(db)
                XCTAssertEqual(try ids(db, "gamma"), [7])
                note.body = "alpha"
                try note.update(db)
                XCTAssertEqual(try ids(db, "gamma"), [])
                XCTAssertEqual(try ids(db, "alpha"), [1, 7])
                try db.execute(sql: "UPDATE note SET id = 8 WHERE id = 7")
                XCTAssertEqual(try ids(db, "alpha"), [1, 8])
                try db.execute(sql: "DELETE FROM note")
                XCTAssertEqual(try ids(db, "alpha"), [])
            }
        }
    }

    func testInsertedRowIDsAreThoseOfTheTable() throws {
        try onEach { _, dbQueue in
            try dbQueue.write { db in
                for id in [5, 6] as [Int64] {
                    try db.execute(
                        sql: "INSERT INTO note(id, title, body) VALUES (?, 'a b c', 'd e f')",
                        arguments: [id])
                    XCTAssertEqual(db.lastInsertedRowID, id)
                }
            }
        }
    }

    func testTheTriggersAreDropped() throws {
        try onEach { module, dbQueue in
            try dbQueue.write { db in
                let triggers = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger'"
                XCTAssertEqual(try Int.fetchOne(db, sql: triggers), module == .fts4 ? 4 : 3)
                try db.drop(table: "noteIndex")
                try module.dropTriggers(db, "note")
                try module.dropTriggers(db, "noteIndex")
                XCTAssertEqual(try Int.fetchOne(db, sql: triggers), 0)
                try db.execute(sql: "UPDATE note SET body = 'delta'; DELETE FROM note WHERE id = 7")
                try module.create(db, "noteIndex", of: "note")
                XCTAssertEqual(try ids(db, "delta"), [1])
            }
        }
    }

    func testTriggersHaveTheNamesOfTheFullTextTable() throws {
        try onEach { module, dbQueue in
            try dbQueue.write { db in
                try module.create(db, "a \"second\" index", of: "note")
                let names = try String.fetchAll(
                    db,
                    sql: """
                        SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE '__a %' ORDER BY name
                        """)
                let suffixes = module == .fts4 ? ["ai", "au", "bd", "bu"] : ["ad", "ai", "au"]
                XCTAssertEqual(names, suffixes.map { "__a \"second\" index_\($0)" })
                try IndexedNote(id: 9, title: "Both", body: "epsilon").insert(db)
                XCTAssertEqual(try ids(db, "epsilon"), [9])
                let pattern = FTS3Pattern(matchingPhrase: "epsilon")
                XCTAssertEqual(try Table("a \"second\" index").all().matching(pattern).fetchCount(db), 1)
            }
        }
    }

    func testTablesWithAColumnThatHidesTheRowIDAreSynchronized() throws {
        let names = ["note", "a \"second\" note"]
        for module in FullTextModule.allCases {
            for content in names {
                try onEachQueue { dbQueue in
                    try dbQueue.write { db in
                        try db.create(table: content) { t in
                            t.column("rowid", .text)
                            t.column("title", .text)
                            t.column("body", .text)
                        }
                        guard module == .fts5 else {
                            return assertError(
                                .SQLITE_MISUSE,
                                "an FTS4 table cannot be synchronized with \(content), whose column rowid hides "
                                    + "the row id: rename the column, or use FTS5"
                            ) {
                                try module.create(db, "noteIndex", of: content)
                            }
                        }
                        let table = Table(content)
                        let insertion: SQL = "INSERT INTO \(table) (rowid, title) VALUES ('x', 'alpha')"
                        try db.execute(literal: insertion)
                        guard try module.ifPresent({ try module.create(db, "noteIndex", of: content) }) else {
                            return
                        }
                        try db.execute(literal: insertion)
                        XCTAssertEqual(try ids(db, "alpha"), [1, 2])
                        try db.execute(literal: "DELETE FROM \(table) WHERE oid = 1")
                        XCTAssertEqual(try ids(db, "alpha"), [2])
                        try db.execute(literal: "UPDATE \(table) SET title = 'beta'")
                        XCTAssertEqual(try ids(db, "alpha"), [])
                        XCTAssertEqual(try ids(db, "beta"), [2])
                    }
                }
            }
        }
    }

    func testTablesWithOddNamesAreSynchronized() throws {
        for module in FullTextModule.allCases {
            for content in ["it's a \"content\"", "über", "select"] {
                try onEachQueue { dbQueue in
                    try dbQueue.write { db in
                        try db.create(table: content) { t in
                            t.primaryKey("the \"key\"", .integer)
                            t.column("title", .text)
                            t.column("body", .text)
                        }
                        guard try module.ifPresent({ try module.create(db, "noteIndex", of: content) }) else {
                            return
                        }
                        let table = Table(content)
                        try db.execute(literal: "INSERT INTO \(table) (title) VALUES ('alpha'), ('alpha')")
                        XCTAssertEqual(try ids(db, "alpha"), [1, 2])
                        try db.execute(literal: "DELETE FROM \(table) WHERE rowid = 1")
                        XCTAssertEqual(try ids(db, "alpha"), [2])
                        try db.execute(literal: "UPDATE \(table) SET title = 'beta'")
                        XCTAssertEqual(try ids(db, "alpha"), [])
                        XCTAssertEqual(try ids(db, "beta"), [2])
                    }
                }
            }
        }
    }

    func testCreatingATableThatExistsRepairsItsIndex() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try IndexedNote.createTable(db)
                try FullTextModule.fts4.create(db, "noteIndex", of: "note")
                try db.dropFTS4SynchronizationTriggers(forTable: "noteIndex")
                try IndexedNote(id: 1, title: "a", body: "alpha").insert(db)
                try db.create(virtualTable: "noteIndex", options: .ifNotExists, using: FTS4()) { t in
                    t.synchronize(withTable: "note")
                    t.column("title")
                    t.column("body")
                }
                try IndexedNote(id: 2, title: "b", body: "alpha").insert(db)
                XCTAssertEqual(try ids(db, "alpha"), [1, 2])
            }
        }
    }

    func testMigrationsAlterSynchronizedTables() throws {
        try onEach { module, dbQueue in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("tags") { db in
                try db.alter(table: "note") { t in t.add(column: "tag", .text) }
                try db.rename(table: "noteIndex", to: "oldIndex")
                try db.drop(table: "oldIndex")
                try module.dropTriggers(db, "noteIndex")
                try module.create(db, "noteIndex", of: "note")
            }
            migrator.registerMigration("copy") { db in
                try db.execute(
                    sql: """
                        CREATE TABLE newNote(id INTEGER PRIMARY KEY, title, body, stars NOT NULL DEFAULT 0);
                        INSERT INTO newNote SELECT id, title, body, stars FROM note;
                        """)
                try db.drop(table: "noteIndex")
                try db.drop(table: "note")
                try db.rename(table: "newNote", to: "note")
                try module.create(db, "noteIndex", of: "note")
            }
            try migrator.migrate(dbQueue)
            try dbQueue.write { db in
                try IndexedNote(id: 2, title: "New", body: "alpha").insert(db)
                XCTAssertEqual(try ids(db, "alpha"), [1, 2])
            }
        }
    }
}
