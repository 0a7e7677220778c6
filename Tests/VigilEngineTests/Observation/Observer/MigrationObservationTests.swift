import Vigil
import XCTest

/// Observations that run while the database is migrated.
final class MigrationObservationTests: XCTestCase {
    private let schema =
        "CREATE TABLE player(id INTEGER PRIMARY KEY, name); INSERT INTO player VALUES (1, 'Ann')"

    private let names = ValueObservation.tracking { db in
        try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id")
    }

    /// Migrations between which the observed table does not exist.
    private var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in try db.execute(sql: "ALTER TABLE player RENAME TO old") }
        migrator.registerMigration("v2") { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name, score)")
        }
        migrator.registerMigration("v3") { db in
            try db.execute(
                sql: "INSERT INTO player SELECT id, name || '!', 0 FROM old; DROP TABLE old")
        }
        return migrator
    }

    func testObservationsSurviveAMigrationAndFetchItsLastState() throws {
        try onEachFixture(schema: schema) { fixture in
            let observed = fixture.observe(names)
            observed.expect([["Ann"]])
            try migrator.migrate(fixture.writer)
            observed.expect([["Ann"], ["Ann!"]])
            try fixture.writer.commit("INSERT INTO player VALUES (2, 'Bob', 1)")
            observed.expect([["Ann"], ["Ann!"], ["Ann!", "Bob"]])
            XCTAssertEqual(observed.values.all.count, 3)
            observed.cancel()
        }
    }

    func testObservationsThatWriteOrFetchEachCommitSurviveToo() throws {
        var writing = names
        writing.requiresWriteAccess = true
        for observation in [writing, names.coalescing(.never)] {
            try onEachFixture([.memory, .pool], [.queue], schema: schema) { fixture in
                let observed = fixture.observe(observation)
                observed.expect([["Ann"]])
                try migrator.migrate(fixture.writer)
                observed.expect([["Ann"], ["Ann!"]])
                try fixture.writer.commit("DELETE FROM player")
                observed.expect([["Ann"], ["Ann!"], []])
                observed.cancel()
            }
        }
    }

    func testFailedMigrationStillNotifiesOfTheOnesBeforeIt() throws {
        try onEachFixture([.memory, .pool], [.queue], schema: schema) { fixture in
            let observed = fixture.observe(names)
            observed.expect([["Ann"]])
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { db in try db.execute(sql: "UPDATE player SET name = 'Eve'") }
            migrator.registerMigration("v2") { db in
                try db.execute(sql: "UPDATE player SET name = 'nobody'")
                throw CancellationError()
            }
            XCTAssertThrowsError(try migrator.migrate(fixture.writer))
            observed.expect([["Ann"], ["Eve"]])
            observed.cancel()
        }
    }

    func testErasedDatabaseDeliversTheNextValueOfItsMigrations() throws {
        try onEachFixture { fixture in
            try erasing("name TEXT").migrate(fixture.writer)
            try fixture.writer.commit("INSERT INTO player VALUES (2, 'Bob')")
            let observed = fixture.observe(names)
            observed.expect([["Ann", "Bob"]])
            try erasing("name").migrate(fixture.writer)
            observed.expect([["Ann", "Bob"], ["Ann"]])
            try fixture.writer.commit("INSERT INTO player VALUES (2, 'Eve')")
            observed.expect([["Ann", "Bob"], ["Ann"], ["Ann", "Eve"]])
            observed.cancel()
        }
    }

    func testErasedTableEndsItsObservationWithAnError() throws {
        try onEachFixture { fixture in
            try erasing("name TEXT").migrate(fixture.writer)
            let observed = fixture.observe(names)
            observed.expect([["Ann"]])
            var migrator = DatabaseMigrator()
            migrator.eraseDatabaseOnSchemaChange = true
            migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE other(a)") }
            try migrator.migrate(fixture.writer)
            observed.errors.wait(count: 1)
            XCTAssertEqual(
                observed.errors.all.map { ($0 as? DatabaseError)?.message }, ["no such table: player"])
            XCTAssertEqual(observed.values.all, [["Ann"]])
        }
    }

    func testAppliedMigrationsCanBeObserved() throws {
        try onEachFixture([.memory, .pool], [.queue], schema: "") { fixture in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { _ in }
            migrator.registerMigration("v2") { _ in }
            let observed = fixture.observe(ValueObservation.tracking(migrator.completedMigrations))
            observed.expect([[]])
            try migrator.migrate(fixture.writer, upTo: "v1")
            observed.expect([[], ["v1"]])
            try migrator.migrate(fixture.writer)
            observed.expect([[], ["v1"], ["v1", "v2"]])
            observed.cancel()
        }
    }

    func testTransactionObserversAreNotifiedOfEachMigration() throws {
        try onEachFixture([.memory, .pool], [.queue], schema: schema) { fixture in
            let commits = Recorder<Int>()
            let cancellable = DatabaseRegionObservation(tracking: .fullDatabase).start(
                in: fixture.writer, onError: { XCTFail("\($0)") }, onChange: { _ in commits.append(1) })
            try migrator.migrate(fixture.writer)
            // One for the table of the migrator, and one per migration.
            XCTAssertEqual(commits.all.count, 4)
            cancellable.cancel()
        }
    }

    private func erasing(_ column: String) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.eraseDatabaseOnSchemaChange = true
        migrator.registerMigration("v1") { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, \(column))")
        }
        migrator.registerMigration("v2") { db in
            try db.execute(sql: "INSERT INTO player(name) VALUES ('Ann')")
        }
        return migrator
    }
}
