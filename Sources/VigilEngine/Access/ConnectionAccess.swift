import Dispatch
import Synchronization
import VigilStorage

/// Serializes the accesses to one connection. They can be requested from any thread.
///
/// Accesses run one at a time, in the order of the requests. A synchronous access runs on the calling thread
/// (measured: 90 ns for an uncontended `DispatchQueue.sync`, 41 µs for a change of thread). An asynchronous
/// access runs as a job of the calling task on the connection's queue: it sees the task-local values of the
/// task, and does not block a thread of the cooperative pool.
final class ConnectionAccess: Sendable {
    let queue: DispatchQueue
    /// The connection. Its guard is ``queue``: it is used only there.
    private let confined: UncheckedSendable<Database>
    private var database: Database { confined.value }
    private let gate: ConnectionGate
    private let scope: AccessScope
    private let interrupter: any StorageInterrupter
    /// The number of asynchronous accesses that have not begun.
    private let scheduled = Atomic(0)
    let suspension: Suspension

    init(database: Database, queue: DispatchQueue, interrupter: any StorageInterrupter) {
        self.interrupter = interrupter
        self.queue = queue
        confined = UncheckedSendable(database)
        suspension = database.suspension
        gate = ConnectionGate(queue: queue)
        scope = AccessScope(database)
        queue.setSpecific(key: AccessScope.current, value: scope)
        database.statementFinalizer.begin(on: queue)
    }

    deinit {
        database.statementFinalizer.end(database)
    }

    /// The connection of the innermost access around the caller; `nil` outside of accesses.
    static var currentDatabase: Database? { DispatchQueue.getSpecific(key: AccessScope.current)?.database }

    /// Returns the connection that meets a condition, of the innermost access around the caller.
    static func enclosingDatabase(where isMatch: (Database) -> Bool) -> Database? {
        DispatchQueue.getSpecific(key: AccessScope.current)?.database(where: isMatch)
    }

    /// Whether the caller is inside an access of any connection.
    static var isAnyHeldByCaller: Bool { DispatchQueue.getSpecific(key: AccessScope.current) != nil }

    static func isHeldByCaller(_ database: Database) -> Bool {
        DispatchQueue.getSpecific(key: AccessScope.current)?.isInside(database) ?? false
    }

    /// Whether the caller is inside an access of this connection.
    var isHeldByCaller: Bool {
        DispatchQueue.getSpecific(key: AccessScope.current)?.isInside(scope) ?? false
    }

    /// Runs `body` on the calling thread, after all previously requested accesses.
    ///
    /// - Precondition: the caller is not inside an access of the same connection, because it would wait for
    ///   itself.
    func sync<T, E: Error>(_ body: (Database) throws(E) -> T) throws(E) -> T {
        let caller = DispatchQueue.getSpecific(key: AccessScope.current)
        trap(unless: caller?.isInside(scope) != true, Self.reentrancyMessage)
        // The result and the error are passed through pointers. If the closure returned them, the runtime
        // would look up the layout of generic types in each call (measured: a tenth of a write transaction).
        let value = UnsafeMutablePointer<T>.allocate(capacity: 1)
        defer { value.deallocate() }
        var failure: UnsafeMutablePointer<E>?
        queue.sync { () -> Void in
            scope.outer = caller
            database.accessThread.acquire()
            defer {
                database.endAccess()
                scope.outer = nil
            }
            do throws(E) {
                value.initialize(to: try body(database))
            } catch {
                failure = .allocate(capacity: 1)
                failure?.initialize(to: error)
            }
        }
        guard let failure else { return value.move() }
        defer { failure.deallocate() }
        throw failure.move()
    }

    /// Runs `body` as part of the outer access if the caller is inside an access of the same connection, and
    /// as an access of its own otherwise.
    func reentrantSync<T, E: Error>(_ body: (Database) throws(E) -> T) throws(E) -> T {
        if isHeldByCaller { return try body(database) }
        return try sync(body)
    }

    /// Whether no access runs or is scheduled. One may begin at any time.
    var isFree: Bool { database.accessThread.isFree && scheduled.load(ordering: .relaxed) == 0 }

    /// Schedules `body`, after all previously requested accesses, and returns immediately.
    func async(_ body: @escaping @Sendable (Database) -> Void) {
        scheduled.add(1, ordering: .relaxed)
        queue.async {
            self.database.whileHeld {
                self.scheduled.subtract(1, ordering: .relaxed)
                body(self.database)
            }
        }
    }

    func interrupt() {
        interrupter.interrupt()
    }

    /// Runs `body` as a job of the calling task, and returns its result.
    ///
    /// - Throws: the error of `body`; `DatabaseError` if the connection is closed; `CancellationError` if the
    ///   task is cancelled. If it is cancelled before `body` begins, `body` does not run. If it is cancelled
    ///   later, the running or the next statement fails.
    func execute<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        let running = Mutex<AccessCancellation?>(nil)
        return try await withTaskCancellationHandler {
            scheduled.add(1, ordering: .relaxed)
            return try await gate.execute {
                self.scheduled.subtract(1, ordering: .relaxed)
                let cancellation = AccessCancellation(interrupter: self.interrupter)
                running.withLock { $0 = cancellation }
                defer {
                    running.withLock { $0 = nil }
                    cancellation.end()
                }
                try Task.checkCancellation()
                guard !self.database.isClosed else { throw DatabaseError.connectionIsClosed }
                self.database.cancellation = cancellation
                defer { self.database.cancellation = nil }
                return try self.database.whileHeld { try body(self.database) }
            }
        } onCancel: {
            running.withLock { $0?.cancel() }
        }
    }

    static let reentrancyMessage =
        "an access of a database cannot be made from within another access of the same database: use the Database of the outer access"
}

/// A value of any type for use by several threads, without a check by the compiler.
///
/// The code around it states the guard: one thread uses the value and passes it on to the next, or the value
/// is used on one queue, or it is thread-safe by contract, as the schedulers and subscribers of Combine and
/// RxSwift are.
// Guard of `value`: see above.
package struct UncheckedSendable<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}

/// An access, and the accesses around it.
// Guard of the database and of `outer`: the queue whose specific value is this scope; used only on it.
private final class AccessScope: @unchecked Sendable {
    static let current = DispatchSpecificKey<AccessScope>()

    private let reference: UnretainedDatabase
    var outer: AccessScope?

    init(_ database: Database) {
        reference = database.reference
    }

    var database: Database? { reference.database }

    func database(where isMatch: (Database) -> Bool) -> Database? {
        if let database, isMatch(database) { return database }
        return outer?.database(where: isMatch)
    }

    func isInside(_ scope: AccessScope) -> Bool {
        self === scope || outer?.isInside(scope) == true
    }

    func isInside(_ database: Database) -> Bool {
        self.database === database || outer?.isInside(database) == true
    }
}

/// An actor whose executor is a connection's queue.
private actor ConnectionGate {
    private let executor: QueueExecutor

    init(queue: DispatchQueue) {
        executor = QueueExecutor(queue: queue)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func execute<T>(_ body: @Sendable () throws -> T) rethrows -> T {
        try body()
    }
}

/// Runs the jobs of an actor on a dispatch queue (SE-0392).
private final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
