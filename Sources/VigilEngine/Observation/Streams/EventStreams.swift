import Synchronization

/// The event streams of a server by the query that they observe, so that equal queries share one.
///
/// ```swift
/// let streams = EventStreams<Int>()
///
/// func playersOfTeam(_ team: Int) -> EventStream {
///     streams.stream(for: team) {
///         ValueObservation.trackingList(Player.filter(Column("team") == team)).eventStream(in: dbPool)
///     }
/// }
/// ```
///
/// Streams with clients are kept. Of the others, the ones that were used last are kept, so that clients which
/// connect again receive patches.
///
/// Strings are equal in Swift if they are canonically equivalent, while databases compare bytes: bring texts
/// of a key into one normalization form, or use their bytes.
///
/// The server decides which clients may observe which query, before it asks for the stream.
///
/// All methods are thread-safe.
public final class EventStreams<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var streams = WeakValues<Key, EventStream>()
        /// The last used streams, the newest one last.
        var recent: [EventStream] = []
    }

    private let recentLimit: Int
    private let state = Mutex(State())

    /// - Parameter recentLimit: The number of streams to keep without clients. Each retains its last value
    ///   and its patches.
    public init(recentLimit: Int = 100) {
        self.recentLimit = recentLimit
    }

    /// Returns the stream of a query.
    ///
    /// - Parameters:
    ///   - key: The query.
    ///   - make: Returns a new stream, which does not observe anything until it has clients. It must not ask
    ///     for another stream.
    public func stream(for key: Key, _ make: () throws -> EventStream) rethrows -> EventStream {
        let stream = try state.withLock { state in
            try state.streams.value(for: key) {
                let stream = try make()
                stream.whenUnused.withLock {
                    $0 = { [weak self, weak stream] in
                        if let stream { self?.keep(stream) }
                    }
                }
                return stream
            }
        }
        keep(stream)
        return stream
    }

    /// Keeps a stream as the one that was used last.
    private func keep(_ stream: EventStream) {
        let released = state.withLock { state -> EventStream? in
            if state.recent.last === stream { return nil }
            state.recent.removeAll { $0 === stream }
            state.recent.append(stream)
            return state.recent.count > recentLimit ? state.recent.removeFirst() : nil
        }
        // Release it outside of the lock: its encoder may capture anything.
        withExtendedLifetime(released) {}
    }

    /// Sends a comment to a part of the clients of all streams. See ``EventStream/keepAlive(part:of:)``.
    ///
    /// - Parameters:
    ///   - part: The number of the part, from 0.
    ///   - parts: The number of parts; 1 for all clients at once.
    public func keepAlive(part: Int = 0, of parts: Int = 1) {
        EventStream.check(part, of: parts)
        for stream in streams { stream.keepAlive(part: part, of: parts) }
    }

    /// The number of clients of all streams.
    public var clientCount: Int { streams.reduce(0) { $0 + $1.clientCount } }

    /// Each stream once: several keys can have the same one.
    private var streams: [EventStream] {
        let streams = state.withLock { $0.streams.values }
        return Array(
            Dictionary(streams.map { (ObjectIdentifier($0), $0) }, uniquingKeysWith: { one, _ in one })
                .values)
    }
}
