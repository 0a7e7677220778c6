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
        try onEachStage(schema: schema) { stage in
            let observed = stage.observe(names)
            observed.expect([["Ann"]])
            try migrator.migrate(stage.writer)
            observed.expect([["Ann"], ["Ann!"]])
            try stage.writer.commit("INSERT INTO player VALUES (2, 'Bob', 1)")
            observed.expect([["Ann"], ["Ann!"], ["Ann!", "Bob"]])
            XCTAssertEqual(observed.values.all.count, 3)
            observed.cancel()
        }
    }

    func testObservationsThatWriteOrFetchEachCommitSurviveToo() throws {
        var writing = names
        writing.requiresWriteAccess = true
        for observation in [writing, names.coalescing(.never)] {
            try onEachStage([.memory, .pool], [.queue], schema: schema) { stage in
                let observed = stage.observe(observation)
                observed.expect([["Ann"]])
                try migrator.migrate(stage.writer)
                observed.expect([["Ann"], ["Ann!"]])
                try stage.writer.commit("DELETE FROM player")
                observed.expect([["Ann"], ["Ann!"], []])
                observed.cancel()
            }
        }
    }

    func testFailedMigrationStillNotifiesOfTheOnesBeforeIt() throws {
        try onEachStage([.memory, .pool], [.queue], schema: schema) { stage in
            let observed = stage.observe(names)
            observed.expect([["Ann"]])
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { db in try db.execute(sql: "UPDATE player SET name = 'Eve'") }
            migrator.registerMigration("v2") { db in
                try db.execute(sql: "UPDATE player SET name = 'nobody'")
                throw CancellationError()
            }
            XCTAssertThrowsError(try migrator.migrate(stage.writer))
            observed.expect([["Ann"], ["Eve"]])
            observed.cancel()
        }
    }

    func testErasedDatabaseDeliversTheNextValueOfItsMigrations() throws {
        try onEachStage { stage in
            try erasing("name TEXT").migrate(stage.writer)
            try stage.writer.commit("INSERT INTO player VALUES (2, 'Bob')")
            let observed = stage.observe(names)
            observed.expect([["Ann", "Bob"]])
            try erasing("name").migrate(stage.writer)
            observed.expect([["Ann", "Bob"], ["Ann"]])
            try stage.writer.commit("INSERT INTO player VALUES (2, 'Eve')")
            observed.expect([["Ann", "Bob"], ["Ann"], ["Ann", "Eve"]])
            observed.cancel()
        }
    }

    func testErasedTableEndsItsObservationWithAnError() throws {
        try onEachStage { stage in
            try erasing("name TEXT").migrate(stage.writer)
            let observed = stage.observe(names)
            observed.expect([["Ann"]])
            var migrator = DatabaseMigrator()
            migrator.eraseDatabaseOnSchemaChange = true
            migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE other(a)") }
            try migrator.migrate(stage.writer)
            observed.errors.wait(count: 1)
            XCTAssertEqual(
                observed.errors.all.map { ($0 as? DatabaseError)?.message }, ["no such table: player"])
            XCTAssertEqual(observed.values.all, [["Ann"]])
        }
    }

    func testAppliedMigrationsCanBeObserved() throws {
        try onEachStage([.memory, .pool], [.queue], schema: "") { stage in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { _ in }
            migrator.registerMigration("v2") { _ in }
            let observed = stage.observe(ValueObservation.tracking(migrator.completedMigrations))
            observed.expect([[]])
            try migrator.migrate(stage.writer, upTo: "v1")
            observed.expect([[], ["v1"]])
            try migrator.migrate(stage.writer)
            observed.expect([[], ["v1"], ["v1", "v2"]])
            observed.cancel()
        }
    }

    func testTransactionObserversAreNotifiedOfEachMigration() throws {
        try onEachStage([.memory, .pool], [.queue], schema: schema) { stage in
            let commits = Recorder<Int>()
            let cancellable = DatabaseRegionObservation(tracking: .fullDatabase).start(
                in: stage.writer, onError: { XCTFail("\($0)") }, onChange: { _ in commits.append(1) })
            try migrator.migrate(stage.writer)
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
