import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Vigil

/// Opens many connections to a LiveBoard, adds runs, and measures when the clients have them.
///
/// It writes to the database of the LiveBoard itself, as another process does. At the end, each client's
/// value is compared with the database.
@main
struct LiveBoardLoad {
    private static let usage = """
        usage: LiveBoardLoad --port NUMBER [--clients NUMBER] [--own] [--rate NUMBER] [--commits NUMBER]
               [--reconnect NUMBER] FILE|postgres://…

          --port NUMBER       the port of a LiveBoard on this machine
          --clients NUMBER    the number of connections; 1000 by default
          --own               each client observes a query of its own; otherwise, all observe the same one
          --rate NUMBER       commits per second; 10 by default
          --commits NUMBER    the number of commits; 100 by default
          --reconnect NUMBER  clients that lose their connection with each commit, and connect again with the
                              id of their last event; 0 by default
        """

    static func main() async {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print(usage)
            exit(2)
        }
        do {
            try await Load(options).run()
        } catch {
            print("LiveBoardLoad: \(error)")
            exit(1)
        }
    }
}

struct Options {
    var port = 0
    var clients = 1000
    var hasOwnQueries = false
    var rate = 10
    var commits = 100
    var reconnects = 0
    var place = ""

    init?(_ arguments: some Sequence<String>) {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--port": port = Self.number(arguments.next())
            case "--clients": clients = Self.number(arguments.next())
            case "--rate": rate = Self.number(arguments.next())
            case "--commits": commits = Self.number(arguments.next())
            case "--reconnect": reconnects = Self.number(arguments.next())
            case "--own": hasOwnQueries = true
            case _ where argument.hasPrefix("-"): return nil
            default: place = argument
            }
        }
        guard port > 0, clients > 0, rate > 0, commits > 0, reconnects >= 0, !place.isEmpty else {
            return nil
        }
    }

    private static func number(_ text: String?) -> Int { text.flatMap { Int($0) } ?? -1 }
}

/// A run of the load.
struct Load {
    private let options: Options
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let database: DatabasePool
    private let arrivals: Arrivals

    init(_ options: Options) throws {
        self.options = options
        #if PostgreSQL
            database =
                options.place.hasPrefix("postgres")
                ? try DatabasePool(server: options.place) : try DatabasePool(path: options.place)
        #else
            database = try DatabasePool(path: options.place)
        #endif
        arrivals = Arrivals(clients: options.clients)
    }

    private func runner(_ client: Int) -> String { options.hasOwnQueries ? "load\(client)" : "load" }

    func run() async throws {
        try await database.write { db in try db.execute(sql: "DELETE FROM run WHERE runner LIKE 'load%'") }
        var clients: [Client] = []
        for number in 0..<options.clients {
            clients.append(Client(number, runner(number), options.port, group, arrivals))
        }
        let start = ContinuousClock.now
        // Servers accept a limited number of connections at once.
        for part in stride(from: 0, to: clients.count, by: 200) {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for client in clients[part..<min(part + 200, clients.count)] {
                    tasks.addTask { try await client.connect() }
                }
                try await tasks.waitForAll()
            }
        }
        guard await arrivals.wait(for: 0, of: Array(0..<options.clients)) else {
            return fail("not all clients have received their first value")
        }
        print("\(options.clients) clients after \(ContinuousClock.now - start)")
        try await write(clients)
        try await compare()
        try await group.shutdownGracefully()
    }

    /// Commits, and prints the times until all clients of each commit have it.
    private func write(_ clients: [Client]) async throws {
        var random = SystemRandomNumberGenerator()
        var counts = [Int](repeating: 0, count: options.clients)
        var commits: [(clients: [Int], number: Int, time: ContinuousClock.Instant)] = []
        let begin = ContinuousClock.now
        for number in 0..<options.commits {
            try await Task.sleep(
                until: begin + .seconds(1) * number / options.rate, clock: .continuous)
            let client = options.hasOwnQueries ? Int.random(in: 0..<options.clients, using: &random) : 0
            for _ in 0..<options.reconnects {
                let lost = Int.random(in: 0..<options.clients, using: &random)
                Task {
                    do {
                        try await clients[lost].reconnect()
                    } catch {
                        fail("a client cannot connect again: \(error)")
                    }
                }
            }
            let runner = runner(client)
            counts[client] += 1
            let time = ContinuousClock.now
            try await database.write { db in
                try db.execute(literal: "INSERT INTO run (runner, meters) VALUES (\(runner), 1000)")
            }
            commits.append(
                (options.hasOwnQueries ? [client] : Array(0..<options.clients), counts[client], time))
        }
        var delays: [Duration] = []
        for commit in commits {
            guard await arrivals.wait(for: commit.number, of: commit.clients) else {
                return fail("a client has not received a commit within 30 s")
            }
            let last = commit.clients.map { arrivals.time(of: commit.number, at: $0) }.max() ?? commit.time
            delays.append(last - commit.time)
        }
        delays.sort()
        func percentile(_ part: Double) -> Duration { delays[Int(Double(delays.count - 1) * part)] }
        print(
            "\(options.commits) commits, from the beginning of a commit to its last client: median",
            "\(percentile(0.5)), 99th percentile \(percentile(0.99)), longest \(percentile(1))")
        print("\(arrivals.connections) connections, \(arrivals.events) events")
    }

    /// Compares the value of each client with the database.
    private func compare() async throws {
        let runs = try await database.read { db in
            try Row.fetchAll(
                db, sql: "SELECT runner, count(*) FROM run WHERE runner LIKE 'load%' GROUP BY runner"
            ).reduce(into: [String: Int]()) { $0[$1[0]] = $1[1] }
        }
        let wrong = (0..<options.clients).filter { arrivals.last(of: $0) != runs[runner($0)] ?? 0 }
        if !wrong.isEmpty { fail("\(wrong.count) clients have another value than the database") }
        print("all clients have the value of the database")
    }

    private func fail(_ message: String) {
        print("LiveBoardLoad: \(message)")
        exit(1)
    }
}

