import Dispatch
import VigilRegions
public import VigilStorage

/// A database behind one connection that writes and several that read.
///
/// Readers and the writer do not wait for each other: the database has a write-ahead log. Reads see what was
/// committed when they began. All functions can be called from any thread.
public final class DatabasePool: DatabaseWriter {
    public let configuration: Configuration
    public let path: String
    let writer: ConnectionAccess
    let readers: ReaderPool
    let observationScheduler: ObservationScheduler
    private let openSnapshotConnection: @Sendable () throws -> ConnectionAccess
    private let foreignChanges: ForeignChangeWatcher?
    private let suspensionNotifications: SuspensionNotifications?

    /// Opens a database with a backend.
    ///
    /// - Throws: `DatabaseError` if it cannot be opened, is no database, or is encrypted with another key; and if
    ///   the backend has no readers that work beside a writer.
    public init(backend: any StorageBackend, location: StorageLocation, configuration: Configuration) throws {
        self.configuration = configuration
        path = location.path
        let label = configuration.label ?? "Vigil.DatabasePool"
        let hub = ChangeHub(ignoresNoOpUpdates: configuration.ignoresNoOpUpdates, countsAllCommits: true)
        var options = configuration.storageOptions(readOnly: configuration.readonly)
        options.journalMode = configuration.readonly ? .unchanged : .wal
        writer = try ConnectionAccess.open(
            backend, location, options: options, configuration: configuration, label: "\(label).writer",
            changes: hub, target: configuration.writerTargetQueue)

        // The writer knows who observes. Until it is told, nobody who begins to observe trusts prefixes.
        let connectionDidChange: @Sendable (ConnectionChange) -> Void = {
            [writer, ledger = hub.ledger] change in
            switch change {
            case .patterns:
                guard ledger.forgetPrefixes() else { return }
                writer.async { db in db.changes?.forgetPrefixes(db) }
            case .databases:
                writer.async { db in db.changes?.didCommitElsewhere(db) }
            }
        }
        let readerConfiguration = configuration.forReaders
        let open: @Sendable (String) throws -> ConnectionAccess = { label in
            try ConnectionAccess.open(
                backend, location, options: readerConfiguration.storageOptions(readOnly: true),
                configuration: readerConfiguration, label: label, changes: nil,
                target: configuration.targetQueue, connectionDidChange: connectionDidChange)
        }
        readers = ReaderPool(capacity: configuration.maximumReaderCount) { try open("\(label).reader.\($0)") }
        let snapshots = Counter()
        openSnapshotConnection = { try open("\(label).snapshot.\(snapshots.next())") }
        let observesForeign = configuration.foreignChanges == .observed
        observationScheduler = ObservationScheduler(
            ledger: hub.ledger, writer: writer, readers: readers,
            observedFile: observesForeign ? try writer.identifyFile() : nil, configuration: configuration)
        writer.sync { [observationScheduler] in
            $0.changes?.refresher = observationScheduler
        }
        suspensionNotifications =
            configuration.observesSuspensionNotifications && !configuration.readonly
            ? SuspensionNotifications(writer) : nil
        foreignChanges =
            observesForeign
            ? ForeignChangeWatcher(backend: backend, location: location, access: writer) : nil
        // From now on and for good: an observer reads before the writer knows of it.
        try writer.sync { [foreignChanges] db in try foreignChanges?.observationWillBegin(db) }
        if let foreignChanges { writer.announceObservations(to: foreignChanges) }
    }

    deinit {
        foreignChanges?.stop()
    }

    public func close() throws {
        checkHoldsNoReader()
        do {
            try readers.beginBarrier()
        } catch  where readers.isClosed {
            return
        }
        defer { readers.endBarrier() }
        try insideBarrier { db in
            try readers.closeIdle()
            try db.close()
            readers.end()
            db.changes?.removeAll()
        }
        foreignChanges?.stop()
    }

    public func interrupt() {
        writer.interrupt()
        readers.readers.forEach { $0.interrupt() }
    }

    /// Refuses writes with `SQLITE_ABORT` until ``resume()``.
    ///
    /// For an app that is about to be suspended: the system kills one that holds a lock on a file then. The statement that
    /// the writer runs is interrupted. The writer can still read and end what is open with `COMMIT`, `ROLLBACK` or
    /// `RELEASE`. A refused statement, and the end of an access, roll back an open transaction. Readers keep working, and
    /// a read-only pool ignores this.
    public func suspend() {
        guard !configuration.readonly else { return }
        writer.suspend()
    }

    /// Ends what ``suspend()`` began.
    public func resume() {
        writer.resume()
    }

    /// Closes the readers that nobody uses, and gives back memory that is only held to be faster.
    public func releaseMemory() {
        writer.sync { $0.releaseMemory() }
        readers.releaseMemory()
    }

    /// A connection that sees the database as it is now, for ever.
    ///
    /// - Throws: `DatabaseError` if a connection cannot be opened.
    public func makeSnapshot() throws -> DatabaseSnapshot {
        guard !readers.isClosed else { throw DatabaseError.connectionIsClosed }
        let access = try openSnapshotConnection()
        do {
            try access.sync { try $0.beginSnapshot() }
        } catch {
            try? access.sync { try $0.close() }
            throw error
        }
        return DatabaseSnapshot(access: access, path: path, configuration: configuration.forReaders)
    }
}

extension DatabasePool {
    public func _start(_ observation: any _StartedObservation, immediately: Bool) {
        observationScheduler.start(observation, in: self, immediately: immediately)
    }

    public var observations: [ObservationStatus] { observationScheduler.registry.statuses }
}
