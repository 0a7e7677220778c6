import Vigil
import XCTest

/// A migrator whose migrations `v1`, `v2` and so on each create a table of that name.
func migrator(_ identifiers: String...) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for identifier in identifiers {
        migrator.registerMigration(identifier) { db in
            try db.create(table: "\(identifier)_table") { t in t.autoIncrementedPrimaryKey("id") }
        }
    }
    return migrator
}

/// The identifiers in a table of a migrator, in alphabetic order; `nil` if it does not exist.
func identifiers(_ writer: any DatabaseWriter, in table: String = "vigil_migrations") throws -> [String]? {
    try writer.read { db in
        guard try db.tableExists(table) else { return nil }
        return try String.fetchAll(db, sql: "SELECT identifier FROM \(table) ORDER BY identifier")
    }
}

struct Failure: Error {}

final class MigrationTests: XCTestCase {
    func testMigratorWithoutMigrationsDoesNothing() throws {
        try onEachWriter { writer in
            let migrator = DatabaseMigrator()
            try migrator.migrate(writer)
            XCTAssertNil(try identifiers(writer))
            XCTAssertEqual(migrator.migrations, [])
            XCTAssertTrue(try writer.read(migrator.hasCompletedMigrations))
            XCTAssertFalse(try writer.read(migrator.hasSchemaChanges))
        }
    }

    func testMigrationsRunOnceInTheOrderOfTheirRegistration() throws {
        try onEachWriter { writer in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("b") { db in
                try db.execute(sql: "CREATE TABLE log(entry); INSERT INTO log VALUES ('b')")
            }
            migrator.registerMigration("a") { db in try db.execute(sql: "INSERT INTO log VALUES ('a')") }
            let entries = { try writer.read { try String.fetchAll($0, sql: "SELECT entry FROM log") } }
            try migrator.migrate(writer)
            XCTAssertEqual(try entries(), ["b", "a"])
            try migrator.migrate(writer)
            migrator.registerMigration("c") { db in try db.execute(sql: "INSERT INTO log VALUES ('c')") }
            try migrator.migrate(writer)
            XCTAssertEqual(try entries(), ["b", "a", "c"])
            XCTAssertEqual(try identifiers(writer), ["a", "b", "c"])
            XCTAssertEqual(migrator.migrations, ["b", "a", "c"])
        }
    }

    func testMigratedDatabaseIsNotWrittenAgain() throws {
        try onEachWriter { writer in
            let migrator = migrator("v1", "v2")
            try migrator.migrate(writer)
            let before = writer.writeWithoutTransaction { $0.totalChangesCount }
            try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = 1") }
            try migrator.migrate(writer)
            XCTAssertEqual(writer.writeWithoutTransaction { $0.totalChangesCount }, before)
        }
    }

    func testMigrationUpToAnIdentifierStopsThere() throws {
        try onEachWriter { writer in
            let migrator = migrator("v1", "v2", "v3")
            try migrator.migrate(writer, upTo: "v2")
            XCTAssertEqual(try writer.read(migrator.appliedMigrations), ["v1", "v2"])
            XCTAssertFalse(try writer.read { try $0.tableExists("v3_table") })
            try migrator.migrate(writer, upTo: "v2")
            try migrator.migrate(writer)
            XCTAssertEqual(try writer.read(migrator.appliedMigrations), ["v1", "v2", "v3"])
        }
    }

    func testMigratingBackOrToAnUnknownIdentifierThrows() throws {
        try onEachQueue { dbQueue in
            let migrator = migrator("v1", "v2")
            try migrator.migrate(dbQueue)
            assertDatabaseError(
                .SQLITE_MISUSE,
                "the database cannot be migrated up to v1: the later migration v2 is already applied"
            ) { try migrator.migrate(dbQueue, upTo: "v1") }
            assertDatabaseError(
                .SQLITE_MISUSE, "the migration v9 is not registered: register it, or check its name"
            ) {
                try migrator.migrate(dbQueue, upTo: "v9")
            }
        }
    }

