import VigilRegions

/// Somebody to be told when a commit touches a region.
protocol CommitObserver: AnyObject, Sendable {
    /// Whether ``read(_:at:because:)`` needs the connection that writes: to write itself, or to run before any other write.
    var needsWriter: Bool { get }

    /// Whether each commit that touches the region is to be read as of that commit.
    var readsEachCommit: Bool { get }

    /// The observation begins, and retains `database` until it ends. Answers whether to read for it now.
    func begin(in host: any ObservationHost, of database: any DatabaseReader) -> Bool

    /// A commit touched the region. Called on the connection that writes; must be quick.
    func didChange(_ trigger: ObservationTrigger) -> ChangeAnswer

    /// Reads what is observed for the first time, or again after a commit.
    ///
    /// - Parameters:
    ///   - db: a connection where the commit is visible. It cannot write unless ``needsWriter`` says so.
    ///   - commit: `db` sees all commits up to this one.
    ///   - reason: what touched the region; `nil` the first time.
    func read(_ db: Database, at commit: CommitNumber, because reason: HitReason?) -> ObserverReading

    /// The database is about to register the observer: from now on it may be told of commits.
    func willRegister(_ id: ObserverID)

    /// The database has registered the observer: it hears of commits from now on.
    func didRegister(_ id: ObserverID)

    /// Ends the observation with an error.
    func fail(_ error: any Error)

    /// Ends the observation without a word: the database was closed.
    func cancel()
}

extension CommitObserver {
    /// Reads, and delivers what was read.
    func update(_ db: Database, at commit: CommitNumber, because reason: HitReason?) -> ObserverRenewal {
        let reading = read(db, at: commit, because: reason)
        reading.deliver?()
        return reading.renewal
    }
}

/// What an observer says when a commit touched its region.
enum ChangeAnswer {
    /// Read for it.
    case read
    /// It cannot take a value now, and will see to it itself.
    case wait
    /// The same, and further commits make no difference: it need not be told of them before it has read again, when it
    /// says what it observes.
    case sleep
}

/// What an observer has read.
struct ObserverReading: Sendable {
    let renewal: ObserverRenewal
    /// Hands on what was read; `nil` if that is nothing.
    var deliver: (@Sendable () -> Void)?
}

/// What becomes of an observer after it was told.
enum ObserverRenewal: Sendable {
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
    /// What of the region was touched, if more is known than the reason says.
    var cause: HitCause?
}
