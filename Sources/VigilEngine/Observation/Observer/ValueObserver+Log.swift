import Logging
import Synchronization
import VigilRegions
import VigilStorage

/// Writes what the observations of one database do to the logger of its configuration.
final class ObservationLog: Sendable {
    private let logger: Logger

    /// Returns `nil` if the configuration has no logger.
    init?(_ configuration: Configuration) {
        guard let logger = configuration.logger else { return nil }
        self.logger = logger
    }

    func write(_ message: String, isFailure: Bool, observation: String) {
        logger.log(
            level: isFailure ? .error : .debug, "\(message)",
            metadata: ["observation": .string(observation)])
    }

    /// Writes that a fetch will be repeated. The first repetition is a warning.
    func didPostpone(_ pause: Duration, _ error: any Error, isFirst: Bool, observation: String) {
        logger.log(
            level: isFirst ? .warning : .debug, "the fetch is repeated in \(pause): \(error)",
            metadata: ["observation": .string(observation)])
    }

    /// Writes that a fetch delays the writes of a queue.
    func didFetchSlowly(in time: Duration, observation: String) {
        logger.warning(
            "a fetch took \(time): each write that modifies what it reads takes as long, because a DatabaseQueue fetches before the write ends; use a DatabasePool, or a request that is faster",
            metadata: ["observation": .string(observation)])
    }

    /// Writes why observations are notified of more commits than necessary, or that they are no longer.
    func precisionDidChange(to state: CommitFeedState, of commits: String) {
        switch state {
        case .starting:
            logger.info("\(commits) counts as a change of the whole database until the changes are known")
        case .precise: logger.info("the changes of \(commits) are known")
        case .coarse(let reason):
            logger.notice("\(commits) counts as a change of the whole database: \(reason)")
        }
    }

    func write(_ message: String) { logger.debug("\(message)") }
}

extension ValueObserver {
    var label: String { settings.options.label ?? "\(Reducer.Value.self)" }

    /// Logs a message, if the configuration has a logger. The message is not evaluated otherwise.
    func log(_ message: @autoclosure () -> String, isFailure: Bool = false) {
        guard let log = state.withLock({ $0.log }) else { return }
        log.write(message(), isFailure: isFailure, observation: label)
    }

    /// Logs the error that ended the observation, with a remedy if one is known.
    func logFailure(_ error: any Error) {
        log("failed: \((error as? DatabaseError)?.debugDescription ?? "\(error)")", isFailure: true)
    }

    func logPostponement(_ pause: Duration, _ error: any Error, isFirst: Bool) {
        state.withLock { $0.log }?.didPostpone(pause, error, isFirst: isFirst, observation: label)
    }

    /// Counts a fetch, notes whether it delays others, and logs how long it took. The first slow one of a
    /// queue is a warning.
    func didFetch(in time: Duration, at commit: CommitNumber, _ db: Database) throws {
        let slow = time < RoundPacing.slowFetch ? nil : SlowFetch(key: try settings.key(db))
        let monitor = state.withLock { $0.monitor }
        monitor?.didFetch(in: time)
        let slowFetchLog = state.withLock { state -> ObservationLog? in
            state.counts.didFetch(at: commit, in: time)
            state.slowFetch = slow
            guard time > Self.loggedFetchTime, let host = state.host, !host.coalesces, !state.hasFetchedSlowly
            else { return nil }
            state.hasFetchedSlowly = true
            return state.log
        }
        log("fetched in \(time)")
        slowFetchLog?.didFetchSlowly(in: time, observation: label)
    }

    /// The time above which a fetch of a queue is logged as slow.
    private static var loggedFetchTime: Duration { .milliseconds(100) }
}
