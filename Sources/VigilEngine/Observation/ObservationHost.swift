import VigilRegions

/// The database that an observation is started in, as the observation sees it.
protocol ObservationHost: AnyObject, Sendable {
    /// Whether commits are noticed at all. Otherwise there is one value and no more.
    var observesChanges: Bool { get }

    /// Whether commits that come while somebody reads are read together afterwards. Otherwise each of them is read.
    var coalesces: Bool { get }

    /// The observations that go on.
    var registry: ObservationRegistry { get }

    /// `nil` if nobody wants to know what observations do.
    var log: ObservationLog? { get }

    /// Reads for an observer soon: for the first time, if it has no number yet.
    func refresh(_ observer: any CommitObserver, _ id: ObserverID?)

    /// Reads for an observer for the first time, before it returns.
    func refreshNow(_ observer: any CommitObserver)

    /// Tells an observer of nothing any more.
    func remove(_ observer: any CommitObserver, _ id: ObserverID)
}

extension ObservationHost {
    /// Starts an observation, which retains `database` until it ends.
    func start(_ observation: any _StartedObservation, in database: any DatabaseReader, immediately: Bool) {
        guard let observer = observation as? any CommitObserver else { return }
        if observer.begin(in: self, of: database) {
            if immediately { refreshNow(observer) } else { refresh(observer, nil) }
        }
        if immediately { observation._deliverImmediately() }
    }
}
