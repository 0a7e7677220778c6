import Synchronization

/// The rows of a request that an observed list shows. They can change while the list is observed.
///
/// ```swift
/// let window = ListWindow(limit: 50)
/// let observation = ValueObservation.trackingList(
///     Message.order(Column("date").desc), window: window)
/// let cancellable = observation.start(in: dbPool, onError: { print($0) }) { messages in show(messages) }
/// window.limit += 50  // The user has scrolled down.
/// ```
///
/// A change of the window leads to a fetch, and to a new version of the list, whose difference from the last
/// one consists of the rows that appeared and disappeared. One window can control any number of observations.
/// All methods are thread-safe.
public final class ListWindow: Sendable {
    private struct State {
        var limit: Int
        var offset: Int
        var observers = ControlledObservers()
    }

    private let state: Mutex<State>

    /// Creates a window of at most `limit` rows after the first `offset` ones.
    public init(limit: Int, offset: Int = 0) {
        state = Mutex(State(limit: limit, offset: offset))
    }

    /// The greatest number of rows. A negative one means all.
    public var limit: Int {
        get { state.withLock { $0.limit } }
        set { set(limit: newValue, offset: nil) }
    }

    /// The number of rows before the window. A negative one means none.
    public var offset: Int {
        get { state.withLock { $0.offset } }
        set { set(limit: nil, offset: newValue) }
    }

    /// Sets the limit and the offset together. Equal ones cause no fetch.
    public func set(limit: Int, offset: Int) { set(limit: limit, offset: Int?.some(offset)) }

    /// The limit and the offset at one moment.
    package var numbers: (limit: Int, offset: Int) { state.withLock { ($0.limit, $0.offset) } }

    private func set(limit: Int?, offset: Int?) {
        let observers = state.withLock { state -> [any ControlledObserver] in
            let (limit, offset) = (limit ?? state.limit, offset ?? state.offset)
            guard limit != state.limit || offset != state.offset else { return [] }
            (state.limit, state.offset) = (limit, offset)
            return state.observers.all
        }
        for observer in observers { observer.windowDidChange() }
    }

    func add(_ observer: any ControlledObserver) { state.withLock { $0.observers.add(observer) } }

    func remove(_ observer: any ControlledObserver) { state.withLock { $0.observers.remove(observer) } }
}

/// An observer of an object of the program that controls observations.
protocol ControlledObserver: AnyObject, Sendable {
    /// Handles a change of the observer's ``ObservationPause``.
    func pauseDidChange()
    /// Handles a change of the observer's ``ListWindow``.
    func windowDidChange()
}

/// The running observations that an object of the program controls. It does not retain them.
struct ControlledObservers: Sendable {
    private struct WeakObserver: Sendable {
        weak var observer: (any ControlledObserver)?
    }

    private var observers: [ObjectIdentifier: WeakObserver] = [:]

    var all: [any ControlledObserver] { observers.values.compactMap(\.observer) }

    mutating func add(_ observer: any ControlledObserver) {
        observers[ObjectIdentifier(observer)] = WeakObserver(observer: observer)
    }

    mutating func remove(_ observer: any ControlledObserver) {
        observers.removeValue(forKey: ObjectIdentifier(observer))
    }
}
