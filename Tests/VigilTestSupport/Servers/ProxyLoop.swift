#if os(Linux)
    import Glibc

    /// The connections of a proxy. Used only by the thread that forwards.
    struct ProxyLoop {
        typealias Direction = StoppableProxy.Direction

        let listener: Int32
        let wake: Int32
        let target: String
        /// The directions in which nothing is forwarded.
        var stopped: Set<Direction> = []
        var hidesProcesses = false
        private(set) var isClosed = false
        private(set) var roundTripCounts: [Int] = []
        private var links: [ProxyLink] = []

        init(listener: Int32, wake: Int32, target: String) {
            (self.listener, self.wake, self.target) = (listener, wake, target)
        }

        /// Waits until a command was added, or a socket is ready, and forwards what is there.
        mutating func forwardOnce() {
            let running = Direction.allCases.filter { !stopped.contains($0) }
            let places = links.indices.filter { !links[$0].isAbandoned }.flatMap { link in
                running.map { (link, $0) }
            }
            var events = [wake, listener].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            events += places.map { links[$0].event($1) }
            guard poll(&events, nfds_t(events.count), -1) > 0 else { return }
            for (event, (link, direction)) in zip(events.dropFirst(2), places)
            where event.revents != 0 && !links[link].isClosed {
                links[link].forward(direction)
                roundTripCounts[links[link].number] = links[link].roundTripCount
            }
            links.removeAll(where: \.isClosed)
            if events[1].revents != 0 { accept() }
        }

        mutating func abandonLinks() {
            for index in links.indices { links[index].isAbandoned = true }
        }

        mutating func dropLinks() {
            for index in links.indices { links[index].close() }
            links = []
        }

        mutating func close() {
            dropLinks()
            Glibc.close(listener)
            isClosed = true
        }

        private mutating func accept() {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            guard let server = UnixSocket.connect(to: target) else {
                Glibc.close(client)
                return
            }
            var link = ProxyLink(number: roundTripCounts.count, client: client, server: server)
            link.hidesProcess = hidesProcesses
            links.append(link)
            roundTripCounts.append(0)
        }
    }

    /// A connection of a client, and that of the proxy to the server.
    private struct ProxyLink {
        typealias Direction = StoppableProxy.Direction

        let number: Int
        private let client: Int32
        private let server: Int32
        private(set) var isClosed = false
        var isAbandoned = false
        /// Whether the number of the server process will be replaced when it is received.
        var hidesProcess = false
        private(set) var roundTripCount = 0
        private var isUnanswered = false
        /// The bytes that were received, and could not be sent yet.
        private var pending: [Direction: ArraySlice<UInt8>] = [:]

        init(number: Int, client: Int32, server: Int32) {
            (self.number, self.client, self.server) = (number, client, server)
        }

        private func source(_ direction: Direction) -> Int32 { direction == .toServer ? client : server }
        private func target(_ direction: Direction) -> Int32 { direction == .toServer ? server : client }

        /// The event after which bytes can be forwarded.
        func event(_ direction: Direction) -> pollfd {
            pending[direction] == nil
                ? pollfd(fd: source(direction), events: Int16(POLLIN), revents: 0)
                : pollfd(fd: target(direction), events: Int16(POLLOUT), revents: 0)
        }

        /// Receives bytes if none are pending, and sends as many as possible.
        mutating func forward(_ direction: Direction) {
            if pending[direction] == nil {
                guard var bytes = receive(direction) else { return }
                count(direction)
                if direction == .toClient, hidesProcess { hideProcess(in: &bytes) }
                pending[direction] = bytes
            }
            send(direction)
        }

        mutating func close() {
            guard !isClosed else { return }
            Glibc.close(client)
            Glibc.close(server)
            isClosed = true
        }

        private mutating func count(_ direction: Direction) {
            if direction == .toClient, isUnanswered { roundTripCount += 1 }
            isUnanswered = direction == .toServer
        }

        /// Changes the first byte of the number in the message `BackendKeyData`.
        private mutating func hideProcess(in bytes: inout ArraySlice<UInt8>) {
            let header = [UInt8(ascii: "K"), 0, 0, 0, 12]
            guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: header) }) else {
                return
            }
            bytes[start + header.count] = 0xff
            hidesProcess = false
        }

        private mutating func receive(_ direction: Direction) -> ArraySlice<UInt8>? {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(source(direction), &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count > 0 { return bytes[..<count] }
            if count == 0 || errno != EAGAIN { close() }
            return nil
        }

        private mutating func send(_ direction: Direction) {
            guard let bytes = pending[direction] else { return }
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let count = bytes.withUnsafeBytes {
                Glibc.send(target(direction), $0.baseAddress, $0.count, flags)
            }
            if count >= 0 {
                pending[direction] = count == bytes.count ? nil : bytes.dropFirst(count)
            } else if errno != EAGAIN {
                close()
            }
        }
    }

    /// Sockets in the file system.
    enum UnixSocket {
        /// Creates a socket that accepts connections.
        static func listen(at path: String) throws -> Int32 {
            let handle = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            guard withAddress(path, { bind(handle, $0, $1) }) == 0, Glibc.listen(handle, 128) == 0 else {
                defer { close(handle) }
                throw FixtureError("cannot listen at \(path): \(errno)")
            }
            return handle
        }

        /// Connects to a socket; `nil` if nothing accepts connections.
        static func connect(to path: String) -> Int32? {
            let handle = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            if withAddress(path, { Glibc.connect(handle, $0, $1) }) == 0 { return handle }
            close(handle)
            return nil
        }

        private static func withAddress(
            _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
        ) -> Int32 {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let isShort = withUnsafeMutableBytes(of: &address.sun_path) { bytes in
                guard path.utf8.count < bytes.count else { return false }
                bytes.copyBytes(from: path.utf8)
                return true
            }
            guard isShort else { return -1 }
            return withUnsafeBytes(of: address) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) {
                    $0.baseAddress.map { body($0, socklen_t(bytes.count)) } ?? -1
                }
            }
        }
    }
#endif
