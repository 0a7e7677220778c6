#if os(Linux)
    import Foundation
    import Vigil
    import XCTest

    /// Tests that the tool neither creates nor writes databases, regardless of the state that a writer left
    /// them in.
    final class UntouchedFileTests: ToolTestCase {
        private let query = "SELECT COUNT(*) AS n FROM player"

        /// Returns the contents of the files, except for the shared memory that SQLite coordinates readers
        /// with.
        private func contents() throws -> [String: Data] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix("-shm") }
                .reduce(into: [:]) {
                    $0[$1] = try Data(contentsOf: folder.appendingPathComponent($1))
                }
        }

        private func killWriter(journalMode: String) throws {
            let dbQueue = try makeDatabase(journalMode: journalMode)
            try dbQueue.close()
            XCTAssertEqual(try WritingProcess.run(path, committing: nil), 0)
        }

        func testLogOfKilledWriterIsUnchanged() throws {
            for hasSharedMemory in [true, false] {
                try killWriter(journalMode: "WAL")
                if !hasSharedMemory { try FileManager.default.removeItem(atPath: path + "-shm") }
                let before = try contents()
                XCTAssertEqual(before.keys.sorted(), ["players.db", "players.db-wal"])
                let watch = try ToolProcess.run(["watch", path, query, "--format", "json", "--count", "1"])
                XCTAssertEqual(
                    watch, .init(status: 0, output: #"{"n":0,"rows":[{"n":2}]}"# + "\n", error: ""))
                XCTAssertEqual(try contents(), before)
                let explain = try ToolProcess.run(["explain", path, query])
                XCTAssertEqual(explain.status, 0, explain.error)
                XCTAssertEqual(try contents(), before)
                for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                    try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
                }
            }
        }

        func testJournalOfKilledWriterIsUnchangedAndErrorExplainsRecovery() throws {
            try killWriter(journalMode: "DELETE")
            let before = try contents()
            XCTAssertEqual(before.keys.sorted(), ["players.db", "players.db-journal"])
            for command in ["watch", "explain"] {
                try assertFails(
                    [command, path, query],
                    with: """
                        a transaction was interrupted, and the database cannot be read until its -journal file is \
                        rolled back, which needs write access: open the database in a program that can write to it, \
                        or read a copy of the database and its -journal file
                        """)
                XCTAssertEqual(try contents(), before)
            }
        }

        func testRetryWaitsForRollbackByAnotherProgram() throws {
            try killWriter(journalMode: "DELETE")
            let errors = CollectedOutput()
            let tool = try ToolProcess(
                ["watch", path, query, "--format", "json", "--retry"],
                errorsTo: errors.pipe.fileHandleForWriting)
            errors.collect()
            while !(try errors.line()).contains("a transaction was interrupted") {}
            // The other program rolls back before it commits, and the tool may read the file in between.
            XCTAssertEqual(try WritingProcess.run(path, committing: 1), 1)
            while !(try tool.line()).hasSuffix(#""rows":[{"n":3}]}"#) {}
            tool.send(SIGTERM)
            XCTAssertEqual(try tool.end().status, 0)
        }

        func testCreatedLogIsRemoved() throws {
            try makeDatabase(journalMode: "WAL").close()
            let before = try contents()
            for arguments in [["explain", path, query], ["watch", path, query, "--count", "1"]] {
                XCTAssertEqual(try ToolProcess.run(arguments).status, 0)
                XCTAssertEqual(
                    try FileManager.default.contentsOfDirectory(atPath: folder.path), ["players.db"])
                XCTAssertEqual(try contents(), before)
            }
        }

        func testUnreadableLogErrorNamesOptions() throws {
            try makeDatabase(journalMode: "WAL").close()
            try asUserWithoutWriteAccess { run in
                for command in ["watch", "explain"] {
                    let ending = try run([command, path, query])
                    XCTAssertEqual(
                        ending,
                        .init(
                            status: 1, output: "",
                            error: """
                                vigil: error: the write-ahead log cannot be read without writing files next to the \
                                database: allow writing to the directory, keep the database open in a program that \
                                can write to it, or read a copy of the database and its -wal file in another \
                                directory

                                """))
                }
            }
        }

        func testRollbackJournalDatabaseInReadOnlyDirectoryIsReadable() throws {
            try makeDatabase(journalMode: "DELETE").close()
            try asUserWithoutWriteAccess { run in
                XCTAssertEqual(
                    try run(["watch", path, query, "--format", "json", "--count", "1"]),
                    .init(status: 0, output: #"{"n":0,"rows":[{"n":2}]}"# + "\n", error: ""))
            }
        }

        func testURILikePathIsNotAURI() throws {
            let name = "file:a%20b.db?mode=memory"
            try makeDatabase(journalMode: "DELETE").close()
            try FileManager.default.moveItem(
                atPath: path, toPath: folder.appendingPathComponent(name).path)
            let tool = try ToolProcess(
                ["watch", name, query, "--format", "json", "--count", "1"], directory: folder)
            XCTAssertEqual(
                try tool.end(), .init(status: 0, output: #"{"n":0,"rows":[{"n":2}]}"# + "\n", error: ""))
            XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [name])
        }

        /// Runs the tool as a user with read-only access to the folder.
        private func asUserWithoutWriteAccess(
            _ body: (_ run: ([String]) throws -> ToolProcess.Ending) throws -> Void
        ) throws {
            let permissions = FileManager.default
            try permissions.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
            defer { try? permissions.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
            guard geteuid() == 0 else { return try body { try ToolProcess.run($0) } }
            // File permissions do not apply to root.
            let launcher = "/usr/bin/setpriv"
            try XCTSkipUnless(permissions.isExecutableFile(atPath: launcher), "setpriv is not installed")
            try body { arguments in
                try ToolProcess(
                    arguments,
                    launcher: [launcher, "--reuid=65534", "--regid=65534", "--clear-groups"]
                ).end()
            }
        }
    }
#endif
