import Dispatch
import Synchronization
import VigilStorage

/// Looks for commits by other connections and processes, when ``ForeignChangeMachine`` says so.
///
/// Each look is a short access of the connection: it compares the backend's token (1.5 µs with SQLite). Who calls
/// ``ChangeHub`` to register an observer calls ``observationWillBegin(_:)`` before that observer reads.
///
/// What it costs, measured on Linux with two virtual cores and a release build, with SQLite and one observation:
/// - idle: 2.4 ms of processor time and 26 changes of thread in 30 s (`getrusage` before and after), for six looks
///   that no sign asked for;
/// - the app's own one-row writes without pause, beside the same loop with `.ignored`: 1.04 to 1.10 times as long.
///   Most of that is the kernel's part of a watched write: 1.07 of the 1.10, found by not reading its reports;
/// - from an `INSERT` in another process (Python, `synchronous=FULL`, 200 of them 30 to 50 ms apart) to the
///   callback: 1.5 ms with a write-ahead log and 1.7 ms with a rollback journal at the median, 2.8 ms and 6.5 ms
///   at most. The commit itself took 0.6 ms and 1.1 ms of that.
final class ForeignChangeWatcher: Sendable {
    private struct State {
        var machine = ForeignChangeMachine()
        var watch: (any StorageWatch)?
    }

    /// Pauses end here and not on the connection's queue, where even a pause that is of no interest any more
    /// would get in the way of accesses.
    private static let clock = DispatchQueue(label: "Vigil.ForeignChangeWatcher", qos: .userInitiated)

    private let backend: any StorageBackend
    private let location: StorageLocation
    private let access: ConnectionAccess
    private let state = Mutex(State())

    init(backend: any StorageBackend, location: StorageLocation, access: ConnectionAccess) {
        self.backend = backend
        self.location = location
        self.access = access
    }

    /// Call inside an access, before anybody reads what they observe from then on.
    ///
    /// - Throws: `DatabaseError` if the file of the database was replaced or deleted.
    func observationWillBegin(_ db: Database) throws {
        // Only the app's own connection can change a database of its own.
        if case .memory(name: nil) = location { return }
        guard let changes = db.changes, db.connection.capabilities.hasForeignChangeToken else { return }
        try db.checkObservedFile()
        guard state.withLock({ $0.machine.isDormant }) else { return note(db, changes) }
        // First the watch, then the token, and then a look: nothing can happen in between.
        let watch = try? backend.watchForeignChanges(of: location) { [weak self] in self?.didSign() }
        note(db, changes)
        let action = state.withLock { state in
            let action = state.machine.begin(hasSigns: watch != nil)
            if action != nil { state.watch = watch }
            return action
        }
        run(action)
    }

    /// Takes the token of now, so that a newcomer is not told later of what it is about to read anyway.
    private func note(_ db: Database, _ changes: ChangeHub) {
        if changes.needsForeignChanges {
            // A failure is found again by the look that follows.
            var error: (any Error)?
            _ = db.noticeForeignChange(&error)
        } else if let token = try? db.connection.foreignChangeToken() {
            db.foreignChangeToken = token
        }
    }

    func stop() {
        endWatch { $0.stop() }
    }

    private func endWatch(_ change: (inout ForeignChangeMachine) -> Void = { _ in }) {
        let watch = state.withLock { state in
            change(&state.machine)
            defer { state.watch = nil }
            return state.watch
        }
        watch?.cancel()
    }

    private func didSign() {
        run(state.withLock { $0.machine.didSign() })
    }

    private func run(_ action: ForeignChangeMachine.Action?) {
        switch action {
        case .look:
            access.async { [weak self] db in self?.look(db) }
        case .pause(let duration, let number):
            Self.clock.asyncAfter(deadline: duration.fromNow) { [weak self] in
                guard let self else { return }
                run(state.withLock { $0.machine.pauseDidEnd(number) })
            }
        case .endWatch: endWatch()
        // Carried out by `look`, which has the error.
        case .endObservations, nil: break
        }
    }

