#if SQLCipher
    import Foundation
    import Vigil
    import XCTest

    /// SQLCipher 3 crashes when `sqlcipher_export()` runs while its statements are traced.
    final class TracedExportTests: XCTestCase {
        private func makeQueue(_ path: String, _ key: CipherKey?, _ events: Recorder<String>) throws
            -> DatabaseQueue
        {
            var configuration = Configuration()
            configuration.backend = SQLCipherBackend(key: key, library: .underTest)
            configuration.prepareDatabase { db in
                db.trace(options: [.statement, .profile]) { event in
                    switch event {
                    case .statement(let statement): events.append(statement.sql)
                    case .profile(let statement, _): events.append("profile \(statement.sql)")
                    }
                }
            }
            return try DatabaseQueue(path: path, configuration: configuration)
        }

        func testExportsCanBeTraced() throws {
            for (from, to) in [(nil, "KEY 'secret'"), (CipherKey.quick, "KEY ''"), (.quick, "KEY 'secret'")] {
                let directory = try TemporaryDirectory()
                let events = Recorder<String>()
                let dbQueue = try makeQueue(directory.file("db"), from, events)
                try dbQueue.inDatabase { db in
                    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
                    try db.execute(sql: "ATTACH '\(directory.file("copy"))' AS copy \(to)")
                    for export in ["SELECT sqlcipher_export('copy')", "select SQLCipher_Export('copy2')"] {
                        let isFirst = export.hasSuffix("'copy')")
                        if isFirst {
                            XCTAssertNotNil(try Row.fetchOne(db, sql: export))
                            XCTAssertEqual(events.all.filter { $0 == export }.count, 1)
                            XCTAssertEqual(events.all.filter { $0 == "profile \(export)" }.count, 1)
                        } else {
                            XCTAssertThrowsError(try db.execute(sql: export))
                        }
                    }
                    XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM copy.t"), 2)
                    // Later statements are traced again.
                    XCTAssertTrue(events.all.contains("SELECT COUNT(*) FROM copy.t"), "\(events.all)")
                    XCTAssertTrue(events.all.contains("profile SELECT COUNT(*) FROM copy.t"), "\(events.all)")
                }
            }
        }

        func testExportsInAQueryOfSeveralRows() throws {
            let directory = try TemporaryDirectory()
            let dbQueue = try makeQueue(directory.file("db"), .quick, Recorder())
            try dbQueue.inDatabase { db in
                try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES ('c1'), ('c2')")
                for name in ["c1", "c2"] {
                    try db.execute(sql: "ATTACH '\(directory.file(name))' AS \(name) KEY 'secret'")
                }
                _ = try Row.fetchAll(
                    db, sql: "SELECT sqlcipher_export(a) FROM (SELECT 'c1' AS a UNION SELECT 'c2')")
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM c1.t, c2.t"), 4)
            }
        }
    }
#endif
