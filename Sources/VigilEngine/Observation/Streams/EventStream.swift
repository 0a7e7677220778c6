import Synchronization
import VigilStorage

/// The values of an observation as events for clients of a server: each client receives the whole value
/// first, and then what changes.
///
/// ```swift
/// let players = ValueObservation.trackingList(Player.order(Column("score").desc)).eventStream(in: dbPool)
///
/// router.get("/players/events") { request, _ in
///     let client = players.client(after: request.headers[.lastEventID])
///     return Response(status: .ok, body: ResponseBody { writer in
///         for try await event in client { try await writer.write(ByteBuffer(bytes: event.serverSentEvent)) }
///         try await writer.finish(nil)
///     })
/// }
/// ```
///
/// When a connection ends, cancel the task that iterates over its client, or call
/// ``EventStreamClient/finish()``. Call ``keepAlive(part:of:)`` from time to time.
///
/// All clients share one observation, which runs while there are clients, and each event is encoded once.
/// Clients that read slowly are not buffered for: they skip to the newest value, or receive the patches that
/// they have missed.
///
/// Events have ids. A client that connects again with the last one receives the missing patches, also if no
/// client was connected in between. If they are not kept any more, or if the id is unknown, it receives the
/// whole value. Browsers do this by themselves with server-sent events and the header `Last-Event-ID`.
///
/// The data of events are JSON: the value (``StreamEvent/Kind/value``), the array of all rows
/// (``StreamEvent/Kind/list``), or the changes of the rows (``StreamEvent/Kind/patch``):
///
/// ```json
/// {"removed": [3], "moved": [{"from": 5, "to": 0}],
///  "inserted": [{"at": 1, "row": {"id": 7}}], "updated": [{"at": 2, "row": {"id": 4}}]}
/// ```
///
/// The offsets of removed rows, and those that rows move from, refer to the list before the patch, all others
/// to the list after it. To apply a patch, take out the removed and the moved rows, insert the others by
/// ascending offsets, and replace the updated ones.
///
/// All methods are thread-safe.
public final class EventStream: Sendable {
    /// The size of the kept patches unless another is given, in bytes.
    public static let defaultHistorySize = 1 << 18

    private let states: SharedValueObservation<StreamState>
    private let state = Mutex(State())

    private struct State {
        /// The clients by their numbers.
        var clients: [Int: WeakClient] = [:]
        /// Called when the last client has been released.
        var whenUnused: (@Sendable () -> Void)?
    }

    private struct WeakClient {
        weak var client: EventStreamClient?
    }

    /// Notifies the clients where the states are encoded: each only resumes its task.
    static var scheduler: some ValueObservationScheduler {
        ForwardingScheduler(_mayScheduleInAccess: false)
    }

    package init(_ states: SharedValueObservation<StreamState>) {
        self.states = states
    }

    /// Returns a client, which receives the events when it is iterated over.
    ///
    /// - Parameter lastEventID: The id of the last event that the client has received in an earlier
    ///   connection. It can come from anywhere: malformed ids count as none.
    public func client(after lastEventID: String? = nil) -> EventStreamClient {
        let client = EventStreamClient(of: self, after: lastEventID)
        state.withLock { $0.clients[client.number] = WeakClient(client: client) }
        return client
    }

    /// The number of clients that have not been released.
    public var clientCount: Int { state.withLock { $0.clients.count } }

    /// Sends a comment to the idle clients of a part. Call it regularly, so that proxies do not close idle
    /// connections.
    ///
    /// Comments to thousands of clients at once delay other events. Spread them: this sends one to each
    /// client every 15 seconds.
    ///
    /// ```swift
    /// while true {
    ///     for part in 0..<50 {
    ///         try await Task.sleep(for: .milliseconds(300))
    ///         stream.keepAlive(part: part, of: 50)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - part: The number of the part, from 0.
    ///   - parts: The number of parts; 1 for all clients at once. With ``EventStreams``, they are of about
    ///     the same size.
    public func keepAlive(part: Int = 0, of parts: Int = 1) {
        Self.check(part, of: parts)
        let clients = state.withLock { state in
            // Only clients of the part are retained: it runs often.
            state.clients.keys.filter { $0 % parts == part }.compactMap { state.clients[$0]?.client }
        }
        for client in clients { client.keepAlive() }
    }

    static func check(_ part: Int, of parts: Int) {
        trap(
            unless: parts > 0 && (0..<parts).contains(part),
            "part \(part) of \(parts): the parts are numbered from 0")
    }

    func remove(_ client: Int) {
        let whenUnused = state.withLock { state in
            state.clients[client] = nil
            return state.clients.isEmpty ? state.whenUnused : nil
        }
        whenUnused?()
    }

    /// Calls a function whenever the last client has been released.
    func whenUnused(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.whenUnused = action } }

    func start(
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (StreamState) -> Void
    ) -> SharedValueObservation<StreamState>.SharedClient {
        states.startClient(demand: .limited(1), onError: onError, onChange: onChange)
    }
}
