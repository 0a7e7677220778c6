import Dispatch
public import Foundation
import Synchronization
import VigilRegions
public import VigilStorage

/// A database with one writing connection, and several concurrent readers.
///
/// ```swift
/// let dbPool = try DatabasePool(path: path)
/// let count = try dbPool.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
/// }
/// ```
///
/// The database uses a write-ahead log, so that readers and the writer do not wait for each other. A read
/// sees all commits before its beginning, and no later ones. All methods can be called from any thread.
public final class DatabasePool: DatabaseWriter {
    /// The configuration that the pool was opened with.
    public let configuration: Configuration
    /// The path of the database file.
    public let path: String
    let writer: ConnectionAccess
    let readers: ReaderPool
    let observationHost: PoolObservationHost
    private let openSnapshotConnection: @Sendable () throws -> ConnectionAccess
    private let foreignChanges: ForeignChangeWatcher?
    /// The feed of commits, if the backend has one.
    private let commitFeed: (any StorageCommitFeed)?
    private let feedCoordinator: FeedCoordinator?
    /// The precision of the feed of commits; `nil` if the backend has none.
    package var feedState: CommitFeedState? { feedCoordinator?.precision.state }
    private let suspensionNotifications: SuspensionNotifications?

    /// Opens a database with a backend.
    ///
    /// - Throws: `DatabaseError` if the file cannot be opened, is not a database, or is encrypted with
    ///   another key, or if the backend does not support reading while another connection writes.
    public convenience init(
        backend: any StorageBackend, location: StorageLocation, configuration: Configuration
    ) throws {
        try self.init(
            backend: backend, location: location, configuration: configuration, timer: DispatchTimer())
    }

    /// - Parameter timer: the clock of the pauses between the rounds of observations. Tests replace it.
    package init(
        backend: any StorageBackend, location: StorageLocation, configuration: Configuration,
        timer: any ObservationTimer
    ) throws {
        try configuration.validate()
        let configuration = configuration.using(backend)
        self.configuration = configuration
        path = location.path
        let label = configuration.label ?? "Vigil.DatabasePool"
        var options = configuration.storageOptions(readOnly: configuration.readonly)
        options.journalMode = configuration.readonly ? .unchanged : .wal
        let (log, monitor) = (ObservationLog(configuration), configuration.observationMonitor)
        (commitFeed, feedCoordinator) = try Self.startFeed(
            backend: backend, location: location, options: &options, configuration: configuration, log: log)
        let hub = feedCoordinator
        let coordinator = CommitCoordinator(
            ignoresNoOpUpdates: configuration.ignoresNoOpUpdates, countsAllCommits: hub == nil, feed: hub)
        writer = try ConnectionAccess.open(
            backend, location, options: options, configuration: configuration, label: "\(label).writer",
            coordinator: coordinator, target: configuration.writerTargetQueue)
        try Self.checkAllowsReaders(writer, configuration)
        let ledger = hub?.ledger ?? coordinator.ledger
        let connectionDidChange = Self.reactionToReaders(writer, ledger)
        let observesForeign = configuration.foreignChanges == .observed && hub == nil
        let file = try writer.identifyFile()
        let observedFile = observesForeign ? file : nil
        let precision =
            hub?.precision ?? (observesForeign ? CommitPrecision(of: .elsewhere, log: log, monitor) : nil)
        writer.sync { db in
            db.foreignChanges.file = observedFile
            db.foreignChanges.precision = precision
        }
        let open = Self.openReader(
            backend: backend, location: location, configuration: configuration, file: file, feed: commitFeed,
            connectionDidChange: connectionDidChange
        ) { $0.foreignChanges.file = observedFile }
        readers = ReaderPool(
            capacity: configuration.maximumReaderCount,
            closedError: .connectionIsClosed.of(writer.sync { $0.dialect })
        ) { try open("\(label).reader.\($0)") }
        let snapshots = Atomic(0)
        openSnapshotConnection = {
            try open("\(label).snapshot.\(snapshots.wrappingAdd(1, ordering: .relaxed).newValue)")
        }
        observationHost = PoolObservationHost(
            ledger: ledger, feed: hub, writer: writer, readers: readers,
            observedFile: observedFile, precision: precision,
            readsEachCommit: writer.sync { $0.connection.capabilities.readsEachCommit },
            configuration: configuration, log: log, timer: timer)
        writer.sync { [observationHost, weak readers] db in
            db.attach(observationHost)
            // Idle readers prevent some changes of the file.
            db.willReplaceContent = { readers?.closeUnused() }
        }
        hub?.connect(observationHost, to: commitFeed)
        suspensionNotifications =
            configuration.observesSuspensionNotifications && !configuration.readonly
            ? SuspensionNotifications(writer) { [weak observationHost] in observationHost?.endPause() } : nil
        foreignChanges = try observesForeign ? Self.startWatcher(backend, location, writer) : nil
    }

