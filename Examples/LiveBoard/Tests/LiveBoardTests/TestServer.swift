import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Vigil
import XCTest

@testable import LiveBoard

/// Runs a closure with a database, which is on a server if there is an address, and otherwise in a temporary
/// folder.
func withTestDatabase(
    at address: String? = nil, _ body: (DatabasePool) async throws -> Void
) async throws {
    if let address {
        let database = try RunDatabase.open(.server(address))
        try await body(database)
        return try database.close()
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("LiveBoardTests-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try RunDatabase.open(.file(folder.appendingPathComponent("runs.db").path))
    try await body(database)
    try database.close()
}

extension Logger {
    static var silent: Logger { Logger(label: "LiveBoardTests", factory: { _ in SwiftLogNoOpLogHandler() }) }
}

/// A server that listens on a free port of this machine.
struct RunningServer: Sendable {
    let port: Int
    let database: DatabasePool
    let broadcast: Broadcast
    let events: AsyncStream<Broadcast.Event>
    let group: ServiceGroup

    /// Runs a closure with a server, then shuts the server down. Fails if that takes longer than the limit.
    static func run(
        at address: String? = nil, timeLimit: Duration = .seconds(60),
        _ body: @escaping @Sendable (RunningServer) async throws -> Void
    ) async throws {
        try await withTestDatabase(at: address) { database in
            let (events, continuation) = AsyncStream<Broadcast.Event>.makeStream()
            let (ports, port) = AsyncStream<Int>.makeStream()
            let broadcast = Broadcast(database: database) { continuation.yield($0) }
            let server = Server(database: database, broadcast: broadcast)
            let application = server.application(
                configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
                logger: .silent
            ) { channel in
                port.yield(channel.localAddress?.port ?? 0)
            }
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(services: [application], logger: .silent))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                tasks.addTask {
                    var iterator = ports.makeAsyncIterator()
                    guard let number = await iterator.next() else { throw CancellationError() }
                    try await body(
                        RunningServer(
                            port: number, database: database, broadcast: broadcast, events: events,
                            group: group))
                    await group.triggerGracefulShutdown()
                }
                tasks.addTask {
                    // Not reached unless a test hangs.
                    try await Task.sleep(for: timeLimit)
                    throw TimeLimitExceeded()
                }
                try await tasks.next()
                try await tasks.next()
                tasks.cancelAll()
            }
        }
    }

    /// Inserts a run as another process does.
    func insertFromElsewhere(_ runner: String, meters: Int) throws {
        let other = try DatabaseQueue(path: database.path)
        try other.write { db in
            try db.execute(literal: "INSERT INTO run (runner, meters) VALUES (\(runner), \(meters))")
        }
        try other.close()
    }
}

struct TimeLimitExceeded: Error {}
