public import VigilRegions
import VigilStorage

/// Tells of each commit that touches a region, on the connection that wrote, before any other write.
///
/// ```swift
/// let observation = DatabaseRegionObservation(tracking: DatabaseRegion(table: "player"))
/// let cancellable = observation.start(in: dbQueue) { error in … } onChange: { db in
///     // The players were changed; nobody else has written since.
/// }
/// ```
///
/// Unlike ``ValueObservation`` it reads nothing by itself, tells nothing at its start, and is told also of updates
/// that leave a row as it was.
public struct DatabaseRegionObservation: Sendable {
    private let regions: [any DatabaseRegionConvertible]

    public init(tracking regions: any DatabaseRegionConvertible...) {
        self.init(tracking: regions)
    }

    public init(tracking regions: [any DatabaseRegionConvertible]) {
        self.regions = regions
    }

    /// Starts the observation. Inside a write access of the same database it observes the current transaction too.
    ///
    /// The observation retains the database until it ends.
    ///
    /// - Parameters:
    ///   - onError: called if the region cannot be found out; and if foreign changes are observed and can no longer be noticed,
    ///     for example because the database file was replaced. The observation then ends.
    ///   - onChange: called inside an access of the writing connection, after each commit that touches the region.
    /// - Returns: what ends the observation, when it is cancelled or released.
    @preconcurrency
    public func start(
        in writer: any DatabaseWriter, onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) -> AnyDatabaseCancellable {
        start(in: writer, onError: onError) { db, _ in onChange(db) }
    }

    private func start(
        in writer: any DatabaseWriter, onError: @escaping @Sendable (any Error) -> Void,
        onHit: @escaping @Sendable (Database, HitReason) -> Void
    ) -> AnyDatabaseCancellable {
        let observer = RegionObserver(onError: onError, onChange: onHit)
        writer.unsafeReentrantWrite { db in
            do {
                let region = try db.observable(regions.databaseRegion(db), isNamed: true)
                guard let changes = db.changes else { return }
                try db.observationWillBegin?(db)
                let id = changes.observe(region, observer)
                // The observer retains the database until it ends.
                observer.didRegister {
                    writer.asyncWriteWithoutTransaction { $0.changes?.remove(id) }
                }
            } catch {
                onError(error)
            }
        }
        return AnyDatabaseCancellable { observer.cancel() }
    }
}

extension DatabaseRegionObservation {
    /// A commit that touched the region.
    public struct Commit: Sendable {
        /// The part of the region that the commit touched first: one row, a table, or the whole database.
        public let region: DatabaseRegion
        /// Grows with each commit of the connection.
        public let number: CommitNumber
        /// When it was told.
        public let time: ContinuousClock.Instant
    }

    /// The commits as an asynchronous sequence, which starts when it is iterated.
    ///
    /// - Parameter bufferingPolicy: what becomes of commits that nobody awaits yet. By default only the newest is kept.
    public func commits(
        in writer: any DatabaseWriter,
        bufferingPolicy: AsyncValueObservation<Commit>.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncValueObservation<Commit> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { _, onError, onChange in
            start(in: writer, onError: onError) { db, reason in
                let number = db.changes?.ledger.last ?? .zero
                onChange(Commit(region: DatabaseRegion(reason), number: number, time: .now))
            }
        }
    }
}

extension DatabaseRegion {
    /// Where the change is that touched a region.
    fileprivate init(_ reason: HitReason) {
        switch reason {
        case .row(let table, _, .integer(let rowID)): self.init(table: table, rowIds: [rowID])
        case .row(let table, _, _), .table(let table): self.init(table: table)
        case .database: self = .fullDatabase
        }
    }
}
