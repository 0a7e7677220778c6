/// A backend with reports of the commits of all connections and processes, such as a server with a stream of
/// changes.
///
/// ```swift
/// struct MyBackend: StorageBackend, CommitFeeding { … }
/// ```
///
/// Some observations are weaker with a feed, because nothing can be done between a commit and the next one:
/// the fetches of an observation must not write (`requiresWriteAccess` ends it with `SQLITE_MISUSE`),
/// `coalescing(.never)` has no effect, and a `DatabaseRegionObservation` is notified on the writer when other
/// commits may have followed.
///
/// The commits of such a backend are received from its feed only. Connections need not report their own
/// changes, and ``StorageConnection/foreignChangeToken()`` is not called. The feed belongs to a
/// `DatabasePool`; a `DatabaseQueue` observes its connection, as with any other backend.
public protocol CommitFeeding: StorageBackend {
    /// Starts a feed of the commits to a database.
    ///
    /// Each commit visible after the return of this function must be reported, at least coarsely. While the
    /// feed connects, or after it has lost its source, it may report several commits as one change of the
    /// whole database.
    ///
    /// - Returns: the running feed, until it is cancelled or released; `nil` if this database has none.
    /// - Throws: ``StorageError`` if the feed can never work, as with a wrong password. If the source
    ///   cannot be reached now, the feed connects later, and reports a change of the whole database.
    func commitFeed(
        of location: StorageLocation, options: StorageOptions, to receiver: any CommitFeedReceiver
    ) throws(StorageError) -> (any StorageCommitFeed)?
}

/// A running feed of commits. It ends when it is cancelled or released.
public protocol StorageCommitFeed: AnyObject, Sendable {
    /// Ends the feed. Can be called repeatedly, from any thread.
    ///
    /// After it returns, no further call of the receiver begins; one that has already begun may still be
    /// running.
    func cancel()

    /// Notes a commit by the owner: a feed with comparisons at intervals compares now. Called on the thread
    /// of the commit: it must return quickly, without calling the receiver.
    func didCommitHere()
}

extension StorageCommitFeed {
    /// Does nothing: a feed with a stream of changes receives the commit from it.
    public func didCommitHere() {}
}

/// The precision of a feed.
public enum CommitFeedState: Sendable, Hashable {
    /// The feed connects to its source. Commits are reported as changes of the whole database.
    case starting
    /// Commits are reported with their changes.
    case precise
    /// Commits are reported as changes of the whole database, for this reason. The reason contains no
    /// password.
    case coarse(reason: String)
}

/// Receives the commits of a database. All calls are made by one thread at a time.
///
/// A commit is reported when every later snapshot contains it. A feed that learns of a commit earlier, as
/// from a stream of decoded changes, waits until the commit is visible. Otherwise a fetch in response would
/// miss the commit, and no other report would follow.
///
/// The order of the reports may differ from the order of the commits.
public protocol CommitFeedReceiver: AnyObject, Sendable {
    /// Receives a change of the current commit; it and its images are valid until this function returns.
    /// Rolled back changes are not reported.
    func didChange(_ event: ChangeEvent)

    /// Ends a commit: the changes since the previous call belong to it.
    func didCommit()

    /// Receives the state of the feed, before its first change.
    func stateDidChange(_ state: CommitFeedState)

    /// Receives how long ago a commit happened that the feed has received, and will report when it is
    /// visible.
    func didReceiveCommit(after lag: Duration)
}

extension CommitFeedReceiver {
    /// Does nothing: only metrics use it.
    public func didReceiveCommit(after lag: Duration) {}
}
