import Foundation
import Synchronization
import Vigil

/// The event streams of all browsers.
///
/// Browsers with the same query share one observation, which runs while there are such browsers. Each event
/// is encoded once for all of them. A browser that connects again receives what it has missed.
final class Broadcast: Sendable {
    enum Event: Equatable, Sendable {
        case observationStarted
        case observationEnded
        case observationFailed(String)
    }

    /// The figures that the page shows.
    struct Status: Codable, Equatable, Sendable {
        /// The number of browsers that receive events.
        var browsers: Int
        /// The number of observations of the database.
        var observations: Int
        /// The number of fetches by observations since the server started.
        var fetches: Int
        /// The number of events that were sent since the server started.
        var updates: Int
    }

    private struct Counts {
        var fetches = 0
        var updates = 0
    }

    private let database: DatabasePool
    private let onEvent: @Sendable (Event) -> Void
    private let streams = EventStreams<BoardQuery>()
    private let counts = Mutex(Counts())

    /// - Parameter onEvent: Called on any thread.
    init(database: DatabasePool, onEvent: @escaping @Sendable (Event) -> Void = { _ in }) {
        self.database = database
        self.onEvent = onEvent
    }

    var status: Status {
        let counts = counts.withLock { $0 }
        return Status(
            browsers: streams.clientCount, observations: database.observations.count,
            fetches: counts.fetches, updates: counts.updates)
    }

    /// Returns the events of a query, for a browser that has received an event before or not.
    func client(_ query: BoardQuery, after id: String?) -> EventStreamClient {
        streams.stream(for: query) {
            switch query {
            case .board:
                counted(ValueObservation.tracking(Board.fetch), label: "board")
                    .map { board in Page.board(board).text }
                    .eventStream(in: database)
            case .runs(let runner, let limit):
                counted(
                    ValueObservation.trackingList(BoardQuery.newestRuns(of: runner, limit: limit)),
                    label: "list"
                )
                .eventStream(in: database) { run in try JSONEncoder().encode(Page.item(run).text) }
            case .total(let runner):
                counted(
                    ValueObservation.tracking { db in try RunnerTotal.fetch(db, runner: runner) },
                    label: "total"
                )
                .eventStream(in: database)
            }
        }
        .client(after: id)
    }

    /// Sends a comment to all browsers that receive no other event.
    func keepAlive() { streams.keepAlive() }

    func didSendEvent() { counts.withLock { $0.updates += 1 } }

    private func counted<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, label: String
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        observation
            .handleEvents(
                willStart: { [onEvent] in onEvent(.observationStarted) },
                willFetch: { [weak self] in self?.counts.withLock { $0.fetches += 1 } },
                didFail: { [onEvent] in onEvent(.observationFailed("\($0)")) },
                didCancel: { [onEvent] in onEvent(.observationEnded) }
            )
            .labeled(label)
    }
}
