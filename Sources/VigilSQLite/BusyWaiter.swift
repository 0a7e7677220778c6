import CVigilSQLite

/// Asks the user's handler whether to go on waiting for a lock.
final class BusyWaiter {
    private let handler: (@Sendable (Int) -> Bool)?
    /// Set while the driver looks at something that it must not wait for.
    var isSuspended = false

    init(handler: (@Sendable (Int) -> Bool)?) {
        self.handler = handler
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
        return handler(Int(attempts))
    }
}
