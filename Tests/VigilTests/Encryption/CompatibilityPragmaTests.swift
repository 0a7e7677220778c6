#if SQLCipher
    import Foundation
    import Vigil
    import XCTest

    /// Cipher pragmas in `prepareDatabase`, as programs that were written for GRDB use them.
    final class CompatibilityPragmaTests: XCTestCase {
        func testSettingsOfOtherVersionsCanBeAppliedAfterThePassphrase() throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            var configuration = Configuration()
            configuration.backend = SQLCipherBackend(
                key: .passphrase("secret"), settings: CipherSettings(compatibility: 3), library: .underTest)
            let old = try DatabaseQueue(path: path, configuration: configuration)
            try old.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
            try old.close()

            configuration.backend = SQLCipherBackend(library: .underTest)
            configuration.prepareDatabase { db in
                try db.usePassphrase("secret")
                if db.cipherVersion?.hasPrefix("3.") == false {
                    try db.execute(sql: "PRAGMA cipher_compatibility = 3")
                }
            }
            let dbPool = try DatabasePool(path: path, configuration: configuration)
            try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            XCTAssertEqual(try dbPool.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1, 2])
        }
    }
#endif
