import Foundation
import Vigil
import XCTest

final class DatabaseCollationTests: XCTestCase {
    private let schema = """
        CREATE TABLE t(a TEXT);
        INSERT INTO t VALUES ('file10'), ('File2'), ('É'), ('z'), ('Z');
        """

    private func sorted(_ collation: String, _ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT a FROM t ORDER BY a COLLATE \(collation), rowid")
    }

    func testCollationSortsAndCompares() throws {
        try onEachQueue(schema: schema) { dbQueue in
            try dbQueue.write { db in
                db.add(
                    collation: DatabaseCollation("byLength") { a, b in
                        a.count < b.count
                            ? .orderedAscending : a.count > b.count ? .orderedDescending : .orderedSame
                    })
                XCTAssertEqual(try sorted("byLength", db), ["É", "z", "Z", "File2", "file10"])
                XCTAssertEqual(
                    try String.fetchAll(db, sql: "SELECT a FROM t WHERE a = '12345' COLLATE BYLENGTH"),
                    ["File2"])
            }
        }
    }

    func testCollationCanBeReplacedAndRemoved() throws {
        try onEachQueue(schema: schema) { dbQueue in
            try dbQueue.write { db in
                let backwards = DatabaseCollation("mine") { a, b in
                    a < b ? .orderedDescending : a > b ? .orderedAscending : .orderedSame
                }
                db.add(collation: DatabaseCollation("mine") { _, _ in .orderedSame })
                XCTAssertEqual(try sorted("mine", db), ["file10", "File2", "É", "z", "Z"])
                db.add(collation: backwards)
                XCTAssertEqual(try sorted("mine", db), ["É", "z", "file10", "Z", "File2"])
                db.remove(collation: backwards)
                assertDatabaseError(.SQLITE_ERROR, "no such collation sequence: mine") {
                    _ = try sorted("mine", db)
                }
            }
        }
    }

    func testEveryConnectionHasTheStandardCollations() throws {
        try onEachQueue(schema: schema) { dbQueue in
            try dbQueue.read { db in
                XCTAssertEqual(try sorted("swiftCompare", db), ["File2", "Z", "file10", "z", "É"])
                XCTAssertEqual(
                    try sorted(DatabaseCollation.caseInsensitiveCompare.name, db),
                    ["É", "file10", "File2", "z", "Z"])
                XCTAssertEqual(
                    try sorted(DatabaseCollation.localizedStandardCompare.name, db).firstIndex(of: "File2"), 1
                )
                for collation in [
                    DatabaseCollation.localizedCompare, .localizedCaseInsensitiveCompare,
                    .localizedStandardCompare,
                ] {
                    let sorted = try sorted(collation.name, db)
                    XCTAssertEqual(Set(sorted), ["file10", "File2", "É", "z", "Z"])
                    XCTAssertTrue(["z", "Z"].contains(sorted.last), "\(collation.name): \(sorted)")
                }
            }
        }
    }

    func testReplacingCollationInUseFailsTheNextStatement() throws {
        try onEachQueue(schema: schema) { dbQueue in
            try dbQueue.read { db in
                db.add(
                    collation: DatabaseCollation("mine") { a, b in
                        a < b ? .orderedAscending : .orderedDescending
                    })
                let cursor = try Row.fetchCursor(db, sql: "SELECT a FROM t ORDER BY a COLLATE mine")
                _ = try cursor.next()
                db.add(collation: DatabaseCollation("mine") { _, _ in .orderedSame })
                assertDatabaseError(.SQLITE_BUSY) { try db.execute(sql: "SELECT 1") }
            }
        }
    }
}
