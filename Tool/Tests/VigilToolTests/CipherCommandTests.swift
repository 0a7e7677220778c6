import Foundation
import Vigil
import XCTest

@testable import vigil_tool

#if SQLCipher
    final class CipherCommandTests: ToolTestCase {
        private struct NoTerminal: Error {}

        private let query = "SELECT name FROM player WHERE id = 1"
        private let secret = "correct horse"
        private let newSecret = "battery staple"

        private func configuration(_ key: CipherKey?) -> Configuration {
            let library = ProcessInfo.processInfo.environment["VIGIL_SQLCIPHER_LIBRARY"]
            var configuration = Configuration()
            configuration.backend = SQLCipherBackend(
                key: key, library: library.map { .path($0) } ?? .standard)
            return configuration
        }

        /// Creates a database and closes it.
        private func makeFile(_ key: CipherKey?) throws {
            try makeDatabase(journalMode: "DELETE", configuration: configuration(key)).close()
        }

        private func file(_ name: String, _ text: String? = nil) throws -> String {
            let path = folder.appendingPathComponent(name).path
            if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
            return path
        }

        private func run(_ arguments: [String], input: String = "") throws -> ToolProcess.Ending {
            let handle = FileHandle(forReadingAtPath: try file("input", input))
            let ending = try ToolProcess(
                arguments, environment: ["KEY": secret, "NEWKEY": newSecret], from: handle
            ).end()
            for key in [secret, newSecret] {
                XCTAssertFalse((ending.output + ending.error).contains(key), "\(ending)")
            }
            return ending
        }

        private func assertSucceeds(
            _ arguments: [String], input: String = "", _ output: String = "", line: UInt = #line
        ) throws {
            XCTAssertEqual(
                try run(arguments, input: input), .init(status: 0, output: output, error: ""), line: line)
        }

        private func assertRunFails(
            _ arguments: [String], input: String = "", with message: String, line: UInt = #line
        ) throws {
            XCTAssertEqual(
                try run(arguments, input: input),
                .init(status: 1, output: "", error: "vigil: error: \(message)\n"), line: line)
        }

        private func names(_ path: String, _ key: CipherKey?) throws -> [String] {
            let dbQueue = try DatabaseQueue(path: path, configuration: configuration(key))
            defer { try? dbQueue.close() }
            return try dbQueue.read { try String.fetchAll($0, sql: "SELECT name FROM player ORDER BY id") }
        }

        // MARK: - The origin of keys

        func testKeysAreReadFromFilesAndTheStandardInput() throws {
            try makeFile(.passphrase(secret))
            let watch = ["watch", path, query, "--format", "csv", "--count", "1"]
            let expected = "name\r\nAda\r\n"
            for text in [secret, secret + "\n", secret + "\r\nmore"] {
                try assertSucceeds(watch + ["--key-file", try file("key", text)], expected)
                try assertSucceeds(watch + ["--key-stdin"], input: text, expected)
            }
            try assertSucceeds(watch + ["--key-env", "KEY"], expected)
            let missing = try file("missing")
            try assertRunFails(
                watch + ["--key-file", missing],
                with: "cannot read the key file: No such file or directory: \(missing)")
            try assertRunFails(
                watch + ["--key-file", folder.path],
                with: "a directory, not a key file: \(folder.path)")
            let empty = try file("empty", "")
            try assertRunFails(
                watch + ["--key-file", empty], with: "the key file is empty, or cannot be read: \(empty)")
            try assertRunFails(
                watch + ["--key-stdin"], with: "the standard input has no line with the key")
            try assertRunFails(
                watch,
                with: "file is not a database, or it is encrypted and requires a key (see --help): \(path)")
            XCTAssertEqual(try run(watch + ["--key-stdin", "--key-env", "KEY"]).status, 64)
        }

        func testAKeyFileThatIsNotTextIsRefused() throws {
            try makeFile(.passphrase(secret))
            let key = try file("key")
            try Data([0xff, 0xfe]).write(to: URL(fileURLWithPath: key))
            try assertRunFails(
                ["cipher", "check", path, "--key-file", key],
                with: "the key in the key file \(key) is not valid UTF-8")
        }

        // MARK: - Commands

        func testExportEncryptsAndDecrypts() throws {
            try makeFile(nil)
            let (encrypted, plain) = (try file("encrypted.db"), try file("plain.db"))
            let key = try file("key", secret)
            try assertSucceeds(["cipher", "export", path, encrypted, "--new-key-file", key])
            XCTAssertEqual(try names(encrypted, .passphrase(secret)), ["Ada", "Grace"])
            try assertRunFails(
                ["cipher", "export", path, encrypted, "--new-key-file", key],
                with: "the file of the export exists: \(encrypted)")
            try assertSucceeds(
                ["cipher", "export", path, encrypted, "--new-key-env", "NEWKEY", "--replace"])
            try assertSucceeds(
                ["cipher", "export", encrypted, plain, "--key-stdin", "--plain"], input: newSecret)
            XCTAssertEqual(try names(plain, nil), ["Ada", "Grace"])
            try assertRunFails(
                ["cipher", "export", path, plain, "--replace"],
                with: "no new key was given: use --new-key-env, --new-key-file or --new-key-stdin")
            XCTAssertEqual(
                try run(["cipher", "export", path, plain, "--plain", "--new-key-env", "NEWKEY"]).status, 64)
        }

        func testExportChangesSettings() throws {
            try makeFile(.passphrase(secret))
            let copy = try file("copy.db")
            try assertSucceeds(
                [
                    "cipher", "export", path, copy, "--key-stdin", "--new-key-stdin", "--new-page-size",
                    "8192",
                    "--new-kdf-iterations", "5000",
                ], input: secret + "\n" + newSecret + "\n")
            XCTAssertThrowsError(try names(copy, .passphrase(newSecret)))
            var configuration = configuration(nil)
            configuration.backend = SQLCipherBackend(
                key: .passphrase(newSecret), settings: CipherSettings(pageSize: 8192, kdfIterations: 5000),
                library: ProcessInfo.processInfo.environment["VIGIL_SQLCIPHER_LIBRARY"].map { .path($0) }
                    ?? .standard)
            let dbQueue = try DatabaseQueue(path: copy, configuration: configuration)
            XCTAssertEqual(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }, 2)
        }

        func testRekeyChangesTheKey() throws {
            try makeFile(.passphrase(secret))
            try assertSucceeds(["cipher", "rekey", path, "--key-env", "KEY", "--new-key-env", "NEWKEY"])
            XCTAssertEqual(try names(path, .passphrase(newSecret)), ["Ada", "Grace"])
            XCTAssertThrowsError(try names(path, .passphrase(secret)))
            let raw = "x'" + String(repeating: "0a", count: 32) + "'"
            try assertSucceeds(
                ["cipher", "rekey", path, "--key-env", "NEWKEY", "--new-key-stdin"], input: raw)
            XCTAssertEqual(try names(path, .raw(Array(repeating: 10, count: 32))), ["Ada", "Grace"])
        }

        func testCheckFindsDamagedPages() throws {
            try makeFile(.passphrase(secret))
            let sound = try run(["cipher", "check", path, "--key-env", "KEY"])
            let lines = sound.output.split(separator: "\n")
            let checksPages = lines.contains("pages: ok")
            let reason =
                "the pages were not checked, which needs SQLCipher 4: VIGIL_SQLCIPHER_LIBRARY may give its path"
            XCTAssertEqual(sound.status, checksPages ? 0 : 2)
            XCTAssertEqual(sound.error, checksPages ? "" : "vigil: error: \(reason)\n")
            XCTAssert(lines.first?.hasPrefix("library: SQLCipher ") ?? false, sound.output)
            XCTAssertEqual(lines.last, "content: ok")
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            var damaged = data
            damaged[data.count - 600] ^= 0xff
            try damaged.write(to: URL(fileURLWithPath: path))
            let ending = try run(["cipher", "check", path, "--key-env", "KEY"])
            XCTAssertEqual(ending.status, 1)
            XCTAssert(ending.error.contains("damaged"), ending.error)
            let output = Pipe()
            try output.fileHandleForReading.close()
            let unread = try ToolProcess(
                ["cipher", "check", path, "--key-env", "KEY"], environment: ["KEY": secret],
                to: output.fileHandleForWriting)
            XCTAssertEqual(try unread.end(), .init(status: 1, output: "", error: ending.error))
        }

        func testAPlainDatabaseIsNotChecked() throws {
            try makeFile(nil)
            try assertRunFails(["cipher", "check", path], with: "the database is not encrypted")
            try assertRunFails(
                ["cipher", "rekey", path, "--new-key-env", "NEWKEY"],
                with: "the database is not encrypted: use vigil cipher export")
        }

        func testAWrongKeyIsReported() throws {
            try makeFile(.passphrase(secret))
            for command in [["check", path], ["rekey", path, "--new-key-env", "NEWKEY"]] {
                let ending = try run(["cipher"] + command + ["--key-stdin"], input: "wrong\n")
                XCTAssertEqual(ending.status, 1)
                XCTAssert(ending.error.contains("the key does not open this file"), ending.error)
            }
        }

        // MARK: - Terminals

        /// Runs the tool on a terminal, and types `input` when it asks. Returns the text on the terminal.
        private func runOnTerminal(_ arguments: [String], typing inputs: [String]) throws -> (Int32, String) {
            var (master, slave): (Int32, Int32) = (0, 0)
            guard openpty(&master, &slave, nil, nil, nil) == 0 else { throw NoTerminal() }
            let terminal = FileHandle(fileDescriptor: master, closeOnDealloc: true)
            let slaveHandle = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
            let tool = try ToolProcess(
                arguments, environment: ["TERM": "dumb"], to: slaveHandle, errorsTo: slaveHandle,
                from: slaveHandle)
            var text = Data()
            for input in inputs {
                var end = text.count
                while !text.dropFirst(end).contains(UInt8(ascii: ":")) {
                    guard let byte = try terminal.read(upToCount: 1), !byte.isEmpty else { break }
                    if text.isEmpty { end = 0 }
                    text += byte
                }
                try terminal.write(contentsOf: Data(input.utf8))
            }
            let ending = try tool.end()
            var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            while poll(&request, 1, 0) == 1, let byte = try terminal.read(upToCount: 1), !byte.isEmpty {
                text += byte
            }
            return (ending.status, String(decoding: text, as: UTF8.self))
        }

        func testTheKeyIsAskedForOnATerminal() throws {
            try makeFile(.passphrase(secret))
            let (status, text) = try runOnTerminal(
                ["watch", path, query, "--format", "csv", "--count", "1"], typing: [secret + "\r"])
            XCTAssertEqual(status, 0, text)
            XCTAssert(text.contains("Key of \(path): "), text)
            XCTAssert(text.contains("Ada"), text)
            XCTAssertFalse(text.contains(secret), text)
            let (cancelledStatus, cancelled) = try runOnTerminal(
                ["cipher", "check", path], typing: ["\u{3}"])
            XCTAssertEqual(cancelledStatus, 1)
            XCTAssert(cancelled.contains("no key was given"), cancelled)
        }

        func testTheStandardInputIsNotShownOnATerminal() throws {
            try makeFile(.passphrase(secret))
            let (status, text) = try runOnTerminal(
                ["watch", path, query, "--format", "csv", "--count", "1", "--key-stdin"],
                typing: [secret + "\r"])
            XCTAssertEqual(status, 0, text)
            XCTAssert(text.contains("Ada"), text)
            XCTAssertFalse(text.contains(secret), text)
        }

        func testATypedKeyThatIsWrongIsNotShown() throws {
            try makeFile(.passphrase(secret))
            let (status, text) = try runOnTerminal(["cipher", "check", path], typing: [newSecret + "\r"])
            XCTAssertEqual(status, 1)
            XCTAssert(text.contains("the key does not open this file"), text)
            XCTAssertFalse(text.contains(newSecret), text)
        }

        func testASignalDuringThePromptRestoresTheTerminal() throws {
            try makeFile(.passphrase(secret))
            var (master, slave): (Int32, Int32) = (0, 0)
            guard openpty(&master, &slave, nil, nil, nil) == 0 else { throw NoTerminal() }
            let terminal = FileHandle(fileDescriptor: master, closeOnDealloc: true)
            let slaveHandle = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
            func echoes() -> Bool {
                var settings = termios()
                return tcgetattr(slave, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
            }
            XCTAssert(echoes())
            let tool = try ToolProcess(
                ["cipher", "check", path], to: slaveHandle, errorsTo: slaveHandle, from: slaveHandle)
            while let byte = try terminal.read(upToCount: 1), byte.first != UInt8(ascii: ":") {}
            XCTAssertFalse(echoes())
            tool.send(SIGTERM)
            XCTAssertEqual(try tool.end().status, 128 + SIGTERM)
            XCTAssert(echoes())
        }

        func testLookingForEncryptionOnATerminalLeavesNoLog() throws {
            try makeDatabase(configuration: configuration(nil)).close()
            XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-wal"))
            let (status, text) = try runOnTerminal(
                ["watch", path, query, "--format", "csv", "--count", "1"], typing: [])
            XCTAssertEqual(status, 0, text)
            XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-wal"))
        }

        func testANewKeyIsAskedForTwice() throws {
            try makeFile(.passphrase(secret))
            let key = try file("key", secret)
            let rekey = ["cipher", "rekey", path, "--key-file", key]
            let (failed, different) = try runOnTerminal(rekey, typing: [newSecret + "\r", "other\r"])
            XCTAssertEqual(failed, 1)
            XCTAssert(different.contains("the two keys differ"), different)
            let (status, text) = try runOnTerminal(rekey, typing: [newSecret + "\r", newSecret + "\r"])
            XCTAssertEqual(status, 0, text)
            XCTAssertFalse(text.contains(newSecret), text)
            XCTAssertEqual(try names(path, .passphrase(newSecret)), ["Ada", "Grace"])
        }
    }