/// The values that have arrived: the number of runs that each client knows, with the time of each.
final class Arrivals: Sendable {
    private struct State {
        /// The times at which a client knew of so many runs.
        var times: [[ContinuousClock.Instant]]
        /// The last number that each client received.
        var last: [Int]
        var events = 0
        var connections = 0
    }

    private let state: Mutex<State>

    init(clients: Int) {
        state = Mutex(
            State(times: Array(repeating: [], count: clients), last: Array(repeating: 0, count: clients)))
    }

    var events: Int { state.withLock { $0.events } }
    var connections: Int { state.withLock { $0.connections } }

    func didConnect() { state.withLock { $0.connections += 1 } }

    func didReceive(_ runs: Int, at client: Int) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.events += 1
            state.last[client] = runs
            // A value that was skipped arrived with the next one.
            while state.times[client].count <= runs { state.times[client].append(now) }
        }
    }

    func last(of client: Int) -> Int { state.withLock { $0.last[client] } }

    func time(of runs: Int, at client: Int) -> ContinuousClock.Instant {
        state.withLock { $0.times[client][runs] }
    }

    /// Waits until clients know of so many runs. Returns `false` if that takes 30 seconds.
    func wait(for runs: Int, of clients: [Int]) async -> Bool {
        for _ in 0..<3000 {
            if state.withLock({ state in clients.allSatisfy { state.times[$0].count > runs } }) {
                return true
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

/// A connection that reads the events of a total.
final class Client: Sendable {
    private struct State {
        var channel: (any Channel)?
        var lastEventID: String?
        var isReconnecting = false
    }

    private let number: Int
    private let runner: String
    private let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let arrivals: Arrivals
    private let state = Mutex(State())

    init(
        _ number: Int, _ runner: String, _ port: Int, _ group: MultiThreadedEventLoopGroup,
        _ arrivals: Arrivals
    ) {
        self.number = number
        self.runner = runner
        self.port = port
        self.group = group
        self.arrivals = arrivals
    }

    func connect() async throws {
        let channel = try await ClientBootstrap(group: group)
            .channelOption(.socketOption(.so_reuseaddr), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        EventReader { [weak self] id, runs in
                            self?.didReceive(id, runs)
                        })
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let id = state.withLock { state in
            state.channel = channel
            return state.lastEventID
        }
        arrivals.didConnect()
        let header = id.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        try await channel.writeAndFlush(
            ByteBuffer(
                string: "GET /total/events?runner=\(runner) HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n"))
    }

    /// Loses the connection, and connects again.
    func reconnect() async throws {
        let channel = state.withLock { state -> (any Channel)? in
            if state.isReconnecting { return nil }
            state.isReconnecting = true
            return state.channel
        }
        guard let channel else { return }
        defer { state.withLock { $0.isReconnecting = false } }
        try? await channel.close()
        try await connect()
    }

    private func didReceive(_ id: String, _ runs: Int) {
        state.withLock { $0.lastEventID = id }
        arrivals.didReceive(runs, at: number)
    }
}

/// Finds the events in a response, byte by byte: it must take little of the time that is measured.
private final class EventReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let newline = UInt8(ascii: "\n")

    private let onEvent: (_ id: String, _ runs: Int) -> Void
    private var received = ByteBuffer()
    private var id = ""
    private var runs: Int?

    init(onEvent: @escaping (_ id: String, _ runs: Int) -> Void) {
        self.onEvent = onEvent
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.writeImmutableBuffer(unwrapInboundIn(data))
        while let end = received.readableBytesView.firstIndex(of: Self.newline) {
            received.withUnsafeReadableBytes { bytes in
                readLine(UnsafeRawBufferPointer(rebasing: bytes[..<(end - received.readerIndex)]))
            }
            received.moveReaderIndex(to: end + 1)
        }
        received.discardReadBytes()
    }

    /// Reads a line of an event, or of the encoding of the response, which looks different.
    private func readLine(_ line: UnsafeRawBufferPointer) {
        if line.starts(with: "id: ".utf8) {
            id = String(decoding: line.dropFirst(4), as: UTF8.self)
        } else if line.starts(with: "data: ".utf8) {
            runs = number(after: "\"runs\":", in: line) ?? 0
        } else if line.isEmpty, let runs {
            onEvent(id, runs)
            self.runs = nil
        }
    }

    private func number(after name: StaticString, in line: UnsafeRawBufferPointer) -> Int? {
        let count = name.utf8CodeUnitCount
        guard line.count >= count, let base = line.baseAddress,
            let start = (0...(line.count - count)).first(where: {
                memcmp(base + $0, name.utf8Start, count) == 0
            })
        else { return nil }
        return line[(start + count)...].prefix { (48...57).contains($0) }.reduce(0) { $0 * 10 + Int($1) - 48 }
    }
}
