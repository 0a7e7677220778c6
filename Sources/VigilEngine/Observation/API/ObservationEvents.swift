import Synchronization
public import VigilRegions

/// The event handlers of an observation. See
/// ``ValueObservation/handleEvents(willStart:willFetch:willTrackRegion:databaseDidChange:didReceiveValue:didFail:didCancel:didTrigger:)``.
struct ObservationEvents: Sendable {
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

    var isEmpty: Bool { handlers.isEmpty }

    mutating func add(_ handlers: Handlers) {
        self.handlers.append(handlers)
    }

    mutating func add(_ others: ObservationEvents) {
        handlers += others.handlers
    }

    func willStart() { for handler in handlers { handler.willStart?() } }
    func willFetch() { for handler in handlers { handler.willFetch?() } }
    func willTrackRegion(_ region: DatabaseRegion) {
        for handler in handlers { handler.willTrackRegion?(region) }
    }
    func didFail(_ error: any Error) { for handler in handlers { handler.didFail?(error) } }
    func didCancel() { for handler in handlers { handler.didCancel?() } }

    func databaseDidChange(_ trigger: @autoclosure () -> ObservationTrigger) {
        guard !handlers.isEmpty else { return }
        let trigger = trigger()
        for handler in handlers {
            handler.databaseDidChange?()
            handler.didTrigger?(trigger)
        }
    }
}

extension ValueObservation {
    /// Returns an observation that calls the given closures when events occur.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .handleEvents(willFetch: { print("fetching") }, didFail: { print($0) })
    /// ```
    ///
    /// The closures run on the thread where the event occurs, and must return quickly: `databaseDidChange`
    /// and `didTrigger` usually run on the writer connection, and delay its next access.
    ///
    /// - Parameters:
    ///   - willStart: Called when the observation starts.
    ///   - willFetch: Called before a fetch. It is not called for a value fetched for an equal observation.
    ///   - willTrackRegion: Called with the observed region, when its tables, columns or row ids differ from
    ///     the previous ones. Other conditions on rows do not count.
    ///   - databaseDidChange: Called when a commit modifies the region.
    ///   - didReceiveValue: Called with each value that reaches this place in the chain of operators.
    ///   - didFail: Called with the observation's error.
    ///   - didCancel: Called when the observation is cancelled, or ends because the database was closed.
    ///   - didTrigger: Called together with `databaseDidChange`, with the change in the region.
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

    /// Returns an observation that prints its events: `start`, `fetch`, `tracked region: …`, `value: …`,
    /// `database did change`, `failure: …` and `cancel`.
    ///
    /// - Parameters:
    ///   - prefix: The text before each line, followed by a colon.
    ///   - stream: The stream for each event, without a line break. If it is `nil`, each event is printed as
    ///     a line to standard output.
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

/// Serializes lines from several threads.
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
