public import Foundation

extension Database {
    /// Suspends all databases whose configuration has ``Configuration/observesSuspensionNotifications``: post it when the
    /// app is about to be suspended.
    public static let suspendNotification = Notification.Name("Vigil.Database.Suspend")

    /// Resumes them: post it when the app runs again.
    public static let resumeNotification = Notification.Name("Vigil.Database.Resume")
}

/// Suspends and resumes a connection as the notifications say, as long as it lives.
final class SuspensionNotifications: Sendable {
    // Immutable: written by `init`, read by `deinit` alone.
    nonisolated(unsafe) private let tokens: [any NSObjectProtocol]

    init(_ access: ConnectionAccess) {
        let center = NotificationCenter.default
        tokens = [
            center.addObserver(forName: Database.suspendNotification, object: nil, queue: nil) {
                [weak access] _ in access?.suspend()
            },
            center.addObserver(forName: Database.resumeNotification, object: nil, queue: nil) {
                [weak access] _ in access?.resume()
            },
        ]
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }
}