    private func look(_ db: Database) {
        var error: (any Error)?
        let finding = db.noticeForeignChange(&error)
        let action = state.withLock { $0.machine.didLook(finding) }
        guard action == .endObservations else { return run(action) }
        if let error { db.changes?.endObservations(error) }
        run(state.withLock { $0.machine.didEndObservations() })
    }
}

extension ConnectionAccess {
    /// Lets a watcher know of observations before they read for the first time.
    func announceObservations(to watcher: ForeignChangeWatcher) {
        sync { [weak watcher] db in
            db.observationWillBegin = { [weak watcher] db in try watcher?.observationWillBegin(db) }
        }
    }

    /// Finds out which file is open, so that its replacement is noticed.
    ///
    /// - Returns: `nil` if the backend cannot tell, or the database is not in a file.
    func identifyFile() throws -> (any StorageFile)? {
        try sync { db in
            guard let connection = db.connection as? any FileIdentifying else { return nil }
            db.observedFile = try db.storage { () throws(StorageError) in try connection.openFile() }
            return db.observedFile
        }
    }
}

extension StorageFile {
    /// - Throws: `DatabaseError` if the file was replaced or deleted.
    func check() throws {
        do throws(StorageError) {
            try checkIsInPlace()
        } catch {
            throw DatabaseError(error)
        }
    }
}

extension Database {
    /// Checks that the database file was neither replaced nor deleted, if foreign changes are observed.
    func checkObservedFile() throws {
        try observedFile?.check()
    }

    /// Compares the token with the one of the last look, and tells the observers if it differs.
    ///
    /// - Parameter failure: the error, for ``ForeignChangeMachine/Finding/failed`` and
    ///   ``ForeignChangeMachine/Finding/fileMoved``.
    fileprivate func noticeForeignChange(_ failure: inout (any Error)?) -> ForeignChangeMachine.Finding {
        guard !isClosed, let changes, changes.needsForeignChanges else { return .unobserved }
        do {
            // A journal beside a file that replaced the open one is not the open file's. With write access, reading would
            // roll it back and delete it.
            try checkObservedFile()
            // An open transaction does not see what others commit.
            guard !isInsideTransaction, let token = try foreignToken() else { return .unknown }
            guard token != foreignChangeToken else { return .unchanged }
            try inForeignChangeSnapshot(changes) {
                foreignChangeToken = try foreignToken()
                schemaDidChange()
                changes.didCommitElsewhere(self)
            }
            return .changed
        } catch {
            failure = error
            return ForeignChangeMachine.Finding(error)
        }
    }

    private func foreignToken() throws -> Int64? {
        try storage { () throws(StorageError) in try connection.foreignChangeToken() }
    }

    /// Begins to read with the token, so that a writer with a rollback journal does not lock the observers out
    /// between the token and what they read: that would be an error that ends them.
    private func inForeignChangeSnapshot(_ changes: ChangeHub, _ body: () throws -> Void) throws {
        // A transaction that began by reading cannot wait for the right to write.
        guard !changes.hasWritingObserver else { return try body() }
        try inReadOnlySnapshot(body)
    }
}

extension ForeignChangeMachine.Finding {
    /// What a look found that ended with an error.
    fileprivate init(_ error: any Error) {
        guard let error = error as? DatabaseError else {
            // The access was cancelled.
            self = .unknown
            return
        }
        switch error.extendedResultCode {
        case .SQLITE_READONLY_DBMOVED: self = .fileMoved
        // A writer died. Nothing is committed until another one recovers the database.
        case .SQLITE_READONLY_ROLLBACK, .SQLITE_READONLY_RECOVERY, .SQLITE_READONLY_CANTINIT: self = .unknown
        default:
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_INTERRUPT, .SQLITE_ABORT: self = .unknown
            default: self = .failed
            }
        }
    }
}

extension Duration {
    /// From now, on the clock that stands still while the machine sleeps.
    fileprivate var fromNow: DispatchTime {
        let nanoseconds = components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
        return .now() + .nanoseconds(Int(nanoseconds))
    }
}
