/// The values of an observation, as an asynchronous sequence.
///
/// Each iteration observes anew. It ends with the loop, however the loop is left; a cancelled task ends it without
/// an error.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
    /// What becomes of values that nobody awaits yet.
    public typealias BufferingPolicy = AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy

    typealias Start =
        @Sendable (
            _ demand: ObservationDemand,
            _ onError: @escaping @Sendable (any Error) -> Void,
            _ onChange: @escaping @Sendable (Element) -> Void
        ) -> any DemandingCancellable

    let bufferingPolicy: BufferingPolicy
    let start: Start

    init(bufferingPolicy: BufferingPolicy, start: @escaping Start) {
        self.bufferingPolicy = bufferingPolicy
        self.start = start
    }

    public struct Iterator: AsyncIteratorProtocol {
        private var stream: AsyncThrowingStream<Element, any Error>.AsyncIterator
        private let source: Source

        init(_ stream: AsyncThrowingStream<Element, any Error>, _ source: any DemandingCancellable) {
            self.stream = stream.makeAsyncIterator()
            self.source = Source(source)
        }

        public mutating func next() async throws -> Element? {
            let element = try await stream.next()
            // There is room for one more.
            if element != nil { source.base.request(1) }
            return element
        }
    }

    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncThrowingStream<Element, any Error>.makeStream(
            bufferingPolicy: bufferingPolicy)
        let ending = Ending(continuation)
        let source = start(
            ObservationDemand(bufferingPolicy), { ending.continuation.finish(throwing: $0) },
            { ending.continuation.yield($0) })
        continuation.onTermination = { _ in source.cancel() }
        return Iterator(stream, source)
    }

    /// Ends the observation when the iterator is released.
    private final class Source: Sendable {
        let base: any DemandingCancellable

        init(_ base: any DemandingCancellable) {
            self.base = base
        }

        deinit { base.cancel() }
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

/// How many values a consumer takes before it asks for more.
enum ObservationDemand: Sendable, Equatable {
    case unlimited
    /// One, where values that nobody takes may be skipped; otherwise any number.
    case oneAtATime
    case limited(Int)

    init<Element: Sendable>(_ policy: AsyncValueObservation<Element>.BufferingPolicy) {
        switch policy {
        case .bufferingNewest(let count), .bufferingOldest(let count): self = .limited(Swift.max(count, 1))
        case .unbounded: self = .oneAtATime
        @unknown default: self = .unlimited
        }
    }
}

/// Something that goes on until it is cancelled, at the pace of whom it is for.
protocol DemandingCancellable: DatabaseCancellable {
    /// `number` more values are taken.
    func request(_ number: Int)
}

extension AnyDatabaseCancellable: DemandingCancellable {
    /// It goes on at its own pace.
    func request(_ number: Int) {}
}
