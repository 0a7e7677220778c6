import VigilRegions

/// The database of observations: it fetches for observers, and registers them.
protocol ObservationHost: AnyObject, Sendable {
    /// Whether commits can modify the database. Otherwise an observation delivers one value only.
    var observesChanges: Bool { get }

    /// Whether commits during a fetch are coalesced into the next one. Otherwise each of them is fetched.
    var coalesces: Bool { get }

    /// Whether a fetch of an observation may write.
    var allowsWritingFetches: Bool { get }

    /// Whether an observation can fetch the state of each commit. If not, `coalescing(.never)` has no effect.
    var readsEachCommit: Bool { get }

    /// Whether the changes of commits by others are known; `nil` if such commits are not observed.
    var precision: CommitPrecision? { get }

    /// Whether observers without write access fetch on the writer, or depend on its snapshots.
    var fetchesOnWriter: Bool { get }

    /// Decides where the fetches of an observation without write access run.
    func route(_ mode: ObservationMachine.Mode) -> FetchRoute

    /// The last commit, `.zero` if commits are not numbered.
    var lastCommit: CommitNumber { get }

    var registry: ObservationRegistry { get }

    /// The log of the observations, `nil` if the configuration has no logger.
    var log: ObservationLog? { get }

    /// The commits to apply to lists; `nil` if the database cannot change.
    var listLedger: CommitLedger? { get }

    /// Schedules a fetch for an observer: the initial fetch if `id` is `nil`.
    func scheduleFetch(_ observer: any CommitObserver, _ id: ObserverID?)

    /// Fetches on the writer, after a pause, for observers whose fetches were not possible.
    func repeatFetches(of ids: [ObserverID], after pause: Duration)

    /// Runs an observer's initial fetch, and returns after it.
    func fetchNow(_ observer: any CommitObserver)

    /// Fetches for the observers made stale by a commit, now or later. Called on the writer after each
    /// commit, with its changes; must return quickly if no observer is stale.
    func didCommit(_ changes: ChangeSet, _ stale: [StaleObserver], on db: Database)

    func remove(_ observer: any CommitObserver, _ id: ObserverID)
}

extension ObservationHost {
    var allowsWritingFetches: Bool { true }
    var readsEachCommit: Bool { true }
    var lastCommit: CommitNumber { .zero }
    var listLedger: CommitLedger? { nil }

    /// Ends the observations without a fetch to fail, after the database was closed. The
    /// ``CommitCoordinator`` ends its registered observers.
    func databaseDidClose() { registry.cancelIdle(observesChanges: observesChanges) }

    /// Starts an observation. It retains `database` until it ends.
    ///
    /// - Parameter immediately: Whether the initial value is fetched and delivered before it returns.
    func start(_ observation: any _StartedObservation, in database: any DatabaseReader, immediately: Bool) {
        guard let observer = observation as? any CommitObserver else { return }
        if observer.begin(in: self, of: database) {
            if observer.mayWrite, !allowsWritingFetches {
                observer.fail(DatabaseError.fetchMustNotWrite)
            } else if immediately {
                fetchNow(observer)
            } else {
                scheduleFetch(observer, nil)
            }
        }
        if immediately { observation._deliverImmediately() }
    }
}

extension DatabaseError {
    fileprivate static var fetchMustNotWrite: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                an observation with requiresWriteAccess is not supported by this backend: the feed of commits would notify \
                it of what its own fetch writes, without end
                """)
    }
}
/// A started observation, independent of the type of its values. Not for apps to implement.
public protocol _StartedObservation: AnyObject, Sendable {
    /// Delivers the values held for delivery before `start` returns.
    func _deliverImmediately()
}
