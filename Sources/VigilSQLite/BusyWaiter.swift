import CVigilSQLite
import VigilStorage

/// Asks the user's handler whether to go on waiting for a lock.
final class BusyWaiter {
    private let handler: (@Sendable (Int) -> Bool)?
    /// Set while the driver looks at something that it must not wait for.
    var isSuspended = false
    private let interrupter: SQLiteInterrupter
    /// How often the connection had been interrupted when the wait began.
    private var interruptions = 0
    /// How often the handler was asked while the connection is being opened; `nil` at other times.
    private var attemptsOfOpening: Int?
    /// Whether the handler gave up while the connection is being opened.
    private var hasGivenUp = false

    init(handler: (@Sendable (Int) -> Bool)?, interrupter: SQLiteInterrupter) {
        self.handler = handler
        self.interrupter = interrupter
    }

    /// The connection retains the waiter as long as its handle is open.
    func install(on handle: OpaquePointer, api: UnsafePointer<vigil_sqlite_api>) {
        guard handler != nil else { return }
        _ = api.pointee.busy_handler(
            handle,
            { context, attempts in
                guard let context else { return 0 }
                let waiter = Unmanaged<BusyWaiter>.fromOpaque(context).takeUnretainedValue()
                return waiter.waits(attempts) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func waits(_ attempts: Int32) -> Bool {
        guard !isSuspended, let handler else { return false }
        if let attempts = attemptsOfOpening {
            attemptsOfOpening = attempts + 1
            hasGivenUp = hasGivenUp || interruptions != interrupter.count || !handler(attempts)
            return !hasGivenUp
        }
        // The library does not look for an interruption while it waits.
        if attempts == 0 { interruptions = interrupter.count }
        return interruptions == interrupter.count && handler(Int(attempts))
    }

    /// Runs `body`, and runs it again after a lock that the library did not wait for.
    ///
    /// SQLite does not call the busy handler where waiting could be a deadlock, such as when the journal mode is
    /// changed. The handler is asked with the number of all tries, so that together they wait as long as for one lock.
    func retrying<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        attemptsOfOpening = 0
        hasGivenUp = false
        defer { attemptsOfOpening = nil }
        interruptions = interrupter.count
        while true {
            do throws(StorageError) {
                return try body()
            } catch  where error.code.primary == .busy && waits(0) {}
        }
    }
}
