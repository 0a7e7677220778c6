#if os(Linux)
    import Foundation
    import Synchronization
    import XCTest

    /// A PostgreSQL server that only one test uses, which may restart it and change its settings.
    ///
    /// Deallocation ends it. It also ends with the process of the tests, however that ends.
    package final class OwnServer: Sendable {
        package let address: String
        private let directory: TemporaryDirectory
        private let input = Pipe()
        private let process: Process
        /// Locked while the server does not accept connections.
        private let restarts = Mutex(())

        /// Starts a server.
        ///
        /// - Throws: `XCTSkip` if the tests have no server.
        package init() throws {
            guard ProcessInfo.processInfo.environment["VIGIL_POSTGRES"] != nil else {
                throw XCTSkip("VIGIL_POSTGRES is not set: eval \"$(Scripts/postgres start --standby)\"")
            }
            directory = try TemporaryDirectory()
            chmod(directory.path, 0o755)  // The server may run as another user.
            let text: String
            (process, text) = try Self.run(
                "\"$0\" start; exec >/dev/null; read -r _; \"$0\" stop", [], directory, input: input)
            guard let begin = text.firstIndex(of: "'"), let end = text.lastIndex(of: "'"), begin < end else {
                try? input.fileHandleForWriting.close()
                process.waitUntilExit()
                throw FixtureError("the server does not start")
            }
            address = String(text[text.index(after: begin)..<end])
        }

        deinit {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }

        /// Ends all sessions, and starts the server again.
        ///
        /// - Parameter isImmediate: whether the server recovers as after a crash.
        package func restart(isImmediate: Bool) throws {
            try restarts.withLock { _ in
                let (_, text) = try Self.run(
                    "\"$0\" restart \"$@\"", isImmediate ? ["--immediate"] : [], directory,
                    input: FileHandle.nullDevice)
                guard !text.isEmpty else { throw FixtureError("the server does not restart") }
            }
        }

        /// Opens a session. Waits for a running restart.
        package func connect() throws -> PlainSession {
            try restarts.withLock { _ in try PlainSession(address) }
        }

        /// Runs a script, and waits until it has closed its output: Foundation takes the server for a part of
        /// the process.
        private static func run(
            _ script: String, _ arguments: [String], _ directory: TemporaryDirectory, input: Any
        ) throws -> (Process, output: String) {
            let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4)
            let program = NSString.path(withComponents: Array(root) + ["Scripts", "postgres"])
            let (process, output) = (Process(), Pipe())
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", script, program] + arguments
            process.environment = ProcessInfo.processInfo.environment.merging(
                ["VIGIL_POSTGRES_FOLDER": directory.file("own server")]
            ) { $1 }
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            return (process, String(decoding: data, as: UTF8.self))
        }
    }
#endif