    /// Starts a watcher. It must run before any observation starts, because an observer reads before it is
    /// registered with the writer.
    private static func startWatcher(
        _ backend: any StorageBackend, _ location: StorageLocation, _ writer: ConnectionAccess
    ) throws -> ForeignChangeWatcher {
        let watcher = ForeignChangeWatcher(backend: backend, location: location, access: writer)
        try writer.sync { db in try watcher.observationWillBegin(db) }
        writer.announceObservations(to: watcher)
        return watcher
    }

    deinit {
        foreignChanges?.stop()
        commitFeed?.cancel()
    }

    /// Returns a closure for opening a reader with a label.
    ///
    /// - Parameter file: the file of the writer.
    private static func openReader(
        backend: any StorageBackend, location: StorageLocation, configuration: Configuration,
        file: (any StorageFile)?, feed: (any StorageCommitFeed)?,
        connectionDidChange: @escaping @Sendable (ConnectionChange) -> Void,
        setUp: @escaping @Sendable (Database) -> Void
    ) -> @Sendable (String) throws -> ConnectionAccess {
        let readerConfiguration = configuration.forReaders
        var options = readerConfiguration.storageOptions(readOnly: true)
        options.requiredFile = file
        options.commitFeed = feed
        return { [options] label in
            let access = try ConnectionAccess.open(
                backend, location, options: options, configuration: readerConfiguration, label: label,
                coordinator: nil, target: configuration.targetQueue, isAdditional: true,
                connectionDidChange: connectionDidChange)
            access.sync(setUp)
            return access
        }
    }

    /// Throws an error if readers could not read while the writer writes, or could not open the database.
    private static func checkAllowsReaders(
        _ writer: ConnectionAccess, _ configuration: Configuration
    ) throws {
        guard configuration.readonly || writer.sync({ $0.connection.capabilities.allowsConcurrentReaders })
        else {
            throw DatabaseError(
                message: """
                    a DatabasePool needs a database file with a write-ahead log: use DatabaseQueue for databases in \
                    memory and for temporary files
                    """)
        }
    }

    /// Returns the reaction to a change that a reader makes to itself.
    ///
    /// If a reader replaces a function or a collation, the ledger drops doubtful conditions for new
    /// observations immediately, the writer for the registered ones.
    private static func reactionToReaders(
        _ writer: ConnectionAccess, _ ledger: CommitLedger
    ) -> @Sendable (ConnectionChange) -> Void {
        { change in
            switch change {
            case .meanings(let conditions):
                guard ledger.distrust(conditions) || conditions.isEmpty else { return }
                writer.async { db in db.coordinator?.distrust(conditions, db) }
            case .databases:
                writer.async { db in db.coordinator?.databaseDidChangeElsewhere(db) }
            }
        }
    }

    /// Starts the feed of a backend that has one, and returns it with the receiver of its commits.
    ///
    /// - Parameter options: the options of the writer. The feed is added to them.
    private static func startFeed(
        backend: any StorageBackend, location: StorageLocation, options: inout StorageOptions,
        configuration: Configuration, log: ObservationLog?
    ) throws -> ((any StorageCommitFeed)?, FeedCoordinator?) {
        guard let backend = backend as? any CommitFeeding else {
            // SQLite's readers take the lock of writers to read the log's header, if it changes meanwhile.
            options.busyHandler = configuration.busyMode(waitingAtLeast: 0.1).handler
            return (nil, nil)
        }
        let hub = FeedCoordinator(
            ignoresNoOpUpdates: configuration.ignoresNoOpUpdates, log: log, configuration.observationMonitor)
        do throws(StorageError) {
            let feed = try backend.commitFeed(of: location, options: options, to: hub)
            options.commitFeed = feed
            return (feed, feed == nil ? nil : hub)
        } catch {
            throw DatabaseError(error)
        }
    }

    /// Closes the writer and all readers, after the running accesses have ended.
    ///
    /// Observations end without an error, and later accesses fail with `SQLITE_MISUSE`. Closing a closed
    /// pool does nothing. Snapshots remain usable.
    ///
    /// - Throws: `SQLITE_BUSY` if a statement is still alive. The pool then remains usable.
    public func close() throws {
        checkHoldsNoReader()
        do {
            try readers.beginBarrier()
        } catch  where readers.isClosed {
            return
        }
        defer { readers.endBarrier() }
        let ended = try insideBarrier { db -> EndedObservers? in
            try readers.closeIdle()
            try db.close()
            readers.end()
            return db.coordinator?.removeAll()
        }
        ended?.cancel()
        observationHost.databaseDidClose()
        observationHost.endPause()
        foreignChanges?.stop()
        commitFeed?.cancel()
    }

