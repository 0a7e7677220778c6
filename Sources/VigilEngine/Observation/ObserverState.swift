import VigilRegions

/// The state of a started observation, apart from its values and callbacks.
///
/// It does not depend on the type of the values: each access to a generic type inside a `Mutex` would have to look up its
/// metadata (bench: equal-observations).
struct ObserverState {
    var machine = ObservationMachine()
    weak var host: (any ObservationHost)?
    /// The observed database, retained until the observation ends.
    var database: (any DatabaseReader)?
    /// The identifier of the observer's registration, `nil` before it is registered.
    var id: ObserverID?
    /// Whether values and errors are held until ``ValueObserver/_deliverImmediately()`` is called.
    var holdsValues: Bool
    var heldError: (any Error)?
    /// Interrupts the running fetch.
    var interruption: AccessCancellation?
    var log: ObservationLog?
    var region: DatabaseRegion?
    /// Whether the database has disarmed the observer: commits are not matched with it until it reports
    /// its region again.
    var isDisarmed = false
    /// The initial value, if it must not be delivered; `nil` for later values.
    var skip: SkippedValue?
    var commitBeforeStart: CommitNumber?
    var debounce = DebounceMachine()
    var counts = ObservationCounts()

    init(holdsValues: Bool, skipsInitialValue: Bool) {
        self.holdsValues = holdsValues
        skip = skipsInitialValue ? .initial : nil
    }
}

/// A value that is fetched and not delivered.
enum SkippedValue {
    /// The value at the start, with which the next one is compared.
    case initial
    /// A value that may contain a later commit: the next one must be delivered even if it is equal.
    case outdated
}
