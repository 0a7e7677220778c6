public import Foundation

extension Database {
    /// A notification that suspends all databases with ``Configuration/observesSuspensionNotifications``.
    ///
    /// Post it when the app is about to be suspended:
    ///
    /// ```swift
    /// NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
    /// ```
    public static let suspendNotification = Notification.Name("Vigil.Database.Suspend")

    /// A notification that resumes all databases after ``suspendNotification``.
    ///
    /// Post it when the app runs again.
    public static let resumeNotification = Notification.Name("Vigil.Database.Resume")
}

/// Suspends and resumes a connection when the notifications are posted, until it is released.
final class SuspensionNotifications: Sendable {
    /// Written by `init`, and read only by `deinit`.
    private let tokens: UncheckedSendable<[any NSObjectProtocol]>

    /// - Parameter didSuspend: called after each suspension.
    init(_ access: ConnectionAccess, didSuspend: @escaping @Sendable () -> Void = {}) {
        let center = NotificationCenter.default
        tokens = UncheckedSendable([
            center.addObserver(forName: Database.suspendNotification, object: nil, queue: nil) {
                [weak access] _ in
                access?.suspend()
                didSuspend()
            },
            center.addObserver(forName: Database.resumeNotification, object: nil, queue: nil) {
                [weak access] _ in access?.resume()
            },
        ])
    }

    deinit {
        for token in tokens.value { NotificationCenter.default.removeObserver(token) }
    }
}