    /// Interrupts the running statements of the writer and of all readers. They fail with `SQLITE_INTERRUPT`.
    public func interrupt() {
        writer.interrupt()
        readers.readers.forEach { $0.interrupt() }
    }

    /// Suspends the database: until ``resume()`` is called, writes fail with `SQLITE_ABORT`.
    ///
    /// Call this method when the app is about to be suspended, because the system terminates a suspended app
    /// that holds a lock on a file. The running statement of the writer is interrupted. The writer can still
    /// read, except attached files without a write-ahead log, and it can run `COMMIT`, `ROLLBACK` and
    /// `RELEASE`. An open transaction is rolled back when a statement is refused, or when the current write
    /// access ends. Readers are not affected: attach only files with a write-ahead log. A read-only pool
    /// ignores this call.
    public func suspend() {
        guard !configuration.readonly else { return }
        writer.suspend()
        observationHost.endPause()
    }

    /// Resumes a database after ``suspend()``.
    public func resume() {
        writer.resume()
    }

    /// Closes idle readers, and releases cached statements and other memory that the writer can rebuild.
    ///
    /// If ``Configuration/persistentReadOnlyConnections`` is true, the readers stay open and release their
    /// memory. Waits for the running accesses of their connections.
    public func releaseMemory() {
        writer.sync { $0.releaseMemory() }
        guard configuration.persistentReadOnlyConnections else { return readers.releaseMemory() }
        for reader in readers.readers { reader.sync { $0.releaseMemory() } }
    }

    /// Releases the same memory as ``releaseMemory()``, and returns immediately.
    ///
    /// A connection in use releases its memory after all previously requested accesses.
    public func releaseMemoryEventually() {
        writer.async { $0.releaseMemory() }
        guard configuration.persistentReadOnlyConnections else { return readers.releaseMemory() }
        for reader in readers.readers { reader.async { $0.releaseMemory() } }
    }

    /// Replaces the connections of readers: later reads use new ones, and running reads end undisturbed.
    ///
    /// Call this method after a change that only new connections notice, such as a new passphrase:
    ///
    /// ```swift
    /// try dbPool.barrierWriteWithoutTransaction { db in
    ///     try db.changePassphrase(newPassphrase)
    ///     dbPool.invalidateReadOnlyConnections()
    /// }
    /// ```
    ///
    /// Snapshots keep their connections.
    public func invalidateReadOnlyConnections() {
        readers.invalidate()
    }

    /// Runs `body` on the writer while all readers are closed. They are opened again on demand.
    ///
    /// - Throws: the error of `body`; `SQLITE_BUSY` if a statement of a reader is alive.
    package func withoutReaders<T>(_ body: (Database) throws -> T) throws -> T {
        try barrierWriteWithoutTransaction { db in
            try readers.closeIdle()
            return try body(db)
        }
    }

    /// Returns a snapshot of the current state of the database. Later commits do not change it.
    ///
    /// - Throws: `DatabaseError` if the pool is closed, or if the snapshot's connection cannot be opened.
    public func makeSnapshot() throws -> DatabaseSnapshot {
        try readers.checkIsOpen()
        let access = try openSnapshotConnection()
        do {
            try access.sync { try $0.beginKeptSnapshot() }
        } catch {
            try? access.sync { try $0.close() }
            throw error
        }
        return DatabaseSnapshot(access: access, path: path, configuration: configuration.forReaders)
    }
}

extension DatabasePool {
    /// Returns the precision of the feed of commits by all clients of a server; `nil` for a file.
    ///
    /// - Parameter timeout: how long to block the thread, in seconds, while the feed is being connected.
    public func feedState(timeout: TimeInterval) -> CommitFeedState? {
        feedCoordinator?.waitForStart(timeout: timeout)
        return feedState
    }

    /// Starts an observation. It fetches on the readers of the pool, or on its writer if the fetch requires
    /// write access. Apps do not call this method.
    public func _start(_ observation: any _StartedObservation, immediately: Bool) {
        observationHost.start(observation, in: self, immediately: immediately)
    }

    /// The status of each running value observation, in the order of their starts.
    public var observations: [ObservationStatus] { observationHost.registry.statuses }
}

extension DatabasePool: ObservedDatabase {
    package var observationRegistry: ObservationRegistry? { observationHost.registry }
}
