import Synchronization
import VigilStorage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The thread of the current access of a connection.
///
/// Comparing threads takes 1 to 2 ns, cheap enough for each row. Asking Dispatch whether the caller runs on
/// the connection's queue (`getSpecific`) takes 13 ns.
struct AccessThread: ~Copyable, Sendable {
    /// 0 while no access holds the connection.
    private let holder: Atomic<UInt>

    /// Creates a value that is held by the calling thread, which opens the connection, until ``release()``.
    init() {
        holder = Atomic(Self.current)
    }

    @inline(__always)  // bench: decode-rows
    var isCurrent: Bool { holder.load(ordering: .relaxed) == Self.current }

    var isFree: Bool { holder.load(ordering: .relaxed) == 0 }

    @inline(__always)  // bench: write-baseline
    func acquire() { holder.store(Self.current, ordering: .relaxed) }

    @inline(__always)  // bench: write-baseline
    func release() { holder.store(0, ordering: .relaxed) }

    /// Lets another waiting thread run first.
    static func yield() { sched_yield() }

    /// Lets other threads run for a time too short to sleep: waking up again takes as long.
    static func yield(for duration: Duration) {
        let end = ContinuousClock.now + duration
        repeat { sched_yield() } while ContinuousClock.now < end
    }

    /// The identifier of the calling thread, unique among the live threads.
    @inline(__always)  // bench: decode-rows
    private static var current: UInt {
        #if canImport(Glibc)
            pthread_self()
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }
}

extension Database {
    /// Traps unless the caller is inside an access of this connection, on the thread of that access.
    @inline(__always)  // bench: decode-rows
    package func checkConfinement() {
        if !accessThread.isCurrent { checkOuterAccesses() }
    }

    /// Traps unless the connection belongs to an access around the current one. An inner access may run on a
    /// different thread, such as the main thread. It can use the connections of the accesses around it,
    /// because they wait for it.
    @inline(never)
    private func checkOuterAccesses() {
        trap(
            unless: ConnectionAccess.isHeldByCaller(self),
            """
            a Database, its statements and its cursors can only be used inside the access that they belong to, and on \
            the thread of that access
            """)
    }

    /// Whether the caller is inside an access of this connection, on the thread of that access.
    var isHeldByCaller: Bool { accessThread.isCurrent || ConnectionAccess.isHeldByCaller(self) }

    func whileHeld<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        accessThread.acquire()
        defer { endAccess() }
        return try body()
    }

    /// Ends the access of the calling thread.
    @inline(__always)  // bench: write-baseline
    func endAccess() {
        if statementCaches.hasLargeArguments { releaseLargeArguments() }
        accessThread.release()
    }
}
