public import VigilRegions
import VigilStorage

/// Reports each commit that modifies a region, on the writer connection, before any other write.
///
/// ```swift
/// let observation = DatabaseRegionObservation(tracking: DatabaseRegion(table: "player"))
/// let cancellable = observation.start(in: dbQueue) { error in … } onChange: { db in
///     // Players have changed, and no other write has begun since.
/// }
/// ```
///
/// Unlike ``ValueObservation``, it fetches nothing, and reports nothing when it starts. It also reports commits
/// whose updates leave the rows unchanged.
public struct DatabaseRegionObservation: Sendable {
    private let regions: [any DatabaseRegionConvertible]

    /// Creates an observation of the union of the given regions.
    public init(tracking regions: any DatabaseRegionConvertible...) {
        self.init(tracking: regions)
    }

    /// Creates an observation of the union of `regions`.
    public init(tracking regions: [any DatabaseRegionConvertible]) {
        self.regions = regions
    }

    /// Starts the observation.
    ///
    /// If it starts inside a write access of the same database, it also observes the current transaction. The
    /// observation retains the database until it ends.
    ///
    /// - Parameters:
    ///   - writer: The database to observe.
    ///   - onError: Called at most once, when the observation ends with an error: if the region cannot be
    ///     determined, or if foreign changes are observed and can no longer be detected, for example because
    ///     the database file was replaced.
    ///   - onChange: Called after each commit that modifies the region, inside an access of the writer
    ///     connection.
    /// - Returns: A cancellable that ends the observation when it is cancelled or released.
    @preconcurrency
    public func start(
        in writer: any DatabaseWriter, onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) -> AnyDatabaseCancellable {
        start(in: writer, onError: onError) { db, _ in onChange(db) }
    }

    private func start(
        in writer: any DatabaseWriter, onError: @escaping @Sendable (any Error) -> Void,
        onMatch: @escaping @Sendable (Database, MatchReason) -> Void
    ) -> AnyDatabaseCancellable {
        let observer = RegionObserver(onError: onError, onChange: onMatch)
        writer.unsafeReentrantWrite { db in
            do {
                let region = try db.observable(regions.databaseRegion(db), isNamed: true)
                guard let coordinator = db.coordinator else { return }
                try db.observationWillBegin?(db)
                let id = coordinator.register(region, observer)
                // The observer retains the database until it ends.
                observer.didRegister {
                    writer.asyncWriteWithoutTransaction { $0.coordinator?.unregister(id) }
                }
            } catch {
                onError(error)
            }
        }
        return AnyDatabaseCancellable { observer.cancel() }
    }
}

extension DatabaseRegionObservation {
    /// A commit that modified the region.
    public struct Commit: Sendable {
        /// The first change of the commit within the region: one row, a table, or the whole database.
        public let region: DatabaseRegion
        /// The number of the commit. Numbers increase with each commit of the connection.
        public let number: CommitNumber
        /// The time of the notification.
        public let time: ContinuousClock.Instant
    }

    /// Returns an asynchronous sequence of the commits that modify the region.
    ///
    /// The observation starts when the sequence is iterated, and ends with the iteration.
    ///
    /// ```swift
    /// for try await commit in observation.commits(in: dbPool) {
    ///     print(commit.number, commit.region)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - writer: The database to observe.
    ///   - bufferingPolicy: The number of commits that are kept until they are awaited, and which are dropped
    ///     if there are more. By default, only the newest is kept.
    public func commits(
        in writer: any DatabaseWriter,
        bufferingPolicy: AsyncValueObservation<Commit>.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncValueObservation<Commit> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { _, onError, onChange in
            start(in: writer, onError: onError) { db, reason in
                let number = db.coordinator?.ledger.last ?? .zero
                onChange(Commit(region: DatabaseRegion(reason), number: number, time: .now))
            }
        }
    }
}

extension DatabaseRegion {
    /// Creates the region of one change.
    fileprivate init(_ reason: MatchReason) {
        switch reason {
        case .row(let table, _, .integer(let rowID)): self.init(table: table, rowIds: [rowID])
        case .row(let table, _, _), .table(let table): self.init(table: table)
        case .database: self = .fullDatabase
        }
    }
}
