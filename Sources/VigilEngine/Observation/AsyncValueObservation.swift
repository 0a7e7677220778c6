/// The values of an observation, as an asynchronous sequence.
///
/// Each iteration observes anew. It ends with the loop, however the loop is left; a cancelled task ends it without
/// an error.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
    /// What becomes of values that nobody awaits yet.
    public typealias BufferingPolicy = AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy

    typealias Start =
        @Sendable (
            _ onError: @escaping @Sendable (any Error) -> Void,
            _ onChange: @escaping @Sendable (Element) -> Void
        ) -> AnyDatabaseCancellable

    let bufferingPolicy: BufferingPolicy
    let start: Start

    init(bufferingPolicy: BufferingPolicy, start: @escaping Start) {
        self.bufferingPolicy = bufferingPolicy
        self.start = start
    }

    public struct Iterator: AsyncIteratorProtocol {
        private var stream: AsyncThrowingStream<Element, any Error>.AsyncIterator
        /// Ends the observation when the iterator is released.
        private let cancellable: AnyDatabaseCancellable

        init(_ stream: AsyncThrowingStream<Element, any Error>, _ cancellable: AnyDatabaseCancellable) {
            self.stream = stream.makeAsyncIterator()
            self.cancellable = cancellable
        }

        public mutating func next() async throws -> Element? {
            try await stream.next()
        }
    }

    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncThrowingStream<Element, any Error>.makeStream(
            bufferingPolicy: bufferingPolicy)
        let ending = Ending(continuation)
        let cancellable = start(
            { ending.continuation.finish(throwing: $0) }, { ending.continuation.yield($0) })
        continuation.onTermination = { _ in cancellable.cancel() }
        return Iterator(stream, cancellable)
    }

    /// Ends the sequence when the observation lets go of its callbacks: a closed database ends it without an error.
    private final class Ending: Sendable {
        let continuation: AsyncThrowingStream<Element, any Error>.Continuation

        init(_ continuation: AsyncThrowingStream<Element, any Error>.Continuation) {
            self.continuation = continuation
        }

        deinit { continuation.finish() }
    }
}
