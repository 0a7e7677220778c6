import Logging
import Synchronization
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

    /// Writes why observations are notified of more commits than necessary, or that they are no longer.
    func feedDidChange(_ state: CommitFeedState) {
        switch state {
        case .starting:
            logger.info("the commit feed connects: each commit counts as a change of the whole database")
        case .precise: logger.info("the commit feed reports the changes of each commit")
        case .coarse(let reason):
            logger.warning("each commit counts as a change of the whole database: \(reason)")
        }
    }
}

extension ValueObserver {
    /// The name of the observation in the log.
    var label: String { settings.options.label ?? "\(Reducer.Value.self)" }

    /// Logs a message, if the configuration has a logger. The message is not evaluated otherwise.
    func log(_ message: @autoclosure () -> String, isFailure: Bool = false) {
        guard let log = state.withLock({ $0.log }) else { return }
        log.write(message(), isFailure: isFailure, observation: label)
    }
}