    func testTwoMigrationsWithOneIdentifierThrow() throws {
        try onEachQueue { dbQueue in
            let migrator = migrator("v1", "v1")
            assertDatabaseError(.SQLITE_MISUSE, "the migration v1 is registered more than once") {
                try migrator.migrate(dbQueue)
            }
            assertDatabaseError(.SQLITE_MISUSE) { try dbQueue.read(migrator.hasSchemaChanges) }
            XCTAssertNil(try identifiers(dbQueue))
        }
    }

    func testMigratingInsideATransactionThrows() throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        try onEachQueue(configuration) { dbQueue in
            try dbQueue.inDatabase { try $0.beginTransaction() }
            assertDatabaseError(.SQLITE_MISUSE) { try migrator("v1").migrate(dbQueue) }
            try dbQueue.inDatabase { try $0.rollback() }
            try migrator("v1").migrate(dbQueue)
        }
    }

    func testFailedMigrationIsRolledBackAndStopsTheOthers() throws {
        try onEachWriter { writer in
            var migrator = migrator("v1")
            migrator.registerMigration("v2") { db in
                try db.execute(sql: "CREATE TABLE half(a)")
                throw Failure()
            }
            migrator.registerMigration("v3") { _ in XCTFail("v3 ran") }
            XCTAssertThrowsError(try migrator.migrate(writer)) { XCTAssertTrue($0 is Failure) }
            XCTAssertEqual(try identifiers(writer), ["v1"])
            try writer.writeWithoutTransaction { db in
                XCTAssertFalse(try db.tableExists("half"))
                XCTAssertFalse(db.isInsideTransaction)
                XCTAssertEqual(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), true)
            }
        }
    }

    func testQueriesReportAppliedMigrations() throws {
        try onEachWriter { writer in
            try migrator("v1", "v3", "old").migrate(writer)
            let migrator = migrator("v1", "v2", "v3")
            try writer.read { db in
                XCTAssertEqual(try migrator.appliedMigrations(db), ["v1", "v3"])
                XCTAssertEqual(try migrator.appliedIdentifiers(db), ["v1", "v3", "old"])
                XCTAssertEqual(try migrator.completedMigrations(db), ["v1"])
                XCTAssertFalse(try migrator.hasCompletedMigrations(db))
                XCTAssertTrue(try migrator.hasBeenSuperseded(db))
            }
            try migrator.migrate(writer)
            try writer.read { db in
                XCTAssertEqual(try migrator.completedMigrations(db), ["v1", "v2", "v3"])
                XCTAssertTrue(try migrator.hasCompletedMigrations(db))
            }
        }
    }

    func testQueriesOfANewDatabaseReportNoMigration() throws {
        try onEachQueue { dbQueue in
            let migrator = migrator("v1")
            try dbQueue.read { db in
                XCTAssertEqual(try migrator.appliedIdentifiers(db), [])
                XCTAssertEqual(try migrator.completedMigrations(db), [])
                XCTAssertFalse(try migrator.hasCompletedMigrations(db))
                XCTAssertFalse(try migrator.hasBeenSuperseded(db))
                XCTAssertFalse(try migrator.hasSchemaChanges(db))
            }
        }
    }

    func testMergedMigrationReceivesTheAppliedOnes() throws {
        for (applied, expected) in [([], []), (["v1"], ["v1"]), (["v1", "v2"], ["v1", "v2"])] {
            for name in ["v3", "merged"] {
                try onEachQueue { dbQueue in
                    var old = DatabaseMigrator()
                    for identifier in applied { old.registerMigration(identifier) { _ in } }
                    try old.migrate(dbQueue)
                    var migrator = DatabaseMigrator()
                    migrator.registerMigration(name, merging: ["v1", "v2", name]) { db, identifiers in
                        try db.execute(sql: "CREATE TABLE received(identifier)")
                        for identifier in identifiers {
                            try db.execute(sql: "INSERT INTO received VALUES (?)", arguments: [identifier])
                        }
                    }
                    try migrator.migrate(dbQueue)
                    XCTAssertEqual(
                        try dbQueue.read {
                            try String.fetchAll(
                                $0, sql: "SELECT identifier FROM received ORDER BY identifier")
                        }, expected)
                    XCTAssertEqual(try identifiers(dbQueue), [name])
                    XCTAssertFalse(try dbQueue.read(migrator.hasBeenSuperseded))
                }
            }
        }
    }

    func testAppliedMigrationThatMergesOthersOnlyRemovesTheirIdentifiers() throws {
        try onEachQueue { dbQueue in
            try migrator("v1", "v2", "v3").migrate(dbQueue)
            var merged = DatabaseMigrator()
            merged.registerMigration("v3", merging: ["v1", "v2"]) { _, _ in XCTFail("v3 ran again") }
            try merged.migrate(dbQueue)
            XCTAssertEqual(try identifiers(dbQueue), ["v3"])
        }
    }

    func testSchemaSourceIsNotUsedByMigrations() throws {
        struct Views: DatabaseSchemaSource {
            func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? { ["id"] }
        }
        var configuration = Configuration()
        configuration.schemaSource = Views()
        try onEachQueue(configuration) { dbQueue in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { db in
                try db.execute(sql: "CREATE VIEW v AS SELECT 1 AS id")
                XCTAssertThrowsError(try db.primaryKey("v"))
            }
            try migrator.migrate(dbQueue)
            XCTAssertEqual(try dbQueue.read { try $0.primaryKey("v").columns }, ["id"])
        }
    }

    func testAttachedMigrationsDoNotCount() throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                try db.execute(
                    sql: """
                        ATTACH DATABASE '' AS other;
                        CREATE TABLE other.vigil_migrations(identifier TEXT PRIMARY KEY);
                        INSERT INTO other.vigil_migrations VALUES ('v1');
                        CREATE TABLE other.grdb_migrations(identifier TEXT PRIMARY KEY);
                        INSERT INTO other.grdb_migrations VALUES ('v1');
                        """)
            }
            try migrator("v1").migrate(dbQueue)
            try dbQueue.inDatabase { db in
                XCTAssertTrue(try db.tableExists("v1_table", in: "main"))
                XCTAssertTrue(try db.tableExists("vigil_migrations", in: "main"))
            }
        }
    }

    // MARK: - Asynchronous

    func testAsynchronousMigrationCompletesInTheSameAccess() throws {
        try onEachWriter { writer in
            let migrator = migrator("v1", "v2")
            let completed = expectation(description: "completed")
            migrator.asyncMigrate(writer) { result in
                let applied = result.flatMap { db in Result { try migrator.appliedMigrations(db) } }
                XCTAssertEqual(try? applied.get(), ["v1", "v2"])
                completed.fulfill()
            }
            wait(for: [completed], timeout: 60)
        }
    }

    func testAsynchronousMigrationReportsItsError() throws {
        try onEachWriter { writer in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { _ in throw Failure() }
            let completed = expectation(description: "completed")
            migrator.asyncMigrate(writer) { result in
                if case .failure(let error) = result {
                    XCTAssertTrue(error is Failure)
                } else {
                    XCTFail("the migration did not fail")
                }
                completed.fulfill()
            }
            wait(for: [completed], timeout: 60)
            XCTAssertEqual(try identifiers(writer), [])
        }
    }

    func testMigrationsRunInATask() async throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let dbQueue = try DatabaseQueue(configuration: configuration)
            try await migrator("v1", "v2").runMigrations(in: dbQueue, upTo: "v1")
            try await migrator("v1", "v2").runMigrations(in: dbQueue)
            let applied = try await dbQueue.read(migrator("v1", "v2").appliedMigrations)
            XCTAssertEqual(applied, ["v1", "v2"])
        }
    }

    func testCancelledMigrationIsRolledBackAndForeignKeysAreEnforcedAgain() async throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let dbQueue = try DatabaseQueue(configuration: configuration)
            var migrator = migrator("v1")
            migrator.registerMigration("v2") { db in
                try db.execute(sql: "CREATE TABLE half(a)")
                withUnsafeCurrentTask { $0?.cancel() }
                try db.execute(sql: "CREATE TABLE other(a)")
            }
            let cancelled = migrator
            let task = Task { try await cancelled.runMigrations(in: dbQueue) }
            do {
                try await task.value
                XCTFail("the migration was not cancelled")
            } catch is CancellationError {}
            XCTAssertEqual(try identifiers(dbQueue), ["v1"])
            let enforces = try await dbQueue.read { try Bool.fetchOne($0, sql: "PRAGMA foreign_keys") }
            XCTAssertEqual(enforces, true)
        }
    }
}
