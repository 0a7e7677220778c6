import Synchronization
import Vigil

/// Counts the fetches, commits and deliveries of the database's observations since the server started.
final class Figures: ObservationMonitor {
    private struct Counts {
        var fetches = 0
        var matchedCommits = 0
        var ignoredCommits = 0
        var deliveries = 0
        var delay = Duration.zero
        var lag: Duration?
        var isPrecise: Bool?
    }

    private let counts = Mutex(Counts())

    /// The number of fetches.
    var fetches: Int { counts.withLock { $0.fetches } }

    func didFetch(in time: Duration) { counts.withLock { $0.fetches += 1 } }

    func didCommit(matching count: Int) {
        counts.withLock { counts in
            if count > 0 { counts.matchedCommits += 1 } else { counts.ignoredCommits += 1 }
        }
    }

    func didDeliver(after delay: Duration?) {
        guard let delay else { return }
        counts.withLock { counts in
            counts.deliveries += 1
            counts.delay += delay
        }
    }

    func didReceiveCommit(after lag: Duration) { counts.withLock { $0.lag = lag } }

    func precisionDidChange(coarseReason: String?) { counts.withLock { $0.isPrecise = coarseReason == nil } }

    /// The figures in the text format of Prometheus.
    var text: String {
        let counts = counts.withLock { $0 }
        var text = """
            # TYPE liveboard_fetches_total counter
            liveboard_fetches_total \(counts.fetches)
            # TYPE liveboard_commits_total counter
            liveboard_commits_total{matched="true"} \(counts.matchedCommits)
            liveboard_commits_total{matched="false"} \(counts.ignoredCommits)
            # TYPE liveboard_delivery_delay_seconds summary
            liveboard_delivery_delay_seconds_sum \(counts.delay / .seconds(1))
            liveboard_delivery_delay_seconds_count \(counts.deliveries)

            """
        if let isPrecise = counts.isPrecise {
            text += "# TYPE liveboard_precise gauge\nliveboard_precise \(isPrecise ? 1 : 0)\n"
        }
        if let lag = counts.lag {
            text +=
                "# TYPE liveboard_server_lag_seconds gauge\nliveboard_server_lag_seconds \(lag / .seconds(1))\n"
        }
        return text
    }
}
