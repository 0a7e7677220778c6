import Dispatch
import Foundation
import Synchronization
import Vigil
import XCTest

final class MigrationSchemaChangeTests: XCTestCase {
    private func migrator(_ column: String, erases: Bool = false) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.eraseDatabaseOnSchemaChange = erases
        migrator.registerMigration("v1") { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY AUTOINCREMENT, \(column))")
        }
        migrator.registerMigration("v2") { db in
            try db.execute(sql: "INSERT INTO player(\(column)) VALUES (1); ANALYZE")
        }
        return migrator
    }

    func testUnchangedMigrationsAreNotASchemaChange() throws {
        try onEachWriter { writer in
            let migrator = migrator("name", erases: true)
            try migrator.migrate(writer)
            XCTAssertFalse(try writer.read(migrator.hasSchemaChanges))
            try writer.write { try $0.execute(sql: "INSERT INTO player(name) VALUES (2)") }
            try migrator.migrate(writer)
            XCTAssertEqual(try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }, 2)
        }
    }

    func testAddedMigrationIsNotASchemaChange() throws {
        try onEachWriter { writer in
            var migrator = migrator("name", erases: true)
            try migrator.migrate(writer, upTo: "v1")
            XCTAssertFalse(try writer.read(migrator.hasSchemaChanges))
            try writer.write { try $0.execute(sql: "INSERT INTO player(name) VALUES (2)") }
            migrator.registerMigration("v3") { try $0.execute(sql: "CREATE TABLE team(id)") }
            XCTAssertFalse(try writer.read(migrator.hasSchemaChanges))
            try migrator.migrate(writer)
            XCTAssertEqual(try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }, 2)
        }
    }

    func testChangedMigrationErasesTheDatabaseIfRequested() throws {
        try onEachWriter { writer in
            try migrator("name").migrate(writer)
            XCTAssertTrue(try writer.read(migrator("score").hasSchemaChanges))
            try migrator("score").migrate(writer)
            XCTAssertEqual(try writer.read { try $0.columns(in: "player").map(\.name) }, ["id", "name"])
            try migrator("score", erases: true).migrate(writer)
            XCTAssertEqual(try writer.read { try $0.columns(in: "player").map(\.name) }, ["id", "score"])
            XCTAssertFalse(try writer.read(migrator("score").hasSchemaChanges))
            try writer.write { db in
                try db.execute(sql: "INSERT INTO player(score) VALUES (3)")
                XCTAssertEqual(db.lastInsertedRowID, 2)
            }
        }
    }

    func testRenamedMigrationIsASchemaChange() throws {
        try onEachQueue { dbQueue in
            try migrator("name").migrate(dbQueue)
            var renamed = DatabaseMigrator()
            renamed.registerMigration("first") { _ in }
            XCTAssertTrue(try dbQueue.read(renamed.hasSchemaChanges))
        }
    }

    func testMergedMigrationsAreNeitherUnknownNorASchemaChange() throws {
        try onEachWriter { writer in
            try migrator("name").migrate(writer)
            var merged = DatabaseMigrator()
            merged.eraseDatabaseOnSchemaChange = true
            merged.registerMigration("v3", merging: ["v1", "v2"]) { _, applied in
                XCTAssertEqual(applied, ["v1", "v2"])
            }
            XCTAssertFalse(try writer.read(merged.hasBeenSuperseded))
            XCTAssertFalse(try writer.read(merged.hasSchemaChanges))
            try merged.migrate(writer)
            XCTAssertEqual(try identifiers(writer), ["v3"])
            XCTAssertEqual(try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }, 1)
        }
    }

    func testCaseAndUnicodeFormOfADefinitionMatter() throws {
        try onEachQueue { dbQueue in
            try migrator("\"caf\u{e9}\"").migrate(dbQueue)
            XCTAssertTrue(try dbQueue.read(migrator("\"cafe\u{301}\"").hasSchemaChanges))
        }
    }

    func testComparisonUsesTheConfigurationOfTheDatabase() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(function: DatabaseFunction("answer", argumentCount: 0) { _ in 42 })
        }
        try onEachQueue(configuration) { dbQueue in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { db in
                try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (answer())")
            }
            try migrator.migrate(dbQueue)
            XCTAssertFalse(try dbQueue.read(migrator.hasSchemaChanges))
        }
    }

    func testComparisonWithAFileUsesATemporaryFile() throws {
        struct NoLog: Error {}
        let paths = Mutex<[String]>([])
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            let path = try Row.fetchOne(db, sql: "PRAGMA database_list").map { $0["file"] as String }
            paths.withLock { $0.append(path ?? "") }
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else { throw NoLog() }
        }
        configuration.persistsWriteAheadLog = true
        try withEachBackend(configuration) { configuration in
            let directory = try TemporaryDirectory()
            let path = directory.file("db.sqlite")
            let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
            let migrator = migrator("name", erases: true)
            try migrator.migrate(dbQueue)
            paths.withLock { $0.removeAll() }
            try migrator.migrate(dbQueue)
            let files = paths.withLock { $0 }
            XCTAssertEqual(files.count, 1, "\(files)")
            for file in files {
                XCTAssertNotEqual(file, "")
                let parent = (file as NSString).deletingLastPathComponent
                XCTAssertFalse(FileManager.default.fileExists(atPath: parent), parent)
            }
        }
    }

    func testComparisonDoesNotWaitForTheTargetQueue() throws {
        for isWriterTarget in [false, true] {
            var configuration = Configuration()
            let target = DispatchQueue(label: "target")
            if isWriterTarget {
                configuration.writeTargetQueue = target
            } else {
                configuration.targetQueue = target
            }
            try onEachWriter(configuration) { writer in
                let migrator = migrator("name", erases: true)
                try migrator.migrate(writer)
                XCTAssertFalse(try writer.read(migrator.hasSchemaChanges))
                try migrator.migrate(writer)
            }
        }
    }

    func testReadOnlyDatabasesCanBeCompared() throws {
        try withEachBackend { configuration in
            let directory = try TemporaryDirectory()
            let path = directory.file("db.sqlite")
            try migrator("name").migrate(DatabaseQueue(path: path, configuration: configuration))
            var readOnly = configuration
            readOnly.readonly = true
            let dbQueue = try DatabaseQueue(path: path, configuration: readOnly)
            XCTAssertFalse(try dbQueue.read(migrator("name").hasSchemaChanges))
            XCTAssertTrue(try dbQueue.read(migrator("score").hasSchemaChanges))
            try migrator("name").migrate(dbQueue)
        }
    }
}
