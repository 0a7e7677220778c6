#if SQLCipher
    import Foundation
    import Vigil
    import XCTest

    /// Encryption is never dropped silently: no file that an encrypted database leaves contains its text.
    final class PlaintextTests: XCTestCase {
        private let secret = "plaintext-that-must-not-be-found"

        private func configuration(_ journal: Configuration.JournalModeConfiguration = .default)
            -> Configuration
        {
            var configuration = Configuration()
            configuration.backend = SQLCipherBackend(key: .quick, library: .underTest)
            configuration.journalMode = journal
            return configuration
        }

        /// Returns the names of the files in a directory, and fails for those that contain the secret.
        @discardableResult
        private func checkFiles(_ directory: TemporaryDirectory, line: UInt = #line) throws -> Set<String> {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            for name in names {
                let data = try Data(contentsOf: URL(fileURLWithPath: directory.file(name)))
                XCTAssertNil(data.range(of: Data(secret.utf8)), name, line: line)
                XCTAssertNil(data.range(of: Data("SQLite format 3".utf8)), name, line: line)
                XCTAssertNil(data.range(of: Data("CREATE TABLE".utf8)), name, line: line)
            }
            return Set(names)
        }

        private func fill(_ db: Database, _ count: Int = 300) throws {
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, a TEXT UNIQUE)")
            for index in 0..<count {
                try db.execute(
                    sql: "INSERT INTO t(a) VALUES (?)",
                    arguments: ["\(secret) \(index) \(String(repeating: "x", count: 200))"])
            }
        }

        func testTheSearchFindsTheTextOfAPlainDatabase() throws {
            let directory = try TemporaryDirectory()
            var plain = Configuration()
            plain.backend = SQLCipherBackend(library: .underTest)
            let dbQueue = try DatabaseQueue(path: directory.file("db"), configuration: plain)
            try dbQueue.write { db in try fill(db, 1) }
            let data = try Data(contentsOf: URL(fileURLWithPath: directory.file("db")))
            XCTAssertNotNil(data.range(of: Data(secret.utf8)))
        }

        func testMainFileAndWriteAheadLog() throws {
            let directory = try TemporaryDirectory()
            let dbPool = try DatabasePool(path: directory.file("db"), configuration: configuration())
            try dbPool.write { db in try fill(db) }
            XCTAssertTrue(try checkFiles(directory).isSuperset(of: ["db", "db-wal"]))
            try dbPool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
            try checkFiles(directory)
            try dbPool.close()
            try checkFiles(directory)
        }

        func testRollbackJournalAndStatementJournal() throws {
            let directory = try TemporaryDirectory()
            let dbQueue = try DatabaseQueue(path: directory.file("db"), configuration: configuration())
            try dbQueue.write { db in try fill(db) }
            try dbQueue.inDatabase { db in
                try db.execute(sql: "PRAGMA cache_size = 5")
                try db.inTransaction {
                    // Rows that violate the constraint are undone from the statement journal.
                    XCTAssertThrowsError(
                        try db.execute(
                            sql: "UPDATE t SET a = CASE WHEN id < 299 THEN a || '!' ELSE 'same' END"))
                    try db.execute(sql: "UPDATE t SET a = a || '?'")
                    XCTAssertTrue(try checkFiles(directory).contains("db-journal"))
                    return .commit
                }
            }
            try checkFiles(directory)
        }

        func testBackupAndVacuum() throws {
            let directory = try TemporaryDirectory()
            let dbQueue = try DatabaseQueue(path: directory.file("db"), configuration: configuration())
            try dbQueue.write { db in try fill(db) }
            let copy = try DatabaseQueue(path: directory.file("copy"), configuration: configuration())
            try dbQueue.backup(to: copy)
            XCTAssertEqual(try copy.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 300)
            try dbQueue.vacuum()
            do {
                try dbQueue.vacuum(into: directory.file("vacuumed"))
                let vacuumed = try DatabaseQueue(
                    path: directory.file("vacuumed"), configuration: configuration())
                XCTAssertEqual(try vacuumed.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 300)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
                // Libraries before 3.27 cannot vacuum into a file.
                XCTAssertFalse(FileManager.default.fileExists(atPath: directory.file("vacuumed")))
            }
            try checkFiles(directory)
        }

        func testAttachedDatabasesUseTheKeyOfTheMainOne() throws {
            let directory = try TemporaryDirectory()
            let dbQueue = try DatabaseQueue(path: directory.file("db"), configuration: configuration())
            try dbQueue.inDatabase { db in
                try db.execute(sql: "CREATE TABLE own(a)")
                try attach("other", to: db, directory)
            }
            XCTAssertTrue(try checkFiles(directory).contains("other"))
        }

        func testDatabasesAttachedToEmptyOnesAreEncryptedOrRejected() throws {
            let directory = try TemporaryDirectory()
            for dbQueue in [
                try DatabaseQueue(configuration: configuration()),
                try DatabaseQueue(path: directory.file("db"), configuration: configuration()),
            ] {
                try dbQueue.inDatabase { db in
                    do {
                        try attach("other", to: db, directory)
                    } catch let error as DatabaseError where error.message?.contains("ATTACH … KEY") == true {
                        XCTAssertFalse(FileManager.default.fileExists(atPath: directory.file("other")))
                    }
                }
                try checkFiles(directory)
                try? FileManager.default.removeItem(atPath: directory.file("other"))
            }
        }

        private func attach(_ name: String, to db: Database, _ directory: TemporaryDirectory) throws {
            try db.execute(sql: "ATTACH ? AS other", arguments: [directory.file(name)])
            try db.execute(sql: "CREATE TABLE other.t(a)")
            try db.execute(sql: "INSERT INTO other.t VALUES (?)", arguments: [secret])
        }

        /// Runs `body` on a connection with a key, and on one without that keeps temporary files on the disk,
        /// where the search must find the text.
        private func onConnectionsWithTemporaryFiles(
            _ body: (_ db: Database, _ key: CipherKey?) throws -> Void
        ) throws {
            for key in [nil, CipherKey.quick] {
                let directory = try TemporaryDirectory()
                var configuration = configuration()
                configuration.backend = SQLCipherBackend(key: key, library: .underTest)
                if key == nil {
                    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA temp_store = FILE") }
                }
                let dbQueue = try DatabaseQueue(path: directory.file("db"), configuration: configuration)
                try dbQueue.write { db in try fill(db) }
                try dbQueue.inDatabase { db in
                    try db.execute(sql: "PRAGMA cache_size = 5; PRAGMA temp.cache_size = 5")
                    try body(db, key)
                }
            }
        }

        func testTemporaryFiles() throws {
            // SQLite unlinks its temporary files when it creates them, so they are found by their
            // descriptors.
            #if os(Linux)
                try onConnectionsWithTemporaryFiles { db, key in
                    try db.execute(
                        sql: "CREATE TEMP TABLE copy AS SELECT a FROM t, (SELECT 1 UNION SELECT 2)")
                    let found = try Self.unlinkedFiles().filter { $0.range(of: Data(secret.utf8)) != nil }
                    XCTAssertEqual(found.isEmpty, key != nil)
                }
            #else
                throw XCTSkip("needs /proc")
            #endif
        }

        func testTheStatementJournalOnTheDisk() throws {
            #if os(Linux)
                try onConnectionsWithTemporaryFiles { db, key in
                    let journals = Recorder<Data>()
                    db.add(
                        function: DatabaseFunction("journals", argumentCount: 1) { values in
                            if Int.fromDatabaseValue(values[0]) == 250 {
                                for data in try Self.unlinkedFiles() where !data.isEmpty {
                                    journals.append(data)
                                }
                            }
                            return "!"
                        })
                    // Inside a transaction, a statement that may fail has a journal of the pages that the
                    // transaction has changed before.
                    let update =
                        "BEGIN; UPDATE t SET a = a || '?'; UPDATE t SET a = a || journals(id); COMMIT"
                    try db.execute(sql: update)
                    let isFound = journals.all.contains { $0.range(of: Data(secret.utf8)) != nil }
                    XCTAssertEqual(isFound, key == nil)
                    guard key != nil else { return }
                    // With a key, it is kept in memory, like all temporary files.
                    XCTAssertEqual(journals.all.count, 0)
                    // A program can move it to the disk. It is encrypted there.
                    try db.execute(sql: "PRAGMA temp_store = FILE")
                    try db.execute(sql: update)
                    XCTAssertGreaterThan(journals.all.count, 0)
                    for data in journals.all {
                        XCTAssertGreaterThan(data.count, 10_000)
                        XCTAssertNil(data.range(of: Data(secret.utf8)))
                    }
                }
            #else
                throw XCTSkip("needs /proc")
            #endif
        }

        #if os(Linux)
            /// Returns the contents of SQLite's temporary files that this process has open.
            private static func unlinkedFiles() throws -> [Data] {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
                    let link = "/proc/self/fd/\(name)"
                    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
                    guard let target, target.contains("etilqs"), target.hasSuffix(" (deleted)") else {
                        return nil
                    }
                    return FileManager.default.contents(atPath: link)
                }
            }
        #endif
    }
#endif
