#if SQLCipher
    import Foundation
    import VigilSQLCipher
    import VigilSQLite
    import VigilStorage
    import XCTest

    /// The settings of a connection apply to the databases that it attaches, and to no others.
    final class AttachedSettingsTests: XCTestCase {
        private static let key = CipherKey.passphrase("correct horse")

        private static func open(_ path: String, _ settings: CipherSettings, _ key: CipherKey = key) throws
            -> any StorageConnection
        {
            try SQLCipherBackend(key: key, settings: settings, library: .underTest)
                .open(.file(path: path), options: StorageOptions())
        }

        private func allSettings() throws -> [CipherSettings] {
            let settings = [
                CipherSettings(pageSize: 8192, kdfIterations: 4), CipherSettings(kdfIterations: 5),
                CipherSettings(compatibility: 1), CipherSettings(compatibility: 2),
            ]
            let version = try cipherVersion()
            if version.hasPrefix("3.") { return settings }
            return settings + [
                CipherSettings(kdfIterations: 4, hmacAlgorithm: .sha256),
                CipherSettings(kdfIterations: 4, kdfAlgorithm: .sha1),
                CipherSettings(compatibility: 3, pageSize: 2048),
            ]
        }

        private func cipherVersion() throws -> String {
            let connection = try SQLCipherBackend(key: .quick, library: .underTest)
                .open(.memory(name: nil), options: StorageOptions())
            return try XCTUnwrap(connection.capabilities.cipherVersion)
        }

        private func create(_ path: String, _ settings: CipherSettings, _ key: CipherKey = key) throws {
            let connection = try Self.open(path, settings, key)
            try connection.run("CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(20000)), ('text')")
            try connection.close()
        }

        private func count(_ connection: any StorageConnection, _ table: String = "t") throws -> StorageValue?
        {
            try connection.run("SELECT COUNT(a) FROM \(table)").first?.first
        }

        func testAFileWithTheSameSettingsIsAttached() throws {
            for settings in try allSettings() {
                let directory = try TemporaryDirectory()
                try create(directory.file("other"), settings)
                let connection = try Self.open(directory.file("main"), settings)
                try connection.run("CREATE TABLE own(a)")
                try connection.run(
                    "ATTACH '\(directory.file("other"))' AS other KEY 'correct horse'")
                XCTAssertEqual(try count(connection, "other.t"), .integer(2), "\(settings)")
            }
        }

        func testANewFileIsCreatedWithTheSettings() throws {
            for settings in try allSettings() {
                let directory = try TemporaryDirectory()
                let connection = try Self.open(directory.file("main"), settings)
                try connection.run("CREATE TABLE own(a)")
                for (name, clause) in [("a", ""), ("b", "KEY 'correct horse'")] {
                    try connection.run("ATTACH '\(directory.file(name))' AS other \(clause)")
                    try connection.run("CREATE TABLE other.t(a); INSERT INTO other.t VALUES (1)")
                    try connection.run("DETACH other")
                    let attached = try Self.open(directory.file(name), settings)
                    XCTAssertEqual(try count(attached), .integer(1), "\(settings)")
                }
            }
        }

        func testACopyOfVacuumHasTheSettings() throws {
            for settings in try allSettings() {
                let directory = try TemporaryDirectory()
                let path = directory.file("main")
                try create(path, settings)
                let connection = try Self.open(path, settings)
                try connection.run("DELETE FROM t WHERE a <> 'text'; VACUUM")
                XCTAssertEqual(try count(try Self.open(path, settings)), .integer(1), "\(settings)")
                guard connection.capabilities.missingFeatures[.vacuumInto] == nil else { continue }
                try connection.run(" -- copies\nVACUUM INTO '\(directory.file("copy"))'")
                let copy = try Self.open(directory.file("copy"), settings)
                XCTAssertEqual(try count(copy), .integer(1), "\(settings)")
                XCTAssertEqual(try copy.run("PRAGMA integrity_check"), [[.text("ok")]], "\(settings)")
            }
        }

        func testThePlaintextHeaderOfAnAttachedFile() throws {
            if try cipherVersion().hasPrefix("3.") { throw XCTSkip("SQLCipher 3 has no plaintext header") }
            let directory = try TemporaryDirectory()
            let key = CipherKey.raw([UInt8](repeating: 1, count: 48))
            let settings = CipherSettings(plaintextHeader: .init(salt: nil))
            let connection = try Self.open(directory.file("main"), settings, key)
            try connection.run("CREATE TABLE own(a)")
            for _ in 1...2 {
                try connection.run("ATTACH '\(directory.file("other"))' AS other")
                try connection.run("CREATE TABLE IF NOT EXISTS other.t(a)")
                try connection.run("DETACH other")
            }
            XCTAssertEqual(
                FileManager.default.contents(atPath: directory.file("other"))?.prefix(16),
                Data("SQLite format 3\0".utf8))
            XCTAssertEqual(try count(try Self.open(directory.file("other"), settings, key)), .integer(0))
        }

        func testOtherConnectionsKeepTheirSettings() throws {
            let directory = try TemporaryDirectory()
            let settings = CipherSettings(pageSize: 8192)
            let connection = try Self.open(directory.file("main"), settings, .quick)
            try connection.run("CREATE TABLE own(a)")
            let defaults = try connection.run("PRAGMA cipher_default_page_size")
            XCTAssertNotEqual(defaults, [[.text("8192")]])
            try connection.run("ATTACH '\(directory.file("other"))' AS other")
            XCTAssertEqual(try connection.run("PRAGMA cipher_default_page_size"), defaults)
            // A failed statement restores the defaults, too.
            XCTAssertThrowsError(try connection.run("ATTACH '/nowhere/other' AS another"))
            XCTAssertEqual(try connection.run("PRAGMA cipher_default_page_size"), defaults)
            try create(directory.file("default"), CipherSettings(), .quick)
            let again = try Self.open(directory.file("default"), CipherSettings(), .quick)
            try again.run("ATTACH '\(directory.file("second"))' AS second; CREATE TABLE second.t(a)")
            XCTAssertEqual(
                try count(try Self.open(directory.file("second"), CipherSettings(), .quick)), .integer(0))
        }

        func testDatabasesOpenWithTheirSettingsWhileOthersAreAttached() throws {
            let directory = try TemporaryDirectory()
            let failures = Recorder<String>()
            let folder = directory.path
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                let settings = thread % 2 == 0 ? CipherSettings(pageSize: 8192) : CipherSettings()
                for round in 0..<20 {
                    let names = ["main", "other"].map { "\(folder)/\($0)-\(thread)-\(round)" }
                    do {
                        let connection = try Self.open(names[0], settings, .quick)
                        try connection.run("CREATE TABLE t(a)")
                        try connection.run("ATTACH '\(names[1])' AS other; CREATE TABLE other.t(a)")
                        try connection.close()
                        for name in names { _ = try Self.open(name, settings, .quick).close() }
                    } catch {
                        failures.append("\(thread), \(round): \(error)")
                    }
                }
            }
            XCTAssertEqual(failures.all, [])
        }

        func testOthersOpenWhileVacuumCopies() throws {
            let directory = try TemporaryDirectory()
            let newPath = directory.file("new")
            let connection = try Self.open(directory.file("main"), CipherSettings(pageSize: 8192), .quick)
            let opened = Recorder<Bool>()
            var isVacuuming = false
            let collation = StorageCollation(name: "own") { a, b in
                // Another thread opens a connection during the copy of the index.
                if isVacuuming {
                    isVacuuming = false
                    DispatchQueue.global().async {
                        let new = try? Self.open(newPath, CipherSettings(), .quick)
                        opened.append((try? new?.run("CREATE TABLE t(a)")) != nil)
                    }
                    opened.wait(count: 1)
                }
                return a < b ? -1 : a > b ? 1 : 0
            }
            try (connection as? any FunctionHosting)?.add(collation)
            try connection.run("CREATE TABLE t(a TEXT COLLATE own UNIQUE); INSERT INTO t VALUES ('a'), ('b')")
            isVacuuming = true
            try connection.run("VACUUM")
            XCTAssertEqual(opened.all, [true])
            XCTAssertEqual(try count(try Self.open(newPath, CipherSettings(), .quick)), .integer(0))
        }

        func testTheLockIsReleasedWhileAnAttachmentWaits() throws {
            let directory = try TemporaryDirectory()
            let settings = CipherSettings(pageSize: 8192)
            let path = directory.file("other")
            let newPath = directory.file("new")
            try create(path, settings, .quick)
            let locker = try Self.open(path, settings, .quick)
            try locker.perform(.beginExclusive)
            var options = StorageOptions()
            let opened = Recorder<Bool>()
            options.busyHandler = { _ in
                // Another thread opens a connection during the wait, and ends it.
                let done = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    let new = try? Self.open(newPath, CipherSettings(), .quick)
                    opened.append((try? new?.run("CREATE TABLE t(a)")) != nil)
                    done.signal()
                }
                done.wait()
                return false
            }
            let connection = try SQLCipherBackend(key: .quick, settings: settings, library: .underTest)
                .open(.file(path: directory.file("main")), options: options)
            try connection.run("CREATE TABLE own(a)")
            XCTAssertThrowsError(try connection.run("ATTACH '\(path)' AS other; SELECT * FROM other.t")) {
                XCTAssertEqual(($0 as? StorageError)?.code.primary, .busy, "\($0)")
            }
            XCTAssertEqual(opened.all.first, true)
            XCTAssertEqual(try count(try Self.open(newPath, CipherSettings(), .quick)), .integer(0))
            try locker.perform(.rollback)
        }
    }
#endif
