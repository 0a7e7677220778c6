/// An asynchronous sequence of the values of an observation.
///
/// ```swift
/// for try await count in observation.values(in: dbPool) {
///     print("There are", count, "players")
/// }
/// ```
///
/// Each iteration starts its own observation, until the loop ends for any reason. The sequence throws the
/// observation's error. It ends without an error when its task is cancelled, and when the database is closed.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
    /// Decides how many values to keep until they are awaited, and the choice of values to drop.
    public typealias BufferingPolicy = AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy

    typealias Start =
        @Sendable (
            _ demand: ObservationDemand,
            _ onError: @escaping @Sendable (any Error) -> Void,
            _ onChange: @escaping @Sendable (Element) -> Void
        ) -> any DemandingCancellable

    let bufferingPolicy: BufferingPolicy
    let start: Start

    /// Iterates over the values of one started observation. Releasing the iterator ends the observation.
    public struct Iterator: AsyncIteratorProtocol {
        private var stream: AsyncThrowingStream<Element, any Error>.AsyncIterator
        private let source: any DemandingCancellable
        private let ending: ReleaseNotice
        private var isFinished = false

        init(_ stream: AsyncThrowingStream<Element, any Error>, _ source: any DemandingCancellable) {
            self.stream = stream.makeAsyncIterator()
            self.source = source
            ending = ReleaseNotice { source.cancel() }
        }

        /// Returns the next value when it is available, or `nil` if the observation has ended without an
        /// error, or has thrown one before.
        ///
        /// - Throws: The observation's error.
        public mutating func next() async throws -> Element? {
            // The stream throws the error again if it was already awaited when it occurred.
            guard !isFinished else { return nil }
            isFinished = true
            let element = try await stream.next()
            isFinished = element == nil
            // The buffer has room for one more value.
            if element != nil { source.request(1) }
            return element
        }
    }

    /// Starts an observation, and returns an iterator over its values.
    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncThrowingStream<Element, any Error>.makeStream(
            bufferingPolicy: bufferingPolicy)
        // Closing the database ends an observation without an error.
        let ending = ReleaseNotice { continuation.finish() }
        let source = start(
            ObservationDemand(bufferingPolicy),
            { error in withExtendedLifetime(ending) { continuation.finish(throwing: error) } },
            { value in withExtendedLifetime(ending) { _ = continuation.yield(value) } })
        continuation.onTermination = { _ in source.cancel() }
        return Iterator(stream, source)
    }
}

/// The number of values accepted by a consumer before its next request.
enum ObservationDemand: Sendable, Equatable {
    case unlimited
    /// One value if commits may be coalesced, any number otherwise.
    case oneAtATime
    case limited(Int)

    init<Element: Sendable>(_ policy: AsyncValueObservation<Element>.BufferingPolicy) {
        switch policy {
        // A value that a buffer without room drops does not count: nothing requests the next one.
        case .bufferingNewest(let count), .bufferingOldest(let count):
            self = count > 0 ? .limited(count) : .unlimited
        case .unbounded: self = .oneAtATime
        @unknown default: self = .unlimited
        }
    }
}

/// A cancellable activity with a demand.
protocol DemandingCancellable: DatabaseCancellable {
    /// Increases the demand by `number` values.
    func request(_ number: Int)
}

extension AnyDatabaseCancellable: DemandingCancellable {
    /// Does nothing: the activity does not depend on demand.
    func request(_ number: Int) {}
}

extension ValueObservation {
    /// Returns the first value of the observation, and ends it.
    ///
    /// ```swift
    /// let players = try await ValueObservation.tracking(Player.fetchAll).first(in: dbPool)
    /// ```
    ///
    /// If the initial value is not delivered, because of ``skippingInitialValue(_:)`` for example, this
    /// method waits for a commit in the region.
    ///
    /// - Throws: The observation's error; `CancellationError` if the task is cancelled; `DatabaseError` with
    ///   `SQLITE_MISUSE` if the database is closed before there is a value.
    public func first(in reader: any DatabaseReader) async throws -> Reducer.Value {
        for try await value in values(in: reader, bufferingPolicy: .bufferingOldest(1)) { return value }
        try Task.checkCancellation()
        throw DatabaseError.connectionIsClosed
    }
}
