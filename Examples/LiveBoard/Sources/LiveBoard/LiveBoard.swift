import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Vigil

/// Serves a page that shows the runs in a database, and changes with the database.
@main
struct LiveBoard {
    private static let usage = """
        usage: LiveBoard [--host ADDRESS] [--port NUMBER] [--samples] FILE
               LiveBoard [--host ADDRESS] [--port NUMBER] [--samples] --database postgres://…

          --host ADDRESS  the address to listen on; 127.0.0.1 by default
          --port NUMBER   the port to listen on; 8080 by default, 0 for any free one
          --samples       insert some runs if the database has none
          --database URL  use a PostgreSQL server, which several LiveBoards can share; build with
                          `swift build --traits PostgreSQL`
        """

    private struct Options {
        var host = "127.0.0.1"
        var port = 8080
        var insertsSamples = false
        var place = RunDatabase.Place.file("")

        /// Returns `nil` if the arguments do not match the usage.
        init?(_ arguments: some Sequence<String>) {
            var arguments = arguments.makeIterator()
            var places: [RunDatabase.Place] = []
            while let argument = arguments.next() {
                switch argument {
                case "--host":
                    guard let value = arguments.next() else { return nil }
                    host = value
                case "--port":
                    guard let value = arguments.next().flatMap({ UInt16($0) }) else { return nil }
                    port = Int(value)
                case "--samples": insertsSamples = true
                case "--database":
                    guard let value = arguments.next() else { return nil }
                    places.append(.server(value))
                case _ where argument.hasPrefix("-"): return nil
                default: places.append(.file(argument))
                }
            }
            guard places.count == 1 else { return nil }
            place = places[0]
        }
    }

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.contains("--help") { return write(usage) }
        guard let options = Options(arguments) else { fail("invalid arguments\n\n\(usage)") }
        do {
            try await serve(options)
        } catch let error as IOError {
            fail("cannot listen on \(options.host), port \(options.port): \(error); see --host and --port")
        } catch {
            fail("\(error)")
        }
    }

    private static func serve(_ options: Options) async throws {
        let database = try RunDatabase.open(options.place)
        if options.insertsSamples { try await RunDatabase.insertSamples(database) }
        var logger = Logger(label: "LiveBoard")
        logger.logLevel = .warning
        let server = Server(database: database, broadcast: Broadcast(database: database, onEvent: report))
        let application = server.application(
            configuration: ApplicationConfiguration(address: .hostname(options.host, port: options.port)),
            logger: logger
        ) { channel in
            let port = channel.localAddress?.port ?? options.port
            let host = options.host.contains(":") ? "[\(options.host)]" : options.host
            write("LiveBoard: http://\(host):\(port)/")
        }
        var configuration = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        // For browsers that do not read what was sent to them.
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        try await ServiceGroup(configuration: configuration).run()
        try database.close()
        write("LiveBoard: stopped")
    }

    private static func report(_ event: Broadcast.Event) {
        switch event {
        case .observationStarted: write("LiveBoard: an observation has started")
        case .observationEnded: write("LiveBoard: its last browser has left: the observation has ended")
        case .observationFailed(let error): write("LiveBoard: an observation has failed: \(error)")
        }
    }

    private static func write(_ line: String) {
        // `print` would buffer the output if it is a pipe. A closed pipe does not end the server.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    private static func fail(_ message: String) -> Never {
        try? FileHandle.standardError.write(contentsOf: Data("LiveBoard: \(message)\n".utf8))
        exit(1)
    }
}
