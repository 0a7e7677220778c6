#if SQLCipher
    import Foundation
    import Vigil
    import XCTest

    final class PassphraseTests: XCTestCase {
        private func configuration(
            _ passphrase: String?, log: Configuration.JournalModeConfiguration = .default
        ) -> Configuration {
            var configuration = Configuration()
            configuration.backend = SQLCipherBackend(library: .underTest)
            configuration.journalMode = log
            if let passphrase {
                configuration.prepareDatabase { db in try db.usePassphrase(passphrase) }
            }
            return configuration
        }

        private func assertOpens(_ path: String, _ passphrase: String?, line: UInt = #line) throws {
            let dbQueue = try DatabaseQueue(path: path, configuration: configuration(passphrase))
            XCTAssertEqual(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }, 1, line: line)
        }

        func testAPassphraseOfPrepareDatabaseEncryptsANewFileAndOpensItAgain() throws {
            for log in [Configuration.JournalModeConfiguration.default, .wal] {
                let directory = try TemporaryDirectory()
                let path = directory.file("database.sqlite")
                let dbQueue = try DatabaseQueue(path: path, configuration: configuration("secret", log: log))
                try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
                try dbQueue.close()
                XCTAssertFalse(
                    try Data(contentsOf: URL(fileURLWithPath: path)).starts(
                        with: Data("SQLite format 3".utf8)))
                try assertOpens(path, "secret")
                assertDatabaseError(.SQLITE_NOTADB) { try assertOpens(path, "wrong") }
                assertDatabaseError(.SQLITE_NOTADB) { try assertOpens(path, nil) }
            }
        }

        func testAllConnectionsOfAPoolUseThePassphrase() throws {
            let directory = try TemporaryDirectory()
            let dbPool = try DatabasePool(
                path: directory.file("database.sqlite"), configuration: configuration("secret"))
            try dbPool.write { db in try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
            XCTAssertEqual(try dbPool.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }, 1)
        }

        func testThePassphraseCanBeChanged() throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("database.sqlite")
            let dbQueue = try DatabaseQueue(path: path, configuration: configuration("old"))
            try dbQueue.inDatabase { db in
                try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
                try db.changePassphrase("new")
            }
            try dbQueue.close()
            try assertOpens(path, "new")
            assertDatabaseError(.SQLITE_NOTADB) { try assertOpens(path, "old") }
        }

        func testAnOpenDatabaseRejectsAPassphrase() throws {
            let dbQueue = try DatabaseQueue(configuration: configuration(nil))
            dbQueue.inDatabase { db in
                assertDatabaseError(.SQLITE_MISUSE) { try db.usePassphrase("late") }
                assertDatabaseError(.SQLITE_MISUSE) { try db.changePassphrase("other") }
            }
        }

        #if SQLite
            func testALibraryThatDoesNotEncryptRejectsAPassphrase() throws {
                var configuration = Configuration()
                configuration.backend = SQLiteBackend()
                configuration.prepareDatabase { db in try db.usePassphrase("secret") }
                XCTAssertThrowsError(try DatabaseQueue(configuration: configuration))
            }
        #endif
    }
#endif
