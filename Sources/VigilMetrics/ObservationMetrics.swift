// Programs that import this module need no import of Vigil.
@_exported public import Vigil

#if Metrics
    public import Metrics

    /// Reports what the observations of a database do to swift-metrics.
    ///
    /// ```swift
    /// configuration.observationMonitor = ObservationMetrics(dimensions: [("database", "orders")])
    /// ```
    ///
    /// The names of the metrics are in the article <doc:VigilMetrics>. One value serves one database, or
    /// several with equal dimensions.
    public struct ObservationMetrics: ObservationMonitor {
        private let observations: Meter
        private let matchedCommits: Counter
        private let ignoredCommits: Counter
        private let fetches: Timer
        private let sharedFetches: Counter
        private let deliveries: Counter
        private let delay: Timer
        private let lag: Timer
        private let isPrecise: Meter

        /// Creates the metrics.
        ///
        /// - Parameters:
        ///   - prefix: The beginning of the names of the metrics.
        ///   - dimensions: The dimensions of each metric, such as the name of the database.
        ///   - factory: The metrics backend, by default that of the process.
        public init(
            prefix: String = "vigil", dimensions: [(String, String)] = [],
            factory: any MetricsFactory = MetricsSystem.factory
        ) {
            func counter(_ name: String, _ added: [(String, String)] = []) -> Counter {
                Counter(label: "\(prefix).\(name)", dimensions: dimensions + added, factory: factory)
            }
            func timer(_ name: String) -> Timer {
                Timer(label: "\(prefix).\(name)", dimensions: dimensions, factory: factory)
            }
            func meter(_ name: String) -> Meter {
                Meter(label: "\(prefix).\(name)", dimensions: dimensions, factory: factory)
            }
            observations = meter("observations")
            matchedCommits = counter("commits", [("matched", "true")])
            ignoredCommits = counter("commits", [("matched", "false")])
            fetches = timer("fetch")
            sharedFetches = counter("shared_fetches")
            deliveries = counter("deliveries")
            delay = timer("delivery_delay")
            lag = timer("server_lag")
            isPrecise = meter("precise")
        }

        /// Counts an observation.
        public func observationDidStart() { observations.increment() }

        /// Uncounts an observation.
        public func observationDidEnd() { observations.decrement() }

        /// Counts a commit.
        public func didCommit(matching count: Int) {
            (count == 0 ? ignoredCommits : matchedCommits).increment()
        }

        /// Records the duration of a fetch.
        public func didFetch(in time: Duration) { fetches.record(duration: time) }

        /// Counts a fetch that was not necessary.
        public func didShareFetch() { sharedFetches.increment() }

        /// Counts a delivery, and records its delay.
        public func didDeliver(after delay: Duration?) {
            deliveries.increment()
            if let delay { self.delay.record(duration: delay) }
        }

        /// Records the lag behind a server.
        public func didReceiveCommit(after lag: Duration) {
            // The clocks may differ.
            self.lag.record(duration: max(lag, Duration.zero))
        }

        /// Records whether the changes of commits by others are known.
        public func precisionDidChange(coarseReason: String?) { isPrecise.set(coarseReason == nil ? 1 : 0) }
    }
#endif
