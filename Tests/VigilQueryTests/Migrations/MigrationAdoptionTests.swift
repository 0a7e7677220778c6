import Vigil
import XCTest

/// Databases of apps that switch from GRDB to Vigil, and back.
final class MigrationAdoptionTests: XCTestCase {
    private func migrateWithGRDB(_ writer: any DatabaseWriter, _ identifiers: [String]) throws {
        try writer.write { db in
            try db.execute(
                sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            for identifier in identifiers {
                try db.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [identifier])
            }
        }
    }

    func testIdentifiersOfGRDBCountAsApplied() throws {
        try onEachWriter { writer in
            try migrateWithGRDB(writer, ["v1", "v2"])
            let migrator = migrator("v1", "v2", "v3")
            XCTAssertEqual(try writer.read(migrator.appliedMigrations), ["v1", "v2"])
            XCTAssertEqual(try writer.read(migrator.completedMigrations), ["v1", "v2"])
            try migrator.migrate(writer)
            XCTAssertEqual(try identifiers(writer), ["v1", "v2", "v3"])
            XCTAssertFalse(try writer.read { try $0.tableExists("v1_table") })
            XCTAssertTrue(try writer.read { try $0.tableExists("v3_table") })
        }
    }

    func testIdentifiersAreCopiedEvenIfNoMigrationIsLeft() throws {
        try onEachWriter { writer in
            try migrateWithGRDB(writer, ["v1"])
            try migrator("v1").migrate(writer)
            XCTAssertEqual(try identifiers(writer), ["v1"])
        }
    }

    func testReadOnlyDatabasesWithoutPendingMigrationsAreNotWritten() throws {
        try withEachBackend { configuration in
            let directory = try TemporaryDirectory()
            let path = directory.file("db.sqlite")
            try migrateWithGRDB(DatabaseQueue(path: path, configuration: configuration), ["v1"])
            var readOnly = configuration
            readOnly.readonly = true
            let dbQueue = try DatabaseQueue(path: path, configuration: readOnly)
            try migrator("v1").migrate(dbQueue)
            XCTAssertNil(try identifiers(dbQueue))
            XCTAssertThrowsError(try migrator("v1", "v2").migrate(dbQueue)) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_READONLY)
            }
        }
    }

    func testAppliedMigrationsAreRecordedForGRDBToo() throws {
        try onEachWriter { writer in
            try migrateWithGRDB(writer, ["v1"])
            try migrator("v1", "v2").migrate(writer)
            XCTAssertEqual(try identifiers(writer, in: "grdb_migrations"), ["v1", "v2"])
            // The app returns to GRDB for a while.
            try migrateWithGRDB(writer, ["v3"])
            let migrator = migrator("v1", "v2", "v3", "v4")
            XCTAssertEqual(try writer.read(migrator.appliedMigrations), ["v1", "v2", "v3"])
            try migrator.migrate(writer)
            XCTAssertEqual(try identifiers(writer), ["v1", "v2", "v3", "v4"])
            XCTAssertEqual(try identifiers(writer, in: "grdb_migrations"), ["v1", "v2", "v3", "v4"])
        }
    }

    func testTableOfGRDBIsNotCreated() throws {
        try onEachQueue { dbQueue in
            try migrator("v1").migrate(dbQueue)
            XCTAssertNil(try identifiers(dbQueue, in: "grdb_migrations"))
        }
    }

    func testTablesCreatedByGRDBAreNotASchemaChange() throws {
        try onEachQueue { dbQueue in
            try migrateWithGRDB(dbQueue, ["v1"])
            try dbQueue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, \
                        "name" TEXT NOT NULL COLLATE swiftLocalizedCaseInsensitiveCompare);
                        CREATE INDEX "byName" ON "player"("name" COLLATE swiftCaseInsensitiveCompare);
                        CREATE TABLE "node" ("id" INTEGER PRIMARY KEY, \
                        "parentId" INTEGER REFERENCES "node"("id"));
                        CREATE INDEX "node_on_parentId" ON "node"("parentId");
                        INSERT INTO player (name) VALUES ('Arthur')
                        """)
            }
            var migrator = DatabaseMigrator()
            migrator.eraseDatabaseOnSchemaChange = true
            migrator.registerMigration("v1") { db in
                try db.create(table: "player") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("name", .text).notNull().collate(.localizedCaseInsensitiveCompare)
                }
                try db.create(
                    index: "byName", on: "player",
                    expressions: [Column("name").collating(.caseInsensitiveCompare)])
                try db.create(table: "node") { t in
                    t.primaryKey("id", .integer)
                    t.belongsTo("parent", inTable: "node")
                }
            }
            XCTAssertFalse(try dbQueue.read(migrator.hasSchemaChanges))
            try migrator.migrate(dbQueue)
            XCTAssertEqual(
                try dbQueue.read { try String.fetchAll($0, sql: "SELECT name FROM player") }, ["Arthur"])
        }
    }

    func testMergedIdentifiersAreRemovedFromBothTables() throws {
        try onEachQueue { dbQueue in
            try migrateWithGRDB(dbQueue, ["v1", "v2"])
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v3", merging: ["v1", "v2"]) { _, applied in
                XCTAssertEqual(applied, ["v1", "v2"])
            }
            try migrator.migrate(dbQueue)
            XCTAssertEqual(try identifiers(dbQueue), ["v3"])
            XCTAssertEqual(try identifiers(dbQueue, in: "grdb_migrations"), ["v3"])
        }
    }

    func testErasedDatabaseStaysUsableByGRDB() throws {
        try onEachQueue { dbQueue in
            try migrateWithGRDB(dbQueue, ["removed"])
            var migrator = migrator("v1")
            migrator.eraseDatabaseOnSchemaChange = true
            try migrator.migrate(dbQueue)
            XCTAssertEqual(try identifiers(dbQueue), ["v1"])
            XCTAssertEqual(try identifiers(dbQueue, in: "grdb_migrations"), ["v1"])
        }
    }
}
