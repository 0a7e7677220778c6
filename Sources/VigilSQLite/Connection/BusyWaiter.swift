import CVigilSQLite
import VigilStorage

/// Asks the user's busy handler whether to keep waiting for a lock.
final class BusyWaiter {
    private let handler: (@Sendable (Int) -> Bool)?
    /// Whether the handler is bypassed, because the driver must not wait for its current read.
    var isBypassed = false
    /// Called before each wait.
    var willWait: (() -> Void)?
    private let interrupter: SQLiteInterrupter
    /// The interrupter's count when the wait began.
    private var interruptions = 0
    /// The number of calls of the handler while the connection is opened; `nil` at other times.
    private var openingAttempts: Int?
    /// Whether the handler gave up while the connection was opened.
    private var hasGivenUp = false

    init(handler: (@Sendable (Int) -> Bool)?, interrupter: SQLiteInterrupter) {
        self.handler = handler
        self.interrupter = interrupter
    }

    /// Installs the waiter as the busy handler. The connection retains it until its handle is closed.
    func install(on handle: OpaquePointer, api: UnsafePointer<vigil_sqlite_api>) {
        guard handler != nil else { return }
        _ = api.pointee.busy_handler(
            handle,
            { context, attempts in
                guard let context else { return 0 }
                let waiter = Unmanaged<BusyWaiter>.fromOpaque(context).takeUnretainedValue()
                return waiter.shouldKeepWaiting(attempts) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func shouldKeepWaiting(_ attempts: Int32) -> Bool {
        willWait?()
        guard !isBypassed, let handler else { return false }
        if let attempts = openingAttempts {
            openingAttempts = attempts + 1
            hasGivenUp = hasGivenUp || interruptions != interrupter.count || !handler(attempts)
            return !hasGivenUp
        }
        // The library does not check for interruptions while it waits.
        if attempts == 0 { interruptions = interrupter.count }
        return interruptions == interrupter.count && handler(Int(attempts))
    }

    /// Runs `body`, and repeats it after a lock that the library did not wait for.
    ///
    /// SQLite does not call the busy handler where waiting could cause a deadlock, for example when the
    /// journal mode is changed. The handler is passed the number of all attempts, which together wait as long
    /// as for a single lock.
    func retrying<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        openingAttempts = 0
        hasGivenUp = false
        defer { openingAttempts = nil }
        interruptions = interrupter.count
        while true {
            do throws(StorageError) {
                return try body()
            } catch  where error.code.primary == .busy && shouldKeepWaiting(0) {}
        }
    }
}
