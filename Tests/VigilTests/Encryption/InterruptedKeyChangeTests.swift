#if SQLCipher
    import Foundation
    import Vigil
    import XCTest

    /// Kills a process that changes the key of a database, and opens the file.
    ///
    /// The process runs the test executable itself, with an environment that makes
    /// ``testProcessThatIsKilled()`` change the key again and again.
    final class InterruptedKeyChangeTests: XCTestCase {
        private static let pathVariable = "VIGIL_REKEY_PATH"
        private static let journalVariable = "VIGIL_REKEY_JOURNAL"
        private static let start = "rekey\n"
        private static let keys = (1...2).map { CipherKey.raw([UInt8](repeating: $0, count: 32)) }

        private struct OpensWithNoKey: Error {
            let context: String
        }

        private static func open(_ path: String, _ key: CipherKey, isWAL: Bool) throws -> any DatabaseWriter {
            var configuration = Configuration()
            configuration.backend = SQLCipherBackend(key: key, library: .underTest)
            return isWAL
                ? try DatabasePool(path: path, configuration: configuration)
                : try DatabaseQueue(path: path, configuration: configuration)
        }

        func testTheFileOpensWithOneOfTheKeys() throws {
            #if os(Linux)
                var random = SeededRandom.seeded()
                var opened: [Int: Int] = [:]
                for isWAL in [true, false] {
                    let directory = try TemporaryDirectory()
                    let path = directory.file("database")
                    let writer = try Self.open(path, Self.keys[0], isWAL: isWAL)
                    try writer.write { db in
                        try db.execute(
                            sql: """
                                CREATE TABLE t(a);
                                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                                INSERT INTO t SELECT hex(randomblob(200)) FROM n;
                                """)
                    }
                    try writer.close()
                    for _ in 0..<RandomTestSettings.rounds(2) {
                        let changes = Int.random(in: 1...12, using: &random)
                        try Self.killProcess(inChange: changes, path: path, isWAL: isWAL)
                        let context = "killed in change \(changes), WAL: \(isWAL), VIGIL_SEED=\(random.seed)"
                        let key = try openAndCheck(path, isWAL: isWAL, context)
                        opened[key, default: 0] += 1
                    }
                }
                print("opened with each key: \(opened)")
            #else
                throw XCTSkip.needsSeparateExecutable
            #endif
        }

        /// Opens the file with one of the keys, checks its content, and returns the index of the key.
        private func openAndCheck(_ path: String, isWAL: Bool, _ context: String) throws -> Int {
            for (index, key) in Self.keys.enumerated() {
                do {
                    let writer = try Self.open(path, key, isWAL: isWAL)
                    try writer.read { db in
                        XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 3000, context)
                        XCTAssertEqual(try String.fetchOne(db, sql: "PRAGMA integrity_check"), "ok", context)
                    }
                    try writer.close()
                    return index
                } catch DatabaseError.SQLITE_NOTADB {
                    continue
                }
            }
            throw OpensWithNoKey(context: context)
        }

        /// Starts a process that changes the key again and again, and kills it when it begins a change.
        private static func killProcess(inChange change: Int, path: String, isWAL: Bool) throws {
            try Process.running(
                "VigilTests.InterruptedKeyChangeTests/testProcessThatIsKilled",
                environment: [pathVariable: path, journalVariable: isWAL ? "wal" : "delete"]
            ).runAndKill(after: change, messages: start)
        }

        /// Does nothing, except in the process that is killed.
        func testProcessThatIsKilled() throws {
            let environment = ProcessInfo.processInfo.environment
            guard let path = environment[Self.pathVariable] else { return }
            let isWAL = environment[Self.journalVariable] == "wal"
            var opened: (any DatabaseWriter, Int)?
            for (index, key) in Self.keys.enumerated() where opened == nil {
                opened = (try? Self.open(path, key, isWAL: isWAL)).map { ($0, index) }
            }
            guard let (writer, first) = opened else { return }
            var current = first
            while true {
                FileHandle.standardOutput.write(Data(Self.start.utf8))
                current = 1 - current
                if let pool = writer as? DatabasePool {
                    try pool.changeKey(to: Self.keys[current])
                } else {
                    try (writer as? DatabaseQueue)?.changeKey(to: Self.keys[current])
                }
            }
        }
    }
#endif
