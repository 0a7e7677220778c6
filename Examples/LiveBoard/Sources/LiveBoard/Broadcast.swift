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

    private let database: DatabasePool
    private let onEvent: @Sendable (Event) -> Void
    private let streams = EventStreams<BoardQuery>()
    private let eventCount = Atomic(0)

    /// - Parameter onEvent: Called on any thread.
    init(database: DatabasePool, onEvent: @escaping @Sendable (Event) -> Void = { _ in }) {
        self.database = database
        self.onEvent = onEvent
    }

    var status: Status {
        Status(
            browsers: streams.clientCount, observations: database.observations.count,
            fetches: figures?.fetches ?? 0, updates: eventCount.load(ordering: .relaxed))
    }

    /// The figures of the database's observations.
    var figures: Figures? { database.configuration.observationMonitor as? Figures }

    /// Returns the events of a query, for a browser that has received an event before or not.
    func client(_ query: BoardQuery, after id: String?) -> EventStreamClient {
        streams.stream(for: query) {
            switch query {
            case .board:
                logged(ValueObservation.tracking(Board.fetch), label: "board")
                    .map { board in Page.board(board).text }
                    .eventStream(in: database)
            case .runs(let runner, let limit):
                logged(
                    ValueObservation.trackingList(BoardQuery.newestRuns(of: runner, limit: limit)),
                    label: "list"
                )
                .eventStream(in: database) { run in try JSONEncoder().encode(Page.item(run).text) }
            case .total(let runner):
                logged(
                    ValueObservation.tracking { db in try RunnerTotal.fetch(db, runner: runner) },
                    label: "total"
                )
                .eventStream(in: database)
            }
        }
        .client(after: id)
    }

    /// Sends a comment to idle browsers: to a part of them, so that it does not delay events.
    func keepAlive(part: Int, of parts: Int) { streams.keepAlive(part: part, of: parts) }

    func didSendEvent() { eventCount.add(1, ordering: .relaxed) }

    private func logged<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, label: String
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        observation
            .handleEvents(
                willStart: { [onEvent] in onEvent(.observationStarted) },
                didFail: { [onEvent] in onEvent(.observationFailed("\($0)")) },
                didCancel: { [onEvent] in onEvent(.observationEnded) }
            )
            .labeled(label)
    }
}
