#if SQLCipher
    import Foundation
    import Vigil
    import XCTest

    /// Kills a process inside a transaction, and searches the files that it leaves for text.
    ///
    /// The process runs the test executable itself, with an environment that makes
    /// ``testProcessThatIsKilled()`` write.
    final class CrashLeftoverTests: XCTestCase {
        private static let pathVariable = "VIGIL_CRASH_PATH"
        private static let journalVariable = "VIGIL_CRASH_JOURNAL"
        private static let keyVariable = "VIGIL_CRASH_KEY"
        private static let secret = "plaintext-that-a-crash-must-not-leave"

        private static func open(_ path: String, isEncrypted: Bool, isWAL: Bool) throws -> DatabaseQueue {
            var configuration = Configuration()
            configuration.backend = SQLCipherBackend(key: isEncrypted ? .quick : nil, library: .underTest)
            configuration.journalMode = isWAL ? .wal : .default
            return try DatabaseQueue(path: path, configuration: configuration)
        }

        func testTheFilesOfAKilledProcessAreEncrypted() throws {
            #if os(Linux)
                for isWAL in [true, false] {
                    for isEncrypted in [true, false] {
                        try checkLeftovers(isEncrypted: isEncrypted, isWAL: isWAL)
                    }
                }
            #else
                throw XCTSkip.needsSeparateExecutable
            #endif
        }

        private func checkLeftovers(isEncrypted: Bool, isWAL: Bool) throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("db")
            let dbQueue = try Self.open(path, isEncrypted: isEncrypted, isWAL: isWAL)
            try dbQueue.write { db in
                try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
                try Self.insertRows(db)
            }
            try dbQueue.close()
            try runKilledProcess(path, isEncrypted: isEncrypted, isWAL: isWAL)
            let leftover = isWAL ? "db-wal" : "db-journal"
            let size = FileManager.default.contents(atPath: directory.file(leftover))?.count ?? 0
            XCTAssertGreaterThan(size, 10_000, leftover)
            // The search finds the text of a plain database.
            XCTAssertEqual(try names(in: directory, containing: Self.secret).contains(leftover), !isEncrypted)
            if isEncrypted { XCTAssertEqual(try names(in: directory, containing: Self.secret), []) }
            let again = try Self.open(path, isEncrypted: isEncrypted, isWAL: isWAL)
            try again.write { db in
                // The transaction was rolled back.
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t WHERE a LIKE '%!'"), 0)
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 200)
                XCTAssertEqual(try String.fetchOne(db, sql: "PRAGMA integrity_check"), "ok")
            }
            try again.close()
            if isEncrypted { XCTAssertEqual(try names(in: directory, containing: Self.secret), []) }
        }

        private static func insertRows(_ db: Database) throws {
            for index in 0..<200 {
                try db.execute(
                    sql: "INSERT INTO t(a) VALUES (?)",
                    arguments: ["\(secret) \(index) \(String(repeating: "x", count: 400))"])
            }
        }

        private func names(in directory: TemporaryDirectory, containing text: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { name in
                try Data(contentsOf: URL(fileURLWithPath: directory.file(name))).range(of: Data(text.utf8))
                    != nil
            }
        }

        private func runKilledProcess(_ path: String, isEncrypted: Bool, isWAL: Bool) throws {
            let process = Process.running(
                "VigilTests.CrashLeftoverTests/testProcessThatIsKilled",
                environment: [
                    Self.pathVariable: path, Self.journalVariable: isWAL ? "wal" : "delete",
                    Self.keyVariable: isEncrypted ? "yes" : "no",
                ])
            try process.run()
            process.waitUntilExit()
            XCTAssertEqual(process.terminationReason, .uncaughtSignal)
            XCTAssertEqual(process.terminationStatus, SIGKILL)
        }

        /// Does nothing, except in the process that is killed, which kills itself inside a transaction.
        func testProcessThatIsKilled() throws {
            let environment = ProcessInfo.processInfo.environment
            guard let path = environment[Self.pathVariable] else { return }
            let dbQueue = try Self.open(
                path, isEncrypted: environment[Self.keyVariable] == "yes",
                isWAL: environment[Self.journalVariable] == "wal")
            try dbQueue.inDatabase { db in
                // A small cache writes pages before the transaction ends.
                try db.execute(sql: "PRAGMA cache_size = 5")
                try db.inTransaction {
                    try db.execute(sql: "UPDATE t SET a = a || '!'")
                    try Self.insertRows(db)
                    kill(ProcessInfo.processInfo.processIdentifier, SIGKILL)
                    return .rollback
                }
            }
        }
    }
#endif
