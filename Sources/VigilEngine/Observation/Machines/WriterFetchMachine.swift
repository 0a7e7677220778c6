import VigilRegions

/// The fetches on the writer, and the notifications of commits during them.
///
/// A fetch with write access can commit, and make observers stale, while it runs. Its writes do not make its
/// own observer stale. Other observers are notified after the fetch instead of during it, so that observers
/// writing into each other's regions take turns, and their fetches never nest.
///
/// A value without threads or locks. Its driver is ``WriterNotifier``.
struct WriterFetchMachine<Notification> {
    private enum Scope {
        /// A fetch of an observer, with its registration or the one to be made.
        case fetch(ObserverID?, didOthersCommit: Bool)
        /// A notification of transaction observers about a commit of the fetch. Their commits do not belong
        /// to the fetch.
        case notification
    }

    private var scopes: [Scope] = []
    private var postponed: [Notification] = []
    private var isNotifying = false

    var isFetching: Bool { !scopes.isEmpty }

    mutating func willFetch(_ id: ObserverID?) {
        scopes.append(.fetch(id, didOthersCommit: false))
    }

    /// Ends a fetch. Returns whether anything other than the fetch committed while it ran.
    mutating func didFetch() -> Bool {
        guard case .fetch(_, let didOthersCommit)? = scopes.popLast() else { return false }
        return didOthersCommit
    }

    mutating func willNotifyTransactionObservers() {
        scopes.append(.notification)
    }

    mutating func didNotifyTransactionObservers() {
        scopes.removeLast()
    }

    /// Records a commit. Returns the observer whose fetch committed.
    mutating func didCommit() -> ObserverID? {
        for index in scopes.indices.dropLast() {
            if case .fetch(let id, _) = scopes[index] { scopes[index] = .fetch(id, didOthersCommit: true) }
        }
        guard case .fetch(let id, _)? = scopes.last else { return nil }
        return id
    }

    /// Keeps a notification until no fetch is running.
    mutating func postpone(_ notification: Notification) {
        postponed.append(notification)
    }

    /// Called when a fetch may have ended. Returns whether to send the notifications from ``next()``.
    mutating func willNotify() -> Bool {
        guard !isFetching, !isNotifying, !postponed.isEmpty else { return false }
        isNotifying = true
        return true
    }

    /// Returns the next postponed notification; `nil` after the last.
    mutating func next() -> Notification? {
        guard postponed.isEmpty else { return postponed.removeFirst() }
        isNotifying = false
        return nil
    }
}
