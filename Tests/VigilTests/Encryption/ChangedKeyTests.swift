#if SQLCipher
    import Foundation
    import Vigil
    import XCTest

    final class ChangedKeyTests: XCTestCase {
        private let newKey = CipherKey.raw([UInt8](repeating: 5, count: 32))

        private func configuration(_ key: CipherKey = .quick, isWAL: Bool = false) -> Configuration {
            var configuration = Configuration()
            configuration.backend = SQLCipherBackend(key: key, library: .underTest)
            if isWAL { configuration.journalMode = .wal }
            return configuration
        }

        private func makePool(_ path: String, _ configuration: Configuration) throws -> DatabasePool {
            let dbPool = try DatabasePool(path: path, configuration: configuration)
            try dbPool.write { db in try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
            return dbPool
        }

        private func count(_ db: Database) throws -> Int? {
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        }

        private func assertOpensOnly(_ path: String, with key: CipherKey, line: UInt = #line) throws {
            for candidate in [CipherKey.quick, newKey] {
                if candidate == key {
                    let dbQueue = try DatabaseQueue(path: path, configuration: configuration(candidate))
                    XCTAssertNotNil(try dbQueue.read(count), line: line)
                } else {
                    assertDatabaseError(.SQLITE_NOTADB, line: line) {
                        try DatabaseQueue(path: path, configuration: configuration(candidate))
                    }
                }
            }
        }

        func testAPoolContinuesWithTheNewKey() throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            let dbPool = try makePool(path, configuration())
            XCTAssertEqual(try dbPool.read(count), 1)
            try dbPool.changeKey(to: newKey)
            XCTAssertEqual(try dbPool.read(count), 1)
            try dbPool.write { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
            // A nested read needs a second reader.
            try dbPool.read { db in
                XCTAssertEqual(try count(db), 2)
                XCTAssertEqual(try dbPool.unsafeReentrantRead(count), 2)
            }
            XCTAssertEqual(try dbPool.makeSnapshot().read(count), 2)
            try dbPool.close()
            // The backend of the configuration has the new key, too.
            let again = try DatabasePool(path: path, configuration: dbPool.configuration)
            XCTAssertEqual(try again.read(count), 2)
            try again.close()
            try assertOpensOnly(path, with: newKey)
        }

        func testTheKeyOfAnotherDatabaseOfTheBackendIsUnchanged() throws {
            let directory = try TemporaryDirectory()
            let configuration = configuration()
            let first = try DatabaseQueue(path: directory.file("first"), configuration: configuration)
            let second = try makePool(directory.file("second"), configuration)
            try first.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            try first.changeKey(to: newKey)
            XCTAssertEqual(try second.read(count), 1)
            XCTAssertEqual(try second.makeSnapshot().read(count), 1)
            try assertOpensOnly(directory.file("first"), with: newKey)
            try assertOpensOnly(directory.file("second"), with: .quick)
        }

        func testObservationsContinue() throws {
            let directory = try TemporaryDirectory()
            let dbPool = try makePool(directory.file("database"), configuration())
            let received = Recorder<Int?>()
            let cancellable = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            }.start(in: dbPool, scheduling: .async(onQueue: .global())) { error in
                XCTFail("\(error)")
            } onChange: {
                received.append($0)
            }
            received.wait(last: 1)
            try dbPool.changeKey(to: newKey)
            try dbPool.write { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
            received.wait(last: 2)
            cancellable.cancel()
        }

        func testASnapshotStillReadsTheOldState() throws {
            let directory = try TemporaryDirectory()
            let dbPool = try makePool(directory.file("database"), configuration())
            let snapshot = try dbPool.makeSnapshot()
            try dbPool.changeKey(to: newKey)
            try dbPool.write { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
            XCTAssertEqual(try snapshot.read(count), 1)
            XCTAssertEqual(try dbPool.read(count), 2)
        }

        func testThePassphraseOfAPoolCanBeChangedInABarrier() throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            let passphrase = Recorder<String>()
            passphrase.append("old")
            var configuration = Configuration()
            configuration.backend = SQLCipherBackend(library: .underTest)
            configuration.prepareDatabase { db in try db.usePassphrase(passphrase.all.last ?? "") }
            let dbPool = try makePool(path, configuration)
            XCTAssertEqual(try dbPool.read(count), 1)
            try dbPool.barrierWriteWithoutTransaction { db in
                try db.changePassphrase("new")
                passphrase.append("new")
                dbPool.invalidateReadOnlyConnections()
            }
            XCTAssertEqual(try dbPool.read(count), 1)
        }

        func testRunningReadsEndBeforeTheirConnectionIsReplaced() throws {
            let directory = try TemporaryDirectory()
            let dbPool = try makePool(directory.file("database"), configuration())
            try dbPool.read { db in
                // A mark of the connection.
                db.add(function: DatabaseFunction("mark", argumentCount: 0) { _ in 1 })
                dbPool.invalidateReadOnlyConnections()
                XCTAssertEqual(try count(db), 1)
            }
            assertDatabaseError(.SQLITE_ERROR) {
                try dbPool.read { try Int.fetchOne($0, sql: "SELECT mark()") }
            }
        }

        /// The library itself reports no error, and later writes with the new key nevertheless.
        func testAKeyThatCannotBeChangedIsReported() throws {
            for isWAL in [true, false] {
                let directory = try TemporaryDirectory()
                let path = directory.file("database")
                let configuration = configuration(isWAL: isWAL)
                let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
                try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
                let other = try DatabaseQueue(path: path, configuration: configuration)
                try other.writeWithoutTransaction { db in
                    try db.execute(sql: "BEGIN IMMEDIATE")
                    assertDatabaseError(.SQLITE_BUSY) { try dbQueue.changeKey(to: newKey) }
                    try db.execute(sql: "COMMIT")
                }
                try other.close()
                var readOnly = configuration
                readOnly.readonly = true
                let reader = try DatabaseQueue(path: path, configuration: readOnly)
                assertDatabaseError(.SQLITE_READONLY) { try reader.changeKey(to: newKey) }
                try reader.close()
                try dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
                try dbQueue.close()
                try assertOpensOnly(path, with: .quick)
            }
        }

        /// The file is full: its journal or log would exceed the limit of the process.
        func testAKeyThatCannotBeWrittenIsReported() throws {
            #if os(Linux)
                for isWAL in [true, false] {
                    let directory = try TemporaryDirectory()
                    let path = directory.file("database")
                    let configuration = configuration(isWAL: isWAL)
                    let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
                    try dbQueue.write { db in
                        try db.execute(sql: "CREATE TABLE t(a)")
                        for _ in 0..<100 { try db.execute(sql: "INSERT INTO t VALUES (zeroblob(40000))") }
                    }
                    try dbQueue.close()
                    let again = try DatabaseQueue(path: path, configuration: configuration)
                    try withFileSizeLimit(3_000_000) {
                        assertDatabaseError(.SQLITE_IOERR) { try again.changeKey(to: newKey) }
                    }
                    XCTAssertThrowsError(
                        try again.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") })
                    try? again.close()
                    try assertOpensOnly(path, with: .quick)
                }
            #else
                throw XCTSkip("the limit of the size of files is set on Linux only")
            #endif
        }

        #if os(Linux)
            private func withFileSizeLimit(_ bytes: UInt, _ body: () throws -> Void) throws {
                let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
                let handler = signal(SIGXFSZ, SIG_IGN)
                defer { signal(SIGXFSZ, handler) }
                var limit = rlimit()
                XCTAssertEqual(getrlimit(resource, &limit), 0)
                var lower = rlimit(rlim_cur: bytes, rlim_max: limit.rlim_max)
                XCTAssertEqual(setrlimit(resource, &lower), 0)
                defer { setrlimit(resource, &limit) }
                try body()
            }
        #endif

        func testANewFileHasTheKeyOfTheClosure() throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            let thirdKey = CipherKey.raw([UInt8](repeating: 9, count: 32))
            let keys = Recorder<CipherKey>()
            keys.append(.quick)
            var shared = Configuration()
            shared.backend = SQLCipherBackend(library: .underTest) { keys.all.last ?? .quick }
            let dbQueue = try DatabaseQueue(path: path, configuration: shared)
            try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            let backup = directory.file("backup")
            try FileManager.default.copyItem(atPath: path, toPath: backup)
            try dbQueue.changeKey(to: newKey)
            try dbQueue.close()
            // A backup from before the change.
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: backup, toPath: path)
            let restored = try DatabaseQueue(path: path, configuration: shared)
            XCTAssertEqual(try restored.read(count), 0)
            try restored.changeKey(to: newKey)
            try restored.close()
            // A new file.
            try FileManager.default.removeItem(atPath: path)
            keys.append(thirdKey)
            let new = try DatabaseQueue(path: path, configuration: shared)
            try new.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            try new.close()
            let opened = try DatabaseQueue(path: path, configuration: configuration(thirdKey))
            XCTAssertEqual(try opened.read(count), 0)
        }

        func testMisuse() throws {
            let directory = try TemporaryDirectory()
            let dbQueue = try DatabaseQueue(path: directory.file("a"), configuration: configuration())
            try dbQueue.write { db in
                try db.execute(sql: "CREATE TABLE t(a)")
                assertDatabaseError(.SQLITE_MISUSE) { try db.changeKey(to: newKey) }
            }
            assertDatabaseError(.SQLITE_MISUSE) { try dbQueue.changeKey(to: .passphrase("")) }
            assertDatabaseError(.SQLITE_MISUSE) { try dbQueue.changeKey(to: .raw([1])) }
            try assertOpensOnly(directory.file("a"), with: .quick)
            var plain = Configuration()
            plain.backend = SQLCipherBackend(library: .underTest)
            let plainQueue = try DatabaseQueue(configuration: plain)
            assertDatabaseError(.SQLITE_MISUSE) { try plainQueue.changeKey(to: newKey) }
            assertDatabaseError(.SQLITE_MISUSE) { try plainQueue.read { try $0.cipherIntegrityCheck() } }
            XCTAssertNil(try plainQueue.read { $0.cipherVersion })
        }

        func testVersionProviderAndIntegrityCheck() throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            let dbQueue = try DatabaseQueue(path: path, configuration: configuration())
            try dbQueue.write { db in
                try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(40000))")
            }
            let version = try XCTUnwrap(try dbQueue.read { $0.cipherVersion })
            XCTAssertEqual(
                try dbQueue.read { try String.fetchOne($0, sql: "PRAGMA cipher_version") }, version)
            XCTAssertNotNil(try dbQueue.read { try $0.cipherProvider })
            if version.hasPrefix("3.") {
                XCTAssertThrowsError(try dbQueue.read { try $0.cipherIntegrityCheck() }) { error in
                    XCTAssertTrue("\(error)".contains("needs SQLCipher 4"), "\(error)")
                }
                return
            }
            XCTAssertEqual(try dbQueue.read { try $0.cipherIntegrityCheck() }, [])
            try dbQueue.close()
            var data = try Data(contentsOf: URL(fileURLWithPath: path))
            data[data.count - 100] ^= 1
            try data.write(to: URL(fileURLWithPath: path))
            let damaged = try DatabaseQueue(path: path, configuration: configuration())
            XCTAssertEqual(try damaged.read { try $0.cipherIntegrityCheck() }.count, 1)
        }

        #if SQLite
            func testTheDefaultBackendNamesTheOneThatEncrypts() throws {
                var configuration = Configuration()
                configuration.prepareDatabase { db in try db.usePassphrase("secret") }
                XCTAssertThrowsError(try DatabaseQueue(configuration: configuration)) { error in
                    XCTAssertTrue(
                        "\(error)".contains("set configuration.backend = SQLCipherBackend()"), "\(error)")
                }
            }
        #endif
    }
#endif
