import VigilStorage
import XCTest

final class KeysInSQLTests: XCTestCase {
    private let statements = [
        "PRAGMA key = 'hunter2'", "PRAGMA key='hunter2'", "pragma KEY(\"hunter2\")",
        "PRAGMA main.rekey = hunter2",
        "PRAGMA rekey = \"x'hunter2'\"", "PRAGMA \"key\" = 'hunter2'", "PRAGMA hexkey = 'hunter2'",
        "/* first */ PRAGMA -- second\n key /* third */ = 'hunter2'",
        "SELECT 1; PRAGMA key = 'hunter2'; SELECT 2",
        "ATTACH 'file' AS other KEY 'hunter2'", "attach database 'file' as other key \"hunter2\"",
        "ATTACH 'file' AS key KEY 'hunter2'", "EXPLAIN ATTACH 'file' AS other KEY 'hunter2'",
        "ATTACH 'file' AS other KEY x'hunter2'", "ATTACH 'file' AS other KEY 'a' || 'hunter2'",
        "PRAGMA key = 'hunter2", "PRAGMA key = 'it''s hunter2'",
    ]

    func testKeysAreRemovedFromSQL() {
        for sql in statements {
            let text = sql.withoutKeys
            XCTAssertFalse(text.contains("hunter2"), text)
            XCTAssertTrue(text.contains("…"), text)
            XCTAssertTrue(sql.namesKeys, sql)
            XCTAssertEqual(text.withoutKeys, text)
            XCTAssertTrue(text.namesKeys, text)
        }
        XCTAssertEqual(
            "SELECT 1; PRAGMA key = 'hunter2'; SELECT 2".withoutKeys, "SELECT 1; PRAGMA key = …; SELECT 2")
        XCTAssertEqual("ATTACH ? AS a KEY ?".withoutKeys, "ATTACH ? AS a KEY …")
    }

    func testOtherSQLIsUnchanged() {
        for sql in [
            "SELECT * FROM setting WHERE key = 'color'", "CREATE TABLE t(id INTEGER PRIMARY KEY, key TEXT)",
            "PRAGMA foreign_keys = ON", "PRAGMA foreign_key_list(t)", "PRAGMA table_info(key)",
            "ATTACH 'monkey' AS other", "INSERT INTO t(key) VALUES ('PRAGMA key = 1')",
            "PRAGMA cipher_page_size = 4096",
        ] {
            XCTAssertEqual(sql.withoutKeys, sql)
            XCTAssertFalse(sql.namesKeys, sql)
        }
    }

    func testKeysAreRemovedFromMessagesAboutTheirSQL() {
        XCTAssertEqual(
            "near \"hunter2\": syntax error".withoutKeys(of: "PRAGMA key = a hunter2"),
            "ne…r \"…\": synt…x error")
        XCTAssertEqual(
            "no such column: hunter2".withoutKeys(of: "ATTACH 'f' AS o KEY hunter2"), "no such column: …")
        let error = StorageError(.error, "unrecognized token: \"'hunter2\"", sql: "PRAGMA key = 'hunter2")
        XCTAssertFalse("\(error) \(error.message)".contains("hunter2"), "\(error)")
    }

    func testMessagesOfTheLogLoseEverythingAfterTheKey() {
        for message in [
            "near \"x\": syntax error in \"PRAGMA key = 'hunter2' x\"",
            "statement aborts at 5: [ATTACH 'f' AS o KEY 'hunter2'] unable to open database",
        ] {
            XCTAssertFalse(message.withoutQuotedKeys.contains("hunter2"), message.withoutQuotedKeys)
        }
        let harmless = "statement aborts at 5: [SELECT key FROM t] interrupted"
        XCTAssertEqual(harmless.withoutQuotedKeys, harmless)
    }
}
