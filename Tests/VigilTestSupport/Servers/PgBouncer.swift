#if os(Linux)
    import Foundation
    import Synchronization
    import XCTest

    /// A process of PgBouncer in front of a server, on a Unix socket of its own.
    ///
    /// Deallocation ends it. It also ends with the process of the tests, however that ends.
    package final class PgBouncer {
        /// When a session of the server returns to the pool.
        package enum Mode: String, CaseIterable {
            case session, transaction
        }

        /// The address of the server, by way of PgBouncer.
        package let address: String
        /// The address of PgBouncer's own database, which answers `SHOW POOLS`, `PAUSE` and `RECONNECT`.
        package let consoleAddress: String
        private let directory: TemporaryDirectory
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()
        private let messages = Messages()

        /// Starts PgBouncer, and waits until it accepts connections.
        ///
        /// PgBouncer 1.18 refuses the parameter `options`. A search path in it becomes that of all sessions.
        ///
        /// - Parameters:
        ///   - url: the address of the server.
        ///   - poolSize: the number of sessions for all clients.
        /// - Throws: `XCTSkip` if PgBouncer is not installed.
        package init(to url: String, _ mode: Mode, poolSize: Int = 2) throws {
            guard let program = Self.program else {
                throw XCTSkip("PgBouncer is not installed: Scripts/setup --postgres")
            }
            var server = try ServerAddress(url)
            let query = server["options"].flatMap(Self.searchPath).map { "SET search_path TO \($0)" }
            server["options"] = nil
            directory = try TemporaryDirectory()
            try Self.write(server, query, mode, poolSize, to: directory)
            var address = server.onSocket(in: directory.path, port: Self.port)
            address["user"] = server.user
            self.address = address.url
            address["dbname"] = "pgbouncer"
            consoleAddress = address.url
            try start(program)
        }

        deinit { stop() }

        /// Ends PgBouncer, and with it the connections of all clients.
        package func stop() {
            // The shell ends PgBouncer at the end of its input.
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }

        /// The messages of PgBouncer.
        package var log: String { messages.text.withLock { $0 } }

        private static let port = 6432

        private static var program: String? {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            return (path.split(separator: ":") + ["/usr/sbin"]).map { "\($0)/pgbouncer" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        }

        private static func searchPath(_ options: String) -> String? {
            let start = "-csearch_path="
            return options.hasPrefix(start) ? String(options.dropFirst(start.count)) : nil
        }

        private static func write(
            _ server: ServerAddress, _ query: String?, _ mode: Mode, _ poolSize: Int,
            to directory: TemporaryDirectory
        ) throws {
            let user = server.user ?? NSUserName()
            let settings = """
                [databases]
                * = host=\(server.host ?? "localhost") port=\(server.port) \(query.map { "connect_query='\($0)'" } ?? "")
                [pgbouncer]
                listen_port = \(port)
                unix_socket_dir = \(directory.path)
                auth_type = trust
                auth_file = \(directory.file("users"))
                admin_users = \(user)
                pool_mode = \(mode.rawValue)
                default_pool_size = \(poolSize)
                ignore_startup_parameters = extra_float_digits
                log_connections = 0
                log_disconnections = 0
                log_stats = 0
                """
            try settings.write(toFile: directory.file("settings"), atomically: false, encoding: .utf8)
            try "\"\(user)\" \"\"".write(toFile: directory.file("users"), atomically: false, encoding: .utf8)
        }

        private func start(_ program: String) throws {
            var command = [program, directory.file("settings")]
            if getuid() == 0 {
                // PgBouncer refuses to run as root, and its user creates the socket.
                command += ["-u", "postgres"]
                chmod(directory.path, 0o777)
            }
            let script = """
                exec 3<&0
                "$@" & child=$!
                { read -r _ <&3; kill $child; } 2>/dev/null &
                wait $child
                """
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", script, "sh"] + command
            process.standardInput = input
            process.standardOutput = FileHandle.nullDevice
            process.standardError = output
            try process.run()
            try waitUntilItAcceptsConnections()
        }

        /// Reads the messages until PgBouncer listens, and then in the background, so that it can always
        /// write.
        private func waitUntilItAcceptsConnections() throws {
            while !log.contains("process up") {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { throw FixtureError("PgBouncer does not start: \(log)") }
                messages.add(data)
            }
            output.fileHandleForReading.readabilityHandler = { [messages] handle in
                let data = handle.availableData
                if data.isEmpty { handle.readabilityHandler = nil }
                messages.add(data)
            }
        }

        private final class Messages: Sendable {
            let text = Mutex("")

            func add(_ data: Data) { text.withLock { $0 += String(decoding: data, as: UTF8.self) } }
        }
    }
#endif
