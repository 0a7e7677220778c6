public import VigilRegions
import VigilStorage

/// Reports each commit in a region, on the writer connection, before any other write.
///
/// ```swift
/// let observation = DatabaseRegionObservation(tracking: DatabaseRegion(table: "player"))
/// let cancellable = observation.start(in: dbQueue) { error in … } onChange: { db in
///     // Players have changed, and no other write has begun since.
/// }
/// ```
///
/// Unlike ``ValueObservation``, it fetches nothing, and by default reports nothing when it starts. It also
/// reports commits with updates that leave the rows unchanged.
public struct DatabaseRegionObservation: Sendable {
    let regions: [any DatabaseRegionConvertible]

    /// Creates an observation of the union of the given regions.
    public init(tracking regions: any DatabaseRegionConvertible...) {
        self.init(tracking: regions)
    }

    /// Creates an observation of the union of `regions`.
    public init(tracking regions: [any DatabaseRegionConvertible]) {
        self.regions = regions
    }

    /// Returns an observation of the union of the given regions.
    ///
    /// ```swift
    /// let observation = DatabaseRegionObservation.tracking(Player.all(), Team.all())
    /// ```
    public static func tracking(_ regions: any DatabaseRegionConvertible...) -> DatabaseRegionObservation {
        DatabaseRegionObservation(tracking: regions)
    }

    /// Returns an observation of the union of `regions`.
    public static func tracking(_ regions: [any DatabaseRegionConvertible]) -> DatabaseRegionObservation {
        DatabaseRegionObservation(tracking: regions)
    }
}

// MARK: - Starting

extension DatabaseRegionObservation {
    /// Starts the observation.
    ///
    /// If it starts inside a write access of the same database, it also observes the current transaction. The
    /// observation retains the database until it ends.
    ///
    /// - Parameters:
    ///   - writer: The database to observe.
    ///   - onError: Called at most once, when the observation ends with an error: if the database is closed
    ///     at the start, if the region cannot be determined, or if foreign changes are observed and can no
    ///     longer be detected, for example because the database file was replaced.
    ///   - onChange: Called after each commit in the region, inside an access of the writer connection.
    /// - Returns: A cancellable that ends the observation when it is cancelled or released.
    @preconcurrency
    public func start(
        in writer: any DatabaseWriter, onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) -> AnyDatabaseCancellable {
        start(in: writer, startImmediately: false, onError: onError, onChange: onChange)
    }

    /// Starts the observation, and decides whether `onChange` is also called at the start.
    ///
    /// If it starts inside a write access of the same database, it also observes the current transaction. The
    /// observation retains the database until it ends.
    ///
    /// - Parameters:
    ///   - writer: The database to observe.
    ///   - startImmediately: Whether `onChange` is called once before this method returns. No other write can
    ///     begin between this call and the start of the observation.
    ///   - onError: Called at most once, with the observation's error.
    ///   - onChange: Called after each commit in the region, inside an access of the writer connection.
    /// - Returns: A cancellable that ends the observation when it is cancelled or released.
    @preconcurrency
    public func start(
        in writer: any DatabaseWriter, startImmediately: Bool,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) -> AnyDatabaseCancellable {
        start(
            in: writer, onError: onError,
            onStart: { db, _ in if startImmediately { onChange(db) } },
            onMatch: { db, _, _ in onChange(db) })
    }

    /// Starts the observation.
    ///
    /// - Parameters:
    ///   - onStart: Called with the region, in the access of the registration.
    ///   - onMatch: Called after each commit in the region.
    private func start(
        in writer: any DatabaseWriter, onError: @escaping @Sendable (any Error) -> Void,
        onStart: (Database, DatabaseRegion) -> Void,
        onMatch: @escaping @Sendable (Database, MatchReason, CommitNumber) -> Void
    ) -> AnyDatabaseCancellable {
        let observer = RegionObserver(regions, onError: onError, onChange: onMatch)
        writer.unsafeReentrantWrite { db in
            do {
                if db.isClosed { throw DatabaseError.connectionIsClosed }
                // Before the region is derived: a commit in between can change a view.
                if db.coordinator != nil { try db.foreignChanges.observationWillBegin?(db) }
                let region = try observer.deriveRegion(db)
                if let coordinator = db.coordinator {
                    let id = coordinator.register(region, observer)
                    observer.didRegister(id)
                    // The observer retains the database until it ends.
                    observer.didRegister {
                        writer.asyncWriteWithoutTransaction { $0.coordinator?.unregister(id) }
                    }
                } else if let database = writer as? any DatabaseWriter & ObservedDatabase {
                    database.observationRegistry?.addRegions(observer)
                    observer.didRegister { database.observationRegistry?.removeRegions(observer) }
                }
                onStart(db, region)
            } catch {
                observer.fail(error)
            }
        }
        return AnyDatabaseCancellable { observer.cancel() }
    }
}

extension DatabaseRegionObservation {
    /// A commit in the region, or the last commit before the start.
    public struct Commit: Sendable {
        /// The first change of the commit within the region: one row, a table, or the whole database. At the
        /// start, the observed region.
        public let region: DatabaseRegion
        /// The number of the commit. Numbers increase with each commit of the connection.
        public let number: CommitNumber
        /// The time of the notification.
        public let time: ContinuousClock.Instant

        fileprivate init(_ region: DatabaseRegion, _ number: CommitNumber) {
            self.region = region
            self.number = number
            time = .now
        }
    }

    /// Returns an asynchronous sequence of the commits in the region.
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
    ///   - startImmediately: Whether the first element is the last commit before the start, with the whole
    ///     region.
    ///   - bufferingPolicy: The number of commits to keep until they are awaited, and the choice of commits
    ///     to drop. By default, only the newest is kept.
    public func commits(
        in writer: any DatabaseWriter, startImmediately: Bool = false,
        bufferingPolicy: AsyncValueObservation<Commit>.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncValueObservation<Commit> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { _, onError, onChange in
            start(
                in: writer, onError: onError,
                onStart: { db, region in
                    if startImmediately { onChange(Commit(region, db.coordinator?.lastCommit ?? .zero)) }
                },
                onMatch: { _, reason, number in onChange(Commit(DatabaseRegion(reason), number)) })
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
