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
        /// The last used streams, the newest one last. Those with clients are removed if there are too many.
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
                stream.whenUnused { [weak self, weak stream] in
                    if let stream, let self { keep(stream, beside: recentLimit - 1) }
                }
                return stream
            }
        }
        // It is about to have a client.
        keep(stream, beside: recentLimit)
        return stream
    }

    /// Keeps a stream as the one that was used last, beside a number of others. A stream with clients needs
    /// no place among them: the clients retain it, and the release of the last one keeps it again.
    private func keep(_ stream: EventStream, beside others: Int) {
        let released = state.withLock { state -> [EventStream] in
            let limit = max(0, others + 1)
            if state.recent.last === stream, state.recent.count <= limit { return [] }
            state.recent.removeAll { $0 === stream }
            state.recent.append(stream)
            guard state.recent.count > limit else { return [] }
            let recent = state.recent
            state.recent.removeAll { $0.clientCount > 0 }
            state.recent.removeFirst(max(0, state.recent.count - limit))
            return recent
        }
        // Release them outside of the lock: their encoders may capture anything.
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
