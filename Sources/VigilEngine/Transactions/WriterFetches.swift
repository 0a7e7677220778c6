import VigilRegions

/// The fetches that run on the writing connection, and the notifications of commits that happen during one of them.
///
/// A fetch that may write commits, and so makes observers stale, while it runs. What it writes does not make its own
/// observer stale. The others are notified after the fetch instead of inside of it: observers that write what others
/// observe take turns, and never nest.
///
/// A value without thread or lock. The driver beside it, ``ChangeHub``, fetches and notifies.
struct WriterFetches<Notification> {
    private enum Scope {
        /// Of an observer; `nil` while it is not registered.
        case fetch(ObserverID?, didOthersCommit: Bool)
        /// Transaction observers are notified of a commit of the fetch. What they commit is not the fetch's.
        case notification
    }

    private var scopes: [Scope] = []
    private var postponed: [Notification] = []
    private var isNotifying = false

    /// Whether a fetch runs.
    var isFetching: Bool { !scopes.isEmpty }

    mutating func willFetch(_ id: ObserverID?) {
        scopes.append(.fetch(id, didOthersCommit: false))
    }

    /// Answers whether anything but the fetch itself committed while it ran.
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

    /// A transaction was committed. Answers the observer whose fetch committed it.
    mutating func didCommit() -> ObserverID? {
        for index in scopes.indices.dropLast() {
            if case .fetch(let id, _) = scopes[index] { scopes[index] = .fetch(id, didOthersCommit: true) }
        }
        guard case .fetch(let id, _)? = scopes.last else { return nil }
        return id
    }

    /// Keeps a notification until no fetch runs.
    mutating func postpone(_ notification: Notification) {
        postponed.append(notification)
    }

    /// A fetch may have ended. Answers whether to send the notifications that ``next()`` returns.
    mutating func willNotify() -> Bool {
        guard !isFetching, !isNotifying, !postponed.isEmpty else { return false }
        isNotifying = true
        return true
    }

    /// The next postponed notification; after the last, `nil`.
    mutating func next() -> Notification? {
        guard postponed.isEmpty else { return postponed.removeFirst() }
        isNotifying = false
        return nil
    }
}
