import Foundation
import Vigil
import XCTest

final class ErrorTests: ToolTestCase {
    func testMissingFileIsNotCreated() throws {
        for command in ["watch", "explain"] {
            try assertFails([command, path, "SELECT 1"], with: "no such file: \(path)")
        }
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [])
    }

    func testOnlyDatabasesAreOpened() throws {
        try assertFails(
            ["watch", folder.path, "SELECT 1"], with: "a directory, not a database: \(folder.path)")
        try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: path))
        try assertFails(
            ["watch", path, "SELECT 1"],
            with: "file is not a database, or it is encrypted and requires a key (see --help): \(path)")
    }

    func testSQLErrorsHaveTheLibrarysMessages() throws {
        try makeDatabase()
        try assertFails(["watch", path, "SELECT nmae FROM player"], with: "no such column: nmae")
        try assertFails(["explain", path, "SELECT * FROM plyer"], with: "no such table: plyer")
        try assertFails(["watch", path, "SELEC 1"], with: #"near "SELEC": syntax error"#)
    }

    func testOnlyQueriesAreRun() throws {
        let dbQueue = try makeDatabase()
        let writes = "not a query: only statements that return rows and change nothing can be run"
        for sql in [
            "UPDATE player SET score = 0", "DELETE FROM player RETURNING *", "/* a */ drop table player",
            "BEGIN",
            "ATTACH 'b.db' AS b", "VACUUM INTO 'b.db'", "EXPLAIN DELETE FROM player", "SAVEPOINT a",
            "WITH a AS (SELECT 1) INSERT INTO player(score) SELECT * FROM a",
        ] {
            for command in ["watch", "explain"] { try assertFails([command, path, sql], with: writes) }
        }
        #if SQLite
            // SQLCipher 3 does not support RETURNING.
            let returning = "WITH a AS (SELECT 1) INSERT INTO player(score) SELECT * FROM a RETURNING *"
            try assertFails(["watch", path, returning], with: writes)
        #endif
        let pragma = "a PRAGMA may have effects, and was not run: SELECT from the table pragma_… instead"
        for sql in ["PRAGMA journal_mode = DELETE", "explain query plan pragma user_version = 3"] {
            try assertFails(["watch", path, sql], with: pragma)
        }
        try assertFails(
            ["watch", path, "SELECT 1; PRAGMA user_version = 3"], with: "more than one statement")
        try dbQueue.read { db in
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT SUM(score) FROM player"), 70)
            XCTAssertEqual(try Int.fetchOne(db, sql: "PRAGMA user_version"), 0)
        }
    }

    func testSingleStatementIsRequired() throws {
        try makeDatabase()
        try assertFails(["watch", path, "SELECT 1; SELECT 2"], with: "more than one statement")
        for sql in ["", " -- nothing", ";"] {
            try assertFails(["watch", path, sql], with: "the statement is empty")
        }
    }

    func testValueCountMustMatchParameterCount() throws {
        try makeDatabase()
        let message = "wrong number of statement arguments: "
        for (sql, values) in [
            ("SELECT ?", []), ("SELECT ?", ["1", "2"]), ("SELECT 1", ["-1"]),
        ] {
            for command in ["watch", "explain"] {
                try assertFails([command, path, sql] + values, with: message + "\(values.count)")
            }
        }
        try assertFails(
            ["watch", path, "SELECT :name, :other"], with: "missing statement arguments: name, other")
    }

    func testMissingKeyVariableIsReported() throws {
        try makeDatabase()
        try assertFails(
            ["watch", path, "SELECT 1", "--key-env", "VIGIL_TEST_NO_KEY"],
            with: "the environment variable VIGIL_TEST_NO_KEY is not set: it should hold the key")
    }

    func testUnprintedErrorsHaveTheirStatus() throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        var handles = [pipe.fileHandleForWriting]
        #if os(Linux)
            handles.append(try XCTUnwrap(FileHandle(forWritingAtPath: "/dev/full")))
        #endif
        for handle in handles {
            for (command, status) in [(["watch", path, "SELECT 1"], 1), (["look"], 64)] as [([String], Int32)]
            {
                XCTAssertEqual(try ToolProcess(command, errorsTo: handle).end().status, status)
            }
        }
    }

    func testAClosedOutputIsNotAnError() throws {
        try makeDatabase()
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let tool = try ToolProcess(["explain", path, "SELECT * FROM player"], to: pipe.fileHandleForWriting)
        XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
    }

    func testInvalidArgumentsPrintUsage() throws {
        for (arguments, message) in [
            (["watch", path, "SELECT 1", "--count", "0"], "--count must be greater than 0."),
            (["watch", path, "SELECT 1", "--for", "0"], "--for must be greater than 0."),
            (["watch", path, "SELECT 1", "--for", "nan"], "--for must be greater than 0."),
            (
                ["watch", path, "SELECT 1", "--count", "-1.5"],
                "The value '-1.5' is invalid for '--count <count>'"
            ),
            (["watch", path, "SELECT 1", "--frequently"], "Unknown option '--frequently'"),
            (["watch", path], "Missing expected argument '<sql>'"),
            (["look"], "Unexpected argument 'look'"),
        ] {
            let ending = try ToolProcess.run(arguments)
            XCTAssertEqual(ending.status, 64, message)
            XCTAssertEqual(ending.output, "", message)
            XCTAssertTrue(ending.error.hasPrefix("vigil: error: \(message)\n"), ending.error)
            XCTAssertTrue(ending.error.contains("Usage: vigil"), ending.error)
        }
    }

    func testHelpAndVersionSucceed() throws {
        for (arguments, text) in [
            (["--help"], "watch"), (["watch", "--help"], "EXAMPLES"), (["explain", "--help"], "EXAMPLE"),
            (["--version"], "."),
        ] {
            let ending = try ToolProcess.run(arguments)
            XCTAssertEqual(ending.status, 0)
            XCTAssertEqual(ending.error, "")
            XCTAssertTrue(ending.output.contains(text), ending.output)
        }
    }
}
