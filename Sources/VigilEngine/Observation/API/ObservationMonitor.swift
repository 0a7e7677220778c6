/// Receives what the observations of a database do, as they do it: for metrics.
///
/// ```swift
/// final class FetchCounter: ObservationMonitor {
///     let count = Atomic(0)
///     func didFetch(in time: Duration) { count.add(1, ordering: .relaxed) }
/// }
/// configuration.observationMonitor = FetchCounter()
/// ```
///
/// The product `VigilMetrics` has one that reports to swift-metrics. ``DatabaseReader/observations``
/// describes each running observation instead.
///
/// The functions are called on the thread where the event occurs, also on that of a write, and must return
/// quickly. They must not use the database. All of them do nothing by default. A shared
/// observation is one observation, whatever the number of its clients. Region observations are not
/// reported.
public protocol ObservationMonitor: Sendable {
    /// An observation starts.
    func observationDidStart()

    /// An observation ends: it was cancelled or failed, or its database was closed.
    func observationDidEnd()

    /// Receives a commit with changes, or several that are reported together.
    ///
    /// Changes of tables without any observation need not be reported.
    ///
    /// - Parameter count: the number of observations with changes in their regions.
    func didCommit(matching count: Int)

    /// Receives a fetch of an observation.
    ///
    /// - Parameter time: its duration.
    func didFetch(in time: Duration)

    /// An observation uses the fetched value of an equal one.
    func didShareFetch()

    /// Receives a delivery, before `onChange` is called.
    ///
    /// - Parameter delay: the time since the first commit was reported that the previous value did not
    ///   contain; `nil` for a value without such a commit, such as the initial value.
    func didDeliver(after delay: Duration?)

    /// Receives a commit in the stream of a server.
    ///
    /// - Parameter lag: the time since the commit, by the two clocks of the server and of this machine.
    func didReceiveCommit(after lag: Duration)

    /// Receives whether the changes of commits by others are known.
    ///
    /// - Parameter coarseReason: why each of them counts as a change of the whole database; `nil` if the
    ///   changes are known. See ``ObservationStatus/coarseReason``.
    func precisionDidChange(coarseReason: String?)
}

extension ObservationMonitor {
    /// Does nothing.
    public func observationDidStart() {}
    /// Does nothing.
    public func observationDidEnd() {}
    /// Does nothing.
    public func didCommit(matching count: Int) {}
    /// Does nothing.
    public func didFetch(in time: Duration) {}
    /// Does nothing.
    public func didShareFetch() {}
    /// Does nothing.
    public func didDeliver(after delay: Duration?) {}
    /// Does nothing.
    public func didReceiveCommit(after lag: Duration) {}
    /// Does nothing.
    public func precisionDidChange(coarseReason: String?) {}
}
