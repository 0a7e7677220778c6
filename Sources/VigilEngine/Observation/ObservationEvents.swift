import Synchronization
public import VigilRegions

/// What becomes known of an observation while it goes on. See ``ValueObservation/handleEvents(willStart:willFetch:willTrackRegion:databaseDidChange:didReceiveValue:didFail:didCancel:didTrigger:)``.
struct ObservationEvents: Sendable {
    typealias Handler<Event> = @Sendable (Event) -> Void

    private var handlers: [Handlers] = []

    struct Handlers: Sendable {
        var willStart: (@Sendable () -> Void)?
        var willFetch: (@Sendable () -> Void)?
        var willTrackRegion: (@Sendable (DatabaseRegion) -> Void)?
        var databaseDidChange: (@Sendable () -> Void)?
        var didTrigger: (@Sendable (ObservationTrigger) -> Void)?
        var didFail: (@Sendable (any Error) -> Void)?
        var didCancel: (@Sendable () -> Void)?
    }

    mutating func add(_ handlers: Handlers) {
        self.handlers.append(handlers)
    }

    /// Adds what others are told.
    mutating func add(_ others: ObservationEvents) {
        handlers += others.handlers
    }

    func willStart() { for one in handlers { one.willStart?() } }
    func willFetch() { for one in handlers { one.willFetch?() } }
    func willTrackRegion(_ region: DatabaseRegion) { for one in handlers { one.willTrackRegion?(region) } }
    func didFail(_ error: any Error) { for one in handlers { one.didFail?(error) } }
    func didCancel() { for one in handlers { one.didCancel?() } }

    func databaseDidChange(_ trigger: @autoclosure () -> ObservationTrigger) {
        guard !handlers.isEmpty else { return }
        let trigger = trigger()
        for one in handlers {
            one.databaseDidChange?()
            one.didTrigger?(trigger)
        }
    }
}

extension ValueObservation {
    /// Calls functions when something happens to the observation, on whatever thread it happens. They must be quick:
    /// `databaseDidChange` and `didTrigger` are called on the connection that writes.
    ///
    /// - Parameters:
    ///   - willStart: the observation is started.
    ///   - willFetch: a fetch begins. A value that was fetched for an equal observation is handed over without one.
    ///   - willTrackRegion: the region that is observed from now on, when it differs from the one before.
    ///   - databaseDidChange: a commit touched the region.
    ///   - didReceiveValue: a value came to this place in the chain of operators.
    ///   - didFail: the observation ends with an error.
    ///   - didCancel: the observation was cancelled, or ended because the database was closed.
    ///   - didTrigger: as `databaseDidChange`, with what touched the region.
    public func handleEvents(
        willStart: (@Sendable () -> Void)? = nil,
        willFetch: (@Sendable () -> Void)? = nil,
        willTrackRegion: (@Sendable (DatabaseRegion) -> Void)? = nil,
        databaseDidChange: (@Sendable () -> Void)? = nil,
        didReceiveValue: (@Sendable (Reducer.Value) -> Void)? = nil,
        didFail: (@Sendable (any Error) -> Void)? = nil,
        didCancel: (@Sendable () -> Void)? = nil,
        didTrigger: (@Sendable (ObservationTrigger) -> Void)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        var traced = derived(
            ValueReducers.Trace(base: reducer, didReceiveValue: didReceiveValue ?? { _ in }))
        traced.events.add(
            .init(
                willStart: willStart, willFetch: willFetch, willTrackRegion: willTrackRegion,
                databaseDidChange: databaseDidChange, didTrigger: didTrigger, didFail: didFail,
                didCancel: didCancel))
        return traced
    }

    /// Prints what happens to the observation: `start`, `fetch`, `tracked region: …`, `value: …`,
    /// `database did change`, `failure: …`, `cancel`.
    ///
    /// - Parameters:
    ///   - prefix: written before each line, followed by a colon.
    ///   - stream: where to write each event, without a line break; standard output, with one, if `nil`.
    public func print(
        _ prefix: String = "", to stream: sending (any TextOutputStream)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        let lines = EventPrinter(prefix: prefix.isEmpty ? "" : "\(prefix): ", stream: stream)
        return handleEvents(
            willStart: { lines.write("start") },
            willFetch: { lines.write("fetch") },
            willTrackRegion: { lines.write("tracked region: \($0)") },
            databaseDidChange: { lines.write("database did change") },
            didReceiveValue: { lines.write("value: \($0)") },
            didFail: { lines.write("failure: \($0)") },
            didCancel: { lines.write("cancel") })
    }
}

/// Writes one line after the other, from any thread.
private final class EventPrinter: Sendable {
    private let prefix: String
    private let stream: Mutex<(any TextOutputStream)?>

    init(prefix: String, stream: sending (any TextOutputStream)?) {
        self.prefix = prefix
        self.stream = Mutex(stream)
    }

    func write(_ event: String) {
        let line = prefix + event
        stream.withLock { stream in
            if stream == nil {
                Swift.print(line)
            } else {
                stream?.write(line)
            }
        }
    }
}
