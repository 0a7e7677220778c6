#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    /// Migrations of a database on a server.
    final class MigrationTests: ServerTestCase {
        private func migrator() -> DatabaseMigrator {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("teams") { db in
                try db.create(table: "team") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("name", .text).notNull()
                }
                try db.execute(sql: "INSERT INTO team (name) VALUES ('Reds')")
            }
            migrator.registerMigration("players", foreignKeyChecks: .immediate) { db in
                try db.create(table: "player") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.belongsTo("team").notNull()
                }
                try db.execute(sql: #"INSERT INTO player ("teamId") SELECT id FROM team"#)
            }
            return migrator
        }

        func testEachMigrationIsAppliedOnce() throws {
            let (dbPool, migrator) = (try makePool(), migrator())
            XCTAssertFalse(try dbPool.read(migrator.hasCompletedMigrations))
            try migrator.migrate(dbPool, upTo: "teams")
            XCTAssertEqual(try dbPool.read(migrator.appliedMigrations), ["teams"])
            try migrator.migrate(dbPool)
            try migrator.migrate(dbPool)
            XCTAssertEqual(try dbPool.read(migrator.appliedMigrations), ["teams", "players"])
            XCTAssertEqual(try dbPool.read(migrator.completedMigrations), ["teams", "players"])
            XCTAssertTrue(try dbPool.read(migrator.hasCompletedMigrations))
            XCTAssertFalse(try dbPool.read(migrator.hasBeenSuperseded))
            XCTAssertTrue(try dbPool.read(DatabaseMigrator().hasBeenSuperseded))
            XCTAssertEqual(try dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }, 1)
        }

        /// As for tenants with a schema each.
        func testTheAppliedMigrationsOfSchemasAreSeparate() throws {
            let admin = try makePool()
            for schema in ["\(schemaName)-a", "\(schemaName)-b"] {
                try admin.write { try $0.execute(sql: "CREATE SCHEMA \"\(schema)\"") }
                defer {
                    XCTAssertNoThrow(
                        try admin.write { try $0.execute(sql: "DROP SCHEMA \"\(schema)\" CASCADE") })
                }
                var configuration = Configuration()
                configuration.prepareDatabase { db in
                    try db.execute(sql: "SET search_path = \"\(schema)\"")
                }
                let dbPool = try makePool(configuration)
                XCTAssertFalse(try dbPool.read(migrator().hasCompletedMigrations))
                try migrator().migrate(dbPool)
                XCTAssertTrue(try dbPool.read(migrator().hasCompletedMigrations))
                let count = try dbPool.read { db in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \"\(schema)\".player")
                }
                XCTAssertEqual(count, 1)
                XCTAssertFalse(try admin.read { try $0.tableExists("vigil_migrations") })
                try dbPool.close()
            }
        }

        func testAMigrationThatFailsIsRolledBack() throws {
            let dbPool = try makePool()
            var migrator = migrator()
            migrator.registerMigration("broken") { db in
                try db.execute(sql: "DELETE FROM player; CREATE TABLE other (id INT)")
                try db.execute(sql: #"INSERT INTO player ("teamId") VALUES (99)"#)
            }
            for _ in 1...2 {
                XCTAssertThrowsError(try migrator.migrate(dbPool)) { error in
                    XCTAssertEqual(
                        (error as? DatabaseError)?.extendedResultCode, .SQLITE_CONSTRAINT_FOREIGNKEY)
                }
                XCTAssertEqual(try dbPool.read(migrator.appliedMigrations), ["teams", "players"])
                XCTAssertEqual(
                    try dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }, 1)
                XCTAssertFalse(try dbPool.read { try $0.tableExists("other") })
            }
            // The lock is free.
            try self.migrator().migrate(makePool())
        }

        func testMergedMigrationsAreReplaced() throws {
            let dbPool = try makePool()
            try migrator().migrate(dbPool)
            var merged = DatabaseMigrator()
            merged.registerMigration("all", merging: ["teams", "players"]) { db, applied in
                XCTAssertEqual(applied, ["teams", "players"])
            }
            try merged.migrate(dbPool)
            XCTAssertEqual(try dbPool.read(merged.appliedIdentifiers), ["all"])
        }

        func testConcurrentMigratorsApplyEachMigrationOnce() async throws {
            let pools = try (0..<6).map { _ in try makePool() }
            let migrator = migrator()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for dbPool in pools { group.addTask { try await migrator.runMigrations(in: dbPool) } }
                try await group.waitForAll()
            }
            let counts = try await pools[0].read { db in
                try Row.fetchOne(
                    db, sql: "SELECT (SELECT COUNT(*) FROM team), (SELECT COUNT(*) FROM player)"
                ).map { row in
                    [row[0] as Int, row[1] as Int]
                }
            }
            XCTAssertEqual(counts, [1, 1])
            XCTAssertTrue(try pools.allSatisfy { try $0.read(migrator.hasCompletedMigrations) })
        }

        func testASchemaCannotBeComparedWithThatOfANewDatabase() throws {
            let dbPool = try makePool()
            var migrator = migrator()
            try migrator.migrate(dbPool)
            migrator.eraseDatabaseOnSchemaChange = true
            XCTAssertThrowsError(try migrator.migrate(dbPool)) { error in
                XCTAssertTrue(
                    "\(error)".contains("comparing the schema with that of a new database"), "\(error)")
            }
        }
    }
#endif