#else
    final class CipherCommandTests: ToolTestCase {
        func testBuildsWithoutEncryptionExplainTheTrait() throws {
            try makeDatabase()
            for arguments in [["check", path], ["rekey", path], ["export", path, path + "2", "--plain"]] {
                try assertFails(
                    ["cipher"] + arguments,
                    with: Encryption.missing.message)
            }
        }
    }
#endif

final class KeyPromptTests: XCTestCase {
    func testTypedLinesAreEdited() {
        func typed(_ text: String) -> (KeyPrompt.Line.Answer, String) {
            var line = KeyPrompt.Line()
            var answer = KeyPrompt.Line.Answer.more
            for byte in text.utf8 where answer == .more { answer = line.accept(byte) }
            return (answer, String(decoding: line.bytes, as: UTF8.self))
        }
        XCTAssert(typed("abc") == (.more, "abc"))
        XCTAssert(typed("abc\r") == (.end, "abc"))
        XCTAssert(typed("abé\u{7f}c\n") == (.end, "abc"))
        XCTAssert(typed("\u{7f}a\u{8}\u{8}b\r") == (.end, "b"))
        XCTAssert(typed("abc\u{15}d\r") == (.end, "d"))
        XCTAssert(typed("a\u{3}b") == (.cancelled, "a"))
        XCTAssert(typed("\u{4}") == (.cancelled, ""))
        XCTAssert(typed("a\u{4}") == (.end, "a"))
    }
}
