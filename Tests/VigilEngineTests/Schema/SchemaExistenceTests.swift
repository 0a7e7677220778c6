import Foundation
import Vigil
import XCTest

final class SchemaExistenceTests: XCTestCase {
    private let schema = """
        CREATE TABLE Player(a);
        CREATE VIEW v AS SELECT * FROM player;
        CREATE TRIGGER onInsert AFTER INSERT ON player BEGIN DELETE FROM player; END;
        CREATE TEMPORARY TABLE tempTable(a);
        ATTACH ':memory:' AS other;
        CREATE TABLE other.elsewhere(a);
        CREATE VIRTUAL TABLE text USING fts4(content);
        """

    func testTablesViewsAndTriggersAreFoundRegardlessOfCase() throws {
        try onEachQueue(schema: schema) { dbQueue in
            try dbQueue.read { db in
                XCTAssertTrue(try db.tableExists("pLAYER"))
                XCTAssertTrue(try db.tableExists("text"))
                XCTAssertTrue(try db.viewExists("V"))
                XCTAssertTrue(try db.triggerExists("ONINSERT"))
                XCTAssertFalse(try db.tableExists("v"))
                XCTAssertFalse(try db.viewExists("player"))
                XCTAssertFalse(try db.triggerExists("player"))
                XCTAssertFalse(try db.tableExists("missing"))
            }
        }
    }

    func testNamesAreLookedUpInAllSchemasUnlessOneIsGiven() throws {
        try onEachQueue(schema: schema) { dbQueue in
            try dbQueue.read { db in
                XCTAssertTrue(try db.tableExists("temptable"))
                XCTAssertTrue(try db.tableExists("elsewhere"))
                XCTAssertTrue(try db.tableExists("elsewhere", in: "OTHER"))
                XCTAssertFalse(try db.tableExists("elsewhere", in: "main"))
                XCTAssertFalse(try db.tableExists("tempTable", in: "main"))
                XCTAssertTrue(try db.tableExists("tempTable", in: "temp"))
                assertDatabaseError(.SQLITE_ERROR, "no such schema: nowhere") {
                    try db.tableExists("player", in: "nowhere")
                }
                assertDatabaseError(.SQLITE_ERROR, "no such schema: nowhere") {
                    try db.columns(in: "player", in: "nowhere")
                }
            }
        }
    }

    func testMissingTableThrowsAndIsNamed() throws {
        try onEachQueue(schema: schema) { dbQueue in
            try dbQueue.read { db in
                for ask: () throws -> Void in [
                    { _ = try db.columns(in: "missing") }, { _ = try db.primaryKey("missing") },
                    { _ = try db.indexes(on: "missing") }, { _ = try db.foreignKeys(on: "missing") },
                    { _ = try db.foreignKeyViolations(in: "missing") },
                    { try db.checkForeignKeys(in: "missing") },
                ] {
                    // The second result is from the cache.
                    for _ in 1...2 {
                        assertDatabaseError(.SQLITE_ERROR, "no such table: missing") { try ask() }
                    }
                }
                assertDatabaseError(.SQLITE_ERROR, "no such table: elsewhere") {
                    try db.columns(in: "elsewhere", in: "main")
                }
            }
        }
    }

    func testTemporaryTableHidesTableOfTheSameName() throws {
        try onEachQueue(schema: "CREATE TABLE t(a); CREATE TEMPORARY TABLE t(b)") { dbQueue in
            try dbQueue.read { db in
                XCTAssertEqual(try db.columns(in: "t").map(\.name), ["b"])
                XCTAssertEqual(try db.columns(in: "t", in: "main").map(\.name), ["a"])
            }
        }
    }

    func testOnlyServersHavePublications() throws {
        try onEachQueue(schema: schema) { dbQueue in
            assertDatabaseError(.SQLITE_MISUSE, "only servers have publications") {
                _ = try dbQueue.read { db in try db.reportedTables(ofPublication: "vigil") }
            }
        }
    }

    func testInternalTablesAreRecognized() {
        XCTAssertTrue(Database.isSQLiteInternalTable("sqlite_sequence"))
        XCTAssertTrue(Database.isSQLiteInternalTable("SQLITE_master"))
        XCTAssertTrue(Database.isSQLiteInternalTable("pragma_table_info"))
        XCTAssertFalse(Database.isSQLiteInternalTable("player"))
        for name in ["vigil_migrations", "VIGIL_migrations", "grdb_migrations"] {
            XCTAssertTrue(Database.isGRDBInternalTable(name), name)
        }
        for name in ["player", "vigil", "grdbPlayer", "sqlite_sequence"] {
            XCTAssertFalse(Database.isGRDBInternalTable(name), name)
        }
    }
}
