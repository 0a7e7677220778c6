import Synchronization

/// A client of an ``EventStream``: an asynchronous sequence of events, for one iteration.
///
/// The observation runs while a client is iterated over. The sequence throws the observation's error, or the
/// encoder's; a client that connects again starts the observation again. It ends without an error when its
/// task is cancelled, when the iterator is released, after ``finish()``, and when the database is closed.
///
/// No event is fetched for a client before it awaits one.
public final class EventStreamClient: AsyncSequence, Sendable {
    /// The type of the elements.
    public typealias Element = StreamEvent

    private struct State {
        var cursor: StreamCursor
        /// The newest state, while it has events for the client.
        var newest: StreamState?
        var source: SharedValueObservation<StreamState>.SharedClient?
        /// Whether a state was requested that has not been received.
        var isAwaiting = false
        var needsComment = false
        var end: Result<Void, any Error>?

        mutating func next() -> Step {
            if case .success? = end { return .end(.success(())) }
            if let newest { return .read(cursor, newest) }
            if let end {
                // It is thrown once.
                self.end = .success(())
                return .end(end)
            }
            if needsComment {
                needsComment = false
                return .comment
            }
            if isAwaiting { return .wait }
            isAwaiting = true
            return source.map(Step.request) ?? .start
        }
    }

    private enum Step {
        /// Find the next event in a state, without the lock: the encoder is code of the program.
        case read(StreamCursor, StreamState)
        case comment
        case start
        case request(SharedValueObservation<StreamState>.SharedClient)
        case wait
        case end(Result<Void, any Error>)
    }

    /// Iterates over the events of a client.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let client: EventStreamClient
        fileprivate let ending: ReleaseNotice
        fileprivate var signals: AsyncStream<Void>.AsyncIterator

        /// Returns the next event when there is one; `nil` after the end.
        ///
        /// - Throws: The error of the observation or of the encoder, once.
        public mutating func next() async throws -> StreamEvent? {
            while true {
                switch client.nextStep() {
                case .read(let cursor, let state):
                    if let event = client.event(after: cursor, in: state) { return event }
                case .comment: return .comment
                case .start: client.start()
                case .request(let source): source.request(1)
                case .wait:
                    // `nil` means that the task is cancelled.
                    if await signals.next() == nil { client.finish() }
                case .end(let result):
                    client.cancel()
                    try result.get()
                    return nil
                }
            }
        }
    }

    private static let lastNumber = Atomic(0)

    private let stream: EventStream
    /// A number that no other client of a stream has.
    let number = EventStreamClient.lastNumber.add(1, ordering: .relaxed).newValue
    private let state: Mutex<State>
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(of stream: EventStream, after id: String?) {
        self.stream = stream
        state = Mutex(State(cursor: StreamCursor(after: id)))
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        cancel()
        stream.remove(number)
    }

    /// Returns an iterator over the events. A client has one iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            client: self, ending: ReleaseNotice { [weak self] in self?.finish() },
            signals: signals.makeAsyncIterator())
    }

    /// Ends the sequence, for example when the connection of the client has ended, or the server shuts down.
    /// Can be called on any thread.
    public func finish() {
        end(.success(()))
        cancel()
    }

    func keepAlive() {
        state.withLock { $0.needsComment = true }
        signal.yield()
    }

    private func nextStep() -> Step { state.withLock { $0.next() } }

    /// Returns the next event in a state; `nil` at its end, or after an error of the encoder.
    private func event(after cursor: StreamCursor, in newest: StreamState) -> StreamEvent? {
        var cursor = cursor
        let event = Result { try cursor.next(in: newest) }
        return state.withLock { state in
            state.cursor = cursor
            let isRead = cursor.isAt(newest)
            switch event {
            case .success(let event):
                if isRead, state.newest === newest { state.newest = nil }
                if event != nil { state.needsComment = false }
                return event
            case .failure(let error):
                state.newest = nil
                if state.end == nil { state.end = .failure(error) }
                return nil
            }
        }
    }

    private func start() {
        let ending = ReleaseNotice { [weak self] in self?.finish() }
        let source = stream.start(
            onError: { [weak self] error in withExtendedLifetime(ending) { self?.end(.failure(error)) } },
            onChange: { [weak self] in self?.didReceive($0) })
        let isEnded = state.withLock { state in
            state.source = source
            return state.end != nil
        }
        if isEnded { source.cancel() }
    }

    private func didReceive(_ newest: StreamState) {
        state.withLock { state in
            state.newest = newest
            state.isAwaiting = false
        }
        signal.yield()
    }

    private func end(_ result: Result<Void, any Error>) {
        state.withLock { state in
            if state.end == nil { state.end = result }
        }
        signal.yield()
    }

    private func cancel() {
        // Release it outside of the lock: it may release anything.
        let source = state.withLock { state in
            defer { state.source = nil }
            return state.source
        }
        source?.cancel()
    }
}
