import VigilRegions

/// An observer that is notified when a commit modifies its region.
protocol CommitObserver: AnyObject, Sendable {
    /// Where ``fetch(_:at:because:)`` runs. It does not change after ``begin(in:of:)``.
    var route: FetchRoute { get }

    /// Whether the fetch may write, and runs on the writer.
    var mayWrite: Bool { get }

    /// The last commit before the start, if the initial value is fetched and not delivered: all later commits
    /// must be reported. Otherwise `nil`.
    var commitBeforeStart: CommitNumber? { get }

    /// Whether the last fetch was slow, and what identifies it.
    var slowFetch: SlowFetch? { get }

    /// Starts the observation, and retains `database` until it ends. Returns whether to fetch now.
    func begin(in host: any ObservationHost, of database: any DatabaseReader) -> Bool

    /// Called while lists are observed, on the writer, with the number of a commit in the region. The
    /// observer is notified later.
    func didMatch(_ commit: CommitNumber)

    /// Notifies the observer of a commit in its region. Called on the writer; must return quickly.
    func didChange(_ trigger: ObservationTrigger) -> ChangeAnswer

    /// Fetches the observed value, initially or after a commit.
    ///
    /// - Parameters:
    ///   - db: a connection that sees the commit. It can only write if ``route`` is `writer`.
    ///   - commit: the last commit that `db` is known to see.
    ///   - change: what modified the region; `nil` for the initial fetch.
    func fetch(_ db: Database, at commit: CommitNumber, because change: MatchedChange?) -> ObserverFetch

    /// Called before the database registers the observer: from now on it may be notified of commits.
    func willRegister(_ id: ObserverID)

    /// Called before the initial value is delivered, if a commit since the start of the observation may have
    /// modified the region: the value may contain it.
    func initialValueIsOutdated()

    /// Called after the database has registered the observer: from now on it is notified of commits.
    func didRegister(_ id: ObserverID)

    /// Called after the registration of the last fetch's region, if no commit since that fetch has modified
    /// it.
    func didRegisterRegion()

    /// Handles a failure to read the database, possibly a temporary one. Returns the pause before the
    /// fetch is repeated; `nil` if the observation has ended.
    func postponeFetch(after error: any Error) -> Duration?

    /// Whether the postponed fetch is still needed: no later fetch has begun during the pause.
    var needsPostponedFetch: Bool { get }

    func fail(_ error: any Error)

    /// Ends the observation without an error, because it was cancelled or the database was closed.
    func cancel()
}

extension CommitObserver {
    var commitBeforeStart: CommitNumber? { nil }
    var slowFetch: SlowFetch? { nil }
    var needsPostponedFetch: Bool { true }

    func didMatch(_ commit: CommitNumber) {}
    func initialValueIsOutdated() {}
    func didRegisterRegion() {}

    func postponeFetch(after error: any Error) -> Duration? {
        fail(error)
        return nil
    }

    /// Fetches, and delivers the result.
    func fetchAndDeliver(_ db: Database, at commit: CommitNumber, because change: MatchedChange?)
        -> ObserverRenewal
    {
        let result = fetch(db, at: commit, because: change)
        result.deliver?()
        return result.renewal
    }
}

/// An observer's answer to a commit in its region.
enum ChangeAnswer {
    /// Fetch for the observer.
    case fetch
    /// Do not fetch: the observer cannot take a value now, and will request a fetch later.
    case wait
    /// Do not fetch, and stop matching the observer until its next fetch provides a region.
    case disarm
}

/// The result of a fetch.
struct ObserverFetch: Sendable {
    let renewal: ObserverRenewal
    /// Delivers the result; `nil` if there is nothing to deliver.
    var deliver: (@Sendable () -> Void)?
}

/// The state of an observer after a fetch.
enum ObserverRenewal: Sendable {
    /// The region is the same as before.
    case unchanged
    /// The observer has this region from now on.
    case observes(DatabaseRegion)
    /// The observation has ended.
    case ended
    /// The server could not be read. The fetch must be repeated after the pause, or the observation ended
    /// with the error.
    case postponed(any Error, pause: Duration)
}

/// Where the fetches of an observer run. Its host decides once, when the observation starts.
enum FetchRoute {
    /// On the writer, in an access in which the fetch may write.
    case writer
    /// In a round for all stale observers, in one snapshot: on the only connection of a queue, or on a reader
    /// of a pool.
    case round
    /// In a snapshot of each commit, on a reader of a pool.
    case perCommit
}

/// An observer to fetch for, and why. Observers are equal if they are identical.
///
/// An object, because it is passed on several times in each commit.
final class StaleObserver: Sendable {
    let observer: any CommitObserver
    /// The observer's registration, or the one to be made after its initial fetch.
    let id: ObserverID
    /// The change of the region; `nil` for the initial fetch.
    let change: MatchedChange?

    init(_ observer: any CommitObserver, id: ObserverID, change: MatchedChange?) {
        self.observer = observer
        self.id = id
        self.change = change
    }

    /// Whether the observer has not fetched yet.
    var isInitial: Bool { change == nil }
    /// The registered observer, for another fetch that any change may be the reason for.
    var again: StaleObserver { isInitial ? StaleObserver(observer, id: id, change: .database) : self }

    /// Returns the trigger to notify the observer of.
    func trigger(at commit: CommitNumber) -> ObservationTrigger {
        ObservationTrigger(commit: commit, change ?? .database)
    }
}

extension StaleObserver: Hashable {
    static func == (a: StaleObserver, b: StaleObserver) -> Bool { a.observer === b.observer }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(observer)) }
}

/// The observers of a closed database.
///
/// They are cancelled and released outside of the access that closes it: objects that only they or their
/// callbacks retain may use the database when they are released.
struct EndedObservers {
    /// The observers of values and regions.
    let observers: [any CommitObserver]
    /// The observers of transactions.
    let others: [any TransactionObserver]

    func cancel() { observers.forEach { $0.cancel() } }
}
