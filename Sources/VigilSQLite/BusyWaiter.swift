import CVigilSQLite

/// Asks the user's handler whether to go on waiting for a lock.
final class BusyWaiter {
    private let handler: (@Sendable (Int) -> Bool)?
    /// Set while the driver looks at something that it must not wait for.
    var isSuspended = false
    private let interrupter: SQLiteInterrupter
    /// How often the connection had been interrupted when the wait began.
    private var interruptions = 0

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
        // The library does not look for an interruption while it waits.
        if attempts == 0 { interruptions = interrupter.count }
        return interruptions == interrupter.count && handler(Int(attempts))
    }
}
