import Vigil
import XCTest

final class MigrationForeignKeyTests: XCTestCase {
    private let schema = """
        CREATE TABLE team(id INTEGER PRIMARY KEY, name);
        CREATE TABLE player(id INTEGER PRIMARY KEY, teamId REFERENCES team(id) ON DELETE CASCADE);
        INSERT INTO team VALUES (1, 'Red');
        INSERT INTO player VALUES (1, 1);
        """

    /// Runs a test with a migrator that has created the schema.
    private func onEachSchema(
        _ configuration: Configuration = Configuration(), schema: String? = nil,
        _ body: (DatabaseMigrator, any DatabaseWriter) throws -> Void
    ) throws {
        try onEachWriter(configuration) { [self] writer in
            let schema = schema ?? self.schema
            var migrator = DatabaseMigrator()
            migrator.registerMigration("schema") { db in try db.execute(sql: schema) }
            try migrator.migrate(writer)
            try body(migrator, writer)
            let isEnforced = try writer.writeWithoutTransaction {
                try Bool.fetchOne($0, sql: "PRAGMA foreign_keys")
            }
            XCTAssertEqual(isEnforced, configuration.foreignKeysEnabled)
        }
    }

    private let violation =
        "FOREIGN KEY constraint violation - from player(teamId) to team(id), in [id:2 teamId:9]"

    func testReferencedTableCanBeReplacedWithDeferredChecks() throws {
        try onEachSchema { migrator, writer in
            var migrator = migrator
            migrator.registerMigration("replace") { db in
                try db.execute(
                    sql: """
                        CREATE TABLE newTeam(id INTEGER PRIMARY KEY, name NOT NULL, color);
                        INSERT INTO newTeam SELECT id, name, NULL FROM team;
                        DROP TABLE team;
                        ALTER TABLE newTeam RENAME TO team;
                        """)
            }
            try migrator.migrate(writer)
            // The cascade of the dropped rows did not run.
            XCTAssertEqual(try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }, 1)
            XCTAssertEqual(
                try writer.read { try $0.columns(in: "team").map(\.name) }, ["id", "name", "color"])
        }
    }

    func testDeferredCheckNamesTablesAndConstraint() throws {
        try onEachSchema { [violation] migrator, writer in
            var migrator = migrator
            migrator.registerMigration("break") { db in
                try db.execute(sql: "INSERT INTO player VALUES (2, 9)")
            }
            assertDatabaseError(.SQLITE_CONSTRAINT_FOREIGNKEY, violation) { try migrator.migrate(writer) }
            XCTAssertEqual(try writer.read(migrator.appliedMigrations), ["schema"])
            XCTAssertEqual(try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }, 1)
        }
    }

    func testImmediateCheckFailsInTheStatement() throws {
        try onEachSchema { migrator, writer in
            var migrator = migrator
            migrator.registerMigration("break", foreignKeyChecks: .immediate) { db in
                XCTAssertEqual(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), true)
                assertDatabaseError(.SQLITE_CONSTRAINT_FOREIGNKEY) {
                    try db.execute(sql: "INSERT INTO player VALUES (2, 9)")
                }
                throw Failure()
            }
            XCTAssertThrowsError(try migrator.migrate(writer)) { XCTAssertTrue($0 is Failure) }
            XCTAssertEqual(try writer.read(migrator.appliedMigrations), ["schema"])
        }
    }

    func testImmediateCheckOfADeferredConstraintNamesTablesAndConstraint() throws {
        let schema = """
            CREATE TABLE team(id INTEGER PRIMARY KEY);
            CREATE TABLE player(
                id INTEGER PRIMARY KEY, teamId REFERENCES team(id) DEFERRABLE INITIALLY DEFERRED);
            """
        try onEachSchema(schema: schema) { [violation] migrator, writer in
            var migrator = migrator
            migrator.registerMigration("break", foreignKeyChecks: .immediate) { db in
                try db.execute(sql: "INSERT INTO player VALUES (2, 9)")
            }
            assertDatabaseError(.SQLITE_CONSTRAINT_FOREIGNKEY, violation) { try migrator.migrate(writer) }
            XCTAssertEqual(try writer.read(migrator.appliedMigrations), ["schema"])
        }
    }

    func testDisabledChecksApplyToLaterRegistrationsOnly() throws {
        try onEachSchema { migrator, writer in
            var migrator = migrator.disablingDeferredForeignKeyChecks()
            migrator.registerMigration("break") { db in
                XCTAssertEqual(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), false)
                try db.execute(sql: "INSERT INTO player VALUES (2, 9)")
            }
            migrator.registerMigration("immediate", foreignKeyChecks: .immediate) { db in
                XCTAssertEqual(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), true)
            }
            try migrator.migrate(writer)
            XCTAssertNotNil(try writer.read { try $0.foreignKeyViolations().next() })

            var checking = DatabaseMigrator()
            checking.registerMigration("checked") { _ in }
            checking = checking.disablingDeferredForeignKeyChecks()
            assertDatabaseError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try checking.migrate(writer) }
        }
    }

    func testForeignKeysThatAreNotEnforcedAreNotChecked() throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try onEachSchema(configuration) { migrator, writer in
            var migrator = migrator
            for checks in [DatabaseMigrator.ForeignKeyChecks.deferred, .immediate] {
                migrator.registerMigration("\(checks)", foreignKeyChecks: checks) { db in
                    try db.execute(sql: "INSERT INTO player (teamId) VALUES (9)")
                }
            }
            try migrator.migrate(writer)
            XCTAssertEqual(try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }, 3)
        }
    }
}
