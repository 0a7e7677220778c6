/// A connection that can find the rows changed by commits of other connections and processes.
///
/// All functions are called while the connection writes nothing. A mark is the state that the connection
/// could see when it was set; the commits up to a mark include commits of the connection. While statements of
/// the connection read a snapshot, no mark is set: the token does not count the commits after the snapshot.
///
/// The caller must not lose a commit between the mark and ``StorageConnection/foreignChangeToken()``:
/// 1. It sets a mark, and then takes the token. If the token is the last one, all commits up to the mark are
///    known: ``skipMarkedCommits()``.
/// 2. Otherwise it sets another mark, and calls ``reportMarkedCommits(to:)``. The token of step 1 is then the
///    last one: commits after it are found by the next comparison.
/// 3. After a failure, all commits up to a token taken *afterwards* must count as a change of the database.
package protocol ForeignCommitReading: StorageConnection {
    /// Whether the current state of the database is the last known one, and nothing has to be prepared.
    /// `false` if that is known only after the database was read.
    var knowsCurrentState: Bool { get }

    /// Sets the mark to the current state of the database.
    func markCommits()

    /// Treats all commits up to the mark as known.
    func skipMarkedCommits()

    /// Reports the changes of all commits after the known ones, up to the mark, and treats them as known.
    ///
    /// Own commits among them are reported again. The changes of each commit are reported separately, because
    /// two commits can make up for each other, and a value may have been fetched in between.
    ///
    /// - Returns: `nil`, or the reason why any row of the database may have changed; the reported changes are
    ///   then worthless.
    func reportMarkedCommits(to report: (ChangeEvent) -> Void) -> String?

    /// Whether another connection has begun to write a commit that is not known; `nil` if that cannot be
    /// found out. If it is `false`, the next commit begins with a write that ``StorageBackend`` watches.
    var hasCommitInProgress: Bool? { get }

    /// Returns whether readers keep a log from beginning again, so that it grows, and fetches should leave
    /// time for a checkpoint. Called once after each check that found a commit.
    func logWaitsForReaders() -> Bool

    /// Returns the progress of the log, without reading the database; `nil` without a log.
    func logProgress() -> LogProgress?

    /// Prepares for later commits, if that is necessary. It may read a part of the database.
    func prepareForForeignCommits()

    /// Whether the rows of commits are found at present, and the reason if not.
    var foreignCommitState: CommitFeedState { get }
}

/// The state of a write-ahead log after a commit.
package struct LogState: Sendable, Hashable {
    /// A number incremented by each commit of any connection, unless it changes no pages.
    package let changeCounter: UInt32
    /// The last frame of the commit.
    package let lastFrame: UInt32
    /// Identifies the log since it began again.
    package let salts: UInt64

    package init(changeCounter: UInt32, lastFrame: UInt32, salts: UInt64) {
        self.changeCounter = changeCounter
        self.lastFrame = lastFrame
        self.salts = salts
    }
}

/// How far a log has been written, and copied by checkpoints.
package struct LogProgress: Sendable, Equatable {
    /// The last frame of the last commit.
    package let lastFrame: UInt32
    /// The last frame that checkpoints have begun to copy; 0 if none has since the log began.
    package let copiedFrame: UInt32

    package init(lastFrame: UInt32, copiedFrame: UInt32) {
        self.lastFrame = lastFrame
        self.copiedFrame = copiedFrame
    }
}
