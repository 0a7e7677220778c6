import VigilRegions

/// Somebody to be told when a commit touches a region.
protocol CommitObserver: AnyObject, Sendable {
    /// Whether ``update(_:because:)`` needs the connection that writes: to write itself, or to run before any other write.
    var needsWriter: Bool { get }

    /// Reads what is observed for the first time, or again after a commit.
    ///
    /// - Parameters:
    ///   - db: a connection where the commit is visible. It cannot write unless ``needsWriter`` says so.
    ///   - reason: what touched the region; `nil` the first time.
    func update(_ db: Database, because reason: HitReason?) -> ObserverRenewal

    /// How to leave, once the observer is registered.
    func didRegister(leave: @escaping @Sendable () -> Void)

    /// Ends the observation with an error.
    func fail(_ error: any Error)

    /// Ends the observation without a word: the database was closed.
    func cancel()
}

/// What becomes of an observer after it was told.
enum ObserverRenewal {
    /// It observes what it did.
    case unchanged
    case observes(DatabaseRegion)
    case ended
}

/// An observer, and why it was touched.
struct TouchedObserver {
    let id: ObserverID
    let observer: any CommitObserver
    let reason: HitReason
}
