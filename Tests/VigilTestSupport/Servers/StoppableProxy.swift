#if os(Linux)
    import Dispatch
    import Foundation
    import Glibc
    import Synchronization
    import XCTest

    /// Forwards bytes between clients and a server, and can stop: a server that does not answer, or a broken
    /// network.
    ///
    /// It listens on a Unix socket of its own. Deallocation closes all connections.
    package final class StoppableProxy: Sendable {
        /// The receiver of bytes.
        package enum Direction: Int, CaseIterable, Sendable {
            case toServer, toClient
        }

        /// The address of the server, by way of the proxy.
        package let address: String
        private let directory: TemporaryDirectory
        private let commands: ProxyCommands

        /// Starts a proxy that forwards.
        ///
        /// - Parameter hidesProcesses: whether clients receive other numbers of server processes, below 0.
        /// - Throws: `XCTSkip` if the server does not listen on a Unix socket.
        package init(to url: String, hidesProcesses: Bool = false) throws {
            let server = try ServerAddress(url)
            guard let target = server.socketPath else {
                throw XCTSkip("the proxy needs a server on a Unix socket")
            }
            let port = 5432
            directory = try TemporaryDirectory()
            let address = server.onSocket(in: directory.path, port: port)
            self.address = address.url
            let listener = try UnixSocket.listen(at: directory.file(".s.PGSQL.\(port)"))
            let commands = try ProxyCommands()
            self.commands = commands
            Thread.detachNewThread {
                var loop = ProxyLoop(listener: listener, wake: commands.wake, target: target)
                loop.hidesProcesses = hidesProcesses
                while !loop.isClosed {
                    loop.forwardOnce()
                    for command in commands.take() { command(&loop) }
                }
            }
        }

        deinit { commands.add { $0.close() } }

        /// Stops forwarding. When this returns, no byte is forwarded in these directions.
        ///
        /// Bytes that arrive are kept until ``resume()``. New connections are accepted, and get no answer.
        package func stop(_ directions: Set<Direction> = Set(Direction.allCases)) {
            commands.perform { $0.stopped.formUnion(directions) }
        }

        /// Forwards in both directions, beginning with the bytes that were kept.
        package func resume() {
            commands.perform { $0.stopped = [] }
        }

        /// Keeps all connections open, and never forwards anything for them again: a router that has
        /// forgotten them.
        ///
        /// New connections are forwarded.
        package func abandonConnections() {
            commands.perform { $0.abandonLinks() }
        }

        /// Closes all connections, on both sides. New ones are accepted.
        package func dropConnections() {
            commands.perform { $0.dropLinks() }
        }

        /// The number of requests that were answered, of each connection in the order in which they were
        /// accepted.
        ///
        /// Requests that were sent before the answer to the previous one count as one.
        package var roundTripCounts: [Int] {
            commands.perform { $0.roundTripCounts }
        }

        /// The number of requests that were answered.
        package var roundTripCount: Int { roundTripCounts.reduce(0, +) }
    }

    /// The commands of a proxy, which run between two events on the thread that forwards.
    private final class ProxyCommands: Sendable {
        typealias Command = @Sendable (inout ProxyLoop) -> Void
        /// The end of a pipe that has a byte when a command was added.
        let wake: Int32
        private let bell: Int32
        private let added = Mutex<[Command]>([])

        init() throws {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw FixtureError("pipe fails: \(errno)") }
            (wake, bell) = (ends[0], ends[1])
        }

        deinit {
            close(wake)
            close(bell)
        }

        func add(_ command: @escaping Command) {
            added.withLock { added in
                added.append(command)
                // One byte for all commands: a full pipe would block.
                if added.count == 1 { _ = write(bell, [1], 1) }
            }
        }

        func take() -> [Command] {
            added.withLock { added in
                guard !added.isEmpty else { return [] }
                defer { added = [] }
                var byte: UInt8 = 0
                _ = read(wake, &byte, 1)
                return added
            }
        }

        /// Runs a command, and returns its result.
        func perform<Result: Sendable>(
            _ command: @escaping @Sendable (inout ProxyLoop) -> Result
        ) -> Result {
            let (result, done) = (ProxyResult<Result>(), DispatchSemaphore(value: 0))
            add { loop in
                result.value.withLock { $0 = command(&loop) }
                done.signal()
            }
            done.wait()
            guard let value = result.value.withLock({ $0 }) else {
                preconditionFailure("the command of a proxy has no result")
            }
            return value
        }
    }

    private final class ProxyResult<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }
#endif
