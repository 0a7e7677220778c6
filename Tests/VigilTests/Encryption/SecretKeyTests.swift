#if SQLCipher
    import Foundation
    import Vigil
    import VigilStorage
    import XCTest

    /// Runs everything that handles a key, and searches the key in all that was thrown, traced, logged or
    /// described.
    final class SecretKeyTests: XCTestCase {
        private let secret = "hunter2"
        private let hexSecret = Data("hunter2".utf8).map { String($0, radix: 16) }.joined()
        private let output = Recorder<String>()

        private let earlierLog = Database.logError

        override func setUp() {
            Database.logError = { [output] code, message in output.append("\(code) \(message)") }
        }

        override func tearDown() {
            Database.logError = earlierLog
        }

        /// Records all texts of a value.
        private func record(_ value: Any) {
            var dumped = ""
            dump(value, to: &dumped)
            output.append("\(value) \(String(reflecting: value)) \(dumped)")
            guard let error = value as? any Error else { return }
            output.append("\(error.localizedDescription) \((error as NSError).userInfo)")
            if let error = error as? DatabaseError {
                output.append("\(error.expandedDescription) \(error.sql ?? "") \(error.message ?? "")")
                output.append("\(error.arguments.map { "\($0)" } ?? "")")
            }
        }

        private func attempt(_ body: () throws -> Void) {
            do { try body() } catch { record(error) }
        }

        private func configuration(_ backend: SQLCipherBackend) -> Configuration {
            var configuration = Configuration()
            configuration.backend = backend
            configuration.publicStatementArguments = true
            configuration.prepareDatabase { [output] db in
                db.trace(options: [.statement, .profile]) { event in
                    output.append("\(event) \(event.expandedDescription)")
                    if case .statement(let statement) = event {
                        output.append("\(statement.sql) \(statement)")
                    }
                }
            }
            return configuration
        }

        private func assertSecretIsKept(line: UInt = #line) {
            XCTAssertFalse(output.all.isEmpty, line: line)
            for text in output.all {
                XCTAssertFalse(
                    text.contains(secret) || text.lowercased().contains(hexSecret), text, line: line)
            }
        }

        func testTheSearchFindsWhatIsNotAKey() throws {
            let dbQueue = try DatabaseQueue(
                configuration: configuration(SQLCipherBackend(library: .underTest)))
            attempt { try dbQueue.inDatabase { try $0.execute(sql: "SELECT 'hunter2' FROM missing") } }
            XCTAssertTrue(output.all.contains { $0.contains(secret) })
        }

        func testBackendsAndErrorsOfOpening() throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("db")
            let keys: [CipherKey] = [
                .passphrase(secret), .passphrase(bytes: Array(secret.utf8)),
                .raw(Array((secret + String(repeating: "-", count: 25)).utf8)), .raw(Array(secret.utf8)),
                .raw(Array(secret.utf8), salt: []), .passphrase(secret + "\u{0}"),
            ]
            _ = try DatabaseQueue(
                path: path,
                configuration: configuration(
                    SQLCipherBackend(key: .quick, library: .underTest))
            ).inDatabase { try $0.execute(sql: "CREATE TABLE t(a)") }
            for key in keys {
                record(key)
                let settings = CipherSettings(kdfIterations: 4)
                for backend in [
                    SQLCipherBackend(key: key, settings: settings, library: .underTest),
                    SQLCipherBackend(settings: settings, library: .underTest) { key },
                    SQLCipherBackend(key: key, library: .path("/nowhere")),
                ] {
                    record(backend)
                    let configuration = configuration(backend)
                    record(configuration)
                    attempt { _ = try DatabaseQueue(path: path, configuration: configuration) }
                    attempt { _ = try DatabasePool(path: path, configuration: configuration) }
                    attempt { _ = try DatabaseQueue(path: "/nowhere/db", configuration: configuration) }
                    attempt {
                        let dbQueue = try DatabaseQueue(
                            path: directory.file("new"), configuration: configuration)
                        record(dbQueue)
                        dbQueue.inDatabase { db in record(db) }
                    }
                }
            }
            assertSecretIsKept()
        }

        func testPassphrasesOfPrepareDatabaseAndChanges() throws {
            let directory = try TemporaryDirectory()
            let secret = secret
            var configuration = configuration(
                SQLCipherBackend(settings: CipherSettings(kdfIterations: 4), library: .underTest))
            configuration.prepareDatabase { db in try db.usePassphrase(secret) }
            let dbPool = try DatabasePool(path: directory.file("db"), configuration: configuration)
            attempt { try dbPool.writeWithoutTransaction { try $0.usePassphrase(secret) } }
            attempt { try dbPool.write { try $0.changePassphrase(secret) } }
            attempt { try dbPool.writeWithoutTransaction { try $0.changePassphrase(secret) } }
            attempt { try dbPool.changeKey(to: .passphrase(secret)) }
            attempt { try dbPool.write { try $0.changeKey(to: .passphrase(secret)) } }
            attempt { _ = try dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM missing") } }
            assertSecretIsKept()
        }

        func testKeysInSQL() throws {
            let directory = try TemporaryDirectory()
            let dbQueue = try DatabaseQueue(
                path: directory.file("db"),
                configuration: configuration(SQLCipherBackend(key: .quick, library: .underTest)))
            let statements = [
                "PRAGMA key = '\(secret)'", "PRAGMA rekey = '\(secret)'", "PRAGMA key = \(secret) x",
                "PRAGMA key = '\(secret)", "PRAGMA main.key = \"\(secret)\"",
                "PRAGMA hexkey = '\(hexSecret)'",
                "PRAGMA key = \"x'\(hexSecret)'\"", "PRAGMA hexrekey = '\(hexSecret)'",
                "ATTACH '/nowhere/db' AS a KEY '\(secret)'", "ATTACH '/nowhere/db' AS a KEY \(secret)",
                "ATTACH 'x' AS a KEY '\(secret)' nonsense", "ATTACH 'x' AS KEY '\(secret)'",
                "ATTACH '\(directory.file("b"))' AS b KEY '\(secret)'",
                "SELECT 1; ATTACH '/nowhere/db' AS a KEY x'\(hexSecret)'; SELECT 2",
                "ATTACH '\(directory.file("c"))' AS c KEY '\(secret)'; SELECT * FROM missing",
            ]
            for sql in statements {
                attempt { try dbQueue.inDatabase { try $0.execute(sql: sql) } }
                attempt { try dbQueue.inDatabase { try $0.execute(sql: sql, arguments: [secret]) } }
                attempt { _ = try dbQueue.inDatabase { try Row.fetchAll($0, sql: sql) } }
                attempt {
                    try dbQueue.inDatabase { db in
                        let statement = try db.makeStatement(sql: sql)
                        output.append(statement.sql)
                        record(statement)
                        try statement.execute(arguments: [1])
                    }
                }
                attempt {
                    try dbQueue.inTransaction { db in
                        try db.execute(sql: sql); return .rollback
                    }
                }
            }
            for sql in ["ATTACH ? AS d KEY ?", "ATTACH '/nowhere/db' AS d KEY ?"] {
                let arguments: StatementArguments =
                    sql.contains("nowhere") ? [secret] : ["/nowhere/db", secret]
                attempt { try dbQueue.inDatabase { try $0.execute(sql: sql, arguments: arguments) } }
                attempt {
                    try dbQueue.inDatabase { try $0.execute(sql: sql, arguments: [secret, secret, secret]) }
                }
            }
            attempt { throw DatabaseError(message: "user error", sql: statements[0], arguments: [secret]) }
            attempt { throw StorageError(.error, "near \"\(secret)\"", sql: statements[1]) }
            assertSecretIsKept()
        }

        func testStatementsThatPreventClosing() throws {
            let directory = try TemporaryDirectory()
            let dbQueue = try DatabaseQueue(
                path: directory.file("db"),
                configuration: configuration(SQLCipherBackend(key: .quick, library: .underTest)))
            let statement = try dbQueue.inDatabase { db in
                try db.makeStatement(sql: "ATTACH '/nowhere/db' AS a KEY '\(secret)'")
            }
            attempt { try dbQueue.close() }
            XCTAssertTrue(output.all.contains { $0.contains("ATTACH") })
            withExtendedLifetime(statement) {}
            assertSecretIsKept()
        }
    }
#endif
