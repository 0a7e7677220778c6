import Foundation
import Vigil
import XCTest

/// The cached schema is never older than the schema that statements use.
final class SchemaCacheTests: XCTestCase {
    private func columns(_ db: Database) throws -> [String] {
        try db.tableExists("t") ? db.columns(in: "t").map(\.name) : []
    }

    func testOwnChangesAreVisibleImmediately() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                XCTAssertEqual(try columns(db), [])
                try db.execute(sql: "CREATE TABLE t(a)")
                XCTAssertEqual(try columns(db), ["a"])
                try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
                XCTAssertEqual(try columns(db), ["a", "b"])
                XCTAssertEqual(try db.indexes(on: "t").count, 0)
                try db.execute(sql: "CREATE INDEX i ON t(a)")
                XCTAssertEqual(try db.indexes(on: "t").count, 1)
                try db.execute(sql: "DROP TABLE t")
                XCTAssertEqual(try columns(db), [])
            }
        }
    }

    func testRollbacksInvalidateTheCache() throws {
        try onEachQueue(schema: "CREATE TABLE t(a)") { dbQueue in
            try dbQueue.inDatabase { db in
                try db.inTransaction {
                    try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
                    XCTAssertEqual(try columns(db), ["a", "b"])
                    return .rollback
                }
                XCTAssertEqual(try columns(db), ["a"])

                try db.inTransaction {
                    try db.inSavepoint {
                        try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
                        XCTAssertEqual(try columns(db), ["a", "b"])
                        return .rollback
                    }
                    XCTAssertEqual(try columns(db), ["a"])
                    return .commit
                }

                try db.execute(sql: "SAVEPOINT s; ALTER TABLE t ADD COLUMN b")
                XCTAssertEqual(try columns(db), ["a", "b"])
                try db.execute(sql: "ROLLBACK TO s")
                XCTAssertEqual(try columns(db), ["a"])
                try db.execute(sql: "RELEASE s")
            }
        }
    }

    func testRollbackByTheLibraryInvalidatesTheCache() throws {
        try onEachQueue(schema: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)") { dbQueue in
            try dbQueue.inDatabase { db in
                try db.execute(sql: "BEGIN; ALTER TABLE t ADD COLUMN b")
                XCTAssertEqual(try columns(db), ["a", "b"])
                XCTAssertThrowsError(try db.execute(sql: "INSERT OR ROLLBACK INTO t(a) VALUES (1)"))
                XCTAssertFalse(db.isInsideTransaction)
                XCTAssertEqual(try columns(db), ["a"])
            }
        }
    }

    func testChangesOfOtherConnectionsAreVisible() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let path = directory.file("database.sqlite")
            let other = try DatabaseQueue(path: path, configuration: configuration)
            try other.write { db in try db.execute(sql: "CREATE TABLE u(a)") }
            let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
            XCTAssertEqual(try dbQueue.read { try columns($0) }, [])
            try other.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            XCTAssertEqual(try dbQueue.read { try columns($0) }, ["a"])
            XCTAssertEqual(try dbQueue.inDatabase { try columns($0) }, ["a"])
            try other.write { db in try db.execute(sql: "ALTER TABLE t ADD COLUMN b") }
            XCTAssertEqual(try dbQueue.inDatabase { try columns($0) }, ["a", "b"])
            try other.write { db in try db.execute(sql: "DROP TABLE t") }
            XCTAssertEqual(try dbQueue.read { try columns($0) }, [])
        }
    }

    func testPoolReadersUseTheSchemaOfTheirSnapshot() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            configuration.maximumReaderCount = 1
            let dbPool = try DatabasePool(
                path: directory.file("database.sqlite"), configuration: configuration)
            try dbPool.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            try dbPool.read { reader in
                XCTAssertEqual(try columns(reader), ["a"])
                try dbPool.write { db in
                    try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
                    XCTAssertEqual(try columns(db), ["a", "b"])
                }
                XCTAssertEqual(try columns(reader), ["a"])
            }
            XCTAssertEqual(try dbPool.read { try columns($0) }, ["a", "b"])
        }
    }

    func testAttachingAndTemporaryTablesInvalidateTheCache() throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                XCTAssertFalse(try db.tableExists("u"))
                try db.execute(sql: "ATTACH ':memory:' AS other; CREATE TABLE other.u(a)")
                XCTAssertTrue(try db.tableExists("u"))
                try db.execute(sql: "DETACH other")
                XCTAssertFalse(try db.tableExists("u"))
                try db.execute(sql: "CREATE TEMPORARY TABLE u(b)")
                XCTAssertEqual(try db.columns(in: "u").map(\.name), ["b"])
                try db.execute(sql: "DROP TABLE u")
                XCTAssertFalse(try db.tableExists("u"))
            }
        }
    }

    func testChangesOfOtherConnectionsToAttachedDatabasesAreVisible() throws {
        for (name, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let (path, mainPath) = (directory.file("attached.sqlite"), directory.file("main.sqlite"))
            try createFiles(mainPath, path, configuration)
            let other = try DatabaseQueue(path: path, configuration: configuration)
            configuration.prepareDatabase { db in
                try db.execute(sql: "ATTACH ? AS other", arguments: [path])
            }
            let dbQueue = try DatabaseQueue(path: mainPath, configuration: configuration)
            for column in ["a", "b", "c"] {
                try other.write { db in
                    try db.execute(sql: "DROP TABLE IF EXISTS t; CREATE TABLE t(\(column) UNIQUE)")
                }
                // Twice in one transaction, and outside of a transaction.
                try dbQueue.read { db in
                    for _ in 1...2 {
                        XCTAssertEqual(try Table("t").filter(key: [column: 1]).fetchCount(db), 0, name)
                        XCTAssertEqual(try columns(db), [column], name)
                        XCTAssertEqual(try db.indexes(on: "t").map(\.columns), [[column]], name)
                    }
                }
                try dbQueue.inDatabase { db in
                    XCTAssertEqual(try Table("t").filter(key: [column: 1]).fetchCount(db), 0, name)
                    XCTAssertEqual(try columns(db), [column], name)
                }
            }
        }
    }

    /// Creates a file with a table `m`, and another with a table `u`. Attached files are encrypted with the
    /// key and the salt of the main one, if it has content.
    private func createFiles(_ main: String, _ attached: String, _ configuration: Configuration) throws {
        let dbQueue = try DatabaseQueue(path: main, configuration: configuration)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE m(a INTEGER PRIMARY KEY)")
            try db.execute(sql: "ATTACH ? AS other", arguments: [attached])
            try db.execute(sql: "CREATE TABLE other.u(a)")
        }
        try dbQueue.close()
    }

    func testReadsOfTheMainDatabaseDoNotLockAttachedOnes() throws {
        for (name, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let (path, mainPath) = (directory.file("attached.sqlite"), directory.file("pool.sqlite"))
            try createFiles(mainPath, path, configuration)
            let other = try DatabaseQueue(path: path, configuration: configuration)
            configuration.maximumReaderCount = 1
            configuration.prepareDatabase { db in
                try db.execute(sql: "ATTACH ? AS other", arguments: [path])
            }
            let pool = try DatabasePool(path: mainPath, configuration: configuration)
            // Cached information about the attached database does not matter.
            XCTAssertEqual(try pool.read { try Table("u").fetchCount($0) }, 0, name)
            func readMain(_ db: Database) throws {
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM m"), 0, name)
                XCTAssertNil(try Table("m").filter(key: 1).fetchOne(db), name)
                XCTAssertEqual(try db.columns(in: "m").map(\.name), ["a"], name)
            }
            // Old libraries do not report some reads: compiling a statement reads the views of all databases.
            try pool.read(readMain)
            try pool.read { db in
                for _ in 1...2 { try readMain(db) }
                XCTAssertNoThrow(try other.write { try $0.execute(sql: "INSERT INTO u VALUES (1)") }, name)
                XCTAssertNoThrow(
                    try pool.write { try $0.execute(sql: "INSERT INTO other.u VALUES (2)") }, name)
            }
            try other.inDatabase { locked in
                try locked.execute(sql: "BEGIN EXCLUSIVE")
                XCTAssertNoThrow(try pool.read { try Table("m").fetchCount($0) }, name)
                try locked.execute(sql: "ROLLBACK")
            }
            XCTAssertEqual(try pool.read { try Table("u").fetchCount($0) }, 2, name)
        }
    }

    func testSchemaVersionIncreasesWithSchemaChanges() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                let before = try db.schemaVersion()
                try db.execute(sql: "CREATE TABLE t(a)")
                let after = try db.schemaVersion()
                XCTAssertGreaterThan(after, before)
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                XCTAssertEqual(try db.schemaVersion(), after)
            }
        }
    }
}
